#include "examples/demo/demo.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "examples/demo/pack.h"
#include "examples/demo/pipeline.h"
#include "pintle/pintle.h"

namespace demo {
namespace {

/// Devices that execute, and the cpu without threads.
pintle::Result<std::vector<std::string>> device_ids(const Options& options) {
  if (!options.devices.empty()) return options.devices;
  PINTLE_ASSIGN(list, pintle::devices());
  const std::vector<std::string> names = pintle::ids_by_name(list.devices);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const pintle::DeviceInfo& device = list.devices[i];
    if (device.capability(pintle::Feature::execution).support != pintle::Support::absent) ids.push_back(names[i]);
    if (device.id == "cpu") ids.push_back("cpu?inline");
  }
  return ids;
}

/// Why other devices are not there, and what brings them.
pintle::Result<void> tell_absences(const Options& options, const Tell& tell) {
  PINTLE_ASSIGN(list, pintle::devices());
  for (const pintle::Absence& absence : list.absences) {
    const bool has_software = absence.backend == "vulkan" || absence.backend == "opencl";
    const std::string& step = has_software && !options.software.empty() ? options.software : absence.next_step;
    tell({.kind = Row::Kind::absent, .device = absence.backend, .reason = absence.reason + " " + step});
  }
  return {};
}

Row timed(Row::Kind kind, const std::string& device, const Timing& timing) {
  Row row{.kind = kind, .device = device, .kernel = timing.kernel, .milliseconds = timing.milliseconds};
  if (timing.milliseconds) row.gigabytes_per_second = static_cast<double>(timing.bytes) / *timing.milliseconds / 1e6;
  return row;
}

/// True when every kernel is within its tolerance.
bool tell_device(const std::string& id, const Outcome& outcome, const Expected& expected, const Tell& tell) {
  const auto comparisons = compare(outcome, expected);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    Row row = timed(Row::Kind::kernel, id, outcome.kernels[i]);
    row.comparison = comparisons[i];
    tell(row);
  }
  tell(timed(Row::Kind::all, id, outcome.all));
  return std::ranges::all_of(comparisons, &Comparison::holds);
}

bool takes(const pintle::DeviceInfo& device, const pintle::VariantInfo& variant) {
  const bool fits = variant.target.empty() || variant.target == device.target ||
                    std::ranges::find(device.better_targets, variant.target) != device.better_targets.end();
  return fits && std::ranges::any_of(device.formats, [&](const std::string& format) {
           return format == "*" || format == variant.format;
         });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Why no variant is for this device; empty where one is. A variant that is, and does not load, is a failure.
std::string reason_to_skip(const pintle::DeviceInfo& device, const pintle::ProgramPack& pack) {
  std::vector<std::string> there;
  for (const pintle::VariantInfo& variant : pack.variants()) {
    if (takes(device, variant)) return {};
    there.push_back(variant.format + (variant.target.empty() ? "" : " for " + variant.target));
  }
  return "it takes " + joined(device.formats) + "; the kernels are there as " + joined(there);
}

/// Empty where the device is skipped.
pintle::Result<std::optional<Outcome>> run_on(const std::string& id, const pintle::ProgramPack& pack,
                                              const Picture& picture, const Tell& tell) {
  PINTLE_ASSIGN(device, pintle::open(id));
  if (const std::string reason = reason_to_skip(device.info(), pack); !reason.empty()) {
    tell({.kind = Row::Kind::skipped, .device = id, .reason = reason});
    return std::optional<Outcome>();
  }
  PINTLE_ASSIGN(outcome, run_pipeline(device, pack, picture));
  return std::optional(std::move(outcome));
}

pintle::Result<pintle::ProgramPack> load_pack(const Options& options) {
  return options.pack.empty() ? pintle::ProgramPack::parse(packed_kernels()) : pintle::ProgramPack::open(options.pack);
}

/// Gradients are up to 1443 long; a step of 160 between two flat areas makes a white line. What is no number is black.
Picture as_picture(const Outcome& outcome) {
  Picture picture{outcome.picture.width, outcome.picture.height, {}};
  for (const float edge : outcome.edges)
    picture.gray.push_back(edge > 0 ? static_cast<std::uint8_t>(std::min(edge / 2, 255.0f)) : std::uint8_t{0});
  return picture;
}

pintle::Result<void> write_pictures(const Options& options, const Outcome& outcome) {
  PINTLE_TRY(write_picture(as_picture(outcome), options.edges));
  if (!options.drawing.empty()) PINTLE_TRY(write_picture(outcome.picture, options.drawing));
  return {};
}

}  // namespace

pintle::Result<Picture> picture_for(const Options& options) {
  if (options.picture.empty()) return Picture{1920, 1080, {}};
  return read_picture(options.picture);
}

pintle::Result<bool> run(const Options& options, const Picture& picture, const Tell& tell) {
  PINTLE_ASSIGN(ids, device_ids(options));
  PINTLE_ASSIGN(pack, load_pack(options));
  const Expected expected = expect(picture);
  bool is_good = true;
  std::optional<Outcome> first;
  for (const std::string& id : ids) {
    auto outcome = run_on(id, pack, picture, tell);
    if (!outcome) tell({.kind = Row::Kind::failed, .device = id, .reason = outcome.error().text()});
    if (!outcome || (*outcome && !tell_device(id, **outcome, expected, tell))) is_good = false;
    if (outcome && *outcome && !first) first = *std::move(outcome);
  }
  if (options.devices.empty()) PINTLE_TRY(tell_absences(options, tell));
  if (!first) return false;
  PINTLE_TRY(write_pictures(options, *first));
  return is_good;
}

}  // namespace demo
