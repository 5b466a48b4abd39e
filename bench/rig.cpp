#include "bench/rig.h"

#include <fmt/format.h>

#include <utility>

#include "pintle/native/cpu.h"

namespace pintle::bench {
namespace {

Result<void> load_kernels(Rig& rig) {
  PINTLE_TRY(cpu::register_kernel("bench_nothing", bench_nothing));
  PINTLE_TRY(cpu::register_kernel("bench_saxpy", bench_saxpy));
  const std::string saxpy =
      fmt::format("bench_saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group {}", Rig::saxpy_group);
  PINTLE_ASSIGN(pack, ProgramPack::source("native", "", {"bench_nothing()", saxpy}, "bench"));
  PINTLE_ASSIGN(program, rig.device.load(pack));
  PINTLE_ASSIGN(nothing, program.kernel("bench_nothing"));
  PINTLE_ASSIGN(scaled, program.kernel("bench_saxpy"));
  rig.nothing = std::move(nothing);
  rig.saxpy = std::move(scaled);
  return {};
}

}  // namespace

Result<Rig> Rig::open(std::string_view id) {
  Rig rig;
  PINTLE_ASSIGN(device, pintle::open(id));
  rig.device = std::move(device);
  PINTLE_ASSIGN(queue, rig.device.queue());
  rig.queue = std::move(queue);
  const Capability execution = rig.device.info().capability(Feature::execution);
  if (execution.support == Support::absent) {
    rig.unfit = fmt::format("[{}] executes nothing: {}.", rig.device.id(), execution.detail);
  } else if (const auto loaded = load_kernels(rig); !loaded) {
    rig.unfit = loaded.error().text();
  }
  return rig;
}

}  // namespace pintle::bench
