// Random kernels of OpenCL C, and a model that says what they leave. Numbers are 32-bit and unsigned, so that every
// result is exact.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace pintle::test::random {

using Words = std::vector<std::uint32_t>;
using Sides = std::array<std::uint32_t, 3>;

inline constexpr std::uint32_t word_count = 509;  ///< of the kernel's input
inline constexpr std::uint32_t variable_count = 4;
inline constexpr std::uint32_t sum_count = 8;

/// A value that an item computes.
struct Expression {
  enum class Kind : std::uint8_t {
    constant,
    scalar,    ///< The kernel's `n`.
    variable,  ///< `v0` and so on.
    counter,   ///< The counter of the loop that is so deep.
    element,   ///< An element of the item's own array.
    global_id,
    local_id,
    group_id,
    word,  ///< A word of the input.
    binary,
    choice
  };
  Kind kind = Kind::constant;
  std::uint32_t value = 0;  ///< A constant, a number of a variable, a dimension, an operation.
  std::vector<Expression> parts;

  [[nodiscard]] std::string text() const;
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,  ///< A variable.
    store,   ///< An element of the item's own array.
    sum,     ///< To one of the sums that all items share, atomically.
    branch,
    loop,
    leave,     ///< The innermost loop.
    go_on,     ///< With its next round.
    end,       ///< The item returns.
    exchange,  ///< Through local memory, between barriers.
    reduce     ///< Over the group.
  };
  Kind kind = Kind::assign;
  std::uint32_t target = 0;  ///< A variable, an element, a sum, a loop's depth.
  std::uint32_t step = 1;    ///< A loop's; how far values go in an exchange.
  std::vector<Expression> values;
  std::vector<Statement> body, otherwise;

  [[nodiscard]] std::string text(const Sides& group, const std::string& indent) const;
};

struct RandomKernel {
  Sides group{}, counts{};
  std::uint32_t n = 0;
  bool has_guard = false;  ///< Items beyond `n` in x do nothing.
  std::vector<Statement> body;

  [[nodiscard]] std::uint32_t items() const noexcept { return group[0] * group[1] * group[2]; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return counts[0] * counts[1] * counts[2]; }
  /// What each item leaves lies side by side: `variable_count` words for each item, x first.
  [[nodiscard]] std::size_t results() const noexcept { return std::size_t{items()} * groups() * variable_count; }
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::string signature(const std::string& name) const;
  /// Runs the model.
  void run(const Words& in, Words& out, Words& sums) const;
};

RandomKernel random_kernel(std::mt19937& random);

}  // namespace pintle::test::random
