// The device under test with a queue and the kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pintle/device.h"
#include "pintle/native/cpu_kernel.h"
#include "pintle/pintle.h"

extern "C" {
/// Does nothing.
void bench_nothing(const pintle_group* group, void* const* arguments);
/// Runs each value through the rounds of turn.h.
void bench_turn(const pintle_group* group, void* const* arguments);
/// y = a x + y for the items of one group.
void bench_saxpy(const pintle_group* group, void* const* arguments);
}

namespace pintle::bench {

inline constexpr std::string_view nothing_signature = "bench_nothing()";
inline constexpr std::string_view turn_signature = "bench_turn(values: read_write u32[], rounds: u32) group 64";

/// These entries as one pack, in the formats native, opencl_c, cuda_c, hip_c, glsl, wgsl and stablehlo.
[[nodiscard]] Result<ProgramPack> kernel_pack(std::span<const std::string_view> signatures);

struct Rig {
  Device device;
  Queue queue;
  Kernel nothing;
  Kernel turn;
  std::string unfit;  ///< Why the device cannot run the kernels; empty when it can.

  [[nodiscard]] static Result<Rig> open(std::string_view id);
  [[nodiscard]] bool has_workers() const { return device.info().progress == Progress::own; }

  /// Items of a group of `saxpy`.
  static constexpr std::uint32_t saxpy_group = 1024;
  /// Native code only.
  [[nodiscard]] Result<Kernel> load_saxpy() const;
};

}  // namespace pintle::bench
