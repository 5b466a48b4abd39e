// Layers of language models in the manner of ggml: structs of quantised numbers with a half for their scale, strides in
// bytes, rows of halves, sums of whole groups.
#include <algorithm>
#include <array>
#include <cmath>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;

struct Block4 {  ///< 32 numbers of four bits: the low halves of the bytes first.
  std::uint16_t d;
  std::array<std::uint8_t, 16> qs;
};
struct Block8 {
  std::uint16_t d;
  std::array<std::int8_t, 32> qs;
};

float number_of(const Block4& block, std::size_t i) {
  return of_half(block.d) * static_cast<float>((i < 16 ? block.qs[i] & 15 : block.qs[i - 16] >> 4) - 8);
}

Block4 quantised4(std::span<const float> from) {
  const float most = *std::ranges::max_element(from, {}, [](float x) { return std::fabs(x); });
  Block4 block{half_of(most / -8), {}};
  const float scale = of_half(block.d) == 0 ? 0 : 1 / of_half(block.d);
  const auto four = [&](float x) { return static_cast<unsigned>(std::clamp(x * scale + 8.5F, 0.F, 15.F)); };
  for (std::size_t i = 0; i < 16; ++i) block.qs[i] = static_cast<std::uint8_t>(four(from[i]) | four(from[i + 16]) << 4);
  return block;
}

std::vector<Block4> blocks4(std::size_t count, unsigned seed) {
  const std::vector<float> all = floats(count * 32, seed);
  std::vector<Block4> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(quantised4(std::span(all).subspan(i * 32, 32)));
  return blocks;
}

const char* const block_text = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef char int8_t;
typedef uchar uint8_t;
#define QK4_0 32
#define QK8_0 32
struct block_q4_0 { half d; uint8_t qs[QK4_0 / 2]; };
typedef struct { half d; int8_t qs[QK8_0]; } block_q8_0;
)";

/// Each row times a vector: items of a group share a row, two numbers from each byte.
Example mul_mat_q4() {
  constexpr int columns = 256, rows = 20;
  return {"mul_mat_q4",
          std::string(block_text) + R"(
float block_q_4_0_dot_y(global struct block_q4_0* qb, float sumy, global const float* yb) {
  float d = vload_half(0, &qb->d);
  float4 acc = (float4)(0.0f);
  for (int i = 0; i < QK4_0 / 2; i += 2) {
    acc.s0 += yb[i] * (qb->qs[i] & 0x0F);
    acc.s1 += yb[i + 1] * (qb->qs[i + 1] & 0x0F);
    acc.s2 += yb[i + 16] * (qb->qs[i] >> 4);
    acc.s3 += yb[i + 17] * (qb->qs[i + 1] >> 4);
  }
  return d * (sumy * -8.f + acc.s0 + acc.s1 + acc.s2 + acc.s3);
}
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void kernel_mul_mat_q4_0_f32(global void* src0, ulong offset0, global float* src1, ulong offset1, global float* dst, ulong offsetd, int ne00, int ne01) {
  src0 = (global void*)((global char*)src0 + offset0);
  src1 = (global float*)((global char*)src1 + offset1);
  dst = (global float*)((global char*)dst + offsetd);
  local float sums[32];
  int nb = ne00 / QK4_0, row = get_group_id(0), lane = get_local_id(0);
  global struct block_q4_0* x = (global struct block_q4_0*)src0 + row * nb;
  float sumf = 0.f;
  for (int ib = lane; ib < nb; ib += 32) {
    float sumy = 0.f;
    for (int i = 0; i < QK4_0; ++i) sumy += src1[ib * QK4_0 + i];
    sumf += block_q_4_0_dot_y(x + ib, sumy, src1 + ib * QK4_0);
  }
  sums[lane] = sumf;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 16; s > 0; s >>= 1) {
    if (lane < s) sums[lane] += sums[lane + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && row < ne01) dst[row] = sums[0];
})",
          {Data::of(blocks4(columns / 32 * rows, 1)), Data::of(floats(columns + 4, 2)), room(rows + 2)},
          {{"kernel_mul_mat_q4_0_f32",
            {rows * 32},
            {In{0}, number(std::uint64_t{0}), In{1}, number(std::uint64_t{16}), In{2}, number(std::uint64_t{8}),
             number(columns), number(rows)}}},
          [](Memory& memory) {
            const auto blocks = memory.of<Block4>(0);
            for (std::size_t row = 0; row < rows; ++row) {
              double sum = 0;
              for (std::size_t i = 0; i < columns; ++i)
                sum +=
                    static_cast<double>(number_of(blocks[(row * columns + i) / 32], i % 32) * memory.floats(1)[4 + i]);
              memory.floats(2)[2 + row] = static_cast<float>(sum);
            }
          },
          1e-4};
}

/// Floats become blocks: the scale is written as a half, rounded to the nearest.
Example quantise_q8() {
  constexpr int n = 32 * 24;
  return {"quantise_q8",
          std::string(block_text) + R"(
kernel void kernel_quantize_q8_0(global const float* x, global block_q8_0* y, int k) {
  int ib = get_global_id(0);
  if (ib >= k / QK8_0) return;
  float amax = 0.0f;
  for (int j = 0; j < QK8_0; ++j) amax = fmax(amax, fabs(x[ib * QK8_0 + j]));
  const float d = amax / 127.0f;
  const float id = d != 0.0f ? 1.0f / d : 0.0f;
  vstore_half_rte(d, 0, &y[ib].d);
  for (int j = 0; j < QK8_0; ++j) y[ib].qs[j] = convert_char_sat_rte(x[ib * QK8_0 + j] * id);
})",
          {Data::of(whole_floats(n, 1)), Data::of(std::vector<Block8>(n / 32))},
          {{"kernel_quantize_q8_0", {n / 32}, {In{0}, In{1}, number(n)}}},
          [](Memory& memory) {
            const Floats x = memory.floats(0);
            for (std::size_t b = 0; b < n / 32; ++b) {
              const auto row = x.subspan(b * 32, 32);
              const float most =
                  std::fabs(*std::ranges::max_element(row, {}, [](float one) { return std::fabs(one); }));
              Block8& to = memory.of<Block8>(1)[b];
              const float d = most / 127, inverse = d == 0 ? 0 : 1 / d;
              to.d = half_of(d);
              for (std::size_t i = 0; i < 32; ++i)
                to.qs[i] = static_cast<std::int8_t>(std::nearbyint(row[i] * inverse));
            }
          }};
}

/// A group for each row, vectors of four, a tree of sums.
Example rms_norm() {
  constexpr int columns = 256, rows = 6;
  return {"rms_norm",
          R"(
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void kernel_rms_norm(global void* src0, ulong offset0, global float* dst, ulong offsetd, int ne00, ulong nb01, float eps, local float* sum) {
  src0 = (global void*)((global char*)src0 + offset0);
  dst = (global float*)((global char*)dst + offsetd);
  int i01 = get_group_id(0);
  global float4* x = (global float4*)((global char*)src0 + i01 * nb01);
  global float* x_scalar = (global float*)x;
  float4 sumf = 0;
  float all_sum = 0;
  for (int i00 = get_local_id(0); i00 < ne00 / 4; i00 += get_local_size(0)) sumf += x[i00] * x[i00];
  all_sum = sumf.s0 + sumf.s1 + sumf.s2 + sumf.s3;
  sum[get_local_id(0)] = all_sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_size(0) / 2; i > 0; i /= 2) {
    if (get_local_id(0) < i) sum[get_local_id(0)] += sum[get_local_id(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) {
    for (int i = 4 * (ne00 / 4); i < ne00; i++) sum[0] += x_scalar[i];
    sum[0] /= ne00;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float scale = 1.0f / sqrt(sum[0] + eps);
  global float4* y = (global float4*)(dst + i01 * ne00);
  for (int i00 = get_local_id(0); i00 < ne00 / 4; i00 += get_local_size(0)) y[i00] = x[i00] * scale;
})",
          {Data::of(std::span<const float>(floats(columns * rows, 1)), DType::u8), room(columns * rows)},
          {{"kernel_rms_norm",
            {rows * 32},
            {In{0}, number(std::uint64_t{0}), In{1}, number(std::uint64_t{0}), number(columns),
             number(std::uint64_t{columns * 4}), number(1e-5F), Local{32}}}},
          [](Memory& memory) {
            const Floats x = memory.floats(0), y = memory.floats(1);
            for (std::size_t i = 0; i < y.size(); i += columns) {
              double sum = 0;
              for (std::size_t k = i; k < i + columns; ++k) sum += static_cast<double>(x[k] * x[k]);
              for (std::size_t k = i; k < i + columns; ++k)
                y[k] = x[k] / static_cast<float>(std::sqrt(sum / columns + 1e-5));
            }
          },
          1e-5};
}

/// The mask is added, the largest is taken off; reductions by functions of the group's own.
Example soft_max() {
  constexpr int columns = 100, rows = 5;
  return {"soft_max",
          R"(
#define GROUP 64
float group_reduce(float x, local float* tmp, bool is_max) {
  tmp[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = GROUP / 2; s > 0; s >>= 1) {
    if (get_local_id(0) < s) {
      float other = tmp[get_local_id(0) + s];
      tmp[get_local_id(0)] = is_max ? fmax(tmp[get_local_id(0)], other) : tmp[get_local_id(0)] + other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float result = tmp[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void kernel_soft_max(global const float* src0, global const float* mask, global float* dst, int ne00, float scale, int has_mask) {
  local float tmp[GROUP];
  int row = get_group_id(0);
  global const float* psrc0 = src0 + row * ne00;
  global const float* pmask = has_mask ? mask : 0;
  global float* pdst = dst + row * ne00;
  float lmax = -INFINITY;
  for (int i00 = get_local_id(0); i00 < ne00; i00 += get_local_size(0)) lmax = fmax(lmax, psrc0[i00] * scale + (pmask ? pmask[i00] : 0.0f));
  const float max = group_reduce(lmax, tmp, true);
  float lsum = 0.0f;
  for (int i00 = get_local_id(0); i00 < ne00; i00 += get_local_size(0)) {
    float exp_psrc0 = exp((psrc0[i00] * scale + (pmask ? pmask[i00] : 0.0f)) - max);
    lsum += exp_psrc0;
    pdst[i00] = exp_psrc0;
  }
  const float sum = group_reduce(lsum, tmp, false);
  for (int i00 = get_local_id(0); i00 < ne00; i00 += get_local_size(0)) pdst[i00] /= sum;
})",
          {Data::of(floats(columns * rows, 1)), Data::of([] {
             std::vector<float> mask(columns);
             for (std::size_t i = 0; i < columns; ++i) mask[i] = i > 80 ? -INFINITY : 0;
             return mask;
           }()),
           room(columns * rows)},
          {{"kernel_soft_max", {rows * 64}, {In{0}, In{1}, In{2}, number(columns), number(3.F), number(1)}}},
          [](Memory& memory) {
            const Floats x = memory.floats(0), y = memory.floats(2);
            for (std::size_t i = 0; i < y.size(); i += columns) {
              double sum = 0;
              for (std::size_t k = i; k <= i + 80; ++k) sum += std::exp(3.0 * static_cast<double>(x[k]));
              for (std::size_t k = i; k <= i + 80; ++k)
                y[k] = static_cast<float>(std::exp(3.0 * static_cast<double>(x[k])) / sum);
            }
          },
          1e-5};
}

/// Pairs that turn by an angle of their place; what is left of a row is copied.
Example rope() {
  constexpr int heads = 3, tokens = 4, size = 32, turned = 24;
  return {
      "rope",
      R"(
typedef struct { int n_dims; float freq_base; float freq_scale; float attn_factor; } rope_params;
float rope_yarn_ramp(float low, float high, int i0) {
  const float y = (i0 / 2 - low) / max(0.001f, high - low);
  return 1.0f - min(1.0f, max(0.0f, y));
}
float2 rope_yarn(float theta, float freq_scale, float mscale) { return (float2)(cos(theta * freq_scale) * mscale, sin(theta * freq_scale) * mscale); }
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void kernel_rope_norm_f32(global const float* src0, global const int* pos, global float* dst, rope_params p, int ne0) {
  int i1 = get_group_id(0), i2 = get_group_id(1);
  global const float* src = src0 + (i2 * get_num_groups(0) + i1) * ne0;
  global float* out = dst + (i2 * get_num_groups(0) + i1) * ne0;
  float theta_base = (float)pos[i2], inv_ndims = -1.f / p.n_dims;
  for (int i0 = 2 * get_local_id(0); i0 < ne0; i0 += 2 * get_local_size(0)) {
    if (i0 < p.n_dims) {
      const float theta = theta_base * pow(p.freq_base, inv_ndims * i0);
      const float2 cos_sin_theta = rope_yarn(theta, p.freq_scale, p.attn_factor);
      const float x0 = src[i0], x1 = src[i0 + 1];
      out[i0] = x0 * cos_sin_theta.s0 - x1 * cos_sin_theta.s1;
      out[i0 + 1] = x0 * cos_sin_theta.s1 + x1 * cos_sin_theta.s0;
    } else {
      out[i0] = src[i0];
      out[i0 + 1] = src[i0 + 1];
    }
  }
})",
      {Data::of(floats(heads * tokens * size, 1)), Data::of(std::vector<std::int32_t>{0, 1, 5, 100}),
       room(heads * tokens * size)},
      {{"kernel_rope_norm_f32",
        {heads * 16, tokens},
        {In{0}, In{1}, In{2},
         value(std::array<std::uint32_t, 4>{turned, 0x461c4000 /* 10000 */, 0x3f000000 /* 0.5 */, 0x3f800000 /* 1 */}),
         number(size)}}},
      [](Memory& memory) {
        const Floats x = memory.floats(0), y = memory.floats(2);
        for (std::size_t i = 0; i < y.size(); i += 2) {
          const double place = memory.of<std::int32_t>(1)[i / (heads * size)], k = static_cast<double>(i % size);
          const double turn = k < turned ? 0.5 * place * std::pow(10000.0, -k / turned) : 0;
          const double c = std::cos(turn), s = std::sin(turn), a = static_cast<double>(x[i]),
                       b = static_cast<double>(x[i + 1]);
          y[i] = static_cast<float>(a * c - b * s), y[i + 1] = static_cast<float>(a * s + b * c);
        }
      },
      1e-4};
}

/// Rows by their numbers, from halves and from blocks of four bits.
Example get_rows() {
  constexpr int columns = 64, rows = 9, wanted = 5;
  const std::vector<float> table = floats(columns * rows, 1);
  return {"get_rows",
          std::string(block_text) + R"(
kernel void kernel_get_rows_f16(global const half* src0, global const int* src1, global float* dst, int ne00) {
  int i = get_global_id(0), row = get_global_id(1);
  if (i < ne00) dst[row * ne00 + i] = vload_half(src1[row] * ne00 + i, src0);
}
kernel void kernel_get_rows_q4_0(global const struct block_q4_0* src0, global const int* src1, global float* dst, int ne00) {
  int row = get_global_id(1), i = get_global_id(0);
  if (i >= ne00 / 4) return;
  global const struct block_q4_0* block = src0 + src1[row] * (ne00 / QK4_0) + i / 8;
  uchar4 bytes = vload4(i % 4, block->qs);
  int4 numbers = convert_int4(i % 8 < 4 ? bytes & (uchar4)(15) : bytes >> (uchar4)(4)) - 8;
  vstore4(convert_float4(numbers) * vload_half(0, &block->d), row * (ne00 / 4) + i, dst);
})",
          {half_data(table), Data::of(std::vector<std::int32_t>{8, 0, 3, 3, 5}), room(columns * wanted),
           Data::of(blocks4(columns / 32 * rows, 2)), room(columns * wanted)},
          {{"kernel_get_rows_f16", {columns, wanted}, {In{0}, In{1}, In{2}, number(columns)}},
           {"kernel_get_rows_q4_0", {columns / 4, wanted}, {In{3}, In{1}, In{4}, number(columns)}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < columns * wanted; ++i) {
              const auto row = static_cast<std::size_t>(memory.of<std::int32_t>(1)[i / columns]);
              const std::size_t at = row * columns + i % columns;
              memory.floats(2)[i] = of_half(memory.of<std::uint16_t>(0)[at]);
              memory.floats(4)[i] = number_of(memory.of<Block4>(3)[at / 32], at % 32);
            }
          }};
}

/// Activations of vectors of four, and their product with a gate.
Example activations() {
  constexpr int n = 512;
  return {"activations",
          R"(
#define GELU_COEF_A 0.044715f
#define SQRT_2_OVER_PI 0.79788456080286535587989211986876f
kernel void kernel_gelu_4(global float4* src0, global float4* dst) {
  float4 x = src0[get_global_id(0)];
  dst[get_global_id(0)] = 0.5f * x * (1.0f + tanh(SQRT_2_OVER_PI * x * (1.0f + GELU_COEF_A * x * x)));
}
kernel void kernel_swiglu(global const float* src0, global const float* src1, global float* dst) {
  float x0 = src0[get_global_id(0)], x1 = src1[get_global_id(0)];
  float silu = x0 / (1.0f + native_exp(-x0));
  dst[get_global_id(0)] = silu * x1;
})",
          {Data::of(floats(n, 1)), Data::of(floats(n, 2)), room(n), room(n)},
          {{"kernel_gelu_4", {n / 4}, {In{0}, In{2}}}, {"kernel_swiglu", {n}, {In{0}, In{1}, In{3}}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < n; ++i) {
              const auto x = static_cast<double>(memory.floats(0)[i]);
              memory.floats(2)[i] =
                  static_cast<float>(0.5 * x * (1 + std::tanh(0.79788456080286535588 * x * (1 + 0.044715 * x * x))));
              memory.floats(3)[i] = static_cast<float>(x / (1 + std::exp(-x))) * memory.floats(1)[i];
            }
          },
          1e-5,
          false,
          1e-3};
}

}  // namespace

std::vector<Example> quantised() {
  return {mul_mat_q4(), quantise_q8(), rms_norm(), soft_max(), rope(), get_rows(), activations()};
}

}  // namespace pintle::test
