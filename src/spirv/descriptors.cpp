#include "spirv/descriptors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "base/signature.h"

namespace pintle::spirv {
namespace {

using enum DescriptorKind;

bool has_kind(DescriptorKind kind, const Parameter& parameter) noexcept {
  switch (parameter.kind) {
    case Parameter::Kind::buffer: return kind == storage_buffer || kind == uniform_block;
    case Parameter::Kind::image:
      return parameter.is_sampled ? kind == combined : kind == storage_image || kind == sampled_image;
    case Parameter::Kind::sampler: return kind == sampler;
    case Parameter::Kind::texel_buffer: return kind == fetched_texels || kind == stored_texels;
    default: return false;
  }
}

bool has_texels(DescriptorKind kind) noexcept {
  return kind == storage_image || kind == sampled_image || kind == combined || kind == fetched_texels ||
         kind == stored_texels;
}

/// Without a declared texel each image and each texel buffer is compared when it is bound.
bool agrees(const Binding& variable, const Parameter& parameter) noexcept {
  if (!has_kind(variable.kind, parameter)) return false;
  if (!has_texels(variable.kind)) return true;
  const bool has_sides =
      parameter.kind == Parameter::Kind::texel_buffer || variable.image.dimensions == parameter.dimensions;
  return has_sides && (!parameter.texel || may_be(variable.image, *parameter.texel));
}

std::string text_of(const Binding& variable) {
  return has_texels(variable.kind) ? fmt::format("{} ({})", variable.what, text_of(variable.image)) : variable.what;
}

}  // namespace

bool is_bound(const Parameter& parameter) noexcept {
  return parameter.kind == Parameter::Kind::buffer || parameter.kind == Parameter::Kind::image ||
         parameter.kind == Parameter::Kind::sampler || parameter.kind == Parameter::Kind::texel_buffer;
}

bool is_uniform(const Place& place) noexcept { return place.at.kind == uniform_block; }

Result<void> check_kind(const Place& place, const Parameter& parameter) {
  for (const Binding* const variable : place.variables) {
    if (agrees(*variable, parameter)) continue;
    return Error(Errc::invalid_argument,
                 fmt::format("has {} at {}, and parameter {} is declared ({})", text_of(*variable), text_of(place),
                             base::quote(parameter.name), base::type_text(parameter)));
  }
  return {};
}

std::vector<std::pair<std::size_t, std::size_t>> sampled_in(std::span<const Place> places, const EntryPoint& entry) {
  std::vector<std::pair<std::size_t, std::size_t>> sampled;
  const auto has = [&](std::size_t index, std::uint32_t id) {
    return std::ranges::find(places[index].variables, id, &Binding::id) != places[index].variables.end();
  };
  for (std::size_t image = 0; image < places.size(); ++image) {
    if (places[image].at.kind == combined) sampled.emplace_back(image, image);
    if (places[image].at.kind != sampled_image) continue;
    for (std::size_t by = 0; by < places.size(); ++by) {
      if (places[by].at.kind != sampler) continue;
      const auto meets = [&](const auto& pair) { return has(image, pair.first) && has(by, pair.second); };
      if (std::ranges::any_of(entry.combined, meets)) sampled.emplace_back(image, by);
    }
  }
  return sampled;
}

Result<void> check_limits(const KernelLimits& limits, const KernelInterface& interface) {
  const auto count = [&](std::initializer_list<DescriptorKind> kinds) {
    return static_cast<std::size_t>(std::ranges::count_if(interface.descriptors, [&](const Descriptor& one) {
      return std::ranges::find(kinds, one.kind) != kinds.end();
    }));
  };
  const std::size_t scalars = interface.scalar_source == ScalarSource::uniform ? 1 : 0;
  const std::size_t blocks = count({uniform_block}) + scalars;
  struct Row {
    std::string_view what;
    std::size_t has;
    std::uint32_t most;
  };
  const std::array rows{
      Row{"storage buffers", count({storage_buffer}), limits.storage_buffers},
      Row{"uniform blocks", blocks, limits.uniform_blocks},
      Row{"storage images and texel buffers", count({storage_image, stored_texels}), limits.storage_images},
      Row{"sampled images and texel buffers", count({sampled_image, combined, fetched_texels}), limits.sampled_images},
      Row{"samplers", count({sampler, combined}), limits.samplers},
      Row{"buffers and images", interface.descriptors.size() - count({sampler}) + scalars, limits.resources}};
  for (const Row& row : rows) {
    if (row.has <= row.most) continue;
    return Error(Errc::unsupported,
                 fmt::format("has ({}) {}, and the limit of the device is ({})", row.has, row.what, row.most));
  }
  return {};
}

}  // namespace pintle::spirv
