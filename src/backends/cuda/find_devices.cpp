#include "backends/cuda/find_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/platform.h"
#include "kit/tried_allocation.h"

namespace pintle::cuda {
namespace {

using vendor::cuda::DeviceAttribute;

constexpr std::uint32_t most_in_flight = 256;
/// A kernel may load 16 bytes at once from where its argument begins, and a load that is not aligned ends the process.
constexpr std::uint32_t offset_alignment = 16;

DeviceKind kind_of(const FoundDevice& found) {
  if (kit::is_software_by_name(found.info.name)) return DeviceKind::software;
  return number(found, DeviceAttribute::integrated) != 0 ? DeviceKind::integrated_gpu : DeviceKind::discrete_gpu;
}

Limits limits_of(const FoundDevice& found) {
  Limits limits;
  limits.max_allocation = found.memory_bytes;
  limits.max_binding = found.memory_bytes;
  limits.offset_alignment = offset_alignment;
  limits.max_grid = {number(found, DeviceAttribute::max_grid_x), number(found, DeviceAttribute::max_grid_y),
                     number(found, DeviceAttribute::max_grid_z)};
  limits.max_group_items = number(found, DeviceAttribute::max_threads_per_block);
  limits.max_group = {number(found, DeviceAttribute::max_block_x), number(found, DeviceAttribute::max_block_y),
                      number(found, DeviceAttribute::max_block_z)};
  limits.max_local_bytes =
      std::max(found.default_shared_bytes, number(found, DeviceAttribute::max_shared_per_block_opt_in));
  limits.max_buffers = Entry::max_parameters;
  limits.max_in_flight = most_in_flight;
  limits.min_subgroup = limits.max_subgroup = number(found, DeviceAttribute::warp_size);
  return limits;
}

/// `lacking`: why there is no compiler.
std::vector<Capability> capabilities_of(const std::string& lacking) {
  using enum Feature;
  constexpr auto native = Support::native;
  constexpr auto absent = Support::absent;
  const std::string thread = "a thread of the backend waits for what is before, and takes the step";
  return {{execution, native, ""},
          {copy_queue, native, ""},
          {host_call, Support::emulated, thread},
          {timestamp, native, "an event in the stream has the time, and a thread writes it behind the list"},
          {indirect, Support::emulated, thread + ": it reads the grid back"},
          {mapped_memory, native, ""},
          {recording, native, ""},
          {notification, absent, "a callback of the driver takes longer than a thread that waits"},
          {host_import, native, ""},
          {memory_export, absent, "the backend exports no memory yet"},
          {calibration, Support::emulated, "an event between two readings of the host's clock"},
          {constants, lacking.empty() ? native : absent, lacking},
          {local_arguments, native, ""},
          {float_atomics, native, ""},
          {bounds, absent, "no layer finds them for this backend"},
          {images, absent, "the backend has no images yet"},
          {texel_buffers, absent, "the backend has no texel buffers yet"},
          {immediates, native, ""},
          {subgroups, native, ""},
          {optional_buffers, native, ""}};  // subgroup_matrices are the platform's
}

std::string name_of(const FoundDevice& found) {
  std::array<char, 256> name{};
  const auto& api = found.platform->api();
  static_cast<void>(api.cuDeviceGetName(name.data(), static_cast<int>(name.size()), found.device));
  return name.data();
}

std::string uuid_of(const FoundDevice& found) {
  vendor::cuda::Uuid uuid{};
  if (found.platform->api().cuDeviceGetUuid(&uuid, found.device) != Status::CUDA_SUCCESS) return {};
  std::array<unsigned char, 16> bytes{};
  std::ranges::copy(uuid.bytes, bytes.begin());
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

void describe(FoundDevice& found, int version) {
  const Platform& platform = *found.platform;
  std::size_t bytes = 0;
  if (platform.api().cuDeviceTotalMem(&bytes, found.device) == Status::CUDA_SUCCESS) found.memory_bytes = bytes;
  found.default_shared_bytes = number(found, DeviceAttribute::max_shared_per_block);
  const std::string lacking = platform.compiler_absence();
  DeviceInfo& info = found.info;
  info.backend = platform.names().backend;
  info.name = name_of(found);
  info.uuid = uuid_of(found);
  info.kind = kind_of(found);
  info.progress = Progress::own;
  info.formats.assign(platform.names().code.begin(), platform.names().code.end());
  if (lacking.empty()) info.formats.emplace_back(platform.names().source);
  else info.absent_formats.emplace_back(std::string(platform.names().source), lacking);
  info.limits = limits_of(found);
  info.capabilities = capabilities_of(lacking);
  info.nanoseconds_per_tick = 1;
  platform.describe(found, version);
  info.driver += fmt::format(", PCI {:04x}:{:02x}:{:02x}.0", number(found, DeviceAttribute::pci_domain),
                             number(found, DeviceAttribute::pci_bus), number(found, DeviceAttribute::pci_device));
  kit::lower_to_tried(info);
}

std::string mask_text(const Platform& platform) {
  std::string text;
  for (const char* const name : platform.names().masks) {
    const char* const mask = base::variable(name);
    if (mask != nullptr) text += fmt::format(" {} is ({}).", name, mask);
  }
  return text;
}

FoundDevices none(const Platform& platform, std::string reason, std::optional<Status> status) {
  return {{}, {{std::string(platform.names().backend), std::move(reason), platform.next_step(status)}}};
}

/// The driver is there, and has no device.
FoundDevices none(const Platform& platform, Status status, std::string_view call) {
  return none(platform,
              fmt::format("{} answers {} ({}) to {}.{}", platform.library(), platform.row_of(status).symbol,
                          static_cast<unsigned>(status), platform.name_of(call), mask_text(platform)),
              status);
}

}  // namespace

std::uint32_t number(const FoundDevice& found, DeviceAttribute what) noexcept {
  int value = 0;
  const Status status = found.platform->api().cuDeviceGetAttribute(&value, what, found.device);
  return status == Status::CUDA_SUCCESS ? static_cast<std::uint32_t>(std::max(0, value)) : 0;
}

FoundDevices find_devices(Platform& platform) {
  if (const auto loaded = platform.loaded(); !loaded)
    return none(platform, std::string(loaded.error().message()), std::nullopt);
  const auto& api = platform.api();
  int version = 0, count = 0;
  if (const Status status = api.cuDriverGetVersion(&version); status != Status::CUDA_SUCCESS)
    return none(platform, status, "cuDriverGetVersion");
  if (const std::string refusal = platform.refusal_of(version); !refusal.empty())
    return none(platform, refusal, std::nullopt);
  if (const Status status = api.cuInit(0); status != Status::CUDA_SUCCESS) return none(platform, status, "cuInit");
  if (const Status status = api.cuDeviceGetCount(&count); status != Status::CUDA_SUCCESS)
    return none(platform, status, "cuDeviceGetCount");
  if (count == 0) return none(platform, Status::CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount");
  FoundDevices all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    FoundDevice found;
    found.platform = &platform;
    if (api.cuDeviceGet(&found.device, ordinal) != Status::CUDA_SUCCESS) continue;
    found.info.id = fmt::format("{}:{}", platform.names().backend, ordinal);
    describe(found, version);
    all.devices.push_back(std::move(found));
  }
  if (std::string masks = mask_text(platform); !masks.empty())
    all.absences.push_back({std::string(platform.names().backend), "Others may be hidden." + masks,
                            "Unset the variable to see every device."});
  return all;
}

}  // namespace pintle::cuda
