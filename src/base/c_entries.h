// C functions as entries of a program: with arguments that have types, or with an array of addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::base {

/// The symbol of the constant, a `pintle_cpu_kernel`, that points to the function of an entry.
[[nodiscard]] std::string entry_symbol(std::string_view entry);

/// `source`, which begins with the kernel header, with those constants behind it. Each entry is a function of its name,
/// of one of two types: `void f(const pintle_group*, void* const*)`, which is taken as it is, or one with a typed
/// argument for each parameter, `void f(const pintle_group*, float a, const float* x)`, which is compared with the
/// entry. A vector or a struct is taken as the function declares it, `camera c` or `const camera* c`; here, where no
/// compiler has told its type, as `const void*`. All that a compilation depends on is in the text.
[[nodiscard]] std::string with_entries(std::string_view source, std::span<const Entry> entries);

/// What becomes of entries whose functions a source lacks.
enum class Lacking : std::uint8_t {
  refused,
  left_out,  ///< The code has the others, unless the source lacks all.
};

/// As `compile_c`, for `source` with its entries. `build_failed` names the functions that are missing, or
/// has both types where they differ.
[[nodiscard]] Result<std::vector<std::byte>> compile_entries(std::string_view name,
                                                             std::span<const std::string> command,
                                                             std::string_view source, std::span<const Entry> entries,
                                                             Lacking lacking = Lacking::refused);

}  // namespace pintle::base
