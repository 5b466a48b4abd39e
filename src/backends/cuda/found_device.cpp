#include "backends/cuda/found_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>

#include "base/platform.h"
#include "kit/tried_allocation.h"

namespace pintle::cuda {
namespace {

using vendor::cuda::DeviceAttribute;

constexpr int oldest_driver = 12040;  // the first with cuFuncGetParamInfo
constexpr std::uint32_t most_in_flight = 256;
/// A kernel may load 16 bytes at once from where its argument begins, and a load that is not aligned ends the process.
constexpr std::uint32_t offset_alignment = 16;
/// Since CUDA 12.1 a kernel of capability 7.0 takes 32,764 bytes of parameters, so 256 addresses and 4,096 bytes fit.
constexpr std::uint32_t scalar_bytes = 4096, old_scalar_bytes = 2048;
constexpr std::array capabilities{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

constexpr const char* install = "Install NVIDIA's driver, 550 or later.";

int attribute(vendor::cuda::Device device, DeviceAttribute what) noexcept {
  int value = 0;
  return api().cuDeviceGetAttribute(&value, what, device) == Status::CUDA_SUCCESS ? value : 0;
}

std::uint32_t number(vendor::cuda::Device device, DeviceAttribute what) noexcept {
  return static_cast<std::uint32_t>(std::max(0, attribute(device, what)));
}

/// "13.0" for 13000.
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// A device that the host's processor plays must never be taken for the best hardware.
bool is_simulated(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name.find("simulated") != std::string::npos;
}

DeviceKind kind_of(const FoundDevice& found) {
  if (is_simulated(found.info.name)) return DeviceKind::software;
  return attribute(found.device, DeviceAttribute::integrated) != 0 ? DeviceKind::integrated_gpu
                                                                   : DeviceKind::discrete_gpu;
}

Limits limits_of(const FoundDevice& found) {
  const auto device = found.device;
  Limits limits;
  limits.max_allocation = found.memory_bytes;
  limits.max_binding = found.memory_bytes;
  limits.offset_alignment = offset_alignment;
  limits.max_grid = {number(device, DeviceAttribute::max_grid_x), number(device, DeviceAttribute::max_grid_y),
                     number(device, DeviceAttribute::max_grid_z)};
  limits.max_group_items = number(device, DeviceAttribute::max_threads_per_block);
  limits.max_group = {number(device, DeviceAttribute::max_block_x), number(device, DeviceAttribute::max_block_y),
                      number(device, DeviceAttribute::max_block_z)};
  limits.max_local_bytes =
      std::max(found.default_shared_bytes, number(device, DeviceAttribute::max_shared_per_block_opt_in));
  limits.max_buffers = Entry::max_parameters;
  limits.max_scalar_bytes = found.capability >= 70 ? scalar_bytes : old_scalar_bytes;
  limits.max_in_flight = most_in_flight;
  limits.min_subgroup = limits.max_subgroup = number(device, DeviceAttribute::warp_size);
  return limits;
}

std::vector<Capability> capabilities_of() {
  using enum Feature;
  constexpr auto native = Support::native;
  constexpr auto absent = Support::absent;
  const std::string thread = "a thread of the backend waits for what is before, and takes the step";
  return {{execution, native, ""},
          {copy_queue, native, ""},
          {host_call, Support::emulated, thread},
          {timestamp, Support::emulated, thread + ": it writes the host's steady clock"},
          {indirect, Support::emulated, thread + ": it reads the grid back"},
          {mapped_memory, native, ""},
          {recording, native, ""},
          {notification, absent, "a callback of the driver takes longer than a thread that waits"},
          {host_import, absent, "the backend does not register the host's memory yet"},
          {memory_export, absent, "the backend exports no memory yet"},
          {calibration, Support::emulated, "timestamps are readings of the host's clock"},
          {constants, compiler() ? native : absent, compiler() ? "" : "there is no libnvrtc.so to compile with"},
          {local_arguments, native, ""},
          {float_atomics, native, ""},
          {bounds, absent, "no layer finds them for this backend"},
          {images, absent, "the backend has no images yet"},
          {texel_buffers, absent, "the backend has no texel buffers yet"}};
}

/// PTX for an older device is right for a newer one.
void add_targets(FoundDevice& found) {
  found.info.target = fmt::format("sm_{}", capabilities.front());
  for (const int each : capabilities | std::views::reverse) {
    if (each <= found.capability) found.info.better_targets.push_back(fmt::format("sm_{}", each));
  }
}

std::string uuid_of(vendor::cuda::Device device) {
  vendor::cuda::Uuid uuid{};
  if (api().cuDeviceGetUuid(&uuid, device) != Status::CUDA_SUCCESS) return {};
  std::array<unsigned char, 16> bytes{};
  std::ranges::copy(uuid.bytes, bytes.begin());
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::string name_of(vendor::cuda::Device device) {
  std::array<char, 256> name{};
  static_cast<void>(api().cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  return name.data();
}

void describe(FoundDevice& found, int version) {
  const auto device = found.device;
  std::size_t bytes = 0;
  if (api().cuDeviceTotalMem(&bytes, device) == Status::CUDA_SUCCESS) found.memory_bytes = bytes;
  found.capability = 10 * attribute(device, DeviceAttribute::compute_capability_major) +
                     attribute(device, DeviceAttribute::compute_capability_minor);
  found.default_shared_bytes = number(device, DeviceAttribute::max_shared_per_block);
  DeviceInfo& info = found.info;
  info.backend = "cuda";
  info.name = name_of(device);
  info.uuid = uuid_of(device);
  info.driver = fmt::format("NVIDIA driver for CUDA {}, PCI {:04x}:{:02x}:{:02x}.0", version_text(version),
                            number(device, DeviceAttribute::pci_domain), number(device, DeviceAttribute::pci_bus),
                            number(device, DeviceAttribute::pci_device));
  info.kind = kind_of(found);
  info.progress = Progress::own;
  info.formats = {"ptx"};
  if (compiler()) info.formats.emplace_back("cuda_c");
  else info.absent_formats.emplace_back("cuda_c", "There is no libnvrtc.so to compile with: CUDA's toolkit has it.");
  info.limits = limits_of(found);
  kit::lower_to_tried(info);
  info.capabilities = capabilities_of();
  info.nanoseconds_per_tick = 1;  // of the host's clock
  add_targets(found);
}

std::string mask_text() {
  const char* const mask = base::variable("CUDA_VISIBLE_DEVICES");
  return mask == nullptr ? "" : fmt::format(" CUDA_VISIBLE_DEVICES is ({}).", mask);
}

/// Why the driver that is there has no device, and what to do.
Absence absence_of(Status status, std::string_view call) {
  const std::string reason =
      fmt::format("{} answers {} ({}) to {}.{}", api().library.name(), vendor::cuda::row_of(status).symbol,
                  static_cast<unsigned>(status), call, mask_text());
  switch (status) {
    case Status::CUDA_ERROR_NO_DEVICE:
      return {"cuda", reason, "Look for a GPU of NVIDIA's with nvidia-smi, and for rights on /dev/nvidia*."};
    case Status::CUDA_ERROR_STUB_LIBRARY:
      return {"cuda", reason, "Take the toolkit's folder of stubs out of the loader's path."};
    case Status::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return {"cuda", reason, "Load the kernel module of the installed driver, or start the machine again."};
    default: return {"cuda", reason, install};
  }
}

FoundDevices none(Absence absence) { return {{}, {std::move(absence)}}; }

}  // namespace

FoundDevices find_devices() {
  if (!loaded()) return none({"cuda", std::string(loaded().error().message()), install});
  int version = 0, count = 0;
  if (const Status status = api().cuDriverGetVersion(&version); status != Status::CUDA_SUCCESS)
    return none(absence_of(status, "cuDriverGetVersion"));
  if (version < oldest_driver) {
    return none({"cuda",
                 fmt::format("The driver is for CUDA ({}), and ({}) is needed.", version_text(version),
                             version_text(oldest_driver)),
                 install});
  }
  if (const Status status = api().cuInit(0); status != Status::CUDA_SUCCESS) return none(absence_of(status, "cuInit"));
  if (const Status status = api().cuDeviceGetCount(&count); status != Status::CUDA_SUCCESS)
    return none(absence_of(status, "cuDeviceGetCount"));
  if (count == 0) return none(absence_of(Status::CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount"));
  FoundDevices all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    FoundDevice found;
    if (api().cuDeviceGet(&found.device, ordinal) != Status::CUDA_SUCCESS) continue;
    found.info.id = fmt::format("cuda:{}", ordinal);
    describe(found, version);
    all.devices.push_back(std::move(found));
  }
  return all;
}

}  // namespace pintle::cuda
