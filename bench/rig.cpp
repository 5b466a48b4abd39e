#include "bench/rig.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "bench/kernels/kernel_text.h"
#include "pintle/native/cpu.h"

namespace pintle::bench {
namespace {

Result<void> load_kernels(Rig& rig) {
  PINTLE_ASSIGN(pack, kernel_pack(std::array{nothing_signature, turn_signature}));
  PINTLE_ASSIGN(program, rig.device.load(pack));
  PINTLE_ASSIGN(nothing, program.kernel("bench_nothing"));
  PINTLE_ASSIGN(turn, program.kernel("bench_turn"));
  rig.nothing = std::move(nothing);
  rig.turn = std::move(turn);
  return {};
}

}  // namespace

Result<ProgramPack> kernel_pack(std::span<const std::string_view> signatures) {
  PINTLE_TRY(cpu::register_kernel("bench_nothing", bench_nothing));
  PINTLE_TRY(cpu::register_kernel("bench_turn", bench_turn));
  PINTLE_ASSIGN(native, ProgramPack::source("native", "", signatures, "bench"));
  PINTLE_ASSIGN(opencl, ProgramPack::source("opencl_c", opencl_text, signatures, "bench"));
  PINTLE_ASSIGN(cuda, ProgramPack::source("cuda_c", cuda_text, signatures, "bench"));
  PINTLE_ASSIGN(hip, ProgramPack::source("hip_c", cuda_text, signatures, "bench"));
  PINTLE_ASSIGN(glsl, ProgramPack::source("glsl", glsl_text, signatures, "bench"));
  PINTLE_ASSIGN(wgsl, ProgramPack::source("wgsl", wgsl_text, signatures, "bench"));
  PINTLE_ASSIGN(stablehlo, ProgramPack::source("stablehlo", stablehlo_text, signatures, "bench"));
  return native.with(opencl).with(cuda).with(hip).with(glsl).with(wgsl).with(stablehlo);
}

Result<Rig> Rig::open(std::string_view id) {
  Rig rig;
  PINTLE_ASSIGN(device, pintle::open(id));
  rig.device = std::move(device);
  PINTLE_ASSIGN(queue, rig.device.create_queue());
  rig.queue = std::move(queue);
  const Capability execution = rig.device.info().capability(Feature::execution);
  if (execution.support == Support::absent) {
    rig.unfit = fmt::format("[{}] executes nothing: {}.", rig.device.id(), execution.detail);
  } else if (const auto loaded = load_kernels(rig); !loaded) {
    rig.unfit = loaded.error().text();
  }
  return rig;
}

Result<Kernel> Rig::load_saxpy() const {
  PINTLE_TRY(cpu::register_kernel("bench_saxpy", bench_saxpy));
  const std::string signature =
      fmt::format("bench_saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group {}", saxpy_group);
  PINTLE_ASSIGN(pack, ProgramPack::source("native", "", {signature}, "bench"));
  return device.load(pack, "bench_saxpy");
}

}  // namespace pintle::bench
