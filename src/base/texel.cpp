#include "pintle/texel.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/contain.h"

namespace pintle {
namespace {

constexpr std::array<std::string_view, 36> names{
    "r8",    "rg8",    "rgba8",    "r8_snorm", "rg8_snorm", "rgba8_snorm", "r8ui",      "rg8ui",      "rgba8ui",
    "r8i",   "rg8i",   "rgba8i",   "r16",      "rg16",      "rgba16",      "r16_snorm", "rg16_snorm", "rgba16_snorm",
    "r16ui", "rg16ui", "rgba16ui", "r16i",     "rg16i",     "rgba16i",     "r32ui",     "rg32ui",     "rgba32ui",
    "r32i",  "rg32i",  "rgba32i",  "r16f",     "rg16f",     "rgba16f",     "r32f",      "rg32f",      "rgba32f"};

static_assert(names.size() == static_cast<std::size_t>(Texel::rgba32f));
static_assert(channel_of(Texel::rg16i) == Channel::i16 && channels_of(Texel::rg16i) == 2);
static_assert(bytes_of(Texel::rgba32f) == 16 && bytes_of(Texel::rg16f) == 4 && bytes_of(Texel::r8i) == 1);

}  // namespace

std::string_view name(Texel texel) noexcept {
  return is_texel(texel) ? names[static_cast<std::size_t>(texel) - 1] : "unknown";
}

std::optional<Texel> parse_texel(std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Texel>(found - names.begin() + 1);
}

std::string texel_names() noexcept {
  return base::contain_or(std::string("r8, rg8, ..."), [] {
    std::string all;
    for (const std::string_view name : names) all.append(all.empty() ? "" : ", ").append(name);
    return all;
  });
}

}  // namespace pintle
