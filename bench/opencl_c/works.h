// The kernels that are measured on the cpu beside PoCL, all with one signature: (in, out, n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pintle/grid.h"

namespace pintle::bench {

/// The same work as a loop in C++ with OpenMP.
using Loop = void (*)(const float* in, float* out, std::int32_t n, std::size_t count);

struct Work {
  const char* name;
  const char* body;  ///< The body of `kernel void k(global const float* in, global float* out, int n)`.
  const char* group;
  Grid groups;
  std::int32_t n;
  std::size_t count;    ///< Elements of each buffer.
  Loop loop = nullptr;  ///< Null: there is no such loop.
};

[[nodiscard]] std::span<const Work> works() noexcept;

namespace loops {
void saxpy(const float* in, float* out, std::int32_t n, std::size_t count);
void dot(const float* in, float* out, std::int32_t n, std::size_t count);
void reduction(const float* in, float* out, std::int32_t n, std::size_t count);
void matmul(const float* in, float* out, std::int32_t n, std::size_t count);
void transpose(const float* in, float* out, std::int32_t n, std::size_t count);
void stencil_2d(const float* in, float* out, std::int32_t n, std::size_t count);
void stencil_3d(const float* in, float* out, std::int32_t n, std::size_t count);
void convolution(const float* in, float* out, std::int32_t n, std::size_t count);
void black_scholes(const float* in, float* out, std::int32_t n, std::size_t count);
void mandelbrot(const float* in, float* out, std::int32_t n, std::size_t count);
void nbody(const float* in, float* out, std::int32_t n, std::size_t count);
void softmax(const float* in, float* out, std::int32_t n, std::size_t count);
void layer_norm(const float* in, float* out, std::int32_t n, std::size_t count);
void gather(const float* in, float* out, std::int32_t n, std::size_t count);
void scan(const float* in, float* out, std::int32_t n, std::size_t count);
}  // namespace loops

}  // namespace pintle::bench
