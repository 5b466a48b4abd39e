#include <algorithm>
#include <array>

#include "pintle/collective.h"

namespace pintle {
namespace {

/// By number, from 1 on.
constexpr std::array<std::string_view, 11> op_names{
    "sum", "prod", "min", "max", "mean", "bit_and", "bit_or", "bit_xor", "logical_and", "logical_or", "logical_xor"};
constexpr std::array<std::string_view, 6> algorithm_names{"automatic",        "direct", "ring",
                                                          "halving_doubling", "tree",   "native"};

constexpr std::array<std::string_view, 11> kind_names{"all_reduce", "reduce",  "reduce_scatter", "all_gather",
                                                      "gather",     "scatter", "broadcast",      "all_to_all",
                                                      "send",       "recv",    "barrier"};

static_assert(kind_names.size() == static_cast<std::size_t>(Collective::Kind::barrier));
static_assert(op_names.size() == static_cast<std::size_t>(ReduceOp::logical_xor));
static_assert(algorithm_names.size() == static_cast<std::size_t>(Algorithm::native));

template <class Named, std::size_t size>
std::string_view name_in(const std::array<std::string_view, size>& names, Named named) noexcept {
  const auto number = static_cast<std::size_t>(named);
  return number >= 1 && number <= size ? names[number - 1] : "unknown";
}

template <class Named, std::size_t size>
std::optional<Named> parse_in(const std::array<std::string_view, size>& names, std::string_view text) noexcept {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Named>(found - names.begin() + 1);
}

}  // namespace

std::string_view name(Collective::Kind kind) noexcept { return name_in(kind_names, kind); }

std::string_view name(ReduceOp op) noexcept { return name_in(op_names, op); }

std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept { return parse_in<ReduceOp>(op_names, name); }

std::string_view name(Algorithm algorithm) noexcept { return name_in(algorithm_names, algorithm); }

std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept {
  return parse_in<Algorithm>(algorithm_names, name);
}

}  // namespace pintle
