// Sorting, sums and graphs in the manner of SHOC and Rodinia: local memory, barriers in loops, atomics, indices.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

#include "programs.h"

namespace pintle::test {
namespace {

using Floats = std::span<float>;
using Ints = std::span<std::int32_t>;

/// Sums of groups, with a loop over the grid and a tree in local memory that the launch sizes.
Example reduction() {
  constexpr int n = 5000, groups = 4, block = 128;
  return {"reduction",
          R"(
#define FPTYPE float
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void reduce(__global const FPTYPE * __restrict__ g_idata, __global FPTYPE * __restrict__ g_odata, __local FPTYPE* sdata, const unsigned int n) {
  const unsigned int tid = get_local_id(0);
  unsigned int i = (get_group_id(0) * (get_local_size(0) * 2)) + tid;
  const unsigned int gridSize = get_local_size(0) * 2 * get_num_groups(0);
  const unsigned int blockSize = get_local_size(0);
  sdata[tid] = 0;
  while (i < n) {
    sdata[tid] += g_idata[i] + (i + blockSize < n ? g_idata[i + blockSize] : 0);
    i += gridSize;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) g_odata[get_group_id(0)] = sdata[0];
})",
          {Data::of(whole_floats(n, 1)), room(groups)},
          {{"reduce", {groups * block}, {In{0}, In{1}, Local{block}, number(std::uint32_t{n})}}},
          [](Memory& memory) {
            for (std::size_t i = 0; i < n; ++i) memory.floats(1)[i / (2 * block) % groups] += memory.floats(0)[i];
          }};
}

/// Three phases: sums of blocks, one group that scans the sums, and blocks that scan vectors of four.
Example scan() {
  constexpr int groups = 8, block = 64, n = groups * block * 4;
  return {"scan",
          R"(
#define BLOCK 64
float scanLocalMem(float val, __local float* lmem, int exclusive) {
  int idx = get_local_id(0);
  lmem[idx] = 0.0f;
  idx += get_local_size(0);
  lmem[idx] = val;
  barrier(CLK_LOCAL_MEM_FENCE);
  float t;
  for (int i = 1; i < get_local_size(0); i *= 2) {
    t = lmem[idx - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    lmem[idx] += t;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return lmem[idx - exclusive];
}
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce(__global const float4* in, __global float* isums, __local float* lmem) {
  float4 v = in[get_global_id(0)];
  float total = scanLocalMem(v.x + v.y + v.z + v.w, lmem, 0);
  if (get_local_id(0) == get_local_size(0) - 1) isums[get_group_id(0)] = total;
}
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void top_scan(__global float* isums, const int n, __local float* lmem) {
  float val = get_local_id(0) < n ? isums[get_local_id(0)] : 0.0f;
  val = scanLocalMem(val, lmem, 1);
  if (get_local_id(0) < n) isums[get_local_id(0)] = val;
}
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void bottom_scan(__global const float4* in4, __global float4* out4, __global const float* isums, __local float* lmem) {
  float4 val4 = in4[get_global_id(0)];
  val4.y += val4.x;
  val4.z += val4.y;
  val4.w += val4.z;
  float res = scanLocalMem(val4.w, lmem, 1) + isums[get_group_id(0)];
  val4 += res;
  out4[get_global_id(0)] = val4;
})",
          {Data::of(whole_floats(n, 1)), room(n), room(groups)},
          {{"reduce", {groups * block}, {In{0}, In{2}, Local{2 * block}}},
           {"top_scan", {block}, {In{2}, number(groups), Local{2 * block}}},
           {"bottom_scan", {groups * block}, {In{0}, In{1}, In{2}, Local{2 * block}}}},
          [](Memory& memory) {
            const Floats in = memory.floats(0), out = memory.floats(1), sums = memory.floats(2);
            std::partial_sum(in.begin(), in.end(), out.begin());
            for (std::size_t g = 1; g < groups; ++g) sums[g] = out[g * block * 4 - 1];
          }};
}

/// One step of a bitonic sort for each launch, and one kernel that sorts in local memory.
Example bitonic_sort() {
  constexpr int n = 1024, block = 256;
  std::vector<Launch> launches{{"sortLocal", {n}, {In{0}, In{1}, Local{block}, Local{block}}}};
  for (int size = 2 * block; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2)
      launches.push_back({"mergeGlobal",
                          {n / 2},
                          {In{0}, In{1}, number(std::uint32_t{n}), number(static_cast<std::uint32_t>(size)),
                           number(static_cast<std::uint32_t>(stride))}});
  std::vector<std::uint32_t> keys, places(n);
  for (const std::int32_t key : integers(n, 5000, 1))
    keys.push_back(static_cast<std::uint32_t>(key) * 1024 + static_cast<std::uint32_t>(keys.size()));
  std::iota(places.begin(), places.end(), 0U);
  return {"bitonic_sort",
          R"(
inline void ComparatorPrivate(uint* keyA, uint* valA, uint* keyB, uint* valB, uint dir) {
  if ((*keyA > *keyB) == dir) { uint t = *keyA; *keyA = *keyB; *keyB = t; t = *valA; *valA = *valB; *valB = t; }
}
inline void ComparatorLocal(__local uint* keyA, __local uint* valA, __local uint* keyB, __local uint* valB, uint dir) {
  if ((*keyA > *keyB) == dir) { uint t = *keyA; *keyA = *keyB; *keyB = t; t = *valA; *valA = *valB; *valB = t; }
}
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void sortLocal(__global uint* keys, __global uint* values, __local uint* l_key, __local uint* l_val) {
  const uint limit = 2 * get_local_size(0);
  const uint base = get_group_id(0) * limit + get_local_id(0);
  if (base >= 1024) return;
  l_key[get_local_id(0)] = keys[base];
  l_val[get_local_id(0)] = values[base];
  l_key[get_local_id(0) + limit / 2] = keys[base + limit / 2];
  l_val[get_local_id(0) + limit / 2] = values[base + limit / 2];
  for (uint size = 2; size <= limit; size <<= 1) {
    const uint dir = size == limit ? (get_group_id(0) & 1) == 0 : (get_local_id(0) & (size / 2)) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint pos = 2 * get_local_id(0) - (get_local_id(0) & (stride - 1));
      ComparatorLocal(&l_key[pos], &l_val[pos], &l_key[pos + stride], &l_val[pos + stride], dir);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[base] = l_key[get_local_id(0)];
  values[base] = l_val[get_local_id(0)];
  keys[base + limit / 2] = l_key[get_local_id(0) + limit / 2];
  values[base + limit / 2] = l_val[get_local_id(0) + limit / 2];
}
__kernel void mergeGlobal(__global uint* keys, __global uint* values, uint n, uint size, uint stride) {
  uint i = get_global_id(0);
  uint dir = size == n ? 1 : (i & (size / 2)) == 0;
  uint pos = 2 * i - (i & (stride - 1));
  uint keyA = keys[pos], valA = values[pos], keyB = keys[pos + stride], valB = values[pos + stride];
  ComparatorPrivate(&keyA, &valA, &keyB, &valB, dir);
  keys[pos] = keyA; values[pos] = valA; keys[pos + stride] = keyB; values[pos + stride] = valB;
})",
          {Data::of(keys), Data::of(places)},
          launches,
          [](Memory& memory) {
            const auto keys = memory.of<std::uint32_t>(0), places = memory.of<std::uint32_t>(1);
            std::ranges::sort(keys);
            for (std::size_t i = 0; i < n; ++i) places[i] = keys[i] % 1024;
          }};
}

/// One digit of a radix sort: histograms of private counters, their scan by one item, a stable scatter.
Example radix_sort() {
  constexpr int n = 2048, groups = 4, digits = 16;
  std::vector<Launch> launches;
  for (int shift = 0; shift < 12; shift += 4) {
    const std::size_t from = shift / 4 % 2 == 0 ? 0 : 1;
    launches.push_back({"histogram", {64 * groups}, {In{from}, In{2}, number(n), number(shift)}});
    launches.push_back({"offsets", {1}, {In{2}, number(64 * groups)}});
    launches.push_back({"scatter", {64 * groups}, {In{from}, In{1 - from}, In{2}, number(n), number(shift)}});
  }
  return {"radix_sort",
          R"(
#define DIGITS 16
int digit(uint key, int shift) { return (key >> shift) & (DIGITS - 1); }
__kernel void histogram(__global const uint* keys, __global int* counts, int n, int shift) {
  int items = get_global_size(0), part = n / items, me = get_global_id(0);
  int own[DIGITS];
  for (int d = 0; d < DIGITS; ++d) own[d] = 0;
  for (int i = me * part; i < (me + 1) * part; ++i) own[digit(keys[i], shift)]++;
  for (int d = 0; d < DIGITS; ++d) counts[d * items + me] = own[d];
}
__kernel void offsets(__global int* counts, int items) {
  if (get_global_id(0) != 0) return;
  int sum = 0;
  for (int i = 0; i < DIGITS * items; ++i) { int old = counts[i]; counts[i] = sum; sum += old; }
}
__kernel void scatter(__global const uint* from, __global uint* to, __global int* counts, int n, int shift) {
  int items = get_global_size(0), part = n / items, me = get_global_id(0);
  for (int i = me * part; i < (me + 1) * part; ++i) {
    int d = digit(from[i], shift);
    to[counts[d * items + me]++] = from[i];
  }
})",
          {Data::of([] {
             std::vector<std::uint32_t> keys;
             for (const std::int32_t key : integers(n, 4096, 1)) keys.push_back(static_cast<std::uint32_t>(key));
             return keys;
           }()),
           room<std::uint32_t>(n), room<std::int32_t>(digits * 64 * groups)},
          launches,
          [](Memory& memory) {
            const auto keys = memory.of<std::uint32_t>(0), to = memory.of<std::uint32_t>(1);
            const auto sort = [](std::span<std::uint32_t> all, std::uint32_t mask) {  // equal ones keep their order
              std::multimap<std::uint32_t, std::uint32_t> by_digits;
              for (const std::uint32_t one : all) by_digits.emplace(one & mask, one);
              std::ranges::copy(by_digits | std::views::values, all.begin());
            };
            sort(keys, 0xff);
            std::ranges::copy(keys, to.begin());
            sort(to, 0xfff);
            // Each item has counted on to the end of its part, in the order of the last digit before the last scatter.
            constexpr std::size_t items = 64 * groups;
            const Ints counts = memory.of<std::int32_t>(2);
            for (std::size_t i = 0; i < n; ++i) ++counts[(keys[i] >> 8) % digits * items + i / (n / items)];
            std::partial_sum(counts.begin(), counts.end(), counts.begin());
          }};
}

struct Sparse {
  std::vector<std::int32_t> columns, rows{0};
  std::vector<float> values;
};

Sparse sparse_matrix(int size) {
  Sparse matrix;
  for (int row = 0; row < size; ++row) {
    for (int k = 0; k < row % 7 * 5; ++k) matrix.columns.push_back((row * 13 + k * 7) % size);
    matrix.rows.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  matrix.values = whole_floats(matrix.columns.size(), 3);
  return matrix;
}

/// A sparse matrix in compressed rows: an item for each row, and 32 items for each row.
Example spmv() {
  constexpr int size = 150;
  const Sparse matrix = sparse_matrix(size);
  return {"spmv",
          R"(
__kernel void spmv_csr_scalar_kernel(__global const float* restrict val, __global const float* restrict vec, __global const int* restrict cols,
                                     __global const int* restrict rowDelimiters, const int dim, __global float* restrict out) {
  int myRow = get_global_id(0);
  if (myRow < dim) {
    float t = 0;
    int start = rowDelimiters[myRow], end = rowDelimiters[myRow + 1];
    for (int j = start; j < end; j++) { int col = cols[j]; t += val[j] * vec[col]; }
    out[myRow] = t;
  }
}
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void spmv_csr_vector_kernel(__global const float* restrict val, __global const float* restrict vec, __global const int* restrict cols,
                            __global const int* restrict rowDelimiters, const int dim, const int vecWidth, __global float* restrict out) {
  int t = get_local_id(0), id = t & (vecWidth - 1);
  int vecsPerBlock = get_local_size(0) / vecWidth;
  int myRow = (get_group_id(0) * vecsPerBlock) + (t / vecWidth);
  __local volatile float partialSums[128];
  partialSums[t] = 0;
  if (myRow < dim) {
    int vecStart = rowDelimiters[myRow], vecEnd = rowDelimiters[myRow + 1];
    float mySum = 0;
    for (int j = vecStart + id; j < vecEnd; j += vecWidth) { int col = cols[j]; mySum += val[j] * vec[col]; }
    partialSums[t] = mySum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int bar = vecWidth / 2;
    while (bar > 0) {
      if (id < bar) partialSums[t] += partialSums[t + bar];
      barrier(CLK_LOCAL_MEM_FENCE);
      bar = bar / 2;
    }
    if (id == 0) out[myRow] = partialSums[t];
  }
})",
          {Data::of(matrix.values), Data::of(whole_floats(size, 4)), Data::of(matrix.columns), Data::of(matrix.rows),
           room(size), room(size)},
          {{"spmv_csr_scalar_kernel", {size}, {In{0}, In{1}, In{2}, In{3}, number(size), In{4}}},
           {"spmv_csr_vector_kernel", {148 * 32}, {In{0}, In{1}, In{2}, In{3}, number(size - 2), number(32), In{5}}}},
          [](Memory& memory) {
            const Ints columns = memory.of<std::int32_t>(2), rows = memory.of<std::int32_t>(3);
            for (std::size_t row = 0; row < size; ++row)
              for (auto j = static_cast<std::size_t>(rows[row]); j < static_cast<std::size_t>(rows[row + 1]); ++j)
                memory.floats(4)[row] += memory.floats(0)[j] * memory.floats(1)[static_cast<std::size_t>(columns[j])];
            std::ranges::copy(memory.floats(4).first(size - 2), memory.floats(5).begin());
          }};
}

/// A breadth-first search with masks, whose host asks after each level whether anything is left: here, always enough
/// levels.
Example bfs() {
  constexpr int nodes = 200, edges_of_one = 3, levels = 12;
  struct Node {
    std::int32_t starting, no_of_edges;
  };
  std::vector<Node> graph;
  for (int i = 0; i < nodes; ++i) graph.push_back({i * edges_of_one, edges_of_one});
  std::vector<std::int32_t> costs(nodes, -1);
  costs[0] = 0;
  std::vector<char> mask(nodes, 0);
  mask[0] = 1;
  const auto chars = [](const std::vector<char>& some) {
    return Data::of(std::vector<std::int8_t>(some.begin(), some.end()));
  };
  std::vector<Launch> launches;
  for (int k = 0; k < levels; ++k) {
    launches.push_back({"BFS_1", {nodes}, {In{0}, In{1}, In{2}, In{3}, In{4}, In{5}, number(nodes)}});
    launches.push_back({"BFS_2", {nodes}, {In{2}, In{3}, In{4}, In{6}, number(nodes)}});
  }
  return {"bfs",
          R"(
typedef struct { int starting; int no_of_edges; } Node;
__kernel void BFS_1(const __global Node* g_graph_nodes, const __global int* g_graph_edges, __global char* g_graph_mask,
                    __global char* g_updating_graph_mask, __global char* g_graph_visited, __global int* g_cost, const int no_of_nodes) {
  int tid = get_global_id(0);
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_graph_visited[id]) {
        g_cost[id] = g_cost[tid] + 1;
        g_updating_graph_mask[id] = true;
      }
    }
  }
}
__kernel void BFS_2(__global char* g_graph_mask, __global char* g_updating_graph_mask, __global char* g_graph_visited, __global char* g_over,
                    const int no_of_nodes) {
  int tid = get_global_id(0);
  if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
    g_graph_mask[tid] = true;
    g_graph_visited[tid] = true;
    *g_over = true;
    g_updating_graph_mask[tid] = false;
  }
})",
          {Data::of(graph), Data::of(integers(nodes * edges_of_one, nodes, 1)), chars(mask),
           chars(std::vector<char>(nodes)), chars(mask), Data::of(costs), chars({0})},
          launches,
          [](Memory& memory) {
            const Ints edges = memory.of<std::int32_t>(1), costs = memory.of<std::int32_t>(5);
            std::vector<std::size_t> now{0};
            for (std::size_t k = 0; k < now.size(); ++k)
              for (std::size_t e = now[k] * edges_of_one; e < (now[k] + 1) * edges_of_one; ++e) {
                const auto to = static_cast<std::size_t>(edges[e]);
                if (costs[to] < 0) costs[to] = costs[now[k]] + 1, now.push_back(to);
              }
            std::ranges::fill(memory.of<char>(2), 0);
            for (const std::size_t node : now) memory.of<char>(4)[node] = 1;
            memory.of<char>(6)[0] = 1;
          }};
}

/// The nearest centre of each point, with features across.
Example kmeans() {
  constexpr int points = 300, features = 5, clusters = 4;
  return {"kmeans",
          R"(
#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38
#endif
__kernel void kmeans_swap(__global float* feature, __global float* feature_swap, int npoints, int nfeatures) {
  unsigned int tid = get_global_id(0);
  if (tid >= npoints) return;
  for (int i = 0; i < nfeatures; i++) feature_swap[i * npoints + tid] = feature[tid * nfeatures + i];
}
__kernel void kmeans_kernel_c(__global float* feature, __global float* clusters, __global int* membership, int npoints, int nclusters,
                              int nfeatures, int offset, int size) {
  unsigned int point_id = get_global_id(0);
  int index = 0;
  if (point_id < npoints) {
    float min_dist = FLT_MAX;
    for (int i = 0; i < nclusters; i++) {
      float dist = 0, ans = 0;
      for (int l = 0; l < nfeatures; l++)
        ans += (feature[l * npoints + point_id] - clusters[i * nfeatures + l]) * (feature[l * npoints + point_id] - clusters[i * nfeatures + l]);
      dist = ans;
      if (dist < min_dist) { min_dist = dist; index = i; }
    }
    membership[point_id] = index;
  }
})",
          {Data::of(whole_floats(points * features, 1)), room(points * features),
           Data::of(whole_floats(clusters * features, 2)), room<std::int32_t>(points)},
          {{"kmeans_swap", {points}, {In{0}, In{1}, number(points), number(features)}},
           {"kmeans_kernel_c",
            {points},
            {In{1}, In{2}, In{3}, number(points), number(clusters), number(features), number(0), number(0)}}},
          [](Memory& memory) {
            const Floats in = memory.floats(0), centres = memory.floats(2);
            for (std::size_t p = 0; p < points; ++p) {
              float least = INFINITY;
              for (std::size_t c = 0; c < clusters; ++c) {
                float distance = 0;
                for (std::size_t f = 0; f < features; ++f) {
                  const float step = in[p * features + f] - centres[c * features + f];
                  distance += step * step;
                }
                if (distance < least) least = distance, memory.of<std::int32_t>(3)[p] = static_cast<std::int32_t>(c);
              }
              for (std::size_t f = 0; f < features; ++f) memory.floats(1)[f * points + p] = in[p * features + f];
            }
          }};
}

/// Counts in local memory by atomics, added to those of all groups.
Example histogram() {
  constexpr int n = 4096, bins = 64;
  return {"histogram",
          R"(
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
__kernel void histo_main(global uchar4* data, global uint* histo, local uint* own, uint n, uint bins) {
  for (uint b = get_local_id(0); b < bins; b += get_local_size(0)) own[b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n / 4; i += get_global_size(0)) {
    uchar4 four = data[i];
    (void)atom_inc(&own[four.s0 % bins]);
    (void)atomic_add(&own[four.s1 % bins], 1u);
    (void)atomic_inc((volatile local uint*)&own[four.s2 % bins]);
    (void)atomic_sub((volatile local int*)&own[four.s3 % bins], -1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint b = get_local_id(0); b < bins; b += get_local_size(0)) if (own[b] != 0) atomic_add(histo + b, own[b]);
})",
          {Data::of([] {
             std::vector<std::uint8_t> bytes;
             for (const std::int32_t one : integers(n, 256, 1)) bytes.push_back(static_cast<std::uint8_t>(one));
             return bytes;
           }()),
           room<std::uint32_t>(bins)},
          {{"histo_main", {256}, {In{0}, In{1}, Local{bins}, number(std::uint32_t{n}), number(std::uint32_t{bins})}}},
          [](Memory& memory) {
            for (const std::uint8_t one : memory.of<std::uint8_t>(0)) ++memory.of<std::uint32_t>(1)[one % bins];
          }};
}

}  // namespace

std::vector<Example> sorting() {
  return {reduction(), scan(), bitonic_sort(), radix_sort(), spmv(), bfs(), kmeans(), histogram()};
}

}  // namespace pintle::test
