// What a signature can say beyond scalars and plain buffers: values, local memory, shapes, alignment, groups by
// constants, and how a source is compiled.
#include <algorithm>
#include <array>
#include <fstream>

#include "base/temporary_folder.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;
using Floats = std::vector<float>;

/// A kernel from whichever source the device compiles.
Kernel kernel_of(const Context& test, std::span<const Source> sources, std::string_view signature,
                 const LoadOptions& options = {}) {
  if (!compiles(test.info(), sources)) test.not_applicable("the device compiles no source");
  test.require_bytes();
  const Program program =
      need(test.device().load(need(pack_of(sources, std::array{signature}, "parameters")), options));
  return need(program.kernel(program.entries()[0].name));
}

// A struct whose vector of three takes the place of four, as in OpenCL C.
struct alignas(16) Mix {
  float scale = 0;
  alignas(16) std::array<float, 3> add{};
  alignas(16) float power = 0;
};

constexpr std::string_view mix_signature =
    "blend(p: { scale: f32, add: f32x3, power: f32 at 32 }, v: u32x4, w: f32x3, out: write f32[])";
constexpr std::array<Source, 4> mix_sources{{{"c", R"(
typedef struct { float scale, pad[3], add[4], power, end[3]; } mix_t;
void blend(const pintle_group* group, void* const* arguments) {
  const mix_t* p = arguments[0];
  const uint32_t* v = arguments[1];
  const float* w = arguments[2];
  float* out = arguments[3];
  const uint32_t i = group->id[0];
  out[i] = p->scale * p->add[i] + p->power + (float)v[i + 1] + w[i];
})"},
                                             {"opencl_c", R"(
typedef struct { float scale; float3 add; float power; } mix_t;
kernel void blend(mix_t p, uint4 v, float3 w, global float* out) {
  const float add[3] = {p.add.x, p.add.y, p.add.z};
  const uint more[4] = {v.x, v.y, v.z, v.w};
  const float last[3] = {w.x, w.y, w.z};
  const uint i = get_group_id(0);
  out[i] = p.scale * add[i] + p.power + (float)more[i + 1] + last[i];
})"},
                                             {"wgsl", R"(
struct Values { scale: f32, add: vec3<f32>, @align(16) power: f32, v: vec4<u32>, w: vec3<f32> }
@group(0) @binding(0) var<storage, read_write> result: array<f32>;
@group(0) @binding(1) var<uniform> values: Values;
@compute @workgroup_size(1) fn blend(@builtin(workgroup_id) group: vec3<u32>) {
  let i = group.x;
  result[i] = values.scale * values.add[i] + values.power + f32(values.v[i + 1]) + values.w[i];
})"},
                                             {"glsl", R"(#version 450
layout(push_constant) uniform Values {
  layout(offset = 0) float scale;
  layout(offset = 16) vec3 add;
  layout(offset = 32) float power;
  layout(offset = 48) uvec4 v;
  layout(offset = 64) vec3 w;
};
layout(set = 0, binding = 0) buffer Out { float result[]; };
void main() {
  const uint i = gl_WorkGroupID.x;
  result[i] = scale * add[i] + power + float(v[i + 1]) + w[i];
})"}}};

DEVICE_TEST(Launch, ValuesComeWhole) {
  const Kernel mix = kernel_of(test, mix_sources, mix_signature);
  CHECK_EQ(mix.entry().parameters[0].bytes, sizeof(Mix));
  const Mix values{2, {10, 20, 30}, 100};
  const std::array<std::uint32_t, 4> v{0, 1000, 2000, 3000};
  const std::array<float, 3> w{0.25f, 0.5f, 0.75f};
  const Floats wanted{1120.25f, 2140.5f, 3160.75f};
  Queue queue = test.queue();
  const Buffer out = test.buffer(Floats(3));
  need(queue.submit(CommandList{}.exec(mix, Grid{3}, by_value(values), v, w, out)));
  CHECK_EQ(test.read<float>(queue, out), wanted);
  const Floats zeros(3);
  test.write(out, std::as_bytes(std::span(zeros)));
  const Recording recorded =
      need(test.device().record(CommandList{}.exec(mix, Grid{3}, by_value(values), v, w, Slot{0})));
  for (int round = 0; round < 2; ++round) need(queue.replay(recorded, {out}));
  CHECK_EQ(test.read<float>(queue, out), wanted);
}

// The list has its own copy: the caller's may be gone when the work begins.
DEVICE_TEST(Launch, ValuesAreTheListsOwn) {
  const Kernel mix = kernel_of(test, mix_sources, mix_signature);
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer out = test.buffer(Floats(3));
  {
    Mix values{1, {1, 2, 3}, 4};
    std::array<std::uint32_t, 4> v{0, 1, 1, 1};
    need(queue.submit(CommandList{}.exec(mix, Grid{3}, by_value(values), v, std::array<float, 3>{}, out),
                      {.after = {test.at(gate, 1)}}));
    values.scale = 1000;
    v = {9, 9, 9, 9};
  }
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<float>(queue, out), (Floats{6, 7, 8}));
}

DEVICE_TEST(Error, ValuesOfAnotherSizeOrKindAreRefused) {
  const Kernel mix = kernel_of(test, mix_sources, mix_signature);
  const Buffer out = test.buffer(Floats(3));
  const Mix values;
  const std::array<std::uint32_t, 4> v{};
  const std::array<float, 3> w{};
  const auto refused = [&](auto&&... arguments) {
    return test.queue().submit(CommandList{}.exec(mix, Grid{3}, arguments...));
  };
  check_error(refused(by_value(values.scale), v, w, out), Errc::invalid_argument, {"(4)", "(48)", "\"p\""});
  check_error(refused(by_value(values), 7u, w, out), Errc::invalid_argument, {"scalar (u32)", "u32x4"});
  check_error(refused(by_value(values), std::array<std::uint32_t, 3>{}, w, out), Errc::invalid_argument,
              {"(12)", "(16)"});
  check_error(refused(by_value(values), out, w, out), Errc::invalid_argument, {"\"v\""});
  check_error(refused(by_value(values), v, w, by_value(v)), Errc::invalid_argument, {"a buffer"});
  check_error(refused(by_value(values), v, Local{3}, out), Errc::invalid_argument, {"\"w\""});
  check_error(test.device().record(CommandList{}.exec(mix, Grid{3}, Slot{0}, v, w, out)), Errc::invalid_argument,
              {"slot (0)"});
}

constexpr std::string_view sums_signature =
    "sums(first: local u32[], x: read u32[], second: local u32[], out: write u32[], n: u32) group 4";
constexpr std::array<Source, 3> sums_sources{{{"c", R"(
void sums(const pintle_group* group, void* const* arguments) {
  uint32_t* first = arguments[0];
  const uint32_t* x = arguments[1];
  uint32_t* second = arguments[2];
  uint32_t* out = arguments[3];
  const uint32_t n = *(const uint32_t*)arguments[4];
  for (uint32_t i = 0; i < n; ++i) first[i] = x[group->id[0] * n + i];
  for (uint32_t i = 0; i < n; ++i) second[i] = 100 * first[n - 1 - i];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i) sum += first[i] + second[i] * (i + 1);
  out[group->id[0]] = sum;
})"},
                                              {"opencl_c", R"(
kernel void sums(local uint* first, global const uint* x, local uint* second, global uint* out, uint n) {
  for (uint i = get_local_id(0); i < n; i += 4) first[i] = x[get_group_id(0) * n + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < n; i += 4) second[i] = 100 * first[n - 1 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0) return;
  uint sum = 0;
  for (uint i = 0; i < n; ++i) sum += first[i] + second[i] * (i + 1);
  out[get_group_id(0)] = sum;
})"},
                                              {"cuda_c", R"(
extern "C" __global__ void sums(unsigned first_at, const unsigned* x, unsigned second_at, unsigned* out, unsigned n) {
  extern __shared__ unsigned char memory[];
  unsigned* first = (unsigned*)(memory + first_at);
  unsigned* second = (unsigned*)(memory + second_at);
  for (unsigned i = threadIdx.x; i < n; i += 4) first[i] = x[blockIdx.x * n + i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += 4) second[i] = 100 * first[n - 1 - i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i) sum += first[i] + second[i] * (i + 1);
  out[blockIdx.x] = sum;
})"}}};

std::uint32_t sum_of(std::span<const std::uint32_t> x) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] + 100 * x[x.size() - 1 - i] * static_cast<std::uint32_t>(i + 1);
  return sum;
}

DEVICE_TEST(Launch, LocalMemoryHasTheSizeOfItsLaunch) {
  test.require(Feature::local_arguments);
  const Kernel sums = kernel_of(test, sums_sources, sums_signature);
  Queue queue = test.queue();
  for (const std::uint32_t n : {1u, 7u, 256u}) {
    const Words x = ramp<std::uint32_t>(std::size_t{64} * n, 3, 5);
    const Buffer from = test.buffer(x), out = test.buffer(Words(64));
    need(queue.submit(CommandList{}.exec(sums, Grid{64}, Local{n}, from, Local{n}, out, n)));
    Words wanted;
    for (std::size_t group = 0; group < 64; ++group) wanted.push_back(sum_of(std::span(x).subspan(group * n, n)));
    CHECK_EQ(test.read<std::uint32_t>(queue, out), wanted);
  }
}

DEVICE_TEST(Error, LocalMemoryBeyondTheLimitIsRefused) {
  test.require(Feature::local_arguments);
  const Kernel sums = kernel_of(test, sums_sources, sums_signature);
  const std::uint64_t most = test.info().limits.max_local_bytes;
  const Buffer buffer = test.buffer(Words(64));
  const auto refused = [&](Local first, Local second) {
    return test.queue().submit(CommandList{}.exec(sums, Grid{1}, first, buffer, second, buffer, 1u));
  };
  check_error(refused(Local{most}, Local{1}), Errc::invalid_argument, {std::to_string(most), "\"first\""});
  check_error(refused(Local{most / 8 + 1}, Local{most / 8}), Errc::invalid_argument, {std::to_string(most)});
  check_error(refused(Local{0}, Local{1}), Errc::invalid_argument, {"\"first\""});
}

constexpr std::string_view fill_signature = "fill(out: write u32[n,2] align 16, n: u32)";
constexpr std::array<Source, 3> fill_sources{{{"c", R"(
void fill(const pintle_group* group, void* const* arguments) {
  uint32_t* out = arguments[0];
  const uint32_t n = *(const uint32_t*)arguments[1];
  for (uint32_t i = 0; i < 2 * n; ++i) out[i] = i;
  (void)group;
})"},
                                              {"opencl_c", R"(
kernel void fill(global uint* out, uint n) { for (uint i = 0; i < 2 * n; ++i) out[i] = i; })"},
                                              {"glsl", R"(#version 450
layout(push_constant) uniform Values { uint n; };
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { for (uint i = 0; i < 2 * n; ++i) result[i] = i; })"}}};

DEVICE_TEST(Launch, ShapesAreCheckedAtTheLaunch) {
  const Kernel fill = kernel_of(test, fill_sources, fill_signature);
  Queue queue = test.queue();
  const Buffer out = test.buffer(Words(10, 77));
  need(queue.submit(CommandList{}.exec(fill, Grid{1}, out, 4u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), (Words{0, 1, 2, 3, 4, 5, 6, 7, 77, 77}));
  check_error(queue.submit(CommandList{}.exec(fill, Grid{1}, out, 6u)), Errc::invalid_argument,
              {"(40)", "(48)", "\"out\""});
  check_error(queue.submit(CommandList{}.exec(fill, Grid{1}, out, 0xffffffffu)), Errc::invalid_argument, {"\"out\""});
}

DEVICE_TEST(Recording, ShapesAreCheckedAtEachReplay) {
  const Kernel fill = kernel_of(test, fill_sources, fill_signature);
  Queue queue = test.queue();
  const Buffer out = test.buffer(Words(10, 77));
  const Recording both = need(test.device().record(CommandList{}.exec(fill, Grid{1}, Slot{0}, Slot{1})));
  need(queue.replay(both, {out, 5u}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), ramp<std::uint32_t>(10));
  check_error(queue.replay(both, {out, 6u}), Errc::invalid_argument, {"(40)", "(48)", "\"out\""});
  const Recording sized = need(test.device().record(CommandList{}.exec(fill, Grid{1}, out, Slot{0})));
  check_error(queue.replay(sized, {6u}), Errc::invalid_argument, {"(40)", "(48)"});
  const Recording bound = need(test.device().record(CommandList{}.exec(fill, Grid{1}, Slot{0}, 6u)));
  check_error(queue.replay(bound, {out}), Errc::invalid_argument, {"(40)", "(48)"});
  need(queue.replay(sized, {5u}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), ramp<std::uint32_t>(10));
}

DEVICE_TEST(Launch, AlignmentIsChecked) {
  const Kernel fill = kernel_of(test, fill_sources, fill_signature);
  Queue queue = test.queue();
  const Buffer out = test.buffer(Words(512, 77));
  const std::uint64_t step = std::max<std::uint64_t>(test.info().limits.offset_alignment, 16) / 4;
  need(queue.submit(CommandList{}.exec(fill, Grid{1}, need(out.view().slice(step, 2)), 1u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, need(out.view().slice(step - 1, 4))), (Words{77, 0, 1, 77}));
  const BufferView crooked = need(out.view().slice(2, 2));
  check_error(queue.submit(CommandList{}.exec(fill, Grid{1}, crooked, 1u)), Errc::invalid_argument, {"(8)"});
  const Recording recorded = need(test.device().record(CommandList{}.exec(fill, Grid{1}, Slot{0}, 1u)));
  check_error(queue.replay(recorded, {crooked}), Errc::invalid_argument, {"(8)", std::to_string(4 * step)});
}

constexpr std::array<Source, 4> tile_sources{{{"c", R"(
void tile(const pintle_group* group, void* const* arguments) {
  uint32_t* out = arguments[0];
  for (uint32_t i = 0; i < group->size[0] * group->size[1]; ++i) out[i] = 10 * TILE + group->size[1];
})"},
                                              {"opencl_c", R"(
kernel void tile(global uint* out) {
  out[get_local_id(1) * get_local_size(0) + get_local_id(0)] = 10 * TILE + get_local_size(1);
})"},
                                              {"wgsl", R"(
override TILE: u32 = 1;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(TILE, TILE) fn tile(@builtin(local_invocation_index) index: u32) {
  result[index] = 10 * TILE + TILE;
})"},
                                              {"glsl", R"(#version 450
layout(local_size_x_id = 3, local_size_y_id = 3) in;
layout(constant_id = 3) const uint TILE = 1;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { result[gl_LocalInvocationIndex] = 10 * TILE + gl_WorkGroupSize.y; })"}}};

DEVICE_TEST(Program, ConstantsDecideGroups) {
  for (const std::uint32_t side : {2u, 4u, 8u}) {
    const LoadOptions options{.constants = {{"TILE", side}}};
    const Kernel tile = kernel_of(test, tile_sources, "tile(out: write u32[]) group TILE=2,TILE", options);
    CHECK(tile.entry().group_size == (Grid{side, side, 1}));
    Queue queue = test.queue();
    const Buffer out = test.buffer(Words(64));
    need(queue.submit(CommandList{}.exec(tile, Grid{1}, out)));
    Words wanted(side * side, 11 * side);
    wanted.resize(64);
    CHECK_EQ(test.read<std::uint32_t>(queue, out), wanted);
  }
  const auto pack =
      need(pack_of(tile_sources, std::array<std::string_view, 1>{"tile(out: write u32[]) group TILE=2"}, "tile"));
  for (const ScalarValue& wrong : {ScalarValue(0u), ScalarValue(-1), ScalarValue(2.5)})
    check_error(test.device().load(pack, LoadOptions{.constants = {{"TILE", wrong}}}), Errc::invalid_argument,
                {"TILE"});
}

constexpr std::array<Source, 2> exact_sources{{{"c", R"(
#if COUNT != 3
#error COUNT is no integer
#endif
void exact(const pintle_group* group, void* const* arguments) {
  uint64_t* out = arguments[0];
  uint64_t many[COUNT] = {(uint64_t)(WIDE), (uint64_t)(int64_t)(BELOW), (uint64_t)(4 * (HALF))};
  for (int i = 0; i < COUNT; ++i) out[i] = many[i];
  (void)group;
})"},
                                               {"opencl_c", R"(
#if COUNT != 3
#error COUNT is no integer
#endif
kernel void exact(global ulong* out) {
  ulong many[COUNT] = {(ulong)(WIDE), (ulong)(long)(BELOW), (ulong)(4 * (HALF))};
  for (int i = 0; i < COUNT; ++i) out[i] = many[i];
})"}}};

// A double would round 2^60 + 1, and (0x1.8p+1) is no number for the preprocessor.
DEVICE_TEST(Program, ConstantsAreExact) {
  const LoadOptions options{.constants = {{"COUNT", std::uint8_t{3}},
                                          {"WIDE", (std::int64_t{1} << 60) + 1},
                                          {"BELOW", std::int16_t{-5}},
                                          {"HALF", 0.5f}}};
  const Kernel exact = kernel_of(test, exact_sources, "exact(out: write u64[])", options);
  Queue queue = test.queue();
  const Buffer out = test.buffer(std::vector<std::uint64_t>(3));
  need(queue.submit(CommandList{}.exec(exact, Grid{1}, out)));
  CHECK_EQ(test.read<std::uint64_t>(queue, out),
           (std::vector<std::uint64_t>{(std::uint64_t{1} << 60) + 1, ~std::uint64_t{4}, 2}));
}

constexpr std::array<Source, 3> include_sources{{{"c", R"(
#include <value.h>
void include(const pintle_group* group, void* const* arguments) {
  TYPE* out = arguments[0];
  out[group->id[0]] = VALUE;
})"},
                                                 {"opencl_c", R"(
#include <value.h>
kernel void include(global TYPE* out) { out[get_group_id(0)] = VALUE; })"},
                                                 {"glsl", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include <value.h>
layout(set = 0, binding = 0) buffer Out { TYPE result[]; };
void main() { result[gl_WorkGroupID.x] = VALUE; })"}}};

// A header that changes changes the program, whatever a cache has kept.
DEVICE_TEST(Program, MacrosAndFoldersReachTheSource) {
  const auto folder = need(base::TemporaryFolder::create());
  Queue queue = test.queue();
  for (const std::uint32_t value : {41u, 42u}) {
    std::ofstream(folder / "value.h") << "#define VALUE (BASE + " << value << ")\n";
    const LoadOptions options{.macros = {{"TYPE", "uint"}, {"BASE", "(900 + 100)"}},
                              .include_folders = {folder.path()}};
    const LoadOptions in_c{.macros = {{"TYPE", "uint32_t"}, {"BASE", "(900 + 100)"}},
                           .include_folders = {folder.path()}};
    const bool is_c = std::ranges::find(test.info().formats, "c") != test.info().formats.end();
    const Kernel include = kernel_of(test, include_sources, "include(out: write u32[])", is_c ? in_c : options);
    const Buffer out = test.buffer(Words(2));
    need(queue.submit(CommandList{}.exec(include, Grid{2}, out)));
    CHECK_EQ(test.read<std::uint32_t>(queue, out), Words(2, 1000 + value));
  }
}

DEVICE_TEST(Error, FormatsWithoutASourceRefuseItsOptions) {
  const auto& formats = test.info().formats;
  for (const std::string_view format : {"native", "so", "spirv", "spirv_opencl"}) {
    if (std::ranges::find(formats, format) == formats.end()) continue;
    const std::string code(64, '\3');
    const auto wrong = ProgramPack::source(format, format == "native" ? std::string_view() : code, {"f()"}, "plain");
    if (!wrong) continue;  // a shared object is checked before it is a pack
    check_error(test.device().load(*wrong, LoadOptions{.macros = {{"A", "1"}}}), Errc::build_failed,
                {"macro", std::string(format)});
  }
  check_error(test.device().load(need(source_pack()), LoadOptions{.macros = {{"a b", "1"}}}), Errc::invalid_argument,
              {"\"a b\""});
}

DEVICE_TEST(Error, SubgroupsBeyondTheLimitsAreRefusedWithThem) {
  const Limits limits = test.info().limits;
  CHECK(limits.min_subgroup >= 1 && limits.max_subgroup >= limits.min_subgroup);
  const std::string format =
      std::ranges::find(test.info().formats, "*") != test.info().formats.end() ? "c" : test.info().formats.front();
  const std::string wanted = "f() subgroup " + std::to_string(2 * limits.max_subgroup);
  const std::array<std::string_view, 1> signatures{wanted};
  if (2 * limits.max_subgroup > 1024) test.not_applicable("no signature can ask for more");
  check_error(test.device().load(need(ProgramPack::source(format, format == "native" ? "" : "code", signatures))),
              Errc::build_failed,
              {"subgroup", std::to_string(2 * limits.max_subgroup), std::to_string(limits.max_subgroup)});
}

constexpr std::array<Source, 3> atomic_sources{{{"opencl_c", R"(
kernel void add(global float* out) {
  atomic_fetch_add_explicit((volatile global atomic_float*)out, 0.5f, memory_order_relaxed, memory_scope_device);
})"},
                                                {"glsl", R"(#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
void main() { atomicAdd(result[0], 0.5); })"},
                                                {"cuda_c", R"(
extern "C" __global__ void add(float* out) { atomicAdd(out, 0.5f); })"}}};

DEVICE_TEST(Launch, FloatsAddAtomicallyWhereTheDeviceSaysSo) {
  test.require(Feature::float_atomics);
  const bool is_opencl = std::ranges::find(test.info().formats, "opencl_c") != test.info().formats.end();
  const LoadOptions options{.language = is_opencl ? "CL3.0" : ""};
  const Kernel add = kernel_of(test, atomic_sources, "add(out: read_write f32[]) group 64", options);
  Queue queue = test.queue();
  const Buffer out = test.buffer(Floats(1, 8));
  need(queue.submit(CommandList{}.exec(add, Grid{32}, out)));
  CHECK_EQ(test.read<float>(queue, out), Floats{8 + 64 * 32 * 0.5f});
}

constexpr std::array<Source, 3> past_sources{{{"c", R"(
void past(const pintle_group* group, void* const* arguments) { ((uint32_t*)arguments[0])[group->id[0]] = group->id[0]; })"},
                                              {"opencl_c", R"(
kernel void past(global uint* out) { out[get_group_id(0)] = get_group_id(0); })"},
                                              {"glsl", R"(#version 450
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { result[gl_WorkGroupID.x] = gl_WorkGroupID.x; })"}}};

// The write behind the view is within the buffer, so nothing else would notice it.
DEVICE_TEST(Error, AccessesOutsideOfABindingAreFoundWhereTheDeviceSaysSo) {
  test.require(Feature::bounds);
  const Kernel past = kernel_of(test, past_sources, "past(out: write u32[])");
  const Buffer out = test.buffer(Words(64, 77));
  {
    Queue queue = test.queue();
    const Point done = need(queue.submit(CommandList{}.exec(past, Grid{5}, need(out.slice(0, 4)))));
    check_error(test.wait(done), Errc::invalid_argument, {"\"past\"", "\"out\"", "(16)"});
  }
  Queue after = test.queue();
  Words wanted{0, 1, 2, 3};
  wanted.resize(64, 77);
  CHECK_EQ(test.read<std::uint32_t>(after, out), wanted);
  need(after.submit(CommandList{}.exec(past, Grid{4}, need(out.slice(0, 4)))));
  CHECK_EQ(test.read<std::uint32_t>(after, out), wanted);
}

}  // namespace
}  // namespace pintle::conformance
