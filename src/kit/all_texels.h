// All texels, and what a device in software does with them.
#pragma once

#include <vector>

#include "pintle/texel.h"

namespace pintle::kit {

template <class Visit>
void for_each_texel(Visit visit) {
  for (auto texel = Texel::r8; is_texel(texel); texel = static_cast<Texel>(static_cast<int>(texel) + 1)) visit(texel);
}

/// Each texel, for reading and writing, filtered where it is not of integers.
[[nodiscard]] inline std::vector<TexelSupport> all_texels() {
  std::vector<TexelSupport> all;
  for_each_texel([&](Texel texel) { all.push_back({texel, Access::read_write, !is_integer(texel)}); });
  return all;
}

/// Each texel of a texel buffer, for reading and writing.
[[nodiscard]] inline std::vector<TexelSupport> all_buffer_texels() {
  std::vector<TexelSupport> all;
  for_each_texel([&](Texel texel) { all.push_back({texel, Access::read_write, false}); });
  return all;
}

}  // namespace pintle::kit
