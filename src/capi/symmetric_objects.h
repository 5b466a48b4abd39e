// Symmetric heaps, and what is allocated of them, behind handles.
#pragma once

#include <string>
#include <utility>

#include "capi/lent_buffers.h"
#include "capi/owned_handles.h"
#include "capi/timelines.h"
#include "capi/with.h"
#include "pintle/c/symmetric.h"

namespace pintle::capi {

PINTLE_C_KIND(pintle_symmetric_buffer, SymmetricBuffer, 53, "symmetric buffer");
PINTLE_C_KIND(pintle_symmetric_signals, SymmetricSignals, 54, "symmetric signals");

/// A heap, and what ends with it.
struct HeapObject {
  SymmetricHeap heap;
  const std::string residence_detail;
  OwnedHandles<pintle_symmetric_buffer> buffers{};
  OwnedHandles<pintle_symmetric_signals> signals{};
  LentBuffers lent{};  // the device's bytes, by the buffer's handle
  Timelines timelines{};

  HeapObject(SymmetricHeap its, std::string detail) noexcept
      : heap(std::move(its)), residence_detail(std::move(detail)) {}
};
PINTLE_C_KIND(pintle_symmetric_heap, HeapObject, 52, "symmetric heap");

/// The range of a view in the piece of its rank. The heap checks the rank.
[[nodiscard]] Result<SymmetricView> symmetric_view_of(const pintle_symmetric_view* view);
/// Signal `index`, which the heap checks.
[[nodiscard]] Result<SymmetricSignal> symmetric_signal_of(pintle_symmetric_signals signals, std::uint64_t index);

}  // namespace pintle::capi
