#include "registry/takes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"

namespace pintle::registry {
namespace {

std::string text_of(const Grid& grid) { return fmt::format("({},{},{})", grid.x, grid.y, grid.z); }

/// Buffers, and bytes of what comes by value, as a C struct has them: devices limit the two apart.
std::string arguments_refusal_of(const Entry& entry, const Limits& limits) {
  std::size_t buffers = 0, bytes = 0;
  for (const Parameter& parameter : entry.parameters) {
    const bool is_scalar = parameter.kind == Parameter::Kind::scalar;
    const std::size_t size = is_scalar ? bytes_of(parameter.dtype) : parameter.bytes;
    const std::size_t alignment = is_scalar ? size : parameter.alignment;
    if (parameter.kind == Parameter::Kind::buffer) ++buffers;
    else if (size != 0) bytes = (bytes + alignment - 1) / alignment * alignment + size;
  }
  if (buffers > limits.max_buffers)
    return fmt::format("buffer count ({}) is larger than the limit ({})", buffers, limits.max_buffers);
  if (bytes > limits.max_scalar_bytes)
    return fmt::format("scalars ({} bytes) are larger than the limit ({})", bytes, limits.max_scalar_bytes);
  return {};
}

/// Why the device does not have what the entry asks for; empty where it has.
std::string refusal_of_needs(const Entry& entry, const DeviceInfo& info) {
  struct Need {
    Parameter::Kind kind;
    Feature feature;
    std::string_view words;
  };
  static constexpr std::array needs{
      Need{Parameter::Kind::image, Feature::images, "an image"},
      Need{Parameter::Kind::sampler, Feature::images, "a sampler"},
      Need{Parameter::Kind::texel_buffer, Feature::texel_buffers, "a texel buffer"},
      Need{Parameter::Kind::local, Feature::local_arguments, "local memory sized at the launch"}};
  const auto [least, most] = std::pair(info.limits.min_subgroup, info.limits.max_subgroup);
  if (entry.subgroup_size != 0 && (entry.subgroup_size < least || entry.subgroup_size > most))
    return fmt::format("subgroup size ({}) is not from {} to {}", entry.subgroup_size, least, most);
  for (const Parameter& parameter : entry.parameters) {
    const auto need = std::ranges::find(needs, parameter.kind, &Need::kind);
    if (need == needs.end()) continue;
    const Capability& row = info.capability(need->feature);
    if (row.support != Support::absent) continue;
    return fmt::format("parameter {} is {}, which the device does not have ({})", base::quote(parameter.name),
                       need->words, row.detail);
  }
  return {};
}

/// Why the device takes no such code: its target, or limits that no entry fits in. Empty where it takes an entry.
std::string refusal_of(const io::PackVariant& variant, const DeviceInfo& info) {
  std::string refusal = refusal_of_target(variant, info);
  if (refusal.empty() && !has_fitting(variant.entries, info)) refusal = refusal_of_entries(variant.entries, info);
  return refusal;
}

bool has_format(const DeviceInfo& device, const std::string& format) {
  return std::ranges::any_of(device.formats, [&](const auto& taken) { return taken == "*" || taken == format; });
}

std::string joined(const std::vector<std::string>& words) {
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

/// The formats of a pack, each once.
std::vector<std::string> formats_of(const io::Pack& pack) {
  std::vector<std::string> formats;
  for (const io::PackVariant& variant : pack.variants) {
    if (std::ranges::find(formats, variant.format) == formats.end()) formats.push_back(variant.format);
  }
  return formats;
}

}  // namespace

std::string refusal_of(const Entry& entry, const DeviceInfo& info) {
  const Limits& limits = info.limits;
  const Grid& group = entry.group_size;
  const Grid& most = limits.max_group;
  const std::uint64_t plane = std::uint64_t{group.x} * group.y;
  if (group.x > most.x || group.y > most.y || group.z > most.z) {
    return fmt::format("group {} is larger than the limit {}", text_of(group), text_of(most));
  }
  if (plane > limits.max_group_items || plane * group.z > limits.max_group_items) {
    return fmt::format("group {} has more items than the limit ({})", text_of(group), limits.max_group_items);
  }
  if (entry.local_bytes > limits.max_local_bytes) {
    return fmt::format("local memory ({} bytes) is larger than the limit ({})", entry.local_bytes,
                       limits.max_local_bytes);
  }
  const std::string needs = refusal_of_needs(entry, info);
  return needs.empty() ? arguments_refusal_of(entry, limits) : needs;
}

std::string refusal_of_entries(std::span<const Entry> entries, const DeviceInfo& info) {
  for (const Entry& entry : entries) {
    const std::string refusal = refusal_of(entry, info);
    if (!refusal.empty()) return fmt::format("in the entry {} the {}", base::quote(entry.name), refusal);
  }
  return {};
}

bool has_fitting(std::span<const Entry> entries, const DeviceInfo& info) {
  return std::ranges::any_of(entries, [&](const Entry& entry) { return refusal_of(entry, info).empty(); });
}

std::string refusal_of_target(const io::PackVariant& variant, const DeviceInfo& info) {
  const auto& better = info.better_targets;
  const bool is_better = std::ranges::find(better, variant.target) != better.end();
  if (variant.target.empty() || variant.target == info.target || is_better) return {};
  return fmt::format("the device needs the target {}", base::quote(info.target));
}

Result<void> takes(const DeviceInfo& device, const io::Pack& pack) {
  std::string refusals;
  for (const io::PackVariant& variant : pack.variants) {
    if (!has_format(device, variant.format)) continue;
    const std::string refusal = refusal_of(variant, device);
    if (refusal.empty()) return {};
    refusals += fmt::format("; of the variant {}{}{}, {}", variant.format, variant.target.empty() ? "" : " for ",
                            variant.target, refusal);
  }
  return Error(
      Errc::unsupported,
      fmt::format("[{}] takes no variant of [Program {}]: it takes the formats {}, and the pack has {}{}.", device.id,
                  base::quote(pack.name), joined(device.formats), joined(formats_of(pack)), refusals));
}

}  // namespace pintle::registry
