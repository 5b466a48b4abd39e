// The reference of parallel_saxpy.
#pragma once

#include <cstddef>

namespace pintle::bench {

struct OpenMp {
  const char* name;
  void (*saxpy)(float a, const float* x, float* y, std::size_t count);
};
/// Null in a build without OpenMP.
[[nodiscard]] const OpenMp* open_mp() noexcept;

}  // namespace pintle::bench
