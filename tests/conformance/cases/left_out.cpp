// Entries that a device's code of a program lacks.
#include <array>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::array<Source, 4> guarded_sources{{{"c", R"(
void next(const pintle_group* group, void* const* arguments) { ((uint32_t*)arguments[0])[group->id[0]] += 1; }
#ifdef HAS_TWICE
void twice(const pintle_group* group, void* const* arguments) { ((uint32_t*)arguments[0])[group->id[0]] *= 2; }
#endif
)"},
                                                 {"opencl_c", R"(
kernel void next(global uint* x) { x[get_group_id(0)] += 1; }
#ifdef HAS_TWICE
kernel void twice(global uint* x) { x[get_group_id(0)] *= 2; }
#endif
)"},
                                                 {"cuda_c", R"(
extern "C" __global__ void next(unsigned* x) { x[blockIdx.x] += 1; }
#ifdef HAS_TWICE
extern "C" __global__ void twice(unsigned* x) { x[blockIdx.x] *= 2; }
#endif
)"},
                                                 {"glsl", R"(#version 450
layout(local_size_x = PINTLE_GROUP_X) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
#if defined(PINTLE_ENTRY_next)
void main() { x[gl_WorkGroupID.x] += 1; }
#elif defined(HAS_TWICE)
void main() { x[gl_WorkGroupID.x] *= 2; }
#endif
)"}}};
constexpr std::array<std::string_view, 2> guarded_signatures{"twice(x: read_write u32[])", "next(x: read_write u32[])"};

// As where `#ifdef cl_khr_fp64` stands around a kernel: the others load, and the device says why that one does not.
DEVICE_TEST(Program, AnEntryThatTheSourceLeavesOutCostsOnlyItself) {
  const auto source = find_source(test.info(), guarded_sources);
  if (!source) test.not_applicable("the device compiles none of C, OpenCL C, CUDA C and GLSL");
  test.require_bytes();
  const ProgramPack pack = need(ProgramPack::source(source->format, source->code, guarded_signatures, "guarded"));
  auto loaded = test.device().load(pack);
  if (!loaded && loaded.error().text().find("compiler") != std::string::npos)
    test.missing("there is no compiler: " + loaded.error().text());
  const Program part = need(std::move(loaded));
  const std::array operands{Operand::buffer(Words{1, 2, 3, 4})};
  const Outputs out = three_ways(test, need(part.kernel("next")), Grid{4}, operands);
  CHECK_EQ(values_of<std::uint32_t>(out[0]), (Words{2, 3, 4, 5}));
  check_error(part.kernel("twice"), Errc::build_failed, {"\"twice\"", "\"guarded\""});
  check_error(test.device().load(pack, "twice"), Errc::build_failed, {"\"twice\""});
  const Program whole = need(test.device().load(pack, LoadOptions{.macros = {{"HAS_TWICE", "1"}}}));
  const Outputs doubled = three_ways(test, need(whole.kernel("twice")), Grid{4}, operands);
  CHECK_EQ(values_of<std::uint32_t>(doubled[0]), (Words{2, 4, 6, 8}));
}

}  // namespace
}  // namespace pintle::conformance
