// Kernels in the manner of tinygrad's renderer: no guards, names of loops and values, sides of groups in the source,
// loops that are unrolled, vectors cast from pointers.
#include <array>
#include <bit>
#include <cmath>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;

/// Elements fused into one expression, four at a time.
Example elementwise() {
  constexpr int n = 64 * 32 * 4;
  return {"elementwise",
          R"(
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void E_64_32_4(__global float* restrict data0, const __global float* restrict data1, const __global float* restrict data2) {
  int gidx0 = get_group_id(0); /* 64 */
  int lidx0 = get_local_id(0); /* 32 */
  int alu0 = ((gidx0<<7)+(lidx0<<2));
  float4 val0 = *((__global float4*)((data1+alu0)));
  float4 val1 = *((__global float4*)((data2+alu0)));
  *((__global float4*)((data0+alu0))) = (float4)((((val0.x*val1.x)>0.0f)?(val0.x*val1.x):0.0f),(((val0.y*val1.y)>0.0f)?(val0.y*val1.y):0.0f),
    (((val0.z*val1.z)>0.0f)?(val0.z*val1.z):0.0f),(((val0.w*val1.w)>0.0f)?(val0.w*val1.w):0.0f));
})",
          {room(n), Data::of(floats(n, 1)), Data::of(floats(n, 2))},
          {{"E_64_32_4", {64 * 32}, {In{0}, In{1}, In{2}}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < n; ++i)
              memory.floats(0)[i] = std::fmax(memory.floats(1)[i] * memory.floats(2)[i], 0.F);
          }};
}

/// A product of matrices: sixteen accumulators that are written out.
Example matmul() {
  constexpr int n = 64;
  std::string body, sums, stores;
  for (int row = 0; row < 4; ++row) {
    const std::string r = std::to_string(row);
    body += "    float4 acc" + r + " = (float4)(0.0f,0.0f,0.0f,0.0f);\n";
    sums += "    acc" + r + " = (float4)(";
    for (const std::string c : {"x", "y", "z", "w"}) {
      sums += "(acc" + r + "." + c;
      for (int k = 0; k < 4; ++k)
        sums += std::string("+(val") + r + "." + "xyzw"[k] + "*row" + std::to_string(k) + "." + c + ")";
      sums += c == "w" ? ")" : "),";
    }
    sums += ");\n";
    stores += "  *((__global float4*)((data0+(alu1+" + std::to_string(row * n) + ")))) = acc" + r + ";\n";
  }
  return {"matmul",
          R"(
__kernel __attribute__((reqd_work_group_size(4, 4, 1)))
void r_4_4_4_4_16_4_4_4(__global float* restrict data0, const __global float* restrict data1, const __global float* restrict data2) {
  int gidx0 = get_group_id(0), gidx1 = get_group_id(1), lidx0 = get_local_id(0), lidx1 = get_local_id(1);
  int alu0 = ((gidx1<<10)+(lidx1<<8)), alu1 = (alu0+(gidx0<<4)+(lidx0<<2));
)" + body + R"(  for (int ridx0 = 0; ridx0 < 16; ridx0++) {
    int alu2 = (alu0+(ridx0<<2)), alu3 = ((ridx0<<8)+(gidx0<<4)+(lidx0<<2));
    float4 val0 = *((__global float4*)((data1+alu2))), val1 = *((__global float4*)((data1+(alu2+64))));
    float4 val2 = *((__global float4*)((data1+(alu2+128)))), val3 = *((__global float4*)((data1+(alu2+192))));
    float4 row0 = *((__global float4*)((data2+alu3))), row1 = *((__global float4*)((data2+(alu3+64))));
    float4 row2 = *((__global float4*)((data2+(alu3+128)))), row3 = *((__global float4*)((data2+(alu3+192))));
)" + sums + "  }\n" +
              stores + "}\n",
          {room(n * n), Data::of(floats(n * n, 1)), Data::of(floats(n * n, 2))},
          {{"r_4_4_4_4_16_4_4_4", {16, 16}, {In{0}, In{1}, In{2}}}},
          [](Memory& memory) {
            const Floats to = memory.floats(0), a = memory.floats(1), b = memory.floats(2);
            for (std::size_t i = 0; i < n; ++i)
              for (std::size_t j = 0; j < n; ++j)
                for (std::size_t k = 0; k < n; ++k) to[i * n + j] += a[i * n + k] * b[k * n + j];
          },
          1e-5};
}

/// A sum of a row by a group whose first item adds up local memory.
Example grouped_sum() {
  constexpr int rows = 10, columns = 16 * 25;
  return {"grouped_sum",
          R"(
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void r_10_16_25(__global float* restrict data0, const __global float* restrict data1) {
  __attribute__ ((aligned (16))) __local float temp0[16];
  int gidx0 = get_group_id(0); /* 10 */
  int lidx0 = get_local_id(0); /* 16 */
  float acc0 = 0.0f;
  for (int ridx0 = 0; ridx0 < 25; ridx0++) {
    float val0 = *(data1+((gidx0*400)+(lidx0*25)+ridx0));
    acc0 = (acc0+val0);
  }
  *(temp0+lidx0) = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (((bool)(lidx0)!=1)) {
    float acc1 = 0.0f;
    for (int ridx1 = 0; ridx1 < 16; ridx1++) {
      float val1 = *(temp0+ridx1);
      acc1 = (acc1+val1);
    }
    *(data0+gidx0) = acc1;
  }
})",
          {room(rows), Data::of(whole_floats(rows * columns, 1))},
          {{"r_10_16_25", {rows * 16}, {In{0}, In{1}}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < rows * columns; ++i) memory.floats(0)[i / columns] += memory.floats(1)[i];
          }};
}

/// A convolution whose edges are chosen by a condition on the load.
Example convolution() {
  constexpr int size = 16;
  return {"convolution",
          R"(
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void r_16_16_3_3(__global float* restrict data0, const __global float* restrict data1, const __global float* restrict data2) {
  int gidx0 = get_group_id(0); /* 16 */
  int lidx0 = get_local_id(0); /* 16 */
  float acc0 = 0.0f;
  for (int ridx0 = 0; ridx0 < 3; ridx0++) {
    bool alu0 = ((((gidx0+ridx0)<1)!=1)&((gidx0+ridx0)<17));
    for (int ridx1 = 0; ridx1 < 3; ridx1++) {
      float val0 = ((alu0&(((lidx0+ridx1)<1)!=1)&((lidx0+ridx1)<17))?*(data1+((gidx0<<4)+lidx0+(ridx0<<4)+ridx1+-17)):0.0f);
      float val1 = *(data2+((ridx0*3)+ridx1));
      acc0 = (acc0+(val0*val1));
    }
  }
  *(data0+((gidx0<<4)+lidx0)) = acc0;
})",
          {room(size * size), Data::of(whole_floats(size * size, 1)), Data::of(whole_floats(9, 2))},
          {{"r_16_16_3_3", {size * size}, {In{0}, In{1}, In{2}}}},
          [](Memory& memory) {
            for (int y = 0; y < size; ++y)
              for (int x = 0; x < size; ++x)
                for (int k = 0; k < 9; ++k) {
                  const int row = y + k / 3 - 1, column = x + k % 3 - 1;
                  if (row < 0 || column < 0 || row >= size || column >= size) continue;
                  memory.floats(0)[static_cast<std::size_t>(y * size + x)] +=
                      memory.floats(1)[static_cast<std::size_t>(row * size + column)] *
                      memory.floats(2)[static_cast<std::size_t>(k)];
                }
          }};
}

/// The hash of a counter, as its random numbers are: shifts and sums that wrap around, then bits cast to a float.
Example random_numbers() {
  constexpr int n = 512;
  return {"random_numbers",
          R"(
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void E_16_32(__global float* restrict data0, const __global unsigned int* restrict data1) {
  int alu0 = ((get_group_id(0)<<5)+get_local_id(0));
  unsigned int x0 = (unsigned int)(alu0), x1 = (unsigned int)((alu0+512)), key0 = *(data1+0), key1 = *(data1+1);
  unsigned int keys[3] = {key0, key1, (key0^key1^466688986u)};
  x0 = (x0+key0); x1 = (x1+key1);
  const int turns[2][4] = {{13,15,26,6},{17,29,16,24}};
  for (int ridx0 = 0; ridx0 < 5; ridx0++) {
    for (int ridx1 = 0; ridx1 < 4; ridx1++) {
      int turn = turns[ridx0&1][ridx1];
      x0 = (x0+x1);
      x1 = (((x1<<turn)|(x1>>(32-turn)))^x0);
    }
    x0 = (x0+keys[(ridx0+1)%3]);
    x1 = (x1+keys[(ridx0+2)%3]+(unsigned int)(ridx0+1));
  }
  *(data0+alu0) = (as_float((unsigned int)(((x0^x1)>>9)|1065353216u))+-1.0f);
})",
          {room(n), Data::of(std::vector<std::uint32_t>{1337, 4000000000U})},
          {{"E_16_32", {n}, {In{0}, In{1}}}},
          [](Memory& memory) {
            const auto key = memory.of<std::uint32_t>(1);
            const std::array<std::uint32_t, 3> keys{key[0], key[1], key[0] ^ key[1] ^ 466688986U};
            constexpr std::array<unsigned, 8> turns{13, 15, 26, 6, 17, 29, 16, 24};
            for (std::uint32_t i = 0; i < n; ++i) {
              std::uint32_t a = i + key[0], b = i + 512 + key[1];
              for (std::uint32_t round = 0; round < 5; ++round) {
                for (std::size_t k = 0; k < 4; ++k)
                  a += b, b = std::rotl(b, static_cast<int>(turns[round % 2 * 4 + k])) ^ a;
                a += keys[(round + 1) % 3], b += keys[(round + 2) % 3] + round + 1;
              }
              memory.floats(0)[i] = static_cast<float>((a ^ b) >> 9) * 0x1p-23F;
            }
          }};
}

}  // namespace

std::vector<Example> generated() { return {elementwise(), matmul(), grouped_sum(), convolution(), random_numbers()}; }

}  // namespace pintle::test
