// The texels of a device in software, which has them all.
#pragma once

#include <vector>

#include "pintle/texel.h"

namespace pintle::kit {

/// Each texel, for reading and writing, filtered where it is not of integers.
[[nodiscard]] inline std::vector<TexelSupport> all_texels() {
  std::vector<TexelSupport> all;
  for (auto texel = Texel::r8; is_texel(texel); texel = static_cast<Texel>(static_cast<int>(texel) + 1))
    all.push_back({texel, Access::read_write, !is_integer(texel)});
  return all;
}

}  // namespace pintle::kit
