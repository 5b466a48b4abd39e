#include "kernels.h"

#include <array>
#include <string_view>

namespace pintle::differential {
namespace {

constexpr std::array<std::string_view, 5> signatures{
    "add_to(from: read u32[], to: write u32[], add: u32, n: u32) group 32",
    "affine(x: read_write u32[], m: u32, a: u32, n: u32) group 32",
    "gather(from: read u32[], to: read_write u32[], step: u32, n: u32) group 32",
    "paint(from: read image2d r32ui, to: write image2d r32ui, add: u32) group 8,4",
    "lift(from: read texel_buffer r32ui, to: write texel_buffer r32ui, add: u32, n: u32) group 32"};

constexpr std::string_view c_source = R"(
#define EACH(n) for (unsigned k = 0, i = g->id[0] * g->size[0]; k < g->size[0]; ++k, ++i) if (i < (n))
#define U32(at) (*(const unsigned*)a[at])
void add_to(const pintle_group* g, void* const* a) {
  const unsigned* from = a[0];
  unsigned* to = a[1];
  EACH(U32(3)) to[i] = from[i] + U32(2);
}
void affine(const pintle_group* g, void* const* a) {
  unsigned* x = a[0];
  EACH(U32(3)) x[i] = x[i] * U32(1) + U32(2);
}
void gather(const pintle_group* g, void* const* a) {
  const unsigned* from = a[0];
  unsigned* to = a[1];
  EACH(U32(3)) to[i] = to[i] * 3u + from[i * U32(2) % U32(3)];
}
void paint(const pintle_group* g, void* const* a) {
  const pintle_cpu_image *from = a[0], *to = a[1];
  for (unsigned y = g->id[1] * g->size[1], j = 0; j < g->size[1] && y < to->height; ++j, ++y)
    for (unsigned x = g->id[0] * g->size[0], k = 0; k < g->size[0] && x < to->width; ++k, ++x)
      ((unsigned*)((char*)to->texels + y * to->row_bytes))[x] =
          ((const unsigned*)((const char*)from->texels + y * from->row_bytes))[x] + U32(2);
}
void lift(const pintle_group* g, void* const* a) {
  const pintle_cpu_image *from = a[0], *to = a[1];
  EACH(U32(3)) ((unsigned*)to->texels)[i] = ((const unsigned*)from->texels)[i] + U32(2);
}
)";

constexpr std::string_view opencl_c_source = R"(
kernel void add_to(global const uint* from, global uint* to, uint add, uint n) {
  size_t i = get_global_id(0);
  if (i < n) to[i] = from[i] + add;
}
kernel void affine(global uint* x, uint m, uint a, uint n) {
  size_t i = get_global_id(0);
  if (i < n) x[i] = x[i] * m + a;
}
kernel void gather(global const uint* from, global uint* to, uint step, uint n) {
  uint i = (uint)get_global_id(0);
  if (i < n) to[i] = to[i] * 3u + from[i * step % n];
}
kernel void paint(read_only image2d_t from, write_only image2d_t to, uint add) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (all(at < get_image_dim(to))) write_imageui(to, at, read_imageui(from, at) + add);
}
kernel void lift(read_only image1d_buffer_t from, write_only image1d_buffer_t to, uint add, uint n) {
  const uint i = get_global_id(0);
  if (i < n) write_imageui(to, i, read_imageui(from, i) + add);
}
)";

/// The backend has no images yet: the others are left out.
constexpr std::string_view cuda_c_source = R"(
#define EACH(n) const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < (n))
extern "C" __global__ void add_to(const unsigned* from, unsigned* to, unsigned add, unsigned n) { EACH(n) to[i] = from[i] + add; }
extern "C" __global__ void affine(unsigned* x, unsigned m, unsigned a, unsigned n) { EACH(n) x[i] = x[i] * m + a; }
extern "C" __global__ void gather(const unsigned* from, unsigned* to, unsigned step, unsigned n) {
  EACH(n) to[i] = to[i] * 3u + from[i * step % n];
}
)";

constexpr std::string_view glsl_source = R"(#version 450
layout(local_size_x = PINTLE_GROUP_X, local_size_y = PINTLE_GROUP_Y, local_size_z = PINTLE_GROUP_Z) in;
#if defined(PINTLE_ENTRY_add_to)
layout(push_constant) uniform Scalars { uint add; uint n; };
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) to[i] = from[i] + add; }
#elif defined(PINTLE_ENTRY_affine)
layout(push_constant) uniform Scalars { uint m; uint a; uint n; };
layout(set = 0, binding = 0, std430) buffer X { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) x[i] = x[i] * m + a; }
#elif defined(PINTLE_ENTRY_paint)
layout(push_constant) uniform Scalars { uint add; };
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D from;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D to;
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, imageSize(to)))) imageStore(to, at, imageLoad(from, at) + add);
}
#elif defined(PINTLE_ENTRY_lift)
layout(push_constant) uniform Scalars { uint add; uint n; };
layout(set = 0, binding = 0, r32ui) uniform readonly uimageBuffer from;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimageBuffer to;
void main() { int i = int(gl_GlobalInvocationID.x); if (i < n) imageStore(to, i, imageLoad(from, i) + add); }
#else
layout(push_constant) uniform Scalars { uint stride; uint n; };
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) to[i] = to[i] * 3u + from[i * stride % n]; }
#endif
)";

// The entries with images and texel buffers are not there: the webgpu backend binds neither.
constexpr std::string_view wgsl_source = R"(
struct AddTo { add: u32, n: u32 }
struct Affine { m: u32, a: u32, n: u32 }
struct Gather { step: u32, n: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(2) var<uniform> add_values: AddTo;
@group(0) @binding(1) var<uniform> affine_values: Affine;
@group(0) @binding(2) var<uniform> gather_values: Gather;
@compute @workgroup_size(32) fn add_to(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < add_values.n) { place[id.x] = source[id.x] + add_values.add; }
}
@compute @workgroup_size(32) fn affine(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < affine_values.n) { x[id.x] = x[id.x] * affine_values.m + affine_values.a; }
}
@compute @workgroup_size(32) fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i < gather_values.n) { place[i] = place[i] * 3u + source[i * gather_values.step % gather_values.n]; }
}
)";

/// Whole arrays: what lies behind n stays as it was. The entries with images are not there, as in WGSL.
constexpr std::string_view stablehlo_source = R"(
#at = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
!from = tensor<?xui32>
!to = tensor<?xui32>
!to$bool = tensor<?xi1>
!x = tensor<?xui32>
!x$bool = tensor<?xi1>
func.func @add_to(%from: !from, %to: !to, %add: tensor<ui32>, %n: tensor<ui32>) -> !to {
  %i = stablehlo.iota dim = 0 : !to
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to
  %is_below = stablehlo.compare LT, %i, %end : (!to, !to) -> !to$bool
  %source = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}> : (!from, !to) -> !to
  %summand = stablehlo.broadcast_in_dim %add, dims = [] : (tensor<ui32>) -> !to
  %sum = stablehlo.add %source, %summand : !to
  %result = stablehlo.select %is_below, %sum, %to : !to$bool, !to
  return %result : !to
}
func.func @affine(%x: !x, %m: tensor<ui32>, %a: tensor<ui32>, %n: tensor<ui32>) -> !x {
  %i = stablehlo.iota dim = 0 : !x
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !x
  %is_below = stablehlo.compare LT, %i, %end : (!x, !x) -> !x$bool
  %factor = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<ui32>) -> !x
  %summand = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<ui32>) -> !x
  %product = stablehlo.multiply %x, %factor : !x
  %sum = stablehlo.add %product, %summand : !x
  %result = stablehlo.select %is_below, %sum, %x : !x$bool, !x
  return %result : !x
}
func.func @gather(%from: !from, %to: !to, %step: tensor<ui32>, %n: tensor<ui32>) -> !to {
  %i = stablehlo.iota dim = 0 : !to
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to
  %is_below = stablehlo.compare LT, %i, %end : (!to, !to) -> !to$bool
  %steps = stablehlo.broadcast_in_dim %step, dims = [] : (tensor<ui32>) -> !to
  %far = stablehlo.multiply %i, %steps : !to
  %place = stablehlo.remainder %far, %end : !to
  %source = "stablehlo.gather"(%from, %place) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from, !to) -> !to
  %three = stablehlo.constant dense<3> : !to
  %product = stablehlo.multiply %to, %three : !to
  %sum = stablehlo.add %product, %source : !to
  %result = stablehlo.select %is_below, %sum, %to : !to$bool, !to
  return %result : !to
}
)";

}  // namespace

Result<ProgramPack> kernels_pack() {
  PINTLE_ASSIGN(c, ProgramPack::source("c", c_source, signatures, "differential"));
  PINTLE_ASSIGN(opencl, ProgramPack::source("opencl_c", opencl_c_source, signatures, "differential"));
  PINTLE_ASSIGN(cuda, ProgramPack::source("cuda_c", cuda_c_source, signatures, "differential"));
  PINTLE_ASSIGN(hip, ProgramPack::source("hip_c", cuda_c_source, signatures, "differential"));
  PINTLE_ASSIGN(glsl, ProgramPack::source("glsl", glsl_source, signatures, "differential"));
  PINTLE_ASSIGN(wgsl, ProgramPack::source("wgsl", wgsl_source, signatures, "differential"));
  PINTLE_ASSIGN(stablehlo, ProgramPack::source("stablehlo", stablehlo_source, signatures, "differential"));
  return c.with(opencl).with(cuda).with(hip).with(wgsl).with(glsl).with(stablehlo);
}

}  // namespace pintle::differential
