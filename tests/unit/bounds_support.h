// Kernels that leave their bindings on request, on devices under the layer `bounds`.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::test {

using Words = std::vector<std::uint32_t>;

/// put: out[at] = value. get: out[0] = in[at]. bump: x[i] += 1 for each i below n.
inline ProgramPack straying_pack() {
  const auto in = [](std::string_view format, std::string_view code) {
    return must(ProgramPack::source(
        format, code,
        {"put(out: write u32[], at: i32, value: u32)", "get(in: read u32[], out: write u32[], at: i32)",
         "bump(x: read_write u32[], n: u32) group 64"},
        "straying"));
  };
  return in("c", R"(
void put(const pintle_group* group, void* const* arguments) {
  uint32_t* out = arguments[0];
  out[*(const int32_t*)arguments[1]] = *(const uint32_t*)arguments[2];
}
void get(const pintle_group* group, void* const* arguments) {
  const uint32_t* in = arguments[0];
  uint32_t* out = arguments[1];
  out[0] = in[*(const int32_t*)arguments[2]];
}
void bump(const pintle_group* group, void* const* arguments) {
  uint32_t* x = arguments[0];
  for (uint32_t i = group->id[0] * 64; i < group->id[0] * 64 + 64; ++i)
    if (i < *(const uint32_t*)arguments[1]) x[i] += 1;
})")
      .with(in("opencl_c", R"(
kernel void put(global uint* out, int at, uint value) { out[at] = value; }
kernel void get(global const uint* in, global uint* out, int at) { out[0] = in[at]; }
kernel void bump(global uint* x, uint n) { if (get_global_id(0) < n) x[get_global_id(0)] += 1; }
)"))
      .with(in("glsl", R"(#version 450
layout(local_size_x = PINTLE_GROUP_X) in;
#ifdef PINTLE_ENTRY_put
layout(push_constant) uniform Scalars { int at; uint value; };
layout(binding = 0) writeonly buffer Out { uint data[]; };
void main() { data[at] = value; }
#endif
#ifdef PINTLE_ENTRY_get
layout(push_constant) uniform Scalars { int at; };
layout(binding = 0) readonly buffer In { uint from[]; };
layout(binding = 1) writeonly buffer Out { uint data[]; };
void main() { data[0] = from[at]; }
#endif
#ifdef PINTLE_ENTRY_bump
layout(push_constant) uniform Scalars { uint n; };
layout(binding = 0) buffer X { uint x[]; };
void main() { if (gl_GlobalInvocationID.x < n) x[gl_GlobalInvocationID.x] += 1; }
#endif
)"));
}

/// A device, a queue that is made anew after a failure, and what the tests say often.
class BoundsRig {
 public:
  explicit BoundsRig(const std::string& id) : device(must(open(id))) { renew(); }

  void renew() { queue = must(device.create_queue()); }
  Kernel kernel(std::string_view name) { return must(device.load(straying_pack(), name)); }
  Buffer buffer(const Words& words) {
    Buffer made = must(device.allocate_for(words));
    must(queue.submit_and_wait(CommandList{}.upload(made, words)));
    return made;
  }
  Words read(const BufferView& buffer) { return must(pintle::read<std::uint32_t>(queue, buffer)); }

  /// Runs the list, which must fail, and takes a new queue.
  Error failure(CommandList list) {
    const auto ran = queue.submit_and_wait(std::move(list));
    EXPECT_FALSE(ran);
    renew();
    return ran ? Error(Errc::internal, "It did not fail.") : ran.error();
  }

  Device device;
  Queue queue;
};

/// Checks that the error names all of it.
inline void expect_step(const Error& error, const std::vector<std::string>& parts) {
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  for (const std::string& part : parts) EXPECT_THAT(error.text(), testing::HasSubstr(part));
}

}  // namespace pintle::test
