// Compiled with the flags of saxpy_kernel.cpp and -fopenmp.
#include "bench/open_mp.h"

namespace pintle::bench {
namespace {

void saxpy(float a, const float* __restrict x, float* __restrict y, std::size_t count) {
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) y[i] = a * x[i] + y[i];
}

}  // namespace

const OpenMp* open_mp() noexcept {
  static constexpr OpenMp self{"OpenMP parallel for (" PINTLE_OPENMP_RUNTIME ")", saxpy};
  return &self;
}

}  // namespace pintle::bench
