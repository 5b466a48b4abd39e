#include "bench/kernels/turn.h"
#include "bench/rig.h"

extern "C" void bench_turn(const pintle_group* group, void* const* arguments) {
  auto* const values = static_cast<std::uint32_t*>(arguments[0]) + std::size_t{group->id[0]} * group->size[0];
  const std::uint32_t rounds = *static_cast<const std::uint32_t*>(arguments[1]);
  for (std::uint32_t item = 0; item < group->size[0]; ++item)
    values[item] = pintle::bench::turned(values[item], rounds);
}
