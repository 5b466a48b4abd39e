// Each convert_T[_sat][_mode] between all types, at each width, bit by bit. PoCL runs the same kernels.
#include "conversions.h"

#include <gtest/gtest.h>

#include "builtins.h"

namespace pintle::test {
namespace {

struct Conversion {
  const Number* to;
  bool saturates;
  Mode mode;

  [[nodiscard]] std::string text(unsigned width) const {
    return "convert_" + with_width(to->name, width) + (saturates ? "_sat" : "") + name_of(mode) + "(a)";
  }
};

/// Floating-point types have no conversion that saturates.
std::vector<Conversion> all_to(const Number& to) {
  std::vector<Conversion> all;
  for (const bool saturates : {false, true})
    for (const Mode mode : modes)
      if (!saturates || !to.is_float) all.push_back({&to, saturates, mode});
  return all;
}

constexpr std::array all_widths{1U, 2U, 3U, 4U, 8U, 16U};
constexpr std::array two_widths{1U, 4U};

struct Case {
  const Number* from;
  std::string device;
  bool has_halves;
  std::span<const unsigned> widths;

  /// All as scalars. A vector of each width has a fifth of them, the five widths together have all.
  [[nodiscard]] std::vector<Conversion> conversions(std::size_t width) const {
    std::vector<Conversion> chosen;
    for (const Number& to : numbers()) {
      if (to.name == "half" && !has_halves) continue;
      const std::vector<Conversion> all = all_to(to);
      const auto first =
          static_cast<std::size_t>(from - numbers().data()) + static_cast<std::size_t>(&to - numbers().data());
      for (std::size_t i = 0; i < all.size(); ++i)
        if (width == 0 || (i + first + width) % 5 == 0) chosen.push_back(all[i]);
    }
    return chosen;
  }
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.from->name << " on " << one.device; }

void compare(const Number& from, const Conversion& one, const std::string& text, std::span<const std::byte> in,
             std::span<const std::byte> out) {
  for (std::size_t i = 0; i < value_count; ++i) {
    const Real x = value_of(from, bits_at(from, in, i));
    const auto wanted = converted(from, *one.to, x, one.saturates, one.mode);
    if (!wanted) continue;
    const std::uint64_t bits = bits_at(*one.to, out, i);
    const Real got = value_of(*one.to, bits);
    if (std::isnan(*wanted) ? std::isnan(got) : bits == bits_of(*one.to, *wanted)) continue;
    ADD_FAILURE() << text << " of the " << from.name << " " << x << " is " << got << ", wanted " << *wanted;
    return;
  }
}

class Conversions : public testing::TestWithParam<Case> {};

TEST_P(Conversions, AreExact) {
  auto device = device_if_there(GetParam().device);
  if (!device) GTEST_SKIP() << GetParam().device << " is not there";
  const Number& from = *GetParam().from;
  const std::vector<std::vector<std::byte>> in(3, inputs_of(from, value_count));
  for (std::size_t k = 0; k < GetParam().widths.size(); ++k) {
    const unsigned width = GetParam().widths[k];
    const std::vector<Conversion> all = GetParam().conversions(k);
    std::vector<Expression> expressions;
    for (const Conversion& one : all) expressions.push_back({one.text(width), one.to->name, one.to->bytes});
    const auto results = results_on(*device, expressions, {from.name, "", width, all.size()}, in);
    for (std::size_t i = 0; i < all.size(); ++i) compare(from, all[i], expressions[i].text, in[0], results[i]);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Number& from : numbers()) all.push_back({&from, "cpu", true, all_widths});
  for (const Number& from : numbers())
    if (from.name != "half") all.push_back({&from, "opencl:pocl", false, two_widths});
  return all;
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Conversions, testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.from->name + (info.param.device == "cpu" ? "_cpu" : "_pocl");
});

}  // namespace
}  // namespace pintle::test
