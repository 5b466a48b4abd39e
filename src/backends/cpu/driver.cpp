// Finding and opening the one device.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

#include "backends/cpu/device.h"
#include "backends/cpu/limits.h"
#include "base/contain.h"
#include "base/parse.h"
#include "base/quote.h"
#include "base/settings.h"
#include "kit/host_cpus.h"
#include "pintle/version.h"

namespace pintle::cpu {
namespace {

std::string target() {
  utsname system{};
  if (::uname(&system) != 0) return "unknown";
  std::string name = system.sysname;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return fmt::format("{}-{}", system.machine, name);
}

Limits limits() {
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  Limits limits;
  limits.max_allocation = kit::host_memory("/").total;
  limits.max_binding = limits.max_allocation;
  limits.max_grid = {most, 65535, 65535};
  limits.max_group = {most, 65535, 65535};  // a kernel loops over its items itself
  limits.max_group_items = most;
  limits.max_local_bytes = max_local_bytes;
  limits.max_parameters = max_parameters;
  limits.max_in_flight = kit::HostQueue::capacity;
  return limits;
}

std::vector<Capability> capabilities() {
  constexpr auto native = Support::native;
  const std::string no_handle = "host memory of a process has no handle that another device could import; importing works";
  return {{Feature::execution, native, ""},
          {Feature::copy_queue, native, ""},
          {Feature::host_call, native, ""},
          {Feature::timestamp, native, ""},
          {Feature::indirect, native, ""},
          {Feature::mapped_memory, native, ""},
          {Feature::recording, native, ""},
          {Feature::notification, native, ""},
          {Feature::host_import, native, ""},
          {Feature::memory_export, Support::absent, no_handle},
          {Feature::timeline_export, Support::absent, "the counters live in this process; core relates them to other devices"},
          {Feature::calibration, native, ""},
          {Feature::constants, native, "programs of the format c"}};
}

DeviceInfo describe() {
  DeviceInfo info;
  info.id = "cpu";
  info.backend = "cpu";
  info.name = kit::cpuinfo_field("/", "model name");
  info.driver = fmt::format("pintle {}", version);
  info.kind = DeviceKind::cpu;
  info.formats = {"native", "so", "c"};
  info.target = target();
  if (info.name.empty()) info.name = info.target;
  info.limits = limits();
  info.capabilities = capabilities();
  info.nanoseconds_per_tick = 1;
  return info;
}

constexpr std::string_view known_options = "inline, threads=N";

Error bad_option(const backend::Option& option, std::string_view why) {
  return {Errc::invalid_argument, fmt::format("Option {}={} of [cpu] {}; the known options are {}.", base::quote(option.key),
                                              base::quote(option.value), why, known_options)};
}

Result<Settings> parse(std::span<const backend::Option> options) {
  std::optional<std::uint32_t> threads;
  Settings settings;
  for (const backend::Option& option : options) {
    if (option.key == "inline") {
      if (!option.value.empty()) return bad_option(option, "takes no value");
      settings.progress = Progress::driven;
    } else if (option.key == "threads") {
      threads = base::parse_number<std::uint32_t>(option.value, 1, 1024);
      if (!threads) return bad_option(option, "takes a number from 1 to 1024");
    } else {
      return bad_option(option, "is unknown");
    }
    if (threads && settings.progress == Progress::driven) return bad_option(option, "contradicts the other: inline has no threads");
  }
  PINTLE_ASSIGN(environment, base::settings());
  const kit::HostCpus cpus = kit::host_cpus();
  settings.threads = threads ? *threads : cpus.threads(environment->cpu_threads);
  settings.rationed = cpus.quota.has_value();
  return settings;
}

class Driver final : public backend::Driver {
 public:
  std::string_view name() const noexcept override { return "cpu"; }
  backend::Enumeration enumerate() override { return {{describe()}, {}}; }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal, std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      if (ordinal != 0) return Error(Errc::not_found, fmt::format("Ordinal ({}) of [cpu] is not below the number of devices (1).", ordinal));
      PINTLE_ASSIGN(settings, parse(options));
      DeviceInfo info = describe();
      info.progress = settings.progress;
      return Device::open(std::move(info), settings);
    });
  }
};

}  // namespace

std::unique_ptr<backend::Driver> create_driver() { return std::make_unique<Driver>(); }

}  // namespace pintle::cpu
