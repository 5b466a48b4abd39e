// How a signature can declare a block whose numbers come by value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/tables.h"

namespace pintle::spirv {

/// A parameter by value.
struct Declaration {
  std::string name;          ///< May be empty, or what no signature takes as a name.
  std::string type;          ///< As a signature has it: "f32x3", "{ x: f32 at 0 }".
  std::uint64_t offset = 0;  ///< Where it has to lie.
};
using Declarations = std::vector<Declaration>;

/// What the members of a block may be declared as, the plainest first: each as a parameter, or all as one struct with
/// the name `name`. A way is missing where a signature cannot say a member's type, or has more than 64 numbers and
/// vectors to name.
[[nodiscard]] std::vector<Declarations> ways_to_declare(const Tables& tables, std::uint32_t block,
                                                        std::string_view name);

}  // namespace pintle::spirv
