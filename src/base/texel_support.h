// What a device says of its texels.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "pintle/texel.h"

namespace pintle::base {

/// Whether kernels may use the texel so.
[[nodiscard]] inline bool suits(const TexelSupport& support, Texel texel, Access access) noexcept {
  return support.texel == texel && (support.access == access || support.access == Access::read_write);
}

[[nodiscard]] inline bool has_texel(std::span<const TexelSupport> texels, Texel texel, Access access) noexcept {
  return std::ranges::any_of(texels, [&](const TexelSupport& support) { return suits(support, texel, access); });
}

/// The names of those that kernels may use so, separated by ", "; "none" where there are none.
[[nodiscard]] inline std::string texels_for(std::span<const TexelSupport> texels, Access access) {
  std::string all;
  for (const TexelSupport& support : texels)
    if (suits(support, support.texel, access)) all.append(all.empty() ? "" : ", ").append(name(support.texel));
  return all.empty() ? "none" : all;
}

}  // namespace pintle::base
