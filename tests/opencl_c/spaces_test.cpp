// to_global, to_local, to_private and get_fence: which memory a pointer of no named memory points to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig.h"

namespace pintle::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What one group of four items leaves in `out`, 16 integers that are -1.
std::vector<std::int32_t> left_by(const std::string& device_id, const std::string& before, const std::string& body,
                                  const std::string& language = "CL2.0") {
  Device device = device_of(device_id);
  LoadOptions options;
  options.language = language;
  const std::string source =
      before +
      "\nkernel void f(global int* out) { int i = get_local_id(0); local int shared[4]; int own = 5; shared[i] = 7;\n" +
      body + " }";
  const Kernel kernel = must(
      must(device.load(must(ProgramPack::source("opencl_c", source, {"f(out: read_write i32[]) group 4"})), options))
          .kernel("f"));
  Queue queue = must(device.create_queue());
  const std::vector<std::int32_t> start(16, -1);
  Buffer out = must(device.allocate_for(start));
  must(queue.submit(CommandList{}.upload(out, start).exec(kernel, Grid{1, 1, 1}, out)));
  std::vector<std::int32_t> left = must(read<std::int32_t>(queue, out));
  left.resize(4);
  return left;
}

const char* const kind =
    "int kind(int* p) { return (to_global(p) == p) + 2 * (to_local(p) == p) + 4 * (to_private(p) == p) + 8 * "
    "(to_global(p) == 0) + 16 * (to_local(p) == 0) + 32 * (to_private(p) == 0); }";

TEST(OpenClCSpaces, EachMemoryIsKnownInAFunctionOfAll) {
  for (const std::string language : {"CL2.0", "CL3.0"})
    EXPECT_THAT(left_by("cpu", kind,
                        "if (i == 0) out[0] = kind(out); if (i == 1) out[1] = kind(&shared[1]); if (i == 2) out[2] = "
                        "kind(&own); if (i == 3) out[3] = kind(0);",
                        language),
                ElementsAre(1 + 16 + 32, 2 + 8 + 32, 4 + 8 + 16, 63))
        << language;
}

TEST(OpenClCSpaces, EachItemMayHaveItsOwn) {
  EXPECT_THAT(
      left_by("cpu", kind, "int* p = &own; if (i == 1) p = &shared[2]; if (i == 2) p = out + 9; out[i] = kind(p);"),
      ElementsAre(4 + 8 + 16, 2 + 8 + 32, 1 + 16 + 32, 4 + 8 + 16));
}

TEST(OpenClCSpaces, ALoopMayChangeIt) {
  EXPECT_THAT(left_by("cpu", "",
                      "int* p = out; for (int k = 0; k < i; ++k) { if (to_global(p)) p = shared; else p = out; } "
                      "out[i] = to_local(p) ? 1 : 0;"),
              ElementsAre(0, 1, 0, 1));
}

TEST(OpenClCSpaces, PointersGoOnWhereTheyPointed) {
  EXPECT_THAT(left_by("cpu", "",
                      "int* p = shared + i; barrier(CLK_LOCAL_MEM_FENCE); local int* back = to_local(p); *back += i; "
                      "*to_global(out + i) = shared[i];"),
              ElementsAre(7, 8, 9, 10));
}

TEST(OpenClCSpaces, FencesAreOfTheMemory) {
  EXPECT_THAT(left_by("cpu", "int fence(const int* p) { return get_fence(p); }",
                      "out[0] = fence(out); out[1] = fence(shared); out[2] = get_fence(out) == CLK_GLOBAL_MEM_FENCE; "
                      "out[3] = get_fence(shared) == CLK_LOCAL_MEM_FENCE;"),
              ElementsAre(2, 1, 1, 1));
}

// The code does not show what a pointer in memory points to.
TEST(OpenClCSpaces, APointerThatWasInMemoryIsRefusedByName) {
  Device device = device_of("cpu");
  const auto refused =
      device.load(must(ProgramPack::source("opencl_c",
                                           "kernel void f(global int* out) { local int* all[4]; int* volatile p = "
                                           "get_local_id(0) ? out : out + 1; out[0] = to_global(p) != 0; }",
                                           {"f(out: read_write i32[]) group 4"})));
  ASSERT_FALSE(refused);
  EXPECT_THAT(std::string(refused.error().text()), HasSubstr("to_global"));
}

}  // namespace
}  // namespace pintle::test
