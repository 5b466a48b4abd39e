// Finding and opening the one device.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "backends/cpu/device.h"
#include "base/contain.h"
#include "base/parse.h"
#include "base/platform.h"
#include "base/settings.h"
#include "kit/all_texels.h"
#include "kit/found_devices.h"
#include "kit/host_cpus.h"
#include "kit/options.h"
#include "opencl_c/compile.h"
#include "opencl_c/notes.h"
#include "pintle/version.h"

namespace pintle::cpu {
namespace {

constexpr std::uint32_t most_threads = 1024;
/// A kernel gets the address of each scalar, so that their number alone is limited.
constexpr std::uint32_t most_scalar_bytes = Entry::max_parameters * sizeof(backend::Scalar);

Limits limits() {
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  Limits limits;
  limits.max_allocation = kit::host_memory("/").total;
  limits.max_binding = limits.max_allocation;
  limits.max_grid = {most, 65535, 65535};
  limits.max_group = {most, 65535, 65535};  // a kernel loops over its items itself
  limits.max_group_items = most;
  limits.max_local_bytes = max_local_bytes;
  limits.max_subgroup = opencl_c::most_subgroup;  // code of other languages has none, and is refused by kernel
  limits.max_buffers = Entry::max_parameters;
  limits.max_scalar_bytes = most_scalar_bytes;
  limits.max_in_flight = host::Queue::capacity;
  limits.max_image_2d = 1 << 16;
  limits.max_image_3d = 1 << 12;
  limits.max_texel_buffer = most;  // a kernel's coordinate is an int
  return limits;
}

std::vector<Capability> capabilities() {
  constexpr auto native = Support::native;
  const std::string no_handle =
      "host memory of a process has no handle that another device could import; importing works";
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
          {Feature::calibration, native, ""},
          {Feature::constants, native, "in sources: c, opencl_c"},
          {Feature::local_arguments, native, ""},
          {Feature::float_atomics, native, "in opencl_c, by cl_ext_float_atomics"},
          {Feature::bounds, Support::absent, "the layer bounds(cpu) finds them"},
          {Feature::images, native, ""},
          {Feature::texel_buffers, native, ""},
          {Feature::immediates, native, ""},
          {Feature::subgroups, native, "in opencl_c; code of other languages has subgroups of one item"},
          {Feature::subgroup_matrices, Support::absent, "no language of the cpu's has operations of such matrices"},
          {Feature::optional_buffers, native, ""}};
}

DeviceInfo describe() {
  DeviceInfo info;
  info.id = "cpu";
  info.backend = "cpu";
  info.name = kit::cpuinfo_field("/", "model name");
  info.driver = fmt::format("pintle {}", version);
  info.kind = DeviceKind::cpu;
  info.formats = {"native", "so", "c"};
  if (const auto found = opencl_c::find_toolchain(); found) info.formats.emplace_back("opencl_c");
  else info.absent_formats.emplace_back("opencl_c", std::string(found.error().message()));
  info.target = base::machine();
  for (const opencl_c::Level* level = opencl_c::level_here(); level != nullptr && level->target != info.target; --level)
    info.better_targets.emplace_back(level->target);
  if (info.name.empty()) info.name = info.target;
  info.limits = limits();
  info.capabilities = capabilities();
  info.texels = kit::all_texels();
  info.buffer_texels = kit::all_buffer_texels();
  info.nanoseconds_per_tick = 1;
  return info;
}

Result<Settings> parse(std::span<const backend::Option> options) {
  Settings settings;
  std::uint32_t threads = 0;
  const auto read_inline = [&](std::string_view text) {
    settings.progress = Progress::driven;
    return text.empty();
  };
  const auto read_threads = [&](std::string_view text) {
    threads = base::parse_number<std::uint32_t>(text, 1, most_threads).value_or(0);
    return threads != 0;
  };
  const std::array<kit::OptionRule, 2> rules{
      {{"inline", "without a value", read_inline}, {"threads", "a number from 1 to 1024", read_threads}}};
  PINTLE_TRY(kit::read_options("cpu", options, rules));
  if (threads != 0 && settings.progress == Progress::driven) {
    return Error(Errc::invalid_argument,
                 fmt::format("Option threads ({}) of [cpu] contradicts inline, which has no threads.", threads));
  }
  PINTLE_ASSIGN(environment, base::settings());
  const kit::HostCpus cpus = kit::host_cpus();
  settings.threads = threads != 0 ? threads : cpus.threads(environment->cpu_threads);
  settings.rationed = cpus.quota.has_value();
  return settings;
}

class Driver final : public backend::Driver {
 public:
  std::string_view name() const noexcept override { return "cpu"; }
  backend::Enumeration enumerate() override { return {{describe()}, {}}; }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t ordinal,
                                                std::span<const backend::Option> options) override {
    return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
      if (ordinal != 0) return kit::no_such_ordinal("cpu", ordinal, 1);
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
