// The sizes that a text leaves open, and what they become.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pintle/error.h"
#include "stablehlo/type.h"

namespace pintle::stablehlo {

/// What is known of a parameter when an entry is compiled.
struct Size {
  std::string_view name{};
  std::uint64_t elements = 0;
  std::span<const std::uint64_t> sides{};  ///< Its shape; empty where it has none.
};

/// The parameter whose elements fill the open sides of an alias in: "x" of "x$i1".
[[nodiscard]] constexpr std::string_view parameter_of(std::string_view alias) noexcept {
  return alias.substr(0, alias.find('$'));
}

/// The sides of an alias ("x$i1", of the parameter "x"). One open side is what the other sides leave of the elements;
/// several are those of the parameter's shape, which has as many sides. `invalid_argument` names the alias, what it has
/// and what does not fit.
[[nodiscard]] Result<std::vector<std::uint64_t>> sides_of(std::string_view alias, const TensorType& type,
                                                          std::span<const Size> sizes);

}  // namespace pintle::stablehlo
