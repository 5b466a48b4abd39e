// Shaders that check each access to a storage buffer, and note the first one that is outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::spirv {

/// What the host reads back after a launch. All zero before it.
struct OutsideNote {
  std::uint32_t is_set = 0;
  std::uint32_t access = 0;  ///< The number of a CheckedAccess.
  std::uint32_t index = 0;   ///< The index into the array without an end.
  std::uint32_t rest = 0;    ///< Bytes from indices behind that one.
};

/// One load, store or atomic operation on a storage buffer.
struct CheckedAccess {
  std::uint32_t buffer = 0;  ///< Among the entry's buffers, by binding.
  bool reads = false;
  bool writes = false;
  std::uint32_t offset = 0;  ///< Bytes that do not depend on an index.
  std::uint32_t stride = 0;  ///< Bytes of an element.

  /// Bytes from the beginning of the binding. An index of 2^31 and more is a negative one.
  [[nodiscard]] std::int64_t offset_of(const OutsideNote& note) const noexcept;
};

struct Instrumented {
  std::vector<std::byte> code;
  std::vector<CheckedAccess> accesses;
  std::uint32_t unchecked = 0;  ///< Accesses to storage buffers by ways that cannot be followed.
};

/// What is instrumented.
struct InstrumentRequest {
  std::span<const std::byte> code;  ///< One module, which `read_modules` accepts.
  std::string_view entry_point;
  std::string_view new_name;  ///< The entry point's in the new module, which has no other.
  std::uint32_t buffers = 0;  ///< Those that the entry declares. The note is bound behind everything.
  std::uint32_t images = 0;   ///< Images and samplers that it declares; nothing of them is checked.
};

/// A module in which no checked access leaves its binding: outside, a load gives zero, a store does nothing, and the
/// first such access is written into the note.
/// `invalid_argument` as `read_modules` answers it. May throw std::bad_alloc.
[[nodiscard]] Result<Instrumented> instrument(const InstrumentRequest& request);

}  // namespace pintle::spirv
