// What is known of a device without opening it.
#pragma once

#include <cstdint>
#include <string>

#include "backends/opencl/api.h"
#include "kit/found_devices.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// What commands and calibration read as the device clock.
enum class ClockSource : std::uint8_t {
  profiling,  ///< The ends of commands, as the driver tells them.
  host,       ///< The host's steady clock: the driver measures nothing.
};

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceInfo info;
  std::string platform_name;
  std::string identity;  ///< Device, driver and versions: what compiled code depends on.
  std::uint64_t memory_bytes = 0;
  ClockSource clock = ClockSource::host;
  bool is_host_run = false;         ///< The host's processor runs the kernels; its memory is the device's.
  bool has_svm = false;             ///< Device memory is shared virtual memory: kernels reach it by address too.
  bool has_device_timer = false;    ///< clGetDeviceAndHostTimer answers.
  bool needs_linker = false;        ///< PoCL: aborts the process when it finds no linker.
  bool compiles_at_launch = false;  ///< rusticl on llvmpipe: in a thread of its own, by LLVM in this process.
  bool mistakes_texels = false;    ///< PoCL: reads other numbers from r16f, launches with images over released buffers.
  bool refuses_questions = false;  ///< PoCL 3.1 and 5.0 end the process where a kernel asks a texel buffer anything:
                                   ///< any PoCL is taken for such a one until a trial has seen that it answers.
  bool waits_for_kernels = false;  ///< Allocations, releases and builds may wait while a kernel runs (NVIDIA).
  bool hides_limits = false;  ///< rusticl before Mesa 23.1 gives a kernel's preferred multiple as its limit, and twice
                              ///< its local memory.
};

using FoundDevices = kit::Found<FoundDevice>;

/// Asks every platform of the ICD loader, in its order. Creates no context.
[[nodiscard]] FoundDevices find_devices();

/// A value that a device tells; zero where the device does not tell it.
template <class T>
[[nodiscard]] T device_value(cl_device_id device, cl_device_info what) noexcept {
  T value{};
  if (api().clGetDeviceInfo(device, what, sizeof value, &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

}  // namespace pintle::opencl
