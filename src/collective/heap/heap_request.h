// What a rank asks of a symmetric heap: as it travels to the others, and as people read it.
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

/// `[SymmetricHeap 4 "caches"]`: a name's lower half is a number for people.
[[nodiscard]] std::string heap_text(std::uint64_t name, std::string_view label);

enum class HeapCall : std::uint64_t { create = 1, allocate, allocate_signals, free, barrier };

/// The same on every rank, word for word, or nothing happens.
struct HeapRequest {
  HeapCall call = HeapCall::barrier;
  std::uint64_t heap = 0;    ///< The heap's name; 0 for `create`, which is to find one.
  std::uint64_t bytes = 0;   ///< For `create`.
  std::uint64_t serial = 0;  ///< For `free`: the allocation,
  std::uint64_t offset = 0;  ///< and where it is.
  DType dtype = DType::u8;
  Shape shape{0};

  friend bool operator==(const HeapRequest&, const HeapRequest&) noexcept = default;
};
/// "allocates f32[2,3] in [SymmetricHeap 4]", whatever the words are.
[[nodiscard]] std::string text(const HeapRequest& request);

/// What rides on a request, and needs not be the same.
struct HeapOffer {
  std::uint64_t name = 0;       ///< What this rank would call a new heap: no other heap of this machine has it.
  std::uint64_t alignment = 0;  ///< For `create`: what this rank's device needs.
};

/// Collective: tells all ranks what this one asks, and whether it can have it (`own`). Success, with everybody's
/// offers, when all ask for the same and all can. Otherwise one error everywhere: `invalid_argument` with both sides
/// where a rank asks for something else than rank 0, else what hinders the lowest rank that cannot. What others say is
/// not trusted.
[[nodiscard]] Result<std::vector<HeapOffer>> meet(const Exchange& exchange, const HeapRequest& request,
                                                  const HeapOffer& offer, const Result<void>& own, Deadline deadline);

}  // namespace pintle::collective
