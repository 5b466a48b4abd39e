// Whether a device takes a pack, without opening the one or loading the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/inside.h"
#include "base/quote.h"
#include "core/door/door.h"
#include "core/program/program_pack.h"
#include "pintle/device.h"

namespace pintle {
namespace core {
namespace {

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

}  // namespace core

Result<void> takes(const DeviceInfo& device, const ProgramPack& pack) {
  return core::enter("comparing a device with a pack", [&]() -> Result<void> {
    if (!Inside::state(pack)) return core::empty_object("ProgramPack");
    return core::takes(device, Inside::state(pack)->pack);
  });
}

}  // namespace pintle
