// The device under test with a queue and the kernels.
#pragma once

#include <string>
#include <string_view>

#include "pintle/device.h"
#include "pintle/native/cpu_kernel.h"
#include "pintle/pintle.h"

extern "C" {
/// Does nothing.
void bench_nothing(const pintle_group* group, void* const* arguments);
/// y = a x + y for the items of one group.
void bench_saxpy(const pintle_group* group, void* const* arguments);
}

namespace pintle::bench {

struct Rig {
  Device device;
  Queue queue;
  Kernel nothing;
  Kernel saxpy;
  std::string unfit;  ///< Why the device cannot run the kernels; empty when it can.

  /// Items of a group of `saxpy`.
  static constexpr std::uint32_t saxpy_group = 1024;
  [[nodiscard]] static Result<Rig> open(std::string_view id);
  [[nodiscard]] bool has_workers() const { return device.info().progress == Progress::own; }
};

}  // namespace pintle::bench
