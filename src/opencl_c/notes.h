// What compiled OpenCL C says of itself, in symbols of the shared object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::opencl_c {

struct Refusal {
  std::string entry;
  std::string reason;
};

/// Where the code itself says which entries it lacks, and why: a text for `parse_refusals`.
inline constexpr const char* refusals_symbol = "pintle_refusals";
[[nodiscard]] std::vector<Refusal> parse_refusals(std::string_view text);
/// What code says of itself that is not loaded. Empty for code of anything else.
[[nodiscard]] std::vector<Refusal> refusals_in(std::span<const std::byte> code);

/// A buffer whose offset has to be a multiple of `bytes`: the code loads vectors from it.
struct Need {
  std::string entry;
  std::uint32_t parameter = 0;
  std::uint32_t bytes = 1;
};

/// Where the code says which alignments it needs: a text for `parse_needs`.
inline constexpr const char* alignments_symbol = "pintle_alignments";
[[nodiscard]] std::vector<Need> parse_needs(std::string_view text);

/// Followed by an entry's name: whether one call may run several groups that are neighbours in x, as one with more
/// items.
inline constexpr const char* rows_symbol = "pintle_rows_";

/// Followed by an entry's name: a text with the items of its subgroups. Other code than OpenCL C's has none.
inline constexpr const char* subgroup_symbol = "pintle_items_of_subgroup_";
inline constexpr std::uint32_t most_subgroup = 128;  ///< A ballot has 128 bits.

/// Where the code has a pointer to a `Print`, null until the loader sets it. Only code that prints has it.
inline constexpr const char* print_symbol = "pintle_print";

}  // namespace pintle::opencl_c
