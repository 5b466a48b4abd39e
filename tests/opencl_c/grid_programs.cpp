// Grids in the manner of PolyBench, SHOC and Rodinia: stencils with and without tiles in local memory.
#include <algorithm>
#include <cmath>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;

/// Two kernels, launched in turn for each step.
Example jacobi2d() {
  constexpr int n = 60, steps = 4;
  std::vector<Launch> launches;
  for (int t = 0; t < steps; ++t) {
    launches.push_back({"runJacobi2D_kernel1", {n, n}, {In{0}, In{1}, number(n)}});
    launches.push_back({"runJacobi2D_kernel2", {n, n}, {In{0}, In{1}, number(n)}});
  }
  return {"jacobi2d",
          R"(
typedef float DATA_TYPE;
__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void runJacobi2D_kernel1(__global DATA_TYPE* A, __global DATA_TYPE* B, int n) {
  int i = get_global_id(1);
  int j = get_global_id(0);
  if ((i >= 1) && (i < (n-1)) && (j >= 1) && (j < (n-1)))
    B[i*n + j] = 0.2f * (A[i*n + j] + A[i*n + (j-1)] + A[i*n + (1 + j)] + A[(1 + i)*n + j] + A[(i-1)*n + j]);
}
__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void runJacobi2D_kernel2(__global DATA_TYPE* A, __global DATA_TYPE* B, int n) {
  int i = get_global_id(1);
  int j = get_global_id(0);
  if ((i >= 1) && (i < (n-1)) && (j >= 1) && (j < (n-1))) A[i*n + j] = B[i*n + j];
})",
          {Data::of(floats(n * n, 1)), Data::of(floats(n * n, 2))},
          launches,
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1);
            for (int t = 0; t < steps; ++t) {
              for (std::size_t i = 1; i < n - 1; ++i)
                for (std::size_t j = 1; j < n - 1; ++j) {
                  const std::size_t k = i * n + j;
                  b[k] = 0.2F * (a[k] + a[k - 1] + a[k + 1] + a[k + n] + a[k - n]);
                }
              for (std::size_t i = 1; i < n - 1; ++i)
                for (std::size_t j = 1; j < n - 1; ++j) a[i * n + j] = b[i * n + j];
            }
          },
          1e-6};
}

/// Three fields of a plane; the first row of one comes from a table.
Example fdtd2d() {
  constexpr int nx = 40, ny = 50, steps = 3;
  std::vector<Launch> launches;
  for (int t = 0; t < steps; ++t) {
    launches.push_back({"fdtd_kernel1", {ny, nx}, {In{0}, In{1}, In{2}, In{3}, number(t), number(nx), number(ny)}});
    launches.push_back({"fdtd_kernel2", {ny, nx}, {In{1}, In{2}, In{3}, number(nx), number(ny)}});
    launches.push_back({"fdtd_kernel3", {ny, nx}, {In{1}, In{2}, In{3}, number(nx), number(ny)}});
  }
  return {"fdtd2d",
          R"(
#define GROUP __attribute__((reqd_work_group_size(32, 8, 1)))
__kernel GROUP void fdtd_kernel1(__global float *_fict_, __global float *ex, __global float *ey, __global float *hz, int t,
                                 int nx, int ny) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if ((i < nx) && (j < ny)) {
    int tid = i * ny + j;
    if (i == 0) ey[i * ny + j] = _fict_[t];
    else ey[i * ny + j] = ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
  }
}
__kernel GROUP void fdtd_kernel2(__global float *ex, __global float *ey, __global float *hz, int nx, int ny) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if ((i < nx) && (j < ny) && (j > 0))
    ex[i * (ny + 1) + j] = ex[i * (ny + 1) + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
}
__kernel GROUP void fdtd_kernel3(__global float *ex, __global float *ey, __global float *hz, int nx, int ny) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if ((i < nx) && (j < ny))
    hz[i * ny + j] = hz[i * ny + j] - 0.7f * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
})",
          {Data::of(floats(steps, 1)), Data::of(floats(nx * (ny + 1), 2)), Data::of(floats((nx + 1) * ny, 3)),
           Data::of(floats(nx * ny, 4))},
          launches,
          [](Memory& memory) {
            const Floats first = memory.floats(0), ex = memory.floats(1), ey = memory.floats(2), hz = memory.floats(3);
            for (std::size_t t = 0; t < steps; ++t) {
              for (std::size_t k = 0; k < nx * ny; ++k) ey[k] = k < ny ? first[t] : ey[k] - 0.5F * (hz[k] - hz[k - ny]);
              for (std::size_t i = 0; i < nx; ++i)
                for (std::size_t j = 1; j < ny; ++j)
                  ex[i * (ny + 1) + j] -= 0.5F * (hz[i * ny + j] - hz[i * ny + j - 1]);
              for (std::size_t i = 0; i < nx; ++i)
                for (std::size_t j = 0; j < ny; ++j) {
                  const std::size_t e = i * (ny + 1) + j, k = i * ny + j;
                  hz[k] -= 0.7F * (ex[e + 1] - ex[e] + ey[k + ny] - ey[k]);
                }
            }
          },
          1e-5};
}

/// Each item walks down a column of planes.
Example convolution3d() {
  constexpr int n = 20;
  return {"convolution3d",
          R"(
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void convolution3d_kernel(__global const float* a, __global float* b, int ni, int nj, int nk) {
  int k = get_global_id(0), j = get_global_id(1);
  const float c11 = +2, c21 = +5, c31 = -8, c12 = -3, c22 = +6, c32 = -9, c13 = +4, c23 = +7, c33 = +10;
  if (k < 1 || j < 1 || k >= nk - 1 || j >= nj - 1) return;
#define AT(x, y, z) a[(i + (x)) * nk * nj + (j + (y)) * nk + (k + (z))]
  for (int i = 1; i < ni - 1; ++i)
    b[i * nk * nj + j * nk + k] = c11 * AT(-1, -1, -1) + c13 * AT(+1, -1, -1) + c21 * AT(-1, -1, -1) + c23 * AT(+1, -1, -1) +
      c31 * AT(-1, -1, -1) + c33 * AT(+1, -1, -1) + c12 * AT(0, -1, 0) + c22 * AT(0, 0, 0) + c32 * AT(0, 1, 0) +
      c11 * AT(-1, -1, 1) + c13 * AT(+1, -1, +1) + c21 * AT(-1, 0, 1) + c23 * AT(+1, 0, +1) + c31 * AT(-1, +1, 1) + c33 * AT(+1, +1, +1);
})",
          {Data::of(whole_floats(n * n * n, 1)), room(n * n * n)},
          {{"convolution3d_kernel", {n, n}, {In{0}, In{1}, number(n), number(n), number(n)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1);
            for (long i = 1; i < n - 1; ++i)
              for (long j = 1; j < n - 1; ++j)
                for (long k = 1; k < n - 1; ++k) {
                  const auto at = [&](long x, long y, long z) {
                    return a[static_cast<std::size_t>(((i + x) * n + j + y) * n + k + z)];
                  };
                  b[static_cast<std::size_t>((i * n + j) * n + k)] =
                      (2 + 5 - 8) * at(-1, -1, -1) + (4 + 7 + 10) * at(1, -1, -1) - 3 * at(0, -1, 0) + 6 * at(0, 0, 0) -
                      9 * at(0, 1, 0) + 2 * at(-1, -1, 1) + 4 * at(1, -1, 1) + 5 * at(-1, 0, 1) + 7 * at(1, 0, 1) -
                      8 * at(-1, 1, 1) + 10 * at(1, 1, 1);
                }
          }};
}

/// A tile with its border in local memory that the launch sizes; the kernel's weights are in constant memory.
Example stencil9() {
  constexpr int n = 64, pitch = n + 2;
  return {"stencil9",
          R"(
inline int flat(int row, int column, int width) { return row * width + column; }
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void StencilKernel(__global const float* data, __global float* newData, __constant float* weights, int width, __local float* sh) {
  int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1, gx = get_global_id(0) + 1, gy = get_global_id(1) + 1;
  int w = get_local_size(0) + 2;
  sh[flat(ly, lx, w)] = data[flat(gy, gx, width)];
  if (lx == 1) sh[flat(ly, 0, w)] = data[flat(gy, gx - 1, width)];
  if (lx == w - 2) sh[flat(ly, w - 1, w)] = data[flat(gy, gx + 1, width)];
  if (ly == 1) {
    sh[flat(0, lx, w)] = data[flat(gy - 1, gx, width)];
    if (lx == 1) sh[0] = data[flat(gy - 1, gx - 1, width)];
    if (lx == w - 2) sh[w - 1] = data[flat(gy - 1, gx + 1, width)];
  }
  if (ly == w - 2) {
    sh[flat(w - 1, lx, w)] = data[flat(gy + 1, gx, width)];
    if (lx == 1) sh[flat(w - 1, 0, w)] = data[flat(gy + 1, gx - 1, width)];
    if (lx == w - 2) sh[flat(w - 1, w - 1, w)] = data[flat(gy + 1, gx + 1, width)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float near = sh[flat(ly, lx - 1, w)] + sh[flat(ly, lx + 1, w)] + sh[flat(ly - 1, lx, w)] + sh[flat(ly + 1, lx, w)];
  float far = sh[flat(ly - 1, lx - 1, w)] + sh[flat(ly - 1, lx + 1, w)] + sh[flat(ly + 1, lx - 1, w)] + sh[flat(ly + 1, lx + 1, w)];
  newData[flat(gy, gx, width)] = weights[0] * sh[flat(ly, lx, w)] + weights[1] * near + weights[2] * far;
})",
          {Data::of(whole_floats(pitch * pitch, 1)), room(pitch * pitch), Data::of(std::vector<float>{4, 2, 1})},
          {{"StencilKernel", {n, n}, {In{0}, In{1}, In{2}, number(pitch), Local{18 * 18}}}},
          [](Memory& memory) {
            const Floats in = memory.floats(0), out = memory.floats(1);
            for (std::size_t y = 1; y <= n; ++y)
              for (std::size_t x = 1; x <= n; ++x) {
                const auto i = y * pitch + x;
                out[i] = 4 * in[i] + 2 * (in[i - 1] + in[i + 1] + in[i - pitch] + in[i + pitch]) + in[i - pitch - 1] +
                         in[i - pitch + 1] + in[i + pitch - 1] + in[i + pitch + 1];
              }
          }};
}

float cell(Floats grid, int row, int column, int size) {
  row = std::clamp(row, 0, size - 1), column = std::clamp(column, 0, size - 1);
  return grid[static_cast<std::size_t>(row * size + column)];
}

/// A pyramid of steps in local memory: each group computes a border that it then throws away.
Example hotspot() {
  constexpr int size = 36, steps = 2, inner = 16 - 2 * steps;
  return {"hotspot",
          R"(
#define BLOCK_SIZE 16
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define CLAMP_RANGE(x, min, max) x = (x < (min)) ? min : ((x > (max)) ? max : x)
__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, BLOCK_SIZE, 1)))
void hotspot(int iteration, __global float *power, __global float *temp_src, __global float *temp_dst, int grid_cols,
             int grid_rows, int border, float cap, float rx, float rz) {
  __local float temp_on_chip[BLOCK_SIZE][BLOCK_SIZE], power_on_chip[BLOCK_SIZE][BLOCK_SIZE], temp_t[BLOCK_SIZE][BLOCK_SIZE];
  float amb_temp = 80.0f, temp;
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int small_block = BLOCK_SIZE - iteration * 2;
  int blkY = small_block * by - border, blkX = small_block * bx - border;
  int yidx = blkY + ty, xidx = blkX + tx, index = grid_cols * yidx + xidx;
  if (IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1)) {
    temp_on_chip[ty][tx] = temp_src[index];
    power_on_chip[ty][tx] = power[index];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int validYmin = (blkY < 0) ? -blkY : 0, validYmax = (blkY + BLOCK_SIZE - 1 > grid_rows - 1) ? grid_rows - 1 - blkY : BLOCK_SIZE - 1;
  int validXmin = (blkX < 0) ? -blkX : 0, validXmax = (blkX + BLOCK_SIZE - 1 > grid_cols - 1) ? grid_cols - 1 - blkX : BLOCK_SIZE - 1;
  int N = ty - 1, S = ty + 1, W = tx - 1, E = tx + 1;
  N = (N < validYmin) ? validYmin : N;
  S = (S > validYmax) ? validYmax : S;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) &&
        IN_RANGE(tx, validXmin, validXmax) && IN_RANGE(ty, validYmin, validYmax)) {
      computed = true;
      temp_t[ty][tx] = temp_on_chip[ty][tx] + cap * (power_on_chip[ty][tx] +
        (temp_on_chip[S][tx] + temp_on_chip[N][tx] + temp_on_chip[ty][E] + temp_on_chip[ty][W] - 4.0f * temp_on_chip[ty][tx]) * rx +
        (amb_temp - temp_on_chip[ty][tx]) * rz);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == iteration - 1) break;
    if (computed) temp_on_chip[ty][tx] = temp_t[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed) temp_dst[index] = temp_t[ty][tx];
})",
          {Data::of(floats(size * size, 1)), Data::of(floats(size * size, 2)), room(size * size)},
          {{"hotspot",
            {(size + inner - 1) / inner * 16, (size + inner - 1) / inner * 16},
            {number(steps), In{0}, In{1}, In{2}, number(size), number(size), number(steps), number(0.5F), number(0.1F),
             number(0.0125F)}}},
          [](Memory& memory) {
            const Floats power = memory.floats(0), to = memory.floats(2);
            std::vector<float> now(memory.floats(1).begin(), memory.floats(1).end());
            for (int t = 0; t < steps; ++t) {
              for (int y = 0; y < size; ++y)
                for (int x = 0; x < size; ++x) {
                  const float own = cell(now, y, x, size);
                  const float around = cell(now, y + 1, x, size) + cell(now, y - 1, x, size) +
                                       cell(now, y, x + 1, size) + cell(now, y, x - 1, size) - 4 * own;
                  to[static_cast<std::size_t>(y * size + x)] =
                      own + 0.5F * (cell(power, y, x, size) + around * 0.1F + (80 - own) * 0.0125F);
                }
              now.assign(to.begin(), to.end());
            }
          },
          1e-5};
}

/// Two kernels: coefficients by the gradient, then the image; neighbours by index buffers.
Example srad() {
  constexpr int rows = 24, columns = 32, all = rows * columns;
  const auto neighbours = [](int size, int step) {
    std::vector<std::int32_t> index;
    for (int i = 0; i < size; ++i) index.push_back(std::clamp(i + step, 0, size - 1));
    return Data::of(index);
  };
  std::vector<float> image = floats(all, 1);
  for (float& one : image) one = std::exp(one);
  const std::vector<Given> indices{In{2}, In{3}, In{4}, In{5}};
  std::vector<Given> first{number(rows), number(columns)}, second;
  first.insert(first.end(), indices.begin(), indices.end());
  second = first;
  for (std::size_t i = 6; i < 10; ++i) first.push_back(In{i}), second.push_back(In{i});
  first.insert(first.end(), {number(0.25F), In{1}, In{0}});
  second.insert(second.end(), {number(0.5F), In{1}, In{0}});
  return {"srad",
          R"(
typedef float fp;
__kernel void srad_kernel(int Nr, int Nc, __global const int* iN, __global const int* iS, __global const int* jE, __global const int* jW,
                          __global fp* dN, __global fp* dS, __global fp* dE, __global fp* dW, fp q0sqr, __global fp* c, __global fp* I) {
  int ei = get_global_id(0);
  if (ei < Nr * Nc) {
    int row = (ei + 1) % Nr - 1, col = (ei + 1) / Nr + 1 - 1;
    if ((ei + 1) % Nr == 0) { row = Nr - 1; col = col - 1; }
    fp Jc = I[ei];
    fp N = I[iN[row] + Nr * col] - Jc, S = I[iS[row] + Nr * col] - Jc, W = I[row + Nr * jW[col]] - Jc, E = I[row + Nr * jE[col]] - Jc;
    fp G2 = (N * N + S * S + W * W + E * E) / (Jc * Jc), L = (N + S + W + E) / Jc;
    fp num = (0.5f * G2) - ((1.0f / 16.0f) * (L * L)), den = 1 + (.25f * L), qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
    fp loc = 1.0f / (1.0f + den);
    if (loc < 0) loc = 0;
    else if (loc > 1) loc = 1;
    dN[ei] = N; dS[ei] = S; dW[ei] = W; dE[ei] = E;
    c[ei] = loc;
  }
}
__kernel void srad2_kernel(int Nr, int Nc, __global const int* iN, __global const int* iS, __global const int* jE, __global const int* jW,
                           __global const fp* dN, __global const fp* dS, __global const fp* dE, __global const fp* dW, fp lambda,
                           __global const fp* c, __global fp* I) {
  int ei = get_global_id(0);
  if (ei >= Nr * Nc) return;
  int row = ei % Nr, col = ei / Nr;
  fp D = c[ei] * dN[ei] + c[iS[row] + Nr * col] * dS[ei] + c[ei] * dW[ei] + c[row + Nr * jE[col]] * dE[ei];
  I[ei] = I[ei] + 0.25f * lambda * D;
})",
          {Data::of(image), room(all), neighbours(rows, -1), neighbours(rows, 1), neighbours(columns, 1),
           neighbours(columns, -1), room(all), room(all), room(all), room(all)},
          {{"srad_kernel", {all}, first}, {"srad2_kernel", {all}, second}},
          [](Memory& memory) {
            const Floats image = memory.floats(0), c = memory.floats(1);
            const auto pixel = [&](Floats from, int row, int column) {
              return from[static_cast<std::size_t>(std::clamp(row, 0, rows - 1) +
                                                   rows * std::clamp(column, 0, columns - 1))];
            };
            for (int i = 0; i < all; ++i) {
              const auto at = static_cast<std::size_t>(i);
              const int row = i % rows, column = i / rows;
              const float own = image[at];
              const float n = pixel(image, row - 1, column) - own, s = pixel(image, row + 1, column) - own,
                          w = pixel(image, row, column - 1) - own, e = pixel(image, row, column + 1) - own;
              memory.floats(6)[at] = n, memory.floats(7)[at] = s, memory.floats(8)[at] = e, memory.floats(9)[at] = w;
              const float g = (n * n + s * s + w * w + e * e) / (own * own), l = (n + s + w + e) / own;
              const float q = (0.5F * g - l * l / 16) / ((1 + 0.25F * l) * (1 + 0.25F * l));
              c[at] = std::clamp(1 / (1 + (q - 0.25F) / (0.25F * 1.25F)), 0.F, 1.F);
            }
            for (int i = 0; i < all; ++i) {
              const auto at = static_cast<std::size_t>(i);
              const int row = i % rows, column = i / rows;
              image[at] += 0.125F * (c[at] * (memory.floats(6)[at] + memory.floats(9)[at]) +
                                     pixel(c, row + 1, column) * memory.floats(7)[at] +
                                     pixel(c, row, column + 1) * memory.floats(8)[at]);
            }
          },
          1e-4};
}

/// Dynamic programming over rows: the cheapest way down, several rows a launch.
Example pathfinder() {
  constexpr int columns = 200, rows = 6, steps = rows - 1, block = 64, inner = block - 2 * steps;
  return {
      "pathfinder",
      R"(
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
__kernel void dynproc_kernel(int iteration, __global int* gpuWall, __global int* gpuSrc, __global int* gpuResults, int cols,
                             int startStep, int border, __local int* prev, __local int* result) {
  int BLOCK_SIZE = get_local_size(0), bx = get_group_id(0), tx = get_local_id(0);
  int small_block_cols = BLOCK_SIZE - (iteration * 2), blkX = (small_block_cols * bx) - border, blkXmax = blkX + BLOCK_SIZE - 1;
  int xidx = blkX + tx;
  int validXmin = (blkX < 0) ? -blkX : 0, validXmax = (blkXmax > cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - cols + 1) : BLOCK_SIZE - 1;
  int W = tx - 1, E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool isValid = IN_RANGE(tx, validXmin, validXmax);
  if (IN_RANGE(xidx, 0, cols - 1)) prev[tx] = gpuSrc[xidx];
  barrier(CLK_LOCAL_MEM_FENCE);
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
      computed = true;
      int shortest = MIN(prev[W], prev[tx]);
      shortest = MIN(shortest, prev[E]);
      result[tx] = shortest + gpuWall[cols * (startStep + i) + xidx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == iteration - 1) break;
    if (computed) prev[tx] = result[tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed) gpuResults[xidx] = result[tx];
})",
      {Data::of(integers(columns * steps, 10, 1)), Data::of(integers(columns, 10, 2)), room<std::int32_t>(columns)},
      {{"dynproc_kernel",
        {(columns + inner - 1) / inner * block},
        {number(steps), In{0}, In{1}, In{2}, number(columns), number(0), number(steps), Local{block}, Local{block}}}},
      [](Memory& memory) {
        const auto wall = memory.of<std::int32_t>(0), first = memory.of<std::int32_t>(1),
                   to = memory.of<std::int32_t>(2);
        std::vector<std::int32_t> now(first.begin(), first.end());
        for (std::size_t t = 0; t < steps; ++t) {
          for (std::size_t x = 0; x < columns; ++x)
            to[x] = wall[t * columns + x] +
                    std::min({now[x == 0 ? 0 : x - 1], now[x], now[std::min<std::size_t>(x + 1, columns - 1)]});
          now.assign(to.begin(), to.end());
        }
      }};
}

}  // namespace

std::vector<Example> grids() {
  return {jacobi2d(), fdtd2d(), convolution3d(), stencil9(), hotspot(), srad(), pathfinder()};
}

}  // namespace pintle::test
