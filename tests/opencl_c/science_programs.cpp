// Science in the manner of SHOC and Rodinia: transforms, particles, decompositions, alignment of sequences.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;
constexpr double pi = 3.14159265358979323846;

/// One group for each transform of 64 points: three passes of eight, exchanged through local memory.
Example fft() {
  constexpr int transforms = 6, points = 64;
  return {"fft",
          R"(
#define cmplx_mul(a, b) ((float2)((a).x * (b).x - (a).y * (b).y, (a).x * (b).y + (a).y * (b).x))
#define exp_i(a) ((float2)(cos(a), sin(a)))
inline void FFT2(float2* a, float2* b) { float2 c = *a; *a = c + *b; *b = c - *b; }
void FFT4(float2* a0, float2* a1, float2* a2, float2* a3) {
  FFT2(a0, a2);
  FFT2(a1, a3);
  *a3 = (float2)(a3->y, -a3->x);
  FFT2(a0, a1);
  FFT2(a2, a3);
}
void FFT8(float2* a) {
  FFT2(&a[0], &a[4]); FFT2(&a[1], &a[5]); FFT2(&a[2], &a[6]); FFT2(&a[3], &a[7]);
  a[5] = cmplx_mul((float2)(1, -1), a[5]) * M_SQRT1_2_F;
  a[6] = (float2)(a[6].y, -a[6].x);
  a[7] = cmplx_mul((float2)(-1, -1), a[7]) * M_SQRT1_2_F;
  FFT4(&a[0], &a[1], &a[2], &a[3]);
  FFT4(&a[4], &a[5], &a[6], &a[7]);
}
__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void fft64(__global float2* work) {
  __local float2 tile[8][9];
  const int reversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  int tid = get_local_id(0);
  float2 data[8];
  work += get_group_id(0) * 64;
  for (int i = 0; i < 8; i++) data[i] = work[tid + i * 8];
  FFT8(data);
  for (int i = 0; i < 8; i++) data[i] = cmplx_mul(data[i], exp_i(-2.0f * M_PI_F * reversed[i] * tid / 64));
  for (int i = 0; i < 8; i++) tile[reversed[i]][tid] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 8; i++) data[i] = tile[tid][i];
  FFT8(data);
  for (int i = 0; i < 8; i++) work[tid + reversed[i] * 8] = data[i];
})",
          {Data::of(floats(transforms * points * 2, 1))},
          {{"fft64", {transforms * 8}, {In{0}}}},
          [](Memory& memory) {
            const Floats all = memory.floats(0);
            const std::vector<float> in(all.begin(), all.end());
            for (std::size_t k = 0; k < transforms * points; ++k) {
              std::complex<double> sum;
              for (std::size_t j = 0; j < points; ++j) {
                const std::size_t from = k / points * points + j;
                const auto turn = static_cast<double>(j * (k % points)) / points;
                sum += std::complex<double>(in[2 * from], in[2 * from + 1]) * std::polar(1.0, -2 * pi * turn);
              }
              all[2 * k] = static_cast<float>(sum.real()), all[2 * k + 1] = static_cast<float>(sum.imag());
            }
          },
          1e-4};
}

/// Forces of the neighbours in a list, which lies across the items.
Example md() {
  constexpr int atoms = 128, neighbours = 16;
  std::vector<float> positions = floats(atoms * 4, 1);
  for (float& one : positions) one *= 10;
  std::vector<std::int32_t> list;
  for (int j = 0; j < neighbours; ++j)
    for (int i = 0; i < atoms; ++i) list.push_back((i + 1 + j * 7) % atoms);
  return {"md",
          R"(
#define POSVECTYPE float4
#define FORCEVECTYPE float4
#define FPTYPE float
__kernel void compute_lj_force(__global FORCEVECTYPE* force, __global const POSVECTYPE* position, const int neighCount,
                               __global const int* neighList, const FPTYPE cutsq, const FPTYPE lj1, const FPTYPE lj2, const int inum) {
  uint idx = get_global_id(0);
  POSVECTYPE ipos = position[idx];
  FORCEVECTYPE f = {0.0f, 0.0f, 0.0f, 0.0f};
  int j = 0;
  while (j < neighCount) {
    int jidx = neighList[j * inum + idx];
    POSVECTYPE jpos = position[jidx];
    FPTYPE delx = ipos.x - jpos.x, dely = ipos.y - jpos.y, delz = ipos.z - jpos.z;
    FPTYPE r2inv = delx * delx + dely * dely + delz * delz;
    if (r2inv < cutsq) {
      r2inv = 1.0f / r2inv;
      FPTYPE r6inv = r2inv * r2inv * r2inv;
      FPTYPE forceC = r2inv * r6inv * (lj1 * r6inv - lj2);
      f.x += delx * forceC;
      f.y += dely * forceC;
      f.z += delz * forceC;
    }
    j++;
  }
  force[idx] = f;
})",
          {room(atoms * 4), Data::of(positions), Data::of(list)},
          {{"compute_lj_force",
            {atoms},
            {In{0}, In{1}, number(neighbours), In{2}, number(100.F), number(1.5F), number(2.F), number(atoms)}}},
          [](Memory& memory) {
            const Floats force = memory.floats(0), at = memory.floats(1);
            for (std::size_t i = 0; i < atoms; ++i)
              for (std::size_t j = 0; j < neighbours; ++j) {
                const auto other = static_cast<std::size_t>(memory.of<std::int32_t>(2)[j * atoms + i]);
                std::array<float, 3> step{};
                float square = 0;
                for (std::size_t d = 0; d < 3; ++d)
                  step[d] = at[4 * i + d] - at[4 * other + d], square += step[d] * step[d];
                if (square >= 100) continue;
                const float r2 = 1 / square, r6 = r2 * r2 * r2;
                for (std::size_t d = 0; d < 3; ++d) force[4 * i + d] += step[d] * (r2 * r6 * (1.5F * r6 - 2));
              }
          },
          1e-4};
}

Example triad() {
  constexpr int n = 1000;
  return {"triad",
          R"(
__kernel void Triad(__global const float* restrict memA, __global const float* restrict memB, __global float* restrict memC, const float s) {
  int gid = get_global_id(0);
  memC[gid] = memA[gid] + s * memB[gid];
})",
          {Data::of(whole_floats(n + 24, 1)), Data::of(whole_floats(n + 24, 2)), room(n + 24)},
          {{"Triad", {n}, {In{0}, In{1}, In{2}, number(1.75F)}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < n + 24; ++i)
              memory.floats(2)[i] = memory.floats(0)[i] + 1.75F * memory.floats(1)[i];
          }};
}

std::string lud_source() {
  return R"(
#define BLOCK_SIZE 8
__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1)))
void lud_diagonal(__global float *m, __local float *shadow, int matrix_dim, int offset) {
  int i, j, tx = get_local_id(0);
  int array_offset = offset * matrix_dim + offset;
  for (i = 0; i < BLOCK_SIZE; i++) { shadow[i * BLOCK_SIZE + tx] = m[array_offset + tx]; array_offset += matrix_dim; }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (i = 0; i < BLOCK_SIZE - 1; i++) {
    if (tx > i) {
      for (j = 0; j < i; j++) shadow[tx * BLOCK_SIZE + i] -= shadow[tx * BLOCK_SIZE + j] * shadow[j * BLOCK_SIZE + i];
      shadow[tx * BLOCK_SIZE + i] /= shadow[i * BLOCK_SIZE + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx > i) for (j = 0; j < i + 1; j++) shadow[(i + 1) * BLOCK_SIZE + tx] -= shadow[(i + 1) * BLOCK_SIZE + j] * shadow[j * BLOCK_SIZE + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  array_offset = (offset + 1) * matrix_dim + offset;
  for (i = 1; i < BLOCK_SIZE; i++) { m[array_offset + tx] = shadow[i * BLOCK_SIZE + tx]; array_offset += matrix_dim; }
}
__kernel __attribute__((reqd_work_group_size(2 * BLOCK_SIZE, 1, 1)))
void lud_perimeter(__global float *m, __local float *dia, __local float *peri_row, __local float *peri_col, int matrix_dim, int offset) {
  int i, j, array_offset, idx, bx = get_group_id(0), tx = get_local_id(0);
  if (tx < BLOCK_SIZE) {
    idx = tx;
    array_offset = offset * matrix_dim + offset;
    for (i = 0; i < BLOCK_SIZE / 2; i++) { dia[i * BLOCK_SIZE + idx] = m[array_offset + idx]; array_offset += matrix_dim; }
    array_offset = offset * matrix_dim + offset;
    for (i = 0; i < BLOCK_SIZE; i++) { peri_row[i * BLOCK_SIZE + idx] = m[array_offset + (bx + 1) * BLOCK_SIZE + idx]; array_offset += matrix_dim; }
  } else {
    idx = tx - BLOCK_SIZE;
    array_offset = (offset + BLOCK_SIZE / 2) * matrix_dim + offset;
    for (i = BLOCK_SIZE / 2; i < BLOCK_SIZE; i++) { dia[i * BLOCK_SIZE + idx] = m[array_offset + idx]; array_offset += matrix_dim; }
    array_offset = (offset + (bx + 1) * BLOCK_SIZE) * matrix_dim + offset;
    for (i = 0; i < BLOCK_SIZE; i++) { peri_col[i * BLOCK_SIZE + idx] = m[array_offset + idx]; array_offset += matrix_dim; }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tx < BLOCK_SIZE) {
    idx = tx;
    for (i = 1; i < BLOCK_SIZE; i++)
      for (j = 0; j < i; j++) peri_row[i * BLOCK_SIZE + idx] -= dia[i * BLOCK_SIZE + j] * peri_row[j * BLOCK_SIZE + idx];
  } else {
    idx = tx - BLOCK_SIZE;
    for (i = 0; i < BLOCK_SIZE; i++) {
      for (j = 0; j < i; j++) peri_col[idx * BLOCK_SIZE + i] -= peri_col[idx * BLOCK_SIZE + j] * dia[j * BLOCK_SIZE + i];
      peri_col[idx * BLOCK_SIZE + i] /= dia[i * BLOCK_SIZE + i];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tx < BLOCK_SIZE) {
    idx = tx;
    array_offset = (offset + 1) * matrix_dim + offset;
    for (i = 1; i < BLOCK_SIZE; i++) { m[array_offset + (bx + 1) * BLOCK_SIZE + idx] = peri_row[i * BLOCK_SIZE + idx]; array_offset += matrix_dim; }
  } else {
    idx = tx - BLOCK_SIZE;
    array_offset = (offset + (bx + 1) * BLOCK_SIZE) * matrix_dim + offset;
    for (i = 0; i < BLOCK_SIZE; i++) { m[array_offset + idx] = peri_col[i * BLOCK_SIZE + idx]; array_offset += matrix_dim; }
  }
}
__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, BLOCK_SIZE, 1)))
void lud_internal(__global float *m, __local float *peri_row, __local float *peri_col, int matrix_dim, int offset) {
  int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1), i;
  float sum = 0;
  int global_row_id = offset + (by + 1) * BLOCK_SIZE, global_col_id = offset + (bx + 1) * BLOCK_SIZE;
  peri_row[ty * BLOCK_SIZE + tx] = m[(offset + ty) * matrix_dim + global_col_id + tx];
  peri_col[ty * BLOCK_SIZE + tx] = m[(global_row_id + ty) * matrix_dim + offset + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (i = 0; i < BLOCK_SIZE; i++) sum += peri_col[ty * BLOCK_SIZE + i] * peri_row[i * BLOCK_SIZE + tx];
  m[(global_row_id + ty) * matrix_dim + global_col_id + tx] -= sum;
})";
}

/// Blocks on the diagonal, beside and below them, and the rest, for each step.
Example lud() {
  constexpr int n = 32, block = 8;
  const Local tile{block * block};
  std::vector<Launch> launches;
  for (int at = 0; at < n; at += block) {
    launches.push_back({"lud_diagonal", {block}, {In{0}, tile, number(n), number(at)}});
    const auto left = static_cast<std::uint64_t>((n - at) / block - 1);
    if (left == 0) break;
    launches.push_back({"lud_perimeter", {left * 2 * block}, {In{0}, tile, tile, tile, number(n), number(at)}});
    launches.push_back({"lud_internal", {left * block, left * block}, {In{0}, tile, tile, number(n), number(at)}});
  }
  std::vector<float> matrix = floats(n * n, 1);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += 8;
  return {"lud",
          lud_source(),
          {Data::of(matrix)},
          launches,
          [](Memory& memory) {
            const Floats a = memory.floats(0);
            for (std::size_t k = 0; k < n; ++k)
              for (std::size_t i = k + 1; i < n; ++i) {
                a[i * n + k] /= a[k * n + k];
                for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
              }
          },
          1e-4};
}

/// Needleman and Wunsch: blocks along a diagonal, and within a block its own diagonals.
Example nw() {
  constexpr int block = 16, blocks = 3, n = block * blocks, columns = n + 1, penalty = 10;
  std::vector<std::int32_t> items(columns * columns);
  for (int i = 1; i <= n; ++i)
    items[static_cast<std::size_t>(i)] = items[static_cast<std::size_t>(i * columns)] = -i * penalty;
  std::vector<std::int32_t> scores = integers(columns * columns, 21, 1);
  for (std::int32_t& one : scores) one -= 10;
  std::vector<Launch> launches;
  for (int diagonal = 0; diagonal < 2 * blocks - 1; ++diagonal) {
    const int first = std::max(0, diagonal - blocks + 1), count = std::min(diagonal, blocks - 1) - first + 1;
    launches.push_back({"nw_kernel",
                        {static_cast<std::uint64_t>(count * block)},
                        {In{0}, In{1}, Local{17 * 17}, Local{16 * 16}, number(columns), number(penalty),
                         number(diagonal), number(first)}});
  }
  return {"nw",
          R"(
#define BLOCK_SIZE 16
#define SCORE(y, x) input_itemsets_l[(y) * (BLOCK_SIZE + 1) + (x)]
#define REF(y, x) reference_l[(y) * BLOCK_SIZE + (x)]
int maximum(int a, int b, int c) {
  int k;
  if (a <= b) k = b;
  else k = a;
  if (k <= c) return c;
  else return k;
}
__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1)))
void nw_kernel(__global const int* reference_d, __global int* input_itemsets_d, __local int* input_itemsets_l, __local int* reference_l, int cols,
               int penalty, int diagonal, int first) {
  int tx = get_local_id(0), b_index_x = first + get_group_id(0), b_index_y = diagonal - b_index_x;
  int base = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x;
  for (int ty = 0; ty < BLOCK_SIZE; ty++) REF(ty, tx) = reference_d[base + cols * (ty + 1) + tx + 1];
  if (tx == 0) SCORE(0, 0) = input_itemsets_d[base];
  SCORE((tx + 1), 0) = input_itemsets_d[base + cols * (tx + 1)];
  SCORE(0, (tx + 1)) = input_itemsets_d[base + tx + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 2 * BLOCK_SIZE - 1; m++) {
    int x = m < BLOCK_SIZE ? tx + 1 : tx + 1 + m - BLOCK_SIZE + 1, y = m - x + 2;
    if (x <= BLOCK_SIZE && y >= 1 && y <= BLOCK_SIZE)
      SCORE(y, x) = maximum(SCORE((y - 1), (x - 1)) + REF((y - 1), (x - 1)), SCORE(y, (x - 1)) - penalty, SCORE((y - 1), x) - penalty);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int ty = 0; ty < BLOCK_SIZE; ty++) input_itemsets_d[base + cols * (ty + 1) + tx + 1] = SCORE((ty + 1), (tx + 1));
})",
          {Data::of(scores), Data::of(items)},
          launches,
          [](Memory& memory) {
            const auto score = memory.of<std::int32_t>(0), item = memory.of<std::int32_t>(1);
            for (std::size_t y = 1; y < columns; ++y)
              for (std::size_t x = 1; x < columns; ++x) {
                const std::size_t i = y * columns + x;
                item[i] =
                    std::max({item[i - columns - 1] + score[i], item[i - 1] - penalty, item[i - columns] - penalty});
              }
          }};
}

}  // namespace

std::vector<Example> science() { return {fft(), md(), triad(), lud(), nw()}; }

}  // namespace pintle::test
