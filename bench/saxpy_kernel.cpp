#include <algorithm>

#include "bench/rig.h"

extern "C" void bench_saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *static_cast<const float*>(arguments[0]);
  const float* __restrict x = static_cast<const float*>(arguments[1]);
  float* __restrict y = static_cast<float*>(arguments[2]);
  const std::size_t count = *static_cast<const std::uint32_t*>(arguments[3]);
  const std::size_t first = std::size_t{group->id[0]} * group->size[0];
  const std::size_t last = std::min(first + group->size[0], count);
  for (std::size_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}
