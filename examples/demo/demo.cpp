// Finds the edges of a picture on every device, and compares each with an oracle in double precision.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/demo/comparison.h"
#include "examples/demo/pack.h"
#include "examples/demo/picture.h"
#include "examples/demo/pipeline.h"
#include "pintle/pintle.h"

namespace demo {
namespace {

constexpr const char* usage =
    "demo [PICTURE.png] [--out FILE] [--draw FILE] [--pack PATH] [--device ID]...\n\n"
    "Blurs a picture (5 x 5 Gaussian) and finds its edges (Sobel) on every device, and compares with double "
    "precision.\n"
    "  PICTURE.png   the picture; without one, a kernel draws 1920 x 1080 pixels\n"
    "  --out FILE    where the edges go (default: edges.png)\n"
    "  --draw FILE   where the picture goes, if a kernel draws it (default: nowhere)\n"
    "  --pack PATH   a pack file or folder whose kernels are used instead of the demo's own\n"
    "  --device ID   on this device only (may be repeated; default: every one that executes, and cpu?inline)\n"
    "Exit codes: 0 ok, 1 a device failed or is beyond the tolerance, or none ran, 2 the command line or a picture is "
    "wrong.\n";

enum ExitCode { ok = 0, failed = 1, wrong = 2 };

struct Options {
  std::string picture;
  std::string edges = "edges.png";
  std::string drawing;
  std::string pack;
  std::vector<std::string> devices;
  bool help = false;
};

/// Where the value of an option goes; null for what is none.
std::string* option_value(Options& options, std::string_view name) {
  if (name == "--device") return &options.devices.emplace_back();
  if (name == "--out") return &options.edges;
  if (name == "--draw") return &options.drawing;
  return name == "--pack" ? &options.pack : nullptr;
}

std::optional<Options> parse(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    std::string* const value = option_value(options, argument);
    if (argument == "--help") options.help = true;
    else if (value && i + 1 < arguments.size()) *value = arguments[++i];
    else if (value || argument.starts_with('-') || argument.empty() || !options.picture.empty()) return std::nullopt;
    else options.picture = argument;
  }
  return options;
}

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
void print_absences(const pintle::DeviceList& list) {
  for (const pintle::Absence& absence : list.absences) {
    const bool has_software = absence.backend == "vulkan" || absence.backend == "opencl";
    const std::string step = has_software ? "./dev demo --devices installs one in software." : absence.next_step;
    std::printf("%-18s not there: %s %s\n", absence.backend.c_str(), absence.reason.c_str(), step.c_str());
  }
}

void print_row(const std::string& device, const Timing& timing, const Comparison* comparison) {
  std::printf("%-18s %-6s", device.c_str(), timing.kernel.c_str());
  if (timing.milliseconds) {
    std::printf(" %9.3f %8.2f", *timing.milliseconds, static_cast<double>(timing.bytes) / *timing.milliseconds / 1e6);
  } else {
    std::printf(" %9s %8s", "-", "-");
  }
  if (comparison) {
    std::printf("  %18.3g  %9.3g%s", comparison->largest, comparison->tolerance,
                comparison->holds() ? "" : "  TOO LARGE");
  }
  std::printf("\n");
}

/// True when every kernel is within its tolerance.
bool print_device(const std::string& id, const Outcome& outcome, const Expected& expected) {
  const auto comparisons = compare(outcome, expected);
  for (std::size_t i = 0; i < comparisons.size(); ++i) print_row(id, outcome.kernels[i], &comparisons[i]);
  print_row(id, outcome.all, nullptr);
  return std::ranges::all_of(comparisons, &Comparison::holds);
}

bool takes(const pintle::DeviceInfo& device, const pintle::VariantInfo& variant) {
  const bool fits = variant.target.empty() || variant.target == device.target;
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
                                              const Picture& picture) {
  PINTLE_ASSIGN(device, pintle::open(id));
  if (const std::string reason = reason_to_skip(device.info(), pack); !reason.empty()) {
    std::printf("%-18s skipped: %s\n", id.c_str(), reason.c_str());
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

pintle::Result<ExitCode> run_everywhere(const Options& options, const Picture& picture) {
  PINTLE_ASSIGN(ids, device_ids(options));
  PINTLE_ASSIGN(pack, load_pack(options));
  const Expected expected = expect(picture);
  std::printf("%u x %u pixels; median of up to %d runs\n", picture.width, picture.height, timed_runs);
  std::printf("%-18s %-6s %9s %8s  %18s  %9s\n", "device", "kernel", "ms", "GB/s", "largest difference", "tolerance");
  ExitCode code = ok;
  std::optional<Outcome> first;
  for (const std::string& id : ids) {
    auto outcome = run_on(id, pack, picture);
    if (!outcome) std::fprintf(stderr, "demo: [%s] fails: %s\n", id.c_str(), outcome.error().text().c_str());
    if (!outcome || (*outcome && !print_device(id, **outcome, expected))) code = failed;
    if (outcome && *outcome && !first) first = *std::move(outcome);
  }
  if (options.devices.empty()) {
    PINTLE_ASSIGN(list, pintle::devices());
    print_absences(list);
  }
  if (!first) code = failed;
  if (first) {
    PINTLE_TRY(write_pictures(options, *first));
    std::printf("edges: %s\n", options.edges.c_str());
  }
  return code;
}

int report(const pintle::Error& error, ExitCode code) {
  std::fprintf(stderr, "demo: %s\n", error.text().c_str());
  return code;
}

int run(std::span<char* const> arguments) {
  const auto options = parse(arguments);
  if (!options || options->help) {
    std::fputs(usage, options ? stdout : stderr);
    return options ? ok : wrong;
  }
  Picture picture{1920, 1080, {}};
  if (!options->picture.empty()) {
    auto given = read_picture(options->picture);
    if (!given) return report(given.error(), wrong);
    picture = *std::move(given);
  }
  const auto code = run_everywhere(*options, picture);
  return code ? *code : report(code.error(), failed);
}

}  // namespace
}  // namespace demo

int main(int count, char** arguments) try {
  return demo::run(std::span<char* const>(arguments, static_cast<std::size_t>(count)));
} catch (const std::exception& exception) {
  std::fprintf(stderr, "demo: %s\n", exception.what());
  return demo::failed;
}
