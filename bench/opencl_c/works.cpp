#include "bench/opencl_c/works.h"

namespace pintle::bench {
namespace {

constexpr std::int32_t million = 1 << 20;
constexpr Grid line{million / 256, 1, 1};
constexpr Grid image{32, 128, 1};  // 1024 × 1024 in groups of 32 × 8

constexpr const char* saxpy = "{ int i = get_global_id(0); if (i < n) out[i] = 2.5f * in[i] + out[i] * 0.5f; }";

constexpr const char* dot = R"({
  local float p[256];
  int i = get_global_id(0), l = get_local_id(0);
  p[l] = in[i] * in[n - 1 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 128; s > 0; s >>= 1) {
    if (l < s) p[l] += p[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = p[0];
})";

constexpr const char* reduction = R"({
  local float p[256];
  int l = get_local_id(0);
  p[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 128; s > 0; s >>= 1) {
    if (l < s) p[l] += p[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = p[0];
})";

constexpr const char* matmul_naive = R"({
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  float s = 0;
  for (int k = 0; k < n; ++k) s += in[y * n + k] * in[k * n + x];
  out[y * n + x] = s;
})";

constexpr const char* matmul_tiled = R"({
  local float A[16][16], B[16][16];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float s = 0;
  for (int t = 0; t < n / 16; ++t) {
    A[ly][lx] = in[y * n + t * 16 + lx];
    B[ly][lx] = in[(t * 16 + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) s += A[ly][k] * B[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[y * n + x] = s;
})";

// In the manner of tinygrad's renderer: groups and items by hand, sixteen sums a work-item, vectors of four.
constexpr const char* tinygrad_matmul = R"({
  int gidx0 = get_group_id(0), gidx1 = get_group_id(1), lidx0 = get_local_id(0), lidx1 = get_local_id(1);
  int row = (gidx1 * 8 + lidx1) * 4, column = (gidx0 * 8 + lidx0) * 4;
  float4 acc0 = 0, acc1 = 0, acc2 = 0, acc3 = 0;
  for (int ridx = 0; ridx < 256; ridx++) {
    float4 b = *((global const float4*)(in + ridx * 256 + column));
    acc0 += in[row * 256 + ridx] * b;
    acc1 += in[row * 256 + 256 + ridx] * b;
    acc2 += in[row * 256 + 512 + ridx] * b;
    acc3 += in[row * 256 + 768 + ridx] * b;
  }
  *((global float4*)(out + row * 256 + column)) = acc0;
  *((global float4*)(out + row * 256 + 256 + column)) = acc1;
  *((global float4*)(out + row * 256 + 512 + column)) = acc2;
  *((global float4*)(out + row * 256 + 768 + column)) = acc3;
})";

constexpr const char* transpose = R"({
  local float t[16][17];
  int lx = get_local_id(0), ly = get_local_id(1);
  t[ly][lx] = in[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ly) * n + get_group_id(1) * 16 + lx] = t[lx][ly];
})";

constexpr const char* stencil_2d = R"({
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
})";

constexpr const char* stencil_3d = R"({
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int i = (z * n + y) * n + x;
  out[i] = 0.25f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
})";

constexpr const char* convolution = R"({
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float s = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) s += in[(y + j) * n + x + i] * (i + 2 * j + 3);
  out[y * n + x] = s;
})";

constexpr const char* histogram = R"({
  local uint b[64];
  int l = get_local_id(0);
  if (l < 64) b[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; ++k) atomic_inc(&b[(uint)in[(get_group_id(0) * 16 + k) * 256 + l] & 63]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 64) out[get_group_id(0) * 64 + l] = b[l];
})";

// Sums of what lies before, in each block of 256.
constexpr const char* scan = R"({
  local float a[256], b[256];
  int l = get_local_id(0);
  local float *from = a, *to = b;
  from[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < 256; s *= 2) {
    to[l] = from[l] + (l >= s ? from[l - s] : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    local float* other = from;
    from = to;
    to = other;
  }
  out[get_global_id(0)] = from[l];
})";

constexpr const char* fft = R"({
  local float re[256], im[256];
  uint l = get_local_id(0), base = get_group_id(0) * 256, r = 0;
  for (uint b = 0; b < 8; ++b) r |= ((l >> b) & 1) << (7 - b);
  re[r] = in[base + l];
  im[r] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 1; half_size < 256; half_size *= 2) {
    if (l < 128) {
      uint k = l & (half_size - 1), i = ((l - k) << 1) + k, j = i + half_size;
      float a = -3.14159265f * k / half_size, c = cos(a), s = sin(a);
      float x = re[j] * c - im[j] * s, y = re[j] * s + im[j] * c;
      re[j] = re[i] - x;
      im[j] = im[i] - y;
      re[i] += x;
      im[i] += y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[base + l] = re[l] * re[l] + im[l] * im[l];
})";

constexpr const char* black_scholes = R"({
  int i = get_global_id(0);
  if (i >= n) return;
  float S = 10 + in[i], K = 20 + in[i] * 0.5f, T = 0.5f + in[i] * 0.01f, r = 0.02f, v = 0.3f;
  float d1 = (log(S / K) + (r + v * v * 0.5f) * T) / (v * sqrt(T)), d2 = d1 - v * sqrt(T);
  float a = 1.0f / (1.0f + 0.2316419f * fabs(d1)), b = 1.0f / (1.0f + 0.2316419f * fabs(d2));
  float p = exp(-0.5f * d1 * d1) * a * (0.31938153f + a * (-0.356563782f + a * 1.781477937f));
  float q = exp(-0.5f * d2 * d2) * b * (0.31938153f + b * (-0.356563782f + b * 1.781477937f));
  p = d1 > 0 ? 1 - p : p;
  q = d2 > 0 ? 1 - q : q;
  out[i] = S * p - K * exp(-r * T) * q;
})";

constexpr const char* mandelbrot = R"({
  _Pragma("OPENCL FP_CONTRACT OFF")
  int x = get_global_id(0), y = get_global_id(1);
  float cr = x * (3.0f / 512) - 2, ci = y * (2.0f / 512) - 1, zr = 0, zi = 0;
  int k = 0;
  while (k < n && zr * zr + zi * zi < 4) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    ++k;
  }
  out[y * 512 + x] = k;
})";

constexpr const char* nbody = R"({
  local float4 t[64];
  int i = get_global_id(0), l = get_local_id(0);
  float x = in[i * 4], y = in[i * 4 + 1], z = in[i * 4 + 2], ax = 0, ay = 0, az = 0;
  for (int g = 0; g < n / 64; ++g) {
    t[l] = vload4(g * 64 + l, in);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; ++j) {
      float dx = t[j].x - x, dy = t[j].y - y, dz = t[j].z - z, d = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float f = t[j].w * d * d * d;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i * 4] = ax;
  out[i * 4 + 1] = ay;
  out[i * 4 + 2] = az;
})";

// One step of a bitonic sort: pairs at a distance of n.
constexpr const char* sort_step = R"({
  int i = get_global_id(0), a = 2 * i - (i & (n - 1)), b = a + n;
  float x = in[a], y = in[b];
  bool up = (a & (2 * n)) == 0;
  out[a] = up ? fmin(x, y) : fmax(x, y);
  out[b] = up ? fmax(x, y) : fmin(x, y);
})";

constexpr const char* softmax = R"({
  local float p[64];
  int l = get_local_id(0), row = get_group_id(0) * n;
  float most = -INFINITY, sum = 0;
  for (int i = l; i < n; i += 64) most = fmax(most, in[row + i]);
  p[l] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 32; s > 0; s >>= 1) {
    if (l < s) p[l] = fmax(p[l], p[l + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  most = p[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = l; i < n; i += 64) sum += exp(in[row + i] - most);
  p[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 32; s > 0; s >>= 1) {
    if (l < s) p[l] += p[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float whole = p[0];
  for (int i = l; i < n; i += 64) out[row + i] = exp(in[row + i] - most) / whole;
})";

constexpr const char* layer_norm = R"({
  local float p[64], q[64];
  int l = get_local_id(0), row = get_group_id(0) * n;
  float sum = 0, squares = 0;
  for (int i = l; i < n; i += 64) {
    sum += in[row + i];
    squares += in[row + i] * in[row + i];
  }
  p[l] = sum;
  q[l] = squares;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 32; s > 0; s >>= 1) {
    if (l < s) {
      p[l] += p[l + s];
      q[l] += q[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float mean = p[0] / n, scale = rsqrt(q[0] / n - mean * mean + 1e-5f);
  for (int i = l; i < n; i += 64) out[row + i] = (in[row + i] - mean) * scale;
})";

constexpr const char* gather = R"({
  int i = get_global_id(0);
  if (i < n) out[i] = in[(i * 7 + (int)in[i] * 4099) & (n - 1)];
})";

constexpr Work all[] = {
    {"saxpy", saxpy, "256", line, million, million, loops::saxpy},
    {"dot", dot, "256", line, million, million, loops::dot},
    {"reduction", reduction, "256", line, million, million, loops::reduction},
    {"matmul_naive", matmul_naive, "16,16", {16, 16, 1}, 256, 65536, loops::matmul},
    {"matmul_tiled", matmul_tiled, "16,16", {16, 16, 1}, 256, 65536, loops::matmul},
    {"tinygrad_matmul", tinygrad_matmul, "8,8", {8, 8, 1}, 256, 65536, loops::matmul},
    {"transpose", transpose, "16,16", {64, 64, 1}, 1024, million, loops::transpose},
    {"stencil_2d", stencil_2d, "32,8", image, 1024, million, loops::stencil_2d},
    {"stencil_3d", stencil_3d, "32,4,2", {4, 32, 64}, 128, 2 * million, loops::stencil_3d},
    {"convolution", convolution, "32,8", image, 1024, million, loops::convolution},
    {"histogram", histogram, "256", {million / 4096, 1, 1}, million, million},
    {"scan", scan, "256", line, million, million, loops::scan},
    {"fft_256", fft, "256", {1024, 1, 1}, 0, million / 4},
    {"black_scholes", black_scholes, "256", line, million, million, loops::black_scholes},
    {"mandelbrot", mandelbrot, "16,16", {32, 32, 1}, 200, million / 4, loops::mandelbrot},
    {"nbody", nbody, "64", {32, 1, 1}, 2048, 8192, loops::nbody},
    {"sort_step", sort_step, "256", {million / 512, 1, 1}, 64, million},
    {"softmax", softmax, "64", {1024, 1, 1}, 1024, million, loops::softmax},
    {"layer_norm", layer_norm, "64", {1024, 1, 1}, 1024, million, loops::layer_norm},
    {"gather", gather, "256", line, million, million, loops::gather},
};

}  // namespace

std::span<const Work> works() noexcept { return all; }

}  // namespace pintle::bench
