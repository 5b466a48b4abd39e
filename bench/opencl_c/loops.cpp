// The same works as loops in C++ with OpenMP, as a programmer writes them at first; the group of a barrier is a block
// of the loop.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "bench/opencl_c/works.h"

namespace pintle::bench::loops {
namespace {

constexpr std::int32_t block = 256;

std::int32_t blocks(std::size_t count) { return static_cast<std::int32_t>(count) / block; }

}  // namespace

void saxpy(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t i = 0; i < n; ++i) out[i] = 2.5f * in[i] + out[i] * 0.5f;
}

void dot(const float* in, float* out, std::int32_t n, std::size_t count) {
#pragma omp parallel for
  for (std::int32_t g = 0; g < blocks(count); ++g) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int32_t i = g * block; i < (g + 1) * block; ++i) sum += in[i] * in[n - 1 - i];
    out[g] = sum;
  }
}

void reduction(const float* in, float* out, std::int32_t, std::size_t count) {
#pragma omp parallel for
  for (std::int32_t g = 0; g < blocks(count); ++g) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int32_t i = g * block; i < (g + 1) * block; ++i) sum += in[i];
    out[g] = sum;
  }
}

void scan(const float* in, float* out, std::int32_t, std::size_t count) {
#pragma omp parallel for
  for (std::int32_t g = 0; g < blocks(count); ++g) {
    float sum = 0;
    for (std::int32_t i = g * block; i < (g + 1) * block; ++i) out[i] = sum += in[i];
  }
}

void matmul(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t y = 0; y < n; ++y) {
    std::fill(out + y * n, out + (y + 1) * n, 0.0f);
    for (std::int32_t k = 0; k < n; ++k)
      for (std::int32_t x = 0; x < n; ++x) out[y * n + x] += in[y * n + k] * in[k * n + x];
  }
}

void transpose(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for collapse(2)
  for (std::int32_t by = 0; by < n; by += 16)
    for (std::int32_t bx = 0; bx < n; bx += 16)
      for (std::int32_t y = by; y < by + 16; ++y)
        for (std::int32_t x = bx; x < bx + 16; ++x) out[x * n + y] = in[y * n + x];
}

void stencil_2d(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t y = 1; y < n - 1; ++y)
    for (std::int32_t i = y * n + 1; i < (y + 1) * n - 1; ++i)
      out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

void stencil_3d(const float* in, float* out, std::int32_t n, std::size_t) {
  const std::int32_t plane = n * n;
#pragma omp parallel for
  for (std::int32_t z = 1; z < n - 1; ++z)
    for (std::int32_t y = 1; y < n - 1; ++y)
      for (std::int32_t i = (z * n + y) * n + 1; i < (z * n + y + 1) * n - 1; ++i)
        out[i] =
            0.25f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
}

void convolution(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t y = 1; y < n - 1; ++y)
    for (std::int32_t x = 1; x < n - 1; ++x) {
      float sum = 0;
      for (std::int32_t j = -1; j <= 1; ++j)
        for (std::int32_t i = -1; i <= 1; ++i) sum += in[(y + j) * n + x + i] * static_cast<float>(i + 2 * j + 3);
      out[y * n + x] = sum;
    }
}

void black_scholes(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t i = 0; i < n; ++i) {
    const float S = 10 + in[i], K = 20 + in[i] * 0.5f, T = 0.5f + in[i] * 0.01f, r = 0.02f, v = 0.3f;
    const float d1 = (std::log(S / K) + (r + v * v * 0.5f) * T) / (v * std::sqrt(T)), d2 = d1 - v * std::sqrt(T);
    const float a = 1.0f / (1.0f + 0.2316419f * std::fabs(d1)), b = 1.0f / (1.0f + 0.2316419f * std::fabs(d2));
    float p = std::exp(-0.5f * d1 * d1) * a * (0.31938153f + a * (-0.356563782f + a * 1.781477937f));
    float q = std::exp(-0.5f * d2 * d2) * b * (0.31938153f + b * (-0.356563782f + b * 1.781477937f));
    p = d1 > 0 ? 1 - p : p;
    q = d2 > 0 ? 1 - q : q;
    out[i] = S * p - K * std::exp(-r * T) * q;
  }
}

void mandelbrot(const float*, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for schedule(dynamic, 8)
  for (std::int32_t y = 0; y < 512; ++y)
    for (std::int32_t x = 0; x < 512; ++x) {
      const float cr = static_cast<float>(x) * (3.0f / 512) - 2, ci = static_cast<float>(y) * (2.0f / 512) - 1;
      float zr = 0, zi = 0;
      std::int32_t k = 0;
      for (; k < n && zr * zr + zi * zi < 4; ++k)
        std::tie(zr, zi) = std::pair(zr * zr - zi * zi + cr, 2 * zr * zi + ci);
      out[y * 512 + x] = static_cast<float>(k);
    }
}

void nbody(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (std::int32_t j = 0; j < n; ++j) {
      const float dx = in[j * 4] - in[i * 4], dy = in[j * 4 + 1] - in[i * 4 + 1], dz = in[j * 4 + 2] - in[i * 4 + 2];
      const float d = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f), f = in[j * 4 + 3] * d * d * d;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    out[i * 4] = ax;
    out[i * 4 + 1] = ay;
    out[i * 4 + 2] = az;
  }
}

void softmax(const float* in, float* out, std::int32_t n, std::size_t count) {
#pragma omp parallel for
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(count); row += n) {
    float most = in[row], sum = 0;
    for (std::int32_t i = row; i < row + n; ++i) most = std::max(most, in[i]);
    for (std::int32_t i = row; i < row + n; ++i) sum += out[i] = std::exp(in[i] - most);
    for (std::int32_t i = row; i < row + n; ++i) out[i] /= sum;
  }
}

void layer_norm(const float* in, float* out, std::int32_t n, std::size_t count) {
#pragma omp parallel for
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(count); row += n) {
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (std::int32_t i = row; i < row + n; ++i) {
      sum += in[i];
      squares += in[i] * in[i];
    }
    const float size = static_cast<float>(n), mean = sum / size;
    const float scale = 1 / std::sqrt(squares / size - mean * mean + 1e-5f);
    for (std::int32_t i = row; i < row + n; ++i) out[i] = (in[i] - mean) * scale;
  }
}

void gather(const float* in, float* out, std::int32_t n, std::size_t) {
#pragma omp parallel for
  for (std::int32_t i = 0; i < n; ++i) out[i] = in[(i * 7 + static_cast<std::int32_t>(in[i]) * 4099) & (n - 1)];
}

}  // namespace pintle::bench::loops
