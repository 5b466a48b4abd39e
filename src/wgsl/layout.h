// The bytes of WGSL's types in buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "spirv/block.h"
#include "wgsl/declarations.h"

namespace pintle::wgsl {

struct Layout {
  std::uint64_t size = 0;  ///< An array without a size has that of one element. 0: not known.
  std::uint64_t alignment = 1;
  std::vector<spirv::Field> fields;  ///< By offset; at most 4,096.
};

/// The layout of a type; with no size where its bytes depend on what is not read here.
[[nodiscard]] Layout layout_of(const Declarations& all, const TypeName& type);

}  // namespace pintle::wgsl
