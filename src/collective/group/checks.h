// What an operation refuses before anything is sent.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/group/call.h"
#include "pintle/collective.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The memory that a caller gives, as the operation calls it.
struct Memory {
  std::string_view name;  ///< "to", "from", "elements".
  DType dtype;
  const std::byte* start;
  std::uint64_t bytes;

  Memory(std::string_view called, const Elements& elements) noexcept
      : name(called), dtype(elements.dtype), start(elements.bytes.data()), bytes(elements.bytes.size()) {}
};

/// A dtype that exists, and a whole number of its elements.
[[nodiscard]] Result<void> check_elements(const Memory& memory);
[[nodiscard]] Result<void> check_same_dtype(const Memory& to, const Memory& from);
/// `whole` has `parts` times the bytes of `part`.
[[nodiscard]] Result<void> check_parts(const Memory& whole, const Memory& part, std::uint32_t parts);
/// No byte of one is a byte of the other.
[[nodiscard]] Result<void> check_overlap(const Memory& to, const Memory& from);
[[nodiscard]] Result<void> check_rank(std::string_view name, std::uint32_t rank, std::uint32_t ranks);

}  // namespace pintle::collective
