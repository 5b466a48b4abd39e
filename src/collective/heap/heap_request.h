// What a rank asks of a symmetric heap: in the form that travels to the others, and in the form that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collective/transport.h"
#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::collective {

/// `[SymmetricHeap 4 "caches"]`: the lower half of a name is the number that people read.
[[nodiscard]] std::string heap_text(std::uint64_t name, std::string_view label);

enum class HeapCall : std::uint64_t { create = 1, allocate, allocate_signals, free, barrier };

/// Every rank asks the same, word for word, or nothing happens.
struct HeapRequest {
  HeapCall call = HeapCall::barrier;
  std::uint64_t heap = 0;    ///< The heap's name; 0 for `create`, which finds one.
  std::uint64_t bytes = 0;   ///< For `create`.
  std::uint64_t serial = 0;  ///< For `free`: the allocation,
  std::uint64_t offset = 0;  ///< and where it is.
  DType dtype = DType::u8;
  Shape shape{0};

  friend bool operator==(const HeapRequest&, const HeapRequest&) noexcept = default;
};
/// "allocates f32[2,3] in [SymmetricHeap 4]", whatever the words are.
[[nodiscard]] std::string text(const HeapRequest& request);

/// What a rank adds to its request; it may differ between ranks.
struct HeapOffer {
  std::uint64_t name = 0;  ///< The name that this rank would give a new heap; no other heap of this machine has it.
  std::uint64_t alignment = 0;  ///< For `create`: what this rank's device needs.
};

/// Collective: tells all ranks what this one asks, and what hinders it if anything does (`own`). Success, with the
/// offers of all ranks, when all ask for the same and nothing hinders any. Otherwise every rank gets one error:
/// `invalid_argument` with both requests where a rank asks for something else than rank 0, else what hinders the lowest
/// rank that is hindered. The words of other ranks are not trusted.
[[nodiscard]] Result<std::vector<HeapOffer>> meet(const Exchange& exchange, const HeapRequest& request,
                                                  const HeapOffer& offer, const Result<void>& own, Deadline deadline);

}  // namespace pintle::collective
