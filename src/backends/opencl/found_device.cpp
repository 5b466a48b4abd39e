#include "backends/opencl/found_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "backends/opencl/texels.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/made_once.h"
#include "base/quote.h"
#include "kit/capability_rows.h"
#include "kit/tried_allocation.h"
#include "kit/tried_questions.h"

namespace pintle::opencl {
namespace {

constexpr std::uint32_t most_in_flight = 256;
constexpr std::string_view pocl = "Portable Computing Language";
constexpr std::string_view rusticl = "rusticl";

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return told_text([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetPlatformInfo(platform, what, size, to, needed);
  });
}

std::string device_text(cl_device_id device, cl_device_info what) {
  return told_text([&](std::size_t size, void* to, std::size_t* needed) {
    return api().clGetDeviceInfo(device, what, size, to, needed);
  });
}

bool has_extension(cl_device_id device, std::string_view name) {
  const std::string all = " " + device_text(device, CL_DEVICE_EXTENSIONS) + " ";
  return all.find(fmt::format(" {} ", name)) != std::string::npos;
}

/// "OpenCL 3.0 PoCL" -> 300; zero where it is no version.
std::uint32_t version_of(std::string_view text) {
  constexpr std::string_view start = "OpenCL ";
  if (!text.starts_with(start) || text.size() < start.size() + 3) return 0;
  const auto digit = [&](std::size_t at) { return static_cast<std::uint32_t>(text[start.size() + at] - '0'); };
  return digit(0) > 9 || digit(2) > 9 ? 0 : digit(0) * 100 + digit(2) * 10;
}

/// The driver's uuid, the place on the PCI bus, or a hash of the device's name and of how many devices before it have
/// that name.
std::string uuid_of(cl_device_id device, std::string_view identity, std::size_t same_before) {
  using Uuid = std::array<unsigned char, CL_UUID_SIZE_KHR>;
  if (has_extension(device, "cl_khr_device_uuid")) {
    const auto uuid = device_value<Uuid>(device, CL_DEVICE_UUID_KHR);
    if (uuid != Uuid{}) return fmt::format("{:02x}", fmt::join(uuid, ""));
  }
  if (has_extension(device, "cl_khr_pci_bus_info")) {
    const auto bus = device_value<cl_device_pci_bus_info_khr>(device, CL_DEVICE_PCI_BUS_INFO_KHR);
    return fmt::format("pci-{:04x}-{:02x}-{:02x}-{:x}", bus.pci_domain, bus.pci_bus, bus.pci_device, bus.pci_function);
  }
  const std::string all = fmt::format("{}\n{}", identity, same_before);
  return base::hex(base::sha256(base::bytes_in(all))).substr(0, 32);
}

DeviceKind kind_of(cl_device_id device, std::string_view name) {
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE);
  if ((type & CL_DEVICE_TYPE_CPU) != 0 || kit::is_software_by_name(name)) return DeviceKind::software;
  if ((type & CL_DEVICE_TYPE_GPU) == 0) return DeviceKind::accelerator;
  const bool is_unified = device_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  return is_unified ? DeviceKind::integrated_gpu : DeviceKind::discrete_gpu;
}

std::uint32_t to_u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

/// Where the driver tells no sizes, a kernel has one when it is built.
void add_subgroups(cl_device_id device, Limits& limits) {
  std::array<std::size_t, 16> sizes{};
  std::size_t bytes = 0;
  if (api().clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes.data(), &bytes) ==
          CL_SUCCESS &&
      bytes != 0) {
    const auto [least, most] = std::ranges::minmax(std::span(sizes).first(bytes / sizeof sizes[0]));
    limits.min_subgroup = to_u32(least);
    limits.max_subgroup = to_u32(most);
  } else if (device_value<cl_uint>(device, CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0) {
    limits.max_subgroup = limits.max_group_items;
  }
}

void add_images(cl_device_id device, Limits& limits) {
  if (device_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == CL_FALSE) return;
  const auto side = [&](cl_device_info what) { return to_u32(device_value<std::size_t>(device, what)); };
  limits.max_image_2d = std::min(side(CL_DEVICE_IMAGE2D_MAX_WIDTH), side(CL_DEVICE_IMAGE2D_MAX_HEIGHT));
  limits.max_image_3d = std::min(
      {side(CL_DEVICE_IMAGE3D_MAX_WIDTH), side(CL_DEVICE_IMAGE3D_MAX_HEIGHT), side(CL_DEVICE_IMAGE3D_MAX_DEPTH)});
  limits.max_texel_buffer = side(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
}

Limits limits_of(cl_device_id device) {
  Limits limits;
  limits.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.max_binding = limits.max_allocation;
  limits.offset_alignment = std::max(1u, device_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  limits.max_grid = {0x7fffffff, 65535, 65535};  // OpenCL tells no limit; these are what GPUs take
  limits.max_group_items = to_u32(device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  const auto items = device_value<std::array<std::size_t, 3>>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  const auto least = [&](std::size_t size) { return std::min(to_u32(size), limits.max_group_items); };
  limits.max_group = {least(items[0]), least(items[1]), least(items[2])};
  limits.max_local_bytes = to_u32(device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
  const std::uint64_t parameter_bytes = device_value<std::size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE);
  limits.max_buffers = to_u32(std::min<std::uint64_t>(Entry::max_parameters, parameter_bytes / sizeof(cl_mem)));
  limits.max_scalar_bytes = to_u32(parameter_bytes);  // of buffers and scalars together, which a program's load checks
  limits.max_in_flight = most_in_flight;
  add_subgroups(device, limits);
  add_images(device, limits);
  return limits;
}

Capability timestamp_row(const FoundDevice& found) {
  const std::string clock = found.clock == ClockSource::profiling
                                ? "the driver's profiling time of the command before"
                                : "the host's steady clock, since the driver measures nothing";
  return {Feature::timestamp, Support::emulated,
          fmt::format("a thread waits for what is before, and writes {}", clock)};
}

Capability calibration_row(const FoundDevice& found) {
  if (found.has_device_timer) return {Feature::calibration, Support::native, ""};
  return {Feature::calibration, Support::emulated,
          found.clock == ClockSource::host ? "timestamps are readings of the host's clock"
                                           : "the end of an empty command between two readings of the host's clock"};
}

Capability float_atomics_row(const FoundDevice& found) {
  constexpr cl_device_info single = 0x4231;   // CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, which old headers lack
  constexpr cl_bitfield global_add = 1 << 1;  // CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
  const bool is_listed = has_extension(found.device, "cl_ext_float_atomics");
  return kit::row(Feature::float_atomics,
                  is_listed && (device_value<cl_bitfield>(found.device, single) & global_add) != 0,
                  is_listed ? "cl_ext_float_atomics adds no f32 in global memory here"
                            : "the driver lists no cl_ext_float_atomics");
}

std::vector<Capability> capabilities_of(const FoundDevice& found) {
  constexpr auto native = Support::native;
  constexpr auto absent = Support::absent;
  const Limits& limits = found.info.limits;
  const std::string thread = "a thread waits for what is before, and takes the step";
  const std::string no_address = "OpenCL promises no address that stays valid while kernels run";
  const std::string no_images = "the driver answers false for CL_DEVICE_IMAGE_SUPPORT";
  const std::string no_parts =
      "rusticl makes no image over memory of the host, and none over a part of a buffer that a launch takes";
  const std::string matrices = "cl_intel_subgroup_matrix_multiply_accumulate";
  return {
      {Feature::execution, native, ""},
      {Feature::copy_queue, native, ""},
      {Feature::host_call, Support::emulated, thread},
      timestamp_row(found),
      {Feature::indirect, Support::emulated, thread + ": it reads the grid back"},
      kit::row(Feature::mapped_memory, found.is_host_run, no_address),
      {Feature::recording, Support::emulated,
       "a replay enqueues again, with arguments that stay set; steps, and what is near them, are submitted again"},
      {Feature::notification, native, ""},
      kit::row(Feature::host_import, found.is_host_run, no_address),
      {Feature::memory_export, absent, "OpenCL 1.2 has no handles of memory"},
      calibration_row(found),
      {Feature::constants, native, ""},
      {Feature::local_arguments, native, ""},
      float_atomics_row(found),
      {Feature::bounds, absent, "the layer bounds(opencl) finds them"},
      kit::row(Feature::images, limits.max_image_2d != 0, no_images),
      kit::row(Feature::texel_buffers, limits.max_texel_buffer != 0,
               found.platform_name == rusticl ? no_parts : no_images),
      {Feature::immediates, native, ""},
      kit::row(Feature::subgroups, limits.max_subgroup > 1, "the driver tells neither their sizes nor their number"),
      kit::row(Feature::subgroup_matrices, has_extension(found.device, matrices),
               fmt::format("the driver lists no {}", matrices), matrices),
      {Feature::optional_buffers, native, ""}};
}

std::vector<std::string> formats_of(cl_device_id device, std::uint32_t version) {
  std::vector<std::string> formats;
  if (device_value<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return formats;
  formats.emplace_back("opencl_c");
  const bool takes_il = version >= 210 && api().clCreateProgramWithIL != nullptr;
  if (takes_il && device_text(device, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos) {
    formats.emplace_back("spirv_opencl");
  }
  return formats;
}

/// Includes the name by which users know the driver and open its devices: `opencl:pocl`.
std::string driver_of(const FoundDevice& found) {
  const std::string version = device_text(found.device, CL_DRIVER_VERSION);
  if (found.platform_name == pocl) return fmt::format("PoCL ({}) {}", pocl, version);
  return fmt::format("{} {}", found.platform_name, version);
}

void describe(FoundDevice& found, std::uint32_t version) {
  DeviceInfo& info = found.info;
  info.backend = "opencl";
  info.name = device_text(found.device, CL_DEVICE_NAME);
  info.driver = driver_of(found);
  info.kind = kind_of(found.device, info.name);
  info.progress = Progress::own;
  info.formats = formats_of(found.device, version);
  info.limits = limits_of(found.device);
  kit::lower_to_tried(info);
  if (info.limits.max_image_2d != 0) info.texels = promised_texels(CL_MEM_OBJECT_IMAGE2D);
  if (found.platform_name == rusticl) info.limits.max_texel_buffer = 0;
  if (info.limits.max_texel_buffer != 0) info.buffer_texels = promised_texels(CL_MEM_OBJECT_IMAGE1D_BUFFER);
  info.nanoseconds_per_tick = 1;  // of profiling times as of the host's clock
  found.identity = fmt::format("{} {}\n{}\n{}\n{}", found.platform_name, device_text(found.device, CL_DRIVER_VERSION),
                               platform_text(found.platform, CL_PLATFORM_VERSION), info.name,
                               device_text(found.device, CL_DEVICE_VERSION));
  found.memory_bytes = device_value<cl_ulong>(found.device, CL_DEVICE_GLOBAL_MEM_SIZE);
}

/// Shared virtual memory is used only where the host's memory is the device's: its cost elsewhere has never been
/// measured.
bool has_svm(const FoundDevice& found, std::uint32_t version) {
  const auto kinds = device_value<cl_device_svm_capabilities>(found.device, CL_DEVICE_SVM_CAPABILITIES);
  return found.is_host_run && version >= 200 && (kinds & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0 &&
         api().clSVMAlloc != nullptr && api().clSVMFree != nullptr && api().clSetKernelExecInfo != nullptr;
}

void examine(FoundDevice& found, std::uint32_t version) {
  const bool is_unified = device_value<cl_bool>(found.device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  found.is_host_run = found.info.kind == DeviceKind::software && is_unified;
  found.has_svm = has_svm(found, version);
  const bool measures = device_value<std::size_t>(found.device, CL_DEVICE_PROFILING_TIMER_RESOLUTION) != 0;
  found.clock = measures ? ClockSource::profiling : ClockSource::host;
  cl_ulong resolution = 0;
  found.has_device_timer = measures && version >= 210 && api().clGetDeviceAndHostTimer != nullptr &&
                           api().clGetPlatformInfo(found.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution,
                                                   &resolution, nullptr) == CL_SUCCESS &&
                           resolution != 0;
  found.mistakes_texels = found.platform_name == pocl;
  found.refuses_questions = found.mistakes_texels && !kit::answers_texel_questions(found.info);
  found.needs_linker = found.is_host_run && found.platform_name == pocl;
  found.waits_for_kernels = found.info.kind != DeviceKind::software;  // NVIDIA's is known to; others do not say
  found.hides_limits = found.platform_name == rusticl;
  found.compiles_at_launch = found.info.kind == DeviceKind::software && found.platform_name == rusticl;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (api().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), &count) != CL_SUCCESS) return {};
  devices.resize(std::min<std::size_t>(count, devices.size()));
  return devices;
}

/// Empty for a device that this backend cannot use; `why` then gains a reason.
std::optional<FoundDevice> look_at(cl_platform_id platform, cl_device_id device, std::string& why) {
  FoundDevice found;
  found.platform = platform;
  found.device = device;
  found.platform_name = platform_text(platform, CL_PLATFORM_NAME);
  const std::string version_text = device_text(device, CL_DEVICE_VERSION);
  const std::uint32_t version = version_of(version_text);
  if (version < 120) {
    why += fmt::format(" A device of {} has {}, which is older than 1.2.", base::quote(found.platform_name),
                       base::quote(version_text));
    return std::nullopt;
  }
  if (device_value<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_FALSE) {
    why += fmt::format(" A device of {} is not available.", base::quote(found.platform_name));
    return std::nullopt;
  }
  describe(found, version);
  examine(found, version);
  return found;
}

void add_devices_of(cl_platform_id platform, FoundDevices& all, std::string& why) {
  const std::vector<cl_device_id> devices = devices_of(platform);
  if (devices.empty()) {
    why += fmt::format(" The platform {} has no device.", base::quote(platform_text(platform, CL_PLATFORM_NAME)));
  }
  for (const cl_device_id device : devices) {
    std::optional<FoundDevice> found = look_at(platform, device, why);
    if (!found) continue;
    const auto same = std::ranges::count(all.devices, found->identity, &FoundDevice::identity);
    found->info.uuid = uuid_of(device, found->identity, static_cast<std::size_t>(same));
    found->info.capabilities = capabilities_of(*found);
    all.devices.push_back(*std::move(found));
  }
}

Absence no_loader(const Error& error) {
  return {"opencl", std::string(error.message()),
          "Install OpenCL's ICD loader (the package ocl-icd-libopencl1) and a driver for your device"};
}

Absence no_platform(cl_int status) {
  return {
      "opencl",
      fmt::format("The ICD loader {} finds no driver: clGetPlatformIDs answers ({}, {}).", api().library.name(), status,
                  symbol_of(status)),
      "Install a driver that puts an .icd file into /etc/OpenCL/vendors (pocl-opencl-icd for the host's processor), "
      "and see that OCL_ICD_VENDORS does not hide it"};
}

Absence no_device(const std::string& why) {
  return {"opencl", fmt::format("No driver of the ICD loader {} has a device for us.{}", api().library.name(), why),
          "Install the driver of your device; rusticl needs RUSTICL_ENABLE with a driver's name, as llvmpipe"};
}

}  // namespace

FoundDevices find_devices() {
  FoundDevices all;
  const auto& table = loaded();  // asked once: where memory ran out, the next answer may be another
  if (!table) {
    all.absences.push_back(no_loader(base::made_once(Result<void>(table.error())).error()));
    return all;
  }
  cl_uint count = 0;
  const cl_int status = api().clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) api().clGetPlatformIDs(count, platforms.data(), nullptr);
  std::string why;
  for (const cl_platform_id platform : platforms) add_devices_of(platform, all, why);
  if (all.devices.empty()) all.absences.push_back(platforms.empty() ? no_platform(status) : no_device(why));
  return all;
}

}  // namespace pintle::opencl
