// Buffers that a launch may leave out: a null pointer for the kernel, beside other launches, in recordings and slots;
// and the refusals, where nothing is optional or the device takes no null.
#include <array>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Floats = std::vector<float>;

constexpr std::uint32_t n = 300;

// A language without pointers has the sum alone.
constexpr std::string_view add_signature = "add(x: optional read f32[n], y: read_write f32[n], n: u32) group 64";
constexpr std::array<Source, 5> add_sources{{{"c", R"(
void add(const pintle_group* group, const float* x, float* y, uint32_t n) {
  for (uint32_t i = group->id[0] * 64; i < group->id[0] * 64 + 64 && i < n; ++i) y[i] += x == 0 ? 1 : x[i];
})"},
                                             {"opencl_c", R"(
kernel void add(global const float* x, global float* y, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] += x == 0 ? 1.0f : x[i];
})"},
                                             {"wgsl", R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
struct Scalars { n: u32 }
@group(0) @binding(2) var<uniform> scalars: Scalars;
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { y[id.x] += x[id.x]; }
})"},
                                             {"glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Scalars { uint n; };
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] += x[i];
})"},
                                             {"stablehlo", R"(
#at = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
!x$f32 = tensor<?xf32>
!y$bool = tensor<?xi1>
!y$u32 = tensor<?xui32>
!y$f32 = tensor<?xf32>
func.func @add(%x: !x$f32, %y: !y$f32, %n: tensor<ui32>) -> !y$f32 {
  %i = stablehlo.iota dim = 0 : !y$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !y$u32
  %is_below = stablehlo.compare LT, %i, %end : (!y$u32, !y$u32) -> !y$bool
  %x_at_i = "stablehlo.gather"(%x, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!x$f32, !y$u32) -> !y$f32
  %sum = stablehlo.add %x_at_i, %y : !y$f32
  %result = stablehlo.select %is_below, %sum, %y : !y$bool, !y$f32
  return %result : !y$f32
})"}}};

Kernel add_of(const Context& test) {
  if (!compiles(test.info(), add_sources)) test.not_applicable("the device compiles no source");
  test.require_bytes();
  const Program program =
      need(test.device().load(need(pack_of(add_sources, std::array{add_signature}, "optional_buffers"))));
  return need(program.kernel("add"));
}

/// x * i + one
Floats line(float x, float one) { return ramp<float>(n, one, x); }

DEVICE_TEST(Launch, AnOptionalBufferMayBeNull) {
  test.require(Feature::optional_buffers);
  const Kernel add = add_of(test), saxpy = test.kernel("saxpy");
  Queue queue = test.queue();
  const Buffer x = test.buffer(line(1, 0)), y = test.buffer(Floats(n, 10));
  need(queue.submit(CommandList{}.exec(add, Grid::cover(n), nullptr, y, n)));
  CHECK_EQ(test.read<float>(queue, y), Floats(n, 11));
  need(queue.submit(CommandList{}.exec(add, Grid::cover(n), x, y, n)));
  CHECK_EQ(test.read<float>(queue, y), line(1, 11));
  need(queue.submit(CommandList{}
                        .exec(add, Grid::cover(n), nullptr, y, n)
                        .exec(saxpy, Grid::cover(n), 2.0f, x, y, n)
                        .exec(add, Grid::cover(n), x, y, n)
                        .exec(add, Grid::cover(n), nullptr, y, n)));
  CHECK_EQ(test.read<float>(queue, y), line(4, 13));
}

DEVICE_TEST(Recording, ANullStaysBesideBuffersInSlots) {
  test.require(Feature::optional_buffers);
  const Kernel add = add_of(test), saxpy = test.kernel("saxpy");
  Queue queue = test.queue();
  const Buffer x = test.buffer(line(1, 0)), twice = test.buffer(line(2, 0)), y = test.buffer(Floats(n));
  const Recording recorded = need(test.device().record(CommandList{}
                                                           .exec(add, Grid::cover(n), nullptr, Slot{0}, n)
                                                           .exec(add, Grid::cover(n), Slot{1}, Slot{0}, n)
                                                           .exec(saxpy, Grid::cover(n), 3.0f, x, Slot{0}, n)
                                                           .exec(add, Grid::cover(n), nullptr, Slot{0}, n)));
  need(queue.replay(recorded, {y, x}));
  need(queue.replay(recorded, {y, twice}));
  CHECK_EQ(test.read<float>(queue, y), line(9, 4));
}

// Everywhere: an optional buffer that is given is a buffer like any other.
DEVICE_TEST(Recording, ASlotOfAnOptionalBufferHasABufferAtEachReplay) {
  const Kernel add = add_of(test);
  Queue queue = test.queue();
  const Buffer x = test.buffer(line(1, 0)), twice = test.buffer(line(2, 0)), y = test.buffer(Floats(n));
  const Recording recorded = need(test.device().record(CommandList{}.exec(add, Grid::cover(n), Slot{0}, y, n)));
  need(queue.replay(recorded, {x}));
  need(queue.replay(recorded, {twice}));
  CHECK_EQ(test.read<float>(queue, y), line(3, 0));
  check_error(queue.replay(recorded, {need(x.view().slice(0, 1))}), Errc::invalid_argument, {"(4)", "(1200)"});
}

DEVICE_TEST(Error, NullIsRefusedWhereTheSignatureDoesNotSayOptional) {
  const Kernel saxpy = test.kernel("saxpy");
  const Buffer y = test.allocate(DType::f32, n);
  const auto refused = [&](auto&&... arguments) {
    return test.queue().submit(CommandList{}.exec(saxpy, Grid::cover(n), arguments...));
  };
  check_error(refused(1.0f, nullptr, y, n), Errc::invalid_argument, {"saxpy", "\"x\"", "null", "not say optional"});
  check_error(refused(1.0f, y, y, nullptr), Errc::invalid_argument, {"saxpy", "\"n\"", "null", "not say optional"});
}

DEVICE_TEST(Error, NullIsRefusedWhereTheDeviceTakesNone) {
  if (test.has(Feature::optional_buffers)) test.not_applicable("the device takes a null");
  const Kernel add = add_of(test);
  Queue queue = test.queue();
  const Buffer x = test.buffer(line(1, 0)), y = test.buffer(Floats(n, 10));
  const std::string reason = test.info().capability(Feature::optional_buffers).detail;
  const std::string id(test.id());
  CHECK(!reason.empty());
  check_error(queue.submit(CommandList{}.exec(add, Grid::cover(n), nullptr, y, n)), Errc::unsupported,
              {"\"add\"", "\"x\"", "null", id, reason});
  check_error(test.device().record(CommandList{}.exec(add, Grid::cover(n), nullptr, Slot{0}, n)), Errc::unsupported,
              {id, reason});
  need(queue.submit(CommandList{}.exec(add, Grid::cover(n), x, y, n)));
  CHECK_EQ(test.read<float>(queue, y), line(1, 10));
}

}  // namespace
}  // namespace pintle::conformance
