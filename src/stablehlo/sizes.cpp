#include "stablehlo/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "base/quote.h"

namespace pintle::stablehlo {
namespace {

/// An alias, and the parameter that its name begins with.
struct Open {
  std::string_view alias;
  const TensorType& type;
  const Size& parameter;
};

/// "(?x4)"
std::string text_of(const TensorType& type) {
  std::string text;
  for (const auto side : type.sides) {
    if (!text.empty()) text += 'x';
    text += side ? fmt::format("{}", *side) : "?";
  }
  return fmt::format("({})", text);
}

std::string name_of(std::string_view alias) { return base::quote(fmt::format("!{}", alias)); }

Error misfit(const Open& open, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("The sides {} of the alias {} {} [parameter {}].", text_of(open.type),
                                              name_of(open.alias), what, base::quote(open.parameter.name))};
}

/// The product of the sides that are known; empty where it does not fit 64 bits.
std::optional<std::uint64_t> product_of(const TensorType& type) noexcept {
  std::uint64_t product = 1;
  for (const auto side : type.sides) {
    const std::uint64_t factor = side.value_or(1);
    if (factor != 0 && product > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    product *= factor;
  }
  return product;
}

Result<std::vector<std::uint64_t>> by_elements(const Open& open) {
  const auto product = product_of(open.type);
  if (!product || *product == 0 || open.parameter.elements % *product != 0) {
    return misfit(open, fmt::format("do not divide the elements ({}) of", open.parameter.elements));
  }
  std::vector<std::uint64_t> sides;
  for (const auto side : open.type.sides) sides.push_back(side.value_or(open.parameter.elements / *product));
  return sides;
}

Result<std::vector<std::uint64_t>> by_shape(const Open& open) {
  const auto shape = open.parameter.sides;
  if (shape.size() != open.type.sides.size()) {
    return misfit(open, fmt::format("are open more than once, and need a shape of ({}) sides instead of ({}) of",
                                    open.type.sides.size(), shape.size()));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (open.type.sides[i].value_or(shape[i]) != shape[i])
      return misfit(open, fmt::format("do not agree with side ({}), which is ({}), of the shape of", i, shape[i]));
  }
  return std::vector(shape.begin(), shape.end());
}

}  // namespace

Result<std::vector<std::uint64_t>> sides_of(std::string_view alias, const TensorType& type,
                                            std::span<const Size> sizes) {
  const std::string_view name = parameter_of(alias);
  const auto parameter = std::ranges::find(sizes, name, &Size::name);
  if (parameter == sizes.end()) {
    return Error(Errc::invalid_argument, fmt::format("The alias {} has open sides {}, and no parameter is called {}.",
                                                     name_of(alias), text_of(type), base::quote(name)));
  }
  const Open open{alias, type, *parameter};
  return type.open_sides() == 1 ? by_elements(open) : by_shape(open);
}

}  // namespace pintle::stablehlo
