// BLAS in the manner of CLBlast: sizes and vector types are macros, work of an item is unrolled, tiles go to local
// memory.
#include <cmath>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;

/// What a tuner would put in front of a source.
std::string tuned_by(std::initializer_list<std::pair<const char*, int>> parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += std::string("#define ") + name + " " + std::to_string(value) + "\n";
  return text + R"(
typedef float real;
#define ZERO 0.0f
#define MultiplyAdd(c, a, b) c = mad(a, b, c)
#if VW == 1
  typedef float realV;
#elif VW == 2
  typedef float2 realV;
#elif VW == 4
  typedef float4 realV;
#endif
#define INLINE_FUNC inline
)";
}

const char* const gemm_text = R"(
#define MDIMC 8
#define NDIMC 8
#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)
INLINE_FUNC void GlobalToLocal(const __global real* restrict from, __local real* to, const int ld, const int row, const int column, const int rows,
                               const int columns) {
  for (int r = get_local_id(1); r < rows; r += NDIMC)
    #pragma unroll
    for (int c = get_local_id(0) * VW; c < columns; c += MDIMC * VW)
      *(__local realV*)(to + r * columns + c) = *(const __global realV*)(from + (row + r) * ld + column + c);
}
__kernel __attribute__((reqd_work_group_size(MDIMC, NDIMC, 1)))
void Xgemm(const int kSizeM, const int kSizeN, const int kSizeK, const real alpha, const real beta, const __global real* restrict agm,
           const __global real* restrict bgm, __global real* cgm) {
  __local real alm[KWG * MWG] __attribute__((aligned(16)));
  __local real blm[KWG * NWG] __attribute__((aligned(16)));
  real cpm[NWI][MWI];
  #pragma unroll
  for (int n = 0; n < NWI; ++n) {
    #pragma unroll
    for (int m = 0; m < MWI; ++m) cpm[n][m] = ZERO;
  }
  for (int kwg = 0; kwg < kSizeK; kwg += KWG) {
    GlobalToLocal(agm, alm, kSizeM, kwg, get_group_id(0) * MWG, KWG, MWG);
    GlobalToLocal(bgm, blm, kSizeN, kwg, get_group_id(1) * NWG, KWG, NWG);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < KWG; k += KWI) {
      #pragma unroll
      for (int pit = 0; pit < KWI; ++pit) {
        real apm[MWI], bpm[NWI];
        for (int m = 0; m < MWI; ++m) apm[m] = alm[(k + pit) * MWG + get_local_id(0) + m * MDIMC];
        for (int n = 0; n < NWI; ++n) bpm[n] = blm[(k + pit) * NWG + get_local_id(1) + n * NDIMC];
        for (int n = 0; n < NWI; ++n)
          for (int m = 0; m < MWI; ++m) MultiplyAdd(cpm[n][m], apm[m], bpm[n]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int n = 0; n < NWI; ++n)
    for (int m = 0; m < MWI; ++m) {
      const int column = get_group_id(0) * MWG + get_local_id(0) + m * MDIMC, row = get_group_id(1) * NWG + get_local_id(1) + n * NDIMC;
      cgm[row * kSizeM + column] = alpha * cpm[n][m] + beta * cgm[row * kSizeM + column];
    }
}
)";

Example xgemm(std::string name, std::initializer_list<std::pair<const char*, int>> parameters, std::uint64_t m_groups,
              std::uint64_t n_groups) {
  constexpr int m = 64, n = 32, k = 48;
  return {std::move(name),
          tuned_by(parameters) + gemm_text,
          {Data::of(floats(k * m, 1)), Data::of(floats(k * n, 2)), Data::of(floats(n * m, 3))},
          {{"Xgemm",
            {m_groups * 8, n_groups * 8},
            {number(m), number(n), number(k), number(1.5F), number(0.5F), In{0}, In{1}, In{2}}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), b = memory.floats(1), c = memory.floats(2);
            for (std::size_t row = 0; row < n; ++row)
              for (std::size_t column = 0; column < m; ++column) {
                float sum = 0;
                for (std::size_t l = 0; l < k; ++l) sum += a[l * m + column] * b[l * n + row];
                c[row * m + column] = 1.5F * sum + 0.5F * c[row * m + column];
              }
          },
          1e-5};
}

/// A tile of x in local memory for all items; rows that are left over are guarded.
Example xgemv() {
  constexpr int m = 90, n = 70;
  return {"xgemv",
          tuned_by({{"VW", 1}, {"WGS1", 32}, {"WPT1", 2}, {"UNROLL1", 16}}) + R"(
INLINE_FUNC real LoadMatrixA(const __global real* restrict agm, const int x, const int y, const int a_ld, const int a_offset) {
  return agm[a_ld * y + x + a_offset];
}
__kernel __attribute__((reqd_work_group_size(WGS1, 1, 1)))
void Xgemv(const int m, const int n, const real alpha, const real beta, const __global real* restrict agm, const int a_offset, const int a_ld,
           const __global real* restrict xgm, const int x_inc, __global real* ygm, const int y_inc) {
  __local real xlm[WGS1];
  real acc[WPT1];
  #pragma unroll
  for (int w = 0; w < WPT1; ++w) acc[w] = ZERO;
  for (int kwg = 0; kwg < n; kwg += WGS1) {
    const int lid = get_local_id(0);
    xlm[lid] = kwg + lid < n ? xgm[(kwg + lid) * x_inc] : ZERO;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int w = 0; w < WPT1; ++w) {
      const int gid = w * get_global_size(0) + get_global_id(0);
      if (gid < m) {
        const int end = min(WGS1, n - kwg);
        int kloop = 0;
        for (; kloop + UNROLL1 <= end; kloop += UNROLL1) {
          #pragma unroll
          for (int kunroll = 0; kunroll < UNROLL1; ++kunroll)
            MultiplyAdd(acc[w], xlm[kloop + kunroll], LoadMatrixA(agm, gid, kwg + kloop + kunroll, a_ld, a_offset));
        }
        for (; kloop < end; ++kloop) MultiplyAdd(acc[w], xlm[kloop], LoadMatrixA(agm, gid, kwg + kloop, a_ld, a_offset));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (int w = 0; w < WPT1; ++w) {
    const int gid = w * get_global_size(0) + get_global_id(0);
    if (gid < m) ygm[gid * y_inc] = alpha * acc[w] + beta * ygm[gid * y_inc];
  }
})",
          {Data::of(floats(5 + m * n, 1)), Data::of(floats(n * 2, 2)), Data::of(floats(m * 3, 3))},
          {{"Xgemv",
            {m / 2},
            {number(m), number(n), number(2.F), number(-1.F), In{0}, number(5), number(m), In{1}, number(2), In{2},
             number(3)}}},
          [](Memory& memory) {
            const Floats a = memory.floats(0), x = memory.floats(1), y = memory.floats(2);
            for (std::size_t i = 0; i < m; ++i) {
              float sum = 0;
              for (std::size_t j = 0; j < n; ++j) sum += x[j * 2] * a[5 + j * m + i];
              y[i * 3] = 2 * sum - y[i * 3];
            }
          },
          1e-5};
}

/// Vectors of four, several for each item.
Example xaxpy() {
  constexpr int n = 2048;
  return {"xaxpy",
          tuned_by({{"VW", 4}, {"WGS", 64}, {"WPT", 2}}) + R"(
INLINE_FUNC realV MultiplyAddVector(realV cvec, const real aval, const realV bvec) {
#if VW == 1
  MultiplyAdd(cvec, aval, bvec);
#elif VW == 2
  MultiplyAdd(cvec.x, aval, bvec.x); MultiplyAdd(cvec.y, aval, bvec.y);
#elif VW == 4
  MultiplyAdd(cvec.x, aval, bvec.x); MultiplyAdd(cvec.y, aval, bvec.y); MultiplyAdd(cvec.z, aval, bvec.z); MultiplyAdd(cvec.w, aval, bvec.w);
#endif
  return cvec;
}
__kernel __attribute__((reqd_work_group_size(WGS, 1, 1)))
void XaxpyFastest(const int n, const real arg_alpha, const __global realV* restrict xgm, __global realV* ygm) {
  const real alpha = arg_alpha;
  #pragma unroll
  for (int _w = 0; _w < WPT; _w += 1) {
    const int id = _w * get_global_size(0) + get_global_id(0);
    realV xvalue = xgm[id];
    ygm[id] = MultiplyAddVector(ygm[id], alpha, xvalue);
  }
})",
          {Data::of(whole_floats(n, 1)), Data::of(whole_floats(n, 2))},
          {{"XaxpyFastest", {n / 8}, {number(n), number(0.5F), In{0}, In{1}}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < n; ++i) memory.floats(1)[i] += 0.5F * memory.floats(0)[i];
          }};
}

/// The largest absolute value and its place, then one group for all groups' results.
Example xamax() {
  constexpr int n = 1500, groups = 8;
  return {"xamax",
          tuned_by({{"VW", 1}, {"WGS1", 64}, {"WGS2", 4}}) + R"(
__kernel __attribute__((reqd_work_group_size(WGS1, 1, 1)))
void Xamax(const int n, const __global real* restrict xgm, const int x_offset, const int x_inc, __global real* maxgm, __global unsigned int* imaxgm) {
  __local real maxlm[WGS1];
  __local unsigned int imaxlm[WGS1];
  const int lid = get_local_id(0), wgid = get_group_id(0), num_groups = get_num_groups(0);
  real max = -1.0f;
  unsigned int imax = 0;
  int id = wgid * WGS1 + lid;
  while (id < n) {
    const int x_index = id * x_inc + x_offset;
    real x = fabs(xgm[x_index]);
    if (x > max) { max = x; imax = id * x_inc + x_offset; }
    id += WGS1 * num_groups;
  }
  maxlm[lid] = max;
  imaxlm[lid] = imax;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = WGS1 / 2; s > 0; s = s >> 1) {
    if (lid < s && maxlm[lid + s] > maxlm[lid]) { maxlm[lid] = maxlm[lid + s]; imaxlm[lid] = imaxlm[lid + s]; }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) { maxgm[wgid] = maxlm[0]; imaxgm[wgid] = imaxlm[0]; }
}
__kernel __attribute__((reqd_work_group_size(WGS2, 1, 1)))
void XamaxEpilogue(const __global real* restrict maxgm, const __global unsigned int* restrict imaxgm, __global unsigned int* imax) {
  __local real maxlm[WGS2];
  __local unsigned int imaxlm[WGS2];
  const int lid = get_local_id(0);
  if (maxgm[lid + WGS2] > maxgm[lid]) { maxlm[lid] = maxgm[lid + WGS2]; imaxlm[lid] = imaxgm[lid + WGS2]; }
  else { maxlm[lid] = maxgm[lid]; imaxlm[lid] = imaxgm[lid]; }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = WGS2 / 2; s > 0; s = s >> 1) {
    if (lid < s && maxlm[lid + s] > maxlm[lid]) { maxlm[lid] = maxlm[lid + s]; imaxlm[lid] = imaxlm[lid + s]; }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) imax[0] = imaxlm[0];
})",
          {[] {
             std::vector<float> x;
             for (int i = 0; i < 3 + 2 * n; ++i) x.push_back(static_cast<float>(i * 7919 % 3001 - 1000));
             return Data::of(x);
           }(),
           room(groups), room<std::uint32_t>(groups), room<std::uint32_t>(1)},
          {{"Xamax", {groups * 64}, {number(n), In{0}, number(3), number(2), In{1}, In{2}}},
           {"XamaxEpilogue", {4}, {In{1}, In{2}, In{3}}}},
          [](Memory& memory) {
            const Floats x = memory.floats(0), most = memory.floats(1);
            const auto places = memory.of<std::uint32_t>(2), place = memory.of<std::uint32_t>(3);
            for (std::size_t i = 0; i < n; ++i) {
              const std::size_t g = i / 64 % groups, at = 3 + 2 * i;
              if (std::fabs(x[at]) > most[g]) most[g] = std::fabs(x[at]), places[g] = static_cast<std::uint32_t>(at);
              if (i == 0 || std::fabs(x[at]) > std::fabs(x[place[0]])) place[0] = static_cast<std::uint32_t>(at);
            }
          }};
}

/// A tile that is padded against bank conflicts, vectors in and out; the edges are another kernel's.
Example transpose() {
  constexpr int rows = 40, columns = 70, to_rows = 80, to_columns = 48;
  return {"transpose",
          tuned_by({{"VW", 1}, {"PADTRA_TILE", 16}, {"PADTRA_PAD", 1}}) + R"(
__kernel __attribute__((reqd_work_group_size(PADTRA_TILE, PADTRA_TILE, 1)))
void TransposePadMatrix(const int src_one, const int src_two, const int src_ld, __global const real* restrict src, const int dest_one,
                        const int dest_two, const int dest_ld, __global real* dest, const real alpha) {
  __local real tile[PADTRA_TILE * (PADTRA_TILE + PADTRA_PAD)];
  const int id_src_one = get_group_id(1) * PADTRA_TILE + get_local_id(0), id_src_two = get_group_id(0) * PADTRA_TILE + get_local_id(1);
  real value = ZERO;
  if (id_src_two < src_two && id_src_one < src_one) value = src[id_src_two * src_ld + id_src_one];
  tile[get_local_id(1) * (PADTRA_TILE + PADTRA_PAD) + get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int id_dest_one = get_global_id(0), id_dest_two = get_global_id(1);
  if ((id_dest_two < dest_two) && (id_dest_one < dest_one))
    dest[id_dest_two * dest_ld + id_dest_one] = alpha * tile[get_local_id(0) * (PADTRA_TILE + PADTRA_PAD) + get_local_id(1)];
})",
          {Data::of(whole_floats(rows * columns, 1)), Data::of(whole_floats(to_rows * to_columns, 2))},
          {{"TransposePadMatrix",
            {to_columns, to_rows},
            {number(columns), number(rows), number(columns), In{0}, number(to_columns), number(to_rows),
             number(to_columns), In{1}, number(2.F)}}},
          [](Memory& memory) {
            const Floats from = memory.floats(0), to = memory.floats(1);
            for (std::size_t y = 0; y < to_rows; ++y)
              for (std::size_t x = 0; x < to_columns; ++x)
                to[y * to_columns + x] = y < columns && x < rows ? 2 * from[x * columns + y] : 0;
          }};
}

}  // namespace

std::vector<Example> tuned() {
  return {xgemm("xgemm_scalar", {{"VW", 1}, {"MWG", 16}, {"NWG", 16}, {"KWG", 16}, {"KWI", 2}}, 4, 2),
          xgemm("xgemm_vector", {{"VW", 4}, {"MWG", 32}, {"NWG", 32}, {"KWG", 8}, {"KWI", 4}}, 2, 1),
          xgemv(),
          xaxpy(),
          xamax(),
          transpose()};
}

}  // namespace pintle::test
