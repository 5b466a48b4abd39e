// What a function of a StableHLO text takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stablehlo/type.h"

namespace pintle::stablehlo {

/// One result.
struct Output {
  TensorType type{};    ///< What is no tensor has no sides, and the first letters of its text as element.
  std::string alias{};  ///< "x$i1", where the text says `!x$i1`; else empty.
};

struct Argument {
  std::string name{};  ///< "x", where the text says `%x`; empty where it has types alone.
  TensorType type{};
  std::string alias{};
  std::optional<std::uint32_t> result{};  ///< `tf.aliasing_output`: the result that takes its memory.
  bool is_donor = false;  ///< `jax.buffer_donor`, whatever its value: XLA asks only whether it is there.
};

struct Function {
  std::string name{};
  bool is_private = false;
  bool has_body = false;
  std::vector<Argument> arguments{};
  std::vector<Output> results{};
};

}  // namespace pintle::stablehlo
