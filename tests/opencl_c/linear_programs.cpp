// Linear algebra in the manner of PolyBench: a guard, one item for each element, loops over rows and columns.
#include <cmath>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;

Example gemm() {
  constexpr int ni = 33, nj = 50, nk = 40;
  return {"gemm",
          R"(
typedef float DATA_TYPE;
__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void gemm(__global DATA_TYPE* a, __global DATA_TYPE* b, __global DATA_TYPE* c, DATA_TYPE alpha, DATA_TYPE beta,
                   int ni, int nj, int nk) {
  int j = get_global_id(0), i = get_global_id(1);
  if ((i < ni) && (j < nj)) {
    c[i * nj + j] *= beta;
    for (int k = 0; k < nk; k++) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
  }
})",
          {Data::of(floats(ni * nk, 1)), Data::of(floats(nk * nj, 2)), Data::of(floats(ni * nj, 3))},
          {{"gemm", {nj, ni}, {In{0}, In{1}, In{2}, number(1.5F), number(0.75F), number(ni), number(nj), number(nk)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1), c = memory.floats(2);
            for (std::size_t i = 0; i < ni; ++i)
              for (std::size_t j = 0; j < nj; ++j) {
                float sum = c[i * nj + j] * 0.75F;
                for (std::size_t k = 0; k < nk; ++k) sum += 1.5F * a[i * nk + k] * b[k * nj + j];
                c[i * nj + j] = sum;
              }
          },
          1e-5};
}

void multiply(Floats to, Floats a, Floats b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      to[i * n + j] = sum;
    }
}

Example three_products() {
  constexpr int n = 48;
  const auto product = [](const char* name, std::size_t to, std::size_t a, std::size_t b) {
    return Launch{name, {n, n}, {In{a}, In{b}, In{to}, number(n)}};
  };
  std::string source;
  for (const std::string k : {"1", "2", "3"})
    source += "__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void mm3_kernel" + k +
              "(__global float *A, __global float *B, __global float *C, int n) {\n"
              "  int j = get_global_id(0); int i = get_global_id(1);\n"
              "  if ((i < n) && (j < n)) { int k; C[i * n + j] = 0;\n"
              "    for (k = 0; k < n; k++) { C[i * n + j] += A[i * n + k] * B[k * n + j]; } }\n}\n";
  return {"three_products",
          source,
          {Data::of(floats(n * n, 1)), Data::of(floats(n * n, 2)), Data::of(floats(n * n, 3)),
           Data::of(floats(n * n, 4)), room(n * n), room(n * n), room(n * n)},
          {product("mm3_kernel1", 4, 0, 1), product("mm3_kernel2", 5, 2, 3), product("mm3_kernel3", 6, 4, 5)},
          [](Memory& memory) {
            multiply(memory.floats(4), memory.floats(0), memory.floats(1), n);
            multiply(memory.floats(5), memory.floats(2), memory.floats(3), n);
            multiply(memory.floats(6), memory.floats(4), memory.floats(5), n);
          },
          1e-4};
}

/// y = At (A x): rows, then columns.
Example atax() {
  constexpr int nx = 70, ny = 90;
  return {"atax",
          R"(
__kernel void atax_kernel1(__global const float* A, __global const float* x, __global float* tmp, int nx, int ny) {
  int i = get_global_id(0);
  if (i < nx) {
    float sum = 0;
    for (int j = 0; j < ny; j++) sum += A[i * ny + j] * x[j];
    tmp[i] = sum;
  }
}
__kernel void atax_kernel2(__global const float* A, __global float* y, __global const float* tmp, int nx, int ny) {
  int j = get_global_id(0);
  if (j < ny) {
    int i;
    y[j] = 0;
    for (i = 0; i < nx; i++) y[j] += A[i * ny + j] * tmp[i];
  }
})",
          {Data::of(floats(nx * ny, 1)), Data::of(floats(ny, 2)), room(nx), room(ny)},
          {{"atax_kernel1", {nx}, {In{0}, In{1}, In{2}, number(nx), number(ny)}},
           {"atax_kernel2", {ny}, {In{0}, In{3}, In{2}, number(nx), number(ny)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), x = memory.floats(1), rows = memory.floats(2), y = memory.floats(3);
            for (std::size_t i = 0; i < nx; ++i)
              for (std::size_t j = 0; j < ny; ++j) rows[i] += a[i * ny + j] * x[j];
            for (std::size_t j = 0; j < ny; ++j)
              for (std::size_t i = 0; i < nx; ++i) y[j] += a[i * ny + j] * rows[i];
          },
          1e-5};
}

/// y = alpha A x + beta B x.
Example gesummv() {
  constexpr int n = 100;
  return {"gesummv",
          R"(
__kernel void gesummv(__global float *a, __global float *b, __global float *x, __global float *y, __global float *tmp,
                      float alpha, float beta, int n) {
  int i = get_global_id(0);
  if (i < n) {
    int j;
    tmp[i] = 0.0f;
    y[i] = 0.0f;
    for (j = 0; j < n; j++) {
      tmp[i] += a[i * n + j] * x[j];
      y[i] += b[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
})",
          {Data::of(floats(n * n, 1)), Data::of(floats(n * n, 2)), Data::of(floats(n, 3)), room(n), room(n)},
          {{"gesummv", {n}, {In{0}, In{1}, In{2}, In{3}, In{4}, number(2.0F), number(-0.5F), number(n)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1), x = memory.floats(2), y = memory.floats(3),
                         t = memory.floats(4);
            for (std::size_t i = 0; i < n; ++i) {
              for (std::size_t j = 0; j < n; ++j) t[i] += a[i * n + j] * x[j], y[i] += b[i * n + j] * x[j];
              y[i] = 2 * t[i] - 0.5F * y[i];
            }
          },
          1e-5};
}

/// C = alpha (A Bt + B At) + beta C.
Example syr2k() {
  constexpr int n = 45, m = 30;
  return {"syr2k",
          R"(
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void syr2k(__global float* a, __global float* b, __global float* c, float alpha, float beta, int m, int n) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if ((i < n) && (j < n)) {
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
      c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
  }
})",
          {Data::of(floats(n * m, 1)), Data::of(floats(n * m, 2)), Data::of(floats(n * n, 3))},
          {{"syr2k", {n, n}, {In{0}, In{1}, In{2}, number(1.25F), number(0.5F), number(m), number(n)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1), c = memory.floats(2);
            for (std::size_t i = 0; i < n; ++i)
              for (std::size_t j = 0; j < n; ++j) {
                float sum = c[i * n + j] * 0.5F;
                for (std::size_t k = 0; k < m; ++k)
                  sum += 1.25F * a[i * m + k] * b[j * m + k] + 1.25F * b[i * m + k] * a[j * m + k];
                c[i * n + j] = sum;
              }
          },
          1e-5};
}

void orthogonal_column(Floats a, Floats r, Floats q, std::size_t m, std::size_t n, std::size_t k) {
  float square = 0;
  for (std::size_t i = 0; i < m; ++i) square += a[i * n + k] * a[i * n + k];
  r[k * n + k] = std::sqrt(square);
  for (std::size_t i = 0; i < m; ++i) q[i * n + k] = a[i * n + k] / r[k * n + k];
  for (std::size_t j = k + 1; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) r[k * n + j] += q[i * n + k] * a[i * n + j];
    for (std::size_t i = 0; i < m; ++i) a[i * n + j] -= q[i * n + k] * r[k * n + j];
  }
}

/// Three kernels for each column, one of them with a single item that works.
Example gramschmidt() {
  constexpr int m = 40, n = 12;
  std::vector<Launch> launches;
  for (int k = 0; k < n; ++k) {
    const std::vector<Given> arguments{In{0}, In{1}, In{2}, number(k), number(m), number(n)};
    launches.push_back({"gramschmidt_kernel1", {64}, arguments});
    launches.push_back({"gramschmidt_kernel2", {m}, arguments});
    launches.push_back({"gramschmidt_kernel3", {n}, arguments});
  }
  return {"gramschmidt",
          R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void gramschmidt_kernel1(__global float *a, __global float *r, __global float *q, int k, int m, int n) {
  int tid = get_global_id(0);
  if (tid == 0) {
    float nrm = 0.0;
    int i;
    for (i = 0; i < m; i++) nrm += a[i * n + k] * a[i * n + k];
    r[k * n + k] = sqrt(nrm);
  }
}
__kernel void gramschmidt_kernel2(__global float *a, __global float *r, __global float *q, int k, int m, int n) {
  int i = get_global_id(0);
  if (i < m) q[i * n + k] = a[i * n + k] / r[k * n + k];
}
__kernel void gramschmidt_kernel3(__global float *a, __global float *r, __global float *q, int k, int m, int n) {
  int j = get_global_id(0) + (k + 1);
  if ((j < n)) {
    r[k * n + j] = 0.0;
    int i;
    for (i = 0; i < m; i++) r[k * n + j] += q[i * n + k] * a[i * n + j];
    for (i = 0; i < m; i++) a[i * n + j] -= q[i * n + k] * r[k * n + j];
  }
})",
          {Data::of(floats(m * n, 1)), room(n * n), room(m * n)},
          launches,
          [](Memory& memory) {
            for (std::size_t k = 0; k < n; ++k)
              orthogonal_column(memory.floats(0), memory.floats(1), memory.floats(2), m, n, k);
          },
          1e-4};
}

/// Means, then the data without them, then a triangle that is mirrored while it is made.
Example covariance() {
  constexpr int m = 30, n = 50;
  return {"covariance",
          R"(
__kernel void mean_kernel(__global float *mean, __global float *data, float float_n, int m, int n) {
  int j = get_global_id(0);
  if (j < m) {
    mean[j] = 0.0f;
    for (int i = 0; i < n; i++) mean[j] += data[i * m + j];
    mean[j] /= float_n;
  }
}
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void reduce_kernel(__global float *mean, __global float *data, int m, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if ((i < n) && (j < m)) data[i * m + j] -= mean[j];
}
__kernel void covar_kernel(__global float *symmat, __global float *data, int m, int n) {
  int j1 = get_global_id(0);
  if (j1 < m)
    for (int j2 = j1; j2 < m; j2++) {
      float sum = 0.0f;
      for (int i = 0; i < n; i++) sum += data[i * m + j1] * data[i * m + j2];
      symmat[j1 * m + j2] = sum;
      symmat[j2 * m + j1] = sum;
    }
})",
          {room(m), Data::of(floats(n * m, 1)), room(m * m)},
          {{"mean_kernel", {m}, {In{0}, In{1}, number(static_cast<float>(n)), number(m), number(n)}},
           {"reduce_kernel", {m, n}, {In{0}, In{1}, number(m), number(n)}},
           {"covar_kernel", {m}, {In{2}, In{1}, number(m), number(n)}}},
          [](Memory& memory) {
            const Floats mean = memory.floats(0), data = memory.floats(1), all = memory.floats(2);
            for (std::size_t j = 0; j < m; ++j) {
              for (std::size_t i = 0; i < n; ++i) mean[j] += data[i * m + j] / n;
              for (std::size_t i = 0; i < n; ++i) data[i * m + j] -= mean[j];
            }
            for (std::size_t j = 0; j < m; ++j)
              for (std::size_t k = 0; k < m; ++k)
                for (std::size_t i = 0; i < n; ++i) all[j * m + k] += data[i * m + j] * data[i * m + k];
          },
          1e-5};
}

/// A matrix times a vector, and its transpose times another, in doubles.
Example mvt() {
  constexpr int n = 64;
  const auto doubles = [](std::size_t count, unsigned seed) {
    const auto some = floats(count, seed);
    return Data::of(std::vector<double>(some.begin(), some.end()));
  };
  return {
      "mvt",
      R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double DATA_TYPE;
__kernel void mvt_kernel1(__global DATA_TYPE *a, __global DATA_TYPE *x1, __global DATA_TYPE *y1, int n) {
  int i = get_global_id(0);
  if (i < n) for (int j = 0; j < n; j++) x1[i] += a[i * n + j] * y1[j];
}
__kernel void mvt_kernel2(__global DATA_TYPE *a, __global DATA_TYPE *x2, __global DATA_TYPE *y2, int n) {
  int i = get_global_id(0);
  if (i < n) for (int j = 0; j < n; j++) x2[i] += a[j * n + i] * y2[j];
})",
      {doubles(n * n, 1), doubles(n, 2), doubles(n, 3), doubles(n, 4), doubles(n, 5)},
      {{"mvt_kernel1", {n}, {In{0}, In{1}, In{3}, number(n)}}, {"mvt_kernel2", {n}, {In{0}, In{2}, In{4}, number(n)}}},
      [](Memory& memory) {
        const auto a = memory.of<double>(0), x1 = memory.of<double>(1), x2 = memory.of<double>(2),
                   y1 = memory.of<double>(3), y2 = memory.of<double>(4);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) x1[i] += a[i * n + j] * y1[j], x2[i] += a[j * n + i] * y2[j];
      },
      1e-13,
      true};
}

}  // namespace

std::vector<Example> linear() {
  return {gemm(), three_products(), atax(), gesummv(), syr2k(), gramschmidt(), covariance(), mvt()};
}

}  // namespace pintle::test
