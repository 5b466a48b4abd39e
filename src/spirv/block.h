// The numbers of a block of memory that a shader declares, each at its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/number.h"

namespace pintle::spirv {

/// A number of a block; of an array without an end, one of its first element.
struct Field {
  std::string name;  ///< The member's path, "item.at"; empty where the module has no names.
  std::uint64_t offset = 0;
  base::Number number;
};

struct Block {
  std::vector<Field> fields;  ///< By offset. A block of more than 4,096 numbers is cut there.
  std::uint64_t size = 0;     ///< The end of the last member.
};

}  // namespace pintle::spirv
