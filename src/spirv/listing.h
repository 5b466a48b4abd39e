// A module as a list of instructions that can be changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pintle::spirv {

/// One instruction: its words after the first.
struct Line {
  std::uint32_t op = 0;
  std::vector<std::uint32_t> operands;

  /// An operand; 0, which is no id, where there is none.
  [[nodiscard]] std::uint32_t at(std::size_t index) const noexcept {
    return index < operands.size() ? operands[index] : 0;
  }
};

using Lines = std::vector<Line>;

/// The sections of a module, in their order.
struct Listing {
  std::array<std::uint32_t, 5> header{};
  Lines head;       ///< Capabilities, entry points, names, decorations.
  Lines globals;    ///< Types, constants, variables.
  Lines functions;  ///< From the first function on.

  [[nodiscard]] std::uint32_t new_id() noexcept { return header[3]++; }
};

/// `words` is one module that `read_module` has accepted.
[[nodiscard]] Listing list_module(std::span<const std::uint32_t> words);
[[nodiscard]] std::vector<std::byte> code_of(const Listing& listing);

/// Keeps only the entry point `name` and calls it `new_name`. Before version 1.4 no module says which variables an
/// entry uses: those that it cannot reach go too, unless their binding is below `kept_bindings`.
void keep_entry(Listing& listing, std::string_view name, std::string_view new_name, std::uint32_t kept_bindings);

}  // namespace pintle::spirv
