// Kernels in the manner of public programs, against references on the host and, where it is there, against PoCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "cases.h"

namespace pintle::test {
namespace {

constexpr std::uint32_t size = 500;  // of most: no multiple of a group

Case elements(std::string name, std::string body, std::function<float(float, std::uint32_t)> f,
              std::string before = "") {
  return {{before + "\nkernel void " + name + "(global const float* in, global float* out, uint n) {\n" + body + "\n}",
           name,
           "64",
           {8, 1, 1},
           size},
          512,
          512,
          [f](const Values& in, Values& out, std::uint32_t n) {
            for (std::uint32_t i = 0; i < n; ++i) out[i] = f(in[i], i);
          }};
}

float at(const Values& values, std::size_t i) { return values[i]; }

std::vector<Case> cases_of_items() {
  return {
      elements("early_return", "size_t i = get_global_id(0); if (i >= n) return; out[i] = in[i] * 2;",
               [](float x, std::uint32_t) { return x * 2; }),
      elements("int_index", "int i = get_global_id(0); if (i < (int)n) out[i] = in[i] + i;",
               [](float x, std::uint32_t i) { return x + static_cast<float>(i); }),
      elements(
          "with_helper", "uint i = get_global_id(0); if (i < n) out[i] = twice(in[i]) + place();",
          [](float x, std::uint32_t i) { return 2 * x + static_cast<float>(i % 64); },
          "float twice(float x) { return x + x; }\nfloat place(void) { return get_local_id(0); }"),
      elements(
          "constant_table", "uint i = get_global_id(0); if (i < n) out[i] = in[i] * weights[i % 5];",
          [](float x, std::uint32_t i) { return x * std::array{1.F, 2.F, 4.F, -3.F, 8.F}[i % 5]; },
          "constant float weights[5] = {1, 2, 4, -3, 8};"),
      elements("with_switch",
               "uint i = get_global_id(0); if (i >= n) return; float x = in[i];\n"
               "switch (i % 4) { case 0: x += 1; case 1: x *= 2; break; case 2: x = -x; break; default: x = 0; } "
               "out[i] = x;",
               [](float x, std::uint32_t i) {
                 return i % 4 == 0 ? (x + 1) * 2 : i % 4 == 1 ? x * 2 : i % 4 == 2 ? -x : 0.F;
               }),
      elements("with_goto",
               "uint i = get_global_id(0); if (i >= n) return; float x = in[i]; int k = 0;\n"
               "again: x += k; if (++k < 5) goto again; out[i] = x;",
               [](float x, std::uint32_t) { return x + 10; }),
      elements(
          "private_array",
          "uint i = get_global_id(0); if (i >= n) return; float a[8]; for (int k = 0; k < 8; ++k) a[k] = in[i] * k;\n"
          "float s = 0; for (int k = 0; k < 8; ++k) s += a[(k + i) % 8]; out[i] = s;",
          [](float x, std::uint32_t) { return x * 28; }),
      elements(
          "with_struct",
          "uint i = get_global_id(0); if (i >= n) return; pair p = {in[i], (int)i}; pair q = swap(p); out[i] = q.a - "
          "q.b;",
          [](float x, std::uint32_t i) { return static_cast<float>(i) - static_cast<float>(static_cast<int>(x)); },
          "typedef struct { float a; int b; } pair;\npair swap(pair p) { pair q = {p.b, (int)p.a}; return q; }"),
      elements(
          "float4_math",
          "uint i = get_global_id(0); if (i >= n) return; float4 v = (float4)(in[i], 1, 2, 3); v = v.wzyx * v + 1.0f;\n"
          "out[i] = dot(v, (float4)(1.0f)) + v.hi.y;",
          [](float x, std::uint32_t) { return 2 * (3 * x + 1) + 2 * 3 + (3 * x + 1); }),
  };
}

/// `in` times itself, as matrices with n rows.
void square_of_matrix(const Values& in, Values& out, std::uint32_t n) {
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t x = 0; x < n; ++x) {
      float s = 0;
      for (std::size_t k = 0; k < n; ++k) s += in[y * n + k] * in[k * n + x];
      out[y * n + x] = s;
    }
}

std::vector<Case> cases_of_groups() {
  return {
      groups(
          "float3_memory",
          "uint i = get_global_id(0); if (i >= n) return; float3 v = vload3(i, in); vstore3(v.zxy * 2, i, out);",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 0; i < n; ++i)
              for (std::size_t k = 0; k < 3; ++k) out[i * 3 + k] = 2 * in[i * 3 + (k + 2) % 3];
          },
          "64", {5, 1, 1}, 300),
      groups("divergent_loop",
             "uint i = get_global_id(0); if (i >= n) return; float x = 0; for (uint k = 0; k <= i % 7; ++k) { if (k == "
             "5) continue; x += in[k]; }\n"
             "out[i] = x;",
             [](const Values& in, Values& out, std::uint32_t n) {
               for (std::size_t i = 0; i < n; ++i) {
                 out[i] = 0;
                 for (std::size_t k = 0; k <= i % 7; ++k) out[i] += k == 5 ? 0 : in[k];
               }
             }),
      groups("transpose_tile",
             "local float tile[16][17]; uint x = get_local_id(0), y = get_local_id(1); tile[y][x] = in[y * 16 + x];\n"
             "barrier(CLK_LOCAL_MEM_FENCE); out[y * 16 + x] = tile[x][y];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t y = 0; y < 16; ++y)
                 for (std::size_t x = 0; x < 16; ++x) out[y * 16 + x] = at(in, x * 16 + y);
             },
             "16,16", {1, 1, 1}),
      groups("reduce_tree",
             "local float part[64]; uint l = get_local_id(0); part[l] = in[get_global_id(0)]; "
             "barrier(CLK_LOCAL_MEM_FENCE);\n"
             "for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) { if (l < s) part[l] += part[l + s]; "
             "barrier(CLK_LOCAL_MEM_FENCE); }\n"
             "if (l == 0) out[get_group_id(0)] = part[0];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t g = 0; g < 8; ++g)
                 out[g] = std::accumulate(in.begin() + static_cast<long>(g * 64),
                                          in.begin() + static_cast<long>(g * 64 + 64), 0.F);
             }),
      groups("scan_double_buffer",
             "local float a[2][64]; uint l = get_local_id(0); int p = 0; a[0][l] = in[get_global_id(0)]; "
             "barrier(CLK_LOCAL_MEM_FENCE);\n"
             "for (uint d = 1; d < 64; d *= 2) { a[1 - p][l] = l >= d ? a[p][l] + a[p][l - d] : a[p][l]; p = 1 - p; "
             "barrier(CLK_LOCAL_MEM_FENCE); }\n"
             "out[get_global_id(0)] = a[p][l];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t g = 0; g < 8; ++g) {
                 float sum = 0;
                 for (std::size_t i = g * 64; i < g * 64 + 64; ++i) out[i] = sum += in[i];
               }
             }),
      groups(
          "local_argument",
          "uint l = get_local_id(0); scratch[63 - l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); "
          "out[get_global_id(0)] = scratch[l];",
          [](const Values& in, Values& out, std::uint32_t) {
            for (std::size_t i = 0; i < 512; ++i) out[i] = in[i / 64 * 64 + 63 - i % 64];
          },
          "64 local 256", {8, 1, 1}, 512, "", ", local float* scratch"),
  };
}

std::vector<Case> cases_of_loops() {
  return {
      groups("uniform_branch",
             "local float a[64]; uint l = get_local_id(0); a[l] = in[get_global_id(0)]; float x = a[l] * 2;\n"
             "if (get_group_id(0) % 2) { barrier(CLK_LOCAL_MEM_FENCE); x = a[63 - l]; } out[get_global_id(0)] = x;",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i)
                 out[i] = i / 64 % 2 == 1 ? in[i / 64 * 64 + 63 - i % 64] : in[i] * 2;
             }),
      groups(
          "barrier_in_dynamic_loop",
          "local float a[64]; uint l = get_local_id(0); a[l] = in[get_global_id(0)]; float sum = 0;\n"
          "for (uint k = 0; k < n; ++k) { barrier(CLK_LOCAL_MEM_FENCE); float other = a[(l + 1) % 64]; "
          "barrier(CLK_LOCAL_MEM_FENCE); a[l] = other; sum += other * (k + 1); }\n"
          "out[get_global_id(0)] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 0; i < 512; ++i) {
              float sum = 0;
              for (std::uint32_t k = 0; k < n; ++k)
                sum += in[i / 64 * 64 + (i + k + 1) % 64] * static_cast<float>(k + 1);
              out[i] = sum;
            }
          },
          "64", {8, 1, 1}, 5),
      groups(
          "nested_loops_with_barriers",
          "local float a[32]; uint l = get_local_id(0); float s = 0;\n"
          "for (uint i = 0; i < n; ++i) { for (uint j = 0; j < i; ++j) { a[l] = in[i * 32 + l] + j; "
          "barrier(CLK_LOCAL_MEM_FENCE); s += a[31 - l]; barrier(CLK_LOCAL_MEM_FENCE); } s *= 0.5f; }\n"
          "out[get_global_id(0)] = s;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t g = 0; g < 64; ++g) {
              float s = 0;
              for (std::uint32_t i = 0; i < n; ++i) {
                for (std::uint32_t j = 0; j < i; ++j) s += in[i * 32 + 31 - g % 32] + static_cast<float>(j);
                s *= 0.5F;
              }
              out[g] = s;
            }
          },
          "32", {2, 1, 1}, 4),
      groups("private_array_across_barrier",
             "local float a[64]; uint l = get_local_id(0); float own[4]; for (int k = 0; k < 4; ++k) own[(k + l) % 4] "
             "= in[get_global_id(0)] + k; a[l] = own[l % 4];\n"
             "barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = own[(l + 1) % 4] + a[63 - l];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) out[i] = in[i] + 1 + in[i / 64 * 64 + 63 - i % 64];
             }),
      groups("histogram",
             "local uint bins[16]; uint l = get_local_id(0); if (l < 16) bins[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
             "atomic_inc(&bins[((int)in[get_global_id(0)] + 50) % 16]); barrier(CLK_LOCAL_MEM_FENCE);\n"
             "if (l < 16) out[get_group_id(0) * 16 + l] = bins[l];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 128; ++i) out[i] = 0;
               for (std::size_t i = 0; i < 512; ++i)
                 out[i / 64 * 16 + static_cast<std::size_t>((static_cast<int>(in[i]) + 50) % 16)] += 1;
             }),
  };
}

std::vector<Case> cases_of_many() {
  return {
      groups("three_dimensions",
             "local float a[2][3][4]; uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2); uint i = "
             "get_local_linear_id();\n"
             "a[z][y][x] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = a[1 - z][2 - y][3 - x];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 24; ++i) out[i] = in[23 - i];
             },
             "4,3,2", {1, 1, 1}),
      groups("group_functions",
             "uint i = get_global_id(0); int x = (int)in[i];\n"
             "out[i] = work_group_scan_inclusive_add(x) + work_group_reduce_max(x) * 1000 + work_group_any(x == 50) + "
             "work_group_broadcast(x, 3);",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t g = 0; g < 8; ++g) {
                 const auto from = in.begin() + static_cast<long>(g * 64), to = from + 64;
                 const float most = *std::max_element(from, to);
                 float sum = 0;
                 for (std::size_t i = g * 64; i < g * 64 + 64; ++i)
                   out[i] = (sum += in[i]) + most * 1000 + (std::find(from, to, 50.F) != to ? 1 : 0) + from[3];
               }
             }),
      groups("async_copy",
             "local float a[64]; event_t e = async_work_group_copy(a, in + get_group_id(0) * 64, 64, 0); "
             "wait_group_events(1, &e);\n"
             "out[get_global_id(0)] = a[63 - get_local_id(0)];",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) out[i] = in[i / 64 * 64 + 63 - i % 64];
             }),
      groups("much_local_memory",
             "local float a[8192]; uint l = get_local_id(0); for (uint k = l; k < 8192; k += 64) a[k] = k; "
             "barrier(CLK_LOCAL_MEM_FENCE);\n"
             "float s = 0; for (uint k = 0; k < 128; ++k) s += a[k * 64 + 63 - l]; out[get_global_id(0)] = s / 128;",
             [](const Values&, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) out[i] = 63.5F * 64 + static_cast<float>(63 - i % 64);
             }),
      groups(
          "matmul_tiled",
          "local float A[16][16], B[16][16]; uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly "
          "= get_local_id(1); float s = 0;\n"
          "for (uint t = 0; t < n / 16; ++t) { A[ly][lx] = in[y * n + t * 16 + lx]; B[ly][lx] = in[(t * 16 + ly) * n + "
          "x]; barrier(CLK_LOCAL_MEM_FENCE);\n"
          "  for (uint k = 0; k < 16; ++k) s += A[ly][k] * B[k][lx]; barrier(CLK_LOCAL_MEM_FENCE); } out[y * n + x] = "
          "s;",
          square_of_matrix, "16,16", {2, 2, 1}, 32),
      groups(
          "matmul_naive",
          "int x = get_global_id(0), y = get_global_id(1); float s = 0; for (int k = 0; k < (int)n; ++k) s += in[y * n "
          "+ k] * in[k * n + x]; out[y * n + x] = s;",
          square_of_matrix, "16,16", {2, 2, 1}, 32),
  };
}

std::vector<Case> cases_of_hard_ones() {
  return {
      groups("loop_until_local_flag",
             "local int go; local float a[64]; uint l = get_local_id(0); a[l] = in[get_global_id(0)]; int rounds = 0; "
             "if (l == 0) go = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
             "while (go) { barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) go = ++rounds < 3; else ++rounds; float b = a[(l "
             "+ 1) % 64]; barrier(CLK_LOCAL_MEM_FENCE); a[l] = b; barrier(CLK_LOCAL_MEM_FENCE); }\n"
             "out[get_global_id(0)] = a[l] + rounds * 1000;",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) out[i] = in[i / 64 * 64 + (i + 3) % 64] + 3000;
             }),
      groups(
          "leaves_a_loop_at_a_barrier",
          "local float a[64]; uint l = get_local_id(0); a[l] = 0; float sum = 0; for (uint k = 0;; ++k) { a[l] += "
          "in[k]; barrier(CLK_LOCAL_MEM_FENCE); if (k == n) break; sum += a[63 - l]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
          "out[get_global_id(0)] = sum + a[l];",
          [](const Values& in, Values& out, std::uint32_t n) {
            float a = 0, sum = 0;
            for (std::uint32_t k = 0;; ++k) {
              a += in[k];
              if (k == n) break;
              sum += a;
            }
            for (std::size_t i = 0; i < 512; ++i) out[i] = sum + a;
          },
          "64", {8, 1, 1}, 6),
      groups(
          "barrier_in_a_helper",
          "local float a[64]; float x = in[get_global_id(0)]; x = shared_turn(a, x, 1); x = shared_turn(a, x, 2); "
          "out[get_global_id(0)] = x;",
          [](const Values& in, Values& out, std::uint32_t) {
            for (std::size_t i = 0; i < 512; ++i) out[i] = in[i / 64 * 64 + (i + 3) % 64];
          },
          "64", {8, 1, 1}, 0,
          "float shared_turn(local float* a, float x, uint by) { barrier(CLK_LOCAL_MEM_FENCE); a[get_local_id(0)] = x; "
          "barrier(CLK_LOCAL_MEM_FENCE); return a[(get_local_id(0) + by) % 64]; }"),
      groups("pointer_to_own_variable",
             "local float a[64]; uint l = get_local_id(0); float own = in[get_global_id(0)], other = 1; float* p = l % "
             "2 ? &own : &other; a[l] = *p; barrier(CLK_LOCAL_MEM_FENCE);\n"
             "*p += a[63 - l]; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = own * 2 + other;",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) {
                 const std::size_t j = i / 64 * 64 + 63 - i % 64;
                 const float got = j % 2 == 1 ? in[j] : 1;
                 out[i] = i % 2 == 1 ? (in[i] + got) * 2 + 1 : in[i] * 2 + 1 + got;
               }
             }),
      groups("barrier_in_a_uniform_switch",
             "local float a[64]; uint l = get_local_id(0); float x = in[get_global_id(0)]; a[l] = x;\n"
             "switch (get_group_id(0) % 3) { case 0: barrier(CLK_LOCAL_MEM_FENCE); x = a[63 - l]; break; case 1: x = "
             "-x; break; default: barrier(CLK_LOCAL_MEM_FENCE); x += a[(l + 1) % 64]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
             "out[get_global_id(0)] = x;",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) {
                 const std::size_t g = i / 64, base = g * 64;
                 out[i] = g % 3 == 0 ? in[base + 63 - i % 64] : g % 3 == 1 ? -in[i] : in[i] + in[base + (i + 1) % 64];
               }
             }),
  };
}

std::vector<Case> cases_of_hard_values() {
  return {
      groups(
          "kernel_of_kernels",
          "first(in, out, n); barrier(CLK_GLOBAL_MEM_FENCE); uint i = get_global_id(0); out[i] += 1;",
          [](const Values& in, Values& out, std::uint32_t) {
            for (std::size_t i = 0; i < 512; ++i) out[i] = in[i] * 3 + 1;
          },
          "64", {8, 1, 1}, 0,
          "kernel void first(global const float* in, global float* out, uint n) { uint i = get_global_id(0); out[i] = "
          "in[i] * 3; }"),
      groups(
          "swapped_values_across_barriers",
          "local float t[64]; uint l = get_local_id(0); float a = in[get_global_id(0)], b = l; for (uint k = 0; k < n; "
          "++k) { t[l] = a; barrier(CLK_LOCAL_MEM_FENCE); float c = t[l ^ 1]; a = b; b = c; "
          "barrier(CLK_LOCAL_MEM_FENCE); }\n"
          "out[get_global_id(0)] = a * 4 + b;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 0; i < 512; i += 2) {
              float a[2] = {in[i], in[i + 1]}, b[2] = {static_cast<float>(i % 64), static_cast<float>(i % 64 + 1)};
              for (std::uint32_t k = 0; k < n; ++k) {
                const float c[2] = {a[1], a[0]};
                for (std::size_t j = 0; j < 2; ++j) a[j] = b[j], b[j] = c[j];
              }
              for (std::size_t j = 0; j < 2; ++j) out[i + j] = a[j] * 4 + b[j];
            }
          },
          "64", {8, 1, 1}, 5),
      groups(
          "edge_of_an_unsigned_guard", "uint i = get_global_id(0); if (i - 3 < n) out[i] = in[i];",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 3; i < n + 3; ++i) out[i] = in[i];
          },
          "64", {8, 1, 1}, 100),
      groups(
          "guard_of_both_ends",
          "int i = get_global_id(0); if (i < 70 || i > (int)n - 5) return; out[i] = in[i - 1] + in[i + 1];",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 70; i <= n - 5; ++i) out[i] = in[i - 1] + in[i + 1];
          },
          "64", {8, 1, 1}, 400),
      groups("nbody_of_tiles",
             "local float t[64]; uint i = get_global_id(0), l = get_local_id(0); float x = in[i], sum = 0; for (uint g "
             "= 0; g < n / 64; ++g) { t[l] = in[g * 64 + l]; barrier(CLK_LOCAL_MEM_FENCE);\n"
             "for (uint j = 0; j < 64; ++j) { float d = t[j] - x; if (d > 0) sum += d; } barrier(CLK_LOCAL_MEM_FENCE); "
             "} out[i] = sum;",
             [](const Values& in, Values& out, std::uint32_t n) {
               for (std::size_t i = 0; i < 512; ++i) {
                 out[i] = 0;
                 for (std::size_t j = 0; j < n; ++j) out[i] += std::max(in[j] - in[i], 0.F);
               }
             }),
  };
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& some : {cases_of_items(), cases_of_groups(), cases_of_loops(), cases_of_many(), cases_of_hard_ones(),
                           cases_of_hard_values()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

class Kernels : public testing::TestWithParam<Case> {};

TEST_P(Kernels, RunRightOnTheCpuAndOnPocl) { expect_right(GetParam()); }

INSTANTIATE_TEST_SUITE_P(OpenclC, Kernels, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.plain.name; });

}  // namespace
}  // namespace pintle::test
