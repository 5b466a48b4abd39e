// What an operation refuses before anything is sent.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/fold/schedule.h"
#include "collective/group/call.h"
#include "collective/group/parts.h"
#include "pintle/collective.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The memory that a caller gives, as the operation calls it.
struct Memory {
  std::string_view name;  ///< "to", "from", "elements".
  DType dtype;
  const std::byte* start;
  std::uint64_t bytes;
  std::uint64_t element_size;  ///< The element size of what the caller gave; 1 for bytes.

  /// Plain bytes are u8.
  Memory(std::string_view called, const Elements& elements) noexcept
      : name(called),
        dtype(elements.dtype().value_or(DType::u8)),
        start(elements.bytes().data()),
        bytes(elements.bytes().size()),
        element_size(elements.element_size()) {}
};

/// What an operation does here, checked: which call the ranks are to agree on, and the memory that it works on.
struct HostCall {
  Call call{};
  Work work{};
  Side side = Side::sends;
  std::uint32_t other = 0;  ///< The other rank of a message.
};
/// `invalid_argument` for what `rank` of `ranks` can see to be wrong.
[[nodiscard]] Result<HostCall> host_call(const Collective& operation, std::uint32_t rank, std::uint32_t ranks);

/// A dtype that exists, of the size that the elements have, and a whole number of them.
[[nodiscard]] Result<void> check_elements(const Memory& memory);
[[nodiscard]] Result<void> check_same_dtype(const Memory& to, const Memory& from);
/// `whole` has `parts` times the bytes of `part`.
[[nodiscard]] Result<void> check_parts(const Memory& whole, const Memory& part, std::uint32_t parts);
/// No byte of one is a byte of the other.
[[nodiscard]] Result<void> check_overlap(const Memory& to, const Memory& from);

}  // namespace pintle::collective
