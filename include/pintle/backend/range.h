// The parts of every command: ranges of device memory, and values of a few bytes.
#pragma once

#include <cstdint>

#include "pintle/dtype.h"

namespace pintle::backend {

/// Memory of a backend, by a number that the backend chose and that is never zero.
enum class MemoryId : std::uint64_t { none = 0 };

/// Marks what is not a slot.
inline constexpr std::uint32_t no_slot = 0xffffffff;

/// Bytes of device memory. With a slot, the binding at replay gives memory and offset, and `size` is what the command
/// needs (0: the whole of what is bound).
struct Range {
  MemoryId memory = MemoryId::none;
  std::uint64_t buffer = 0;  ///< Core's id of the buffer, unique for ever: names in traces, keys in layers.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t slot = no_slot;
  friend bool operator==(const Range&, const Range&) = default;
};

using pintle::Scalar;

}  // namespace pintle::backend
