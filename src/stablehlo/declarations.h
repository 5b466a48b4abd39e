// What stands in a StableHLO text outside of bodies, where it stands, and which names it uses.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"
#include "stablehlo/function.h"
#include "stablehlo/tokens.h"

namespace pintle::stablehlo {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The names in a piece of the text, and its open sizes.
struct Uses {
  std::vector<Token> functions{};           ///< Each `@name`.
  std::vector<std::string_view> aliases{};  ///< Each `!x` and `#loc1`; others may be among them.
  std::vector<std::size_t> open{};          ///< Where a side of a tensor is "?".
};

/// `!x = tensor<?xf32>` or `#loc1 = loc("x":1:2)`.
struct Alias {
  TensorType type{};
  std::string_view
      definition{};  ///< The alias whose definition has the sides: "!x", also for `!y = !x`. Empty: no tensor.
  Uses uses{};
};

/// Where an argument may get one more attribute.
struct ArgumentPlace {
  std::size_t attribute = 0;
  std::string_view before = " {";  ///< What has to stand around it.
  std::string_view behind = "}";
  Span donor{};  ///< The attribute `jax.buffer_donor`.
};

struct FunctionPlace {
  Span all{};         ///< With its location.
  Span visibility{};  ///< Empty where none is written.
  Token name{};
  std::vector<ArgumentPlace> arguments{};
  Uses uses{};
};

/// The views are of `text`.
struct Declarations {
  std::string text{};
  std::vector<Function> functions{};
  std::vector<FunctionPlace> places{};  ///< One for each function.
  std::map<std::string, std::size_t, std::less<>> by_name{};
  std::map<std::string_view, Alias> aliases{};  ///< By "!x" and "#loc1".
};

/// `invalid_argument` names line and column of a string or a bracket without an end, and of what is no function.
[[nodiscard]] Result<std::shared_ptr<const Declarations>> declarations_of(std::string_view text);

}  // namespace pintle::stablehlo
