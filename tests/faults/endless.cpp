// A kernel waits for a word that nobody writes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "faults/faults.h"

namespace faults {

using namespace pintle;
using namespace std::chrono_literals;

namespace {

constexpr Source opencl_c{"opencl_c",
                          "kernel void endless(global uint* x) { while (*(volatile global uint*)x == 0) {} }"};
constexpr Source cuda_c{
    "cuda_c", R"(extern "C" __global__ void endless(unsigned* x) { while (*(volatile unsigned*)x == 0) {} })"};
constexpr Source hip_c{"hip_c", cuda_c.code};
constexpr Source glsl{"glsl", R"(#version 450
layout(set = 0, binding = 0) volatile buffer X { uint x[]; };
void main() { while (x[0] == 0) {} }
)"};
constexpr Source other_opencl_c{"opencl_c", "kernel void other(global uint* x) { x[0] = 2; }"};
constexpr Source other_cuda_c{"cuda_c", R"(extern "C" __global__ void other(unsigned* x) { x[0] = 2; })"};
constexpr Source other_hip_c{"hip_c", other_cuda_c.code};
constexpr Source other_glsl{"glsl", R"(#version 450
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { x[0] = 2; }
)"};

void tell(const char* what, const Result<void>& result) {
  std::printf("%s: %s\n", what, result ? "ok" : result.error().text().c_str());
}

Result<void> load_other(const Device& device) {
  const std::vector<std::string> formats = device.info().formats;
  for (const Source& source : {other_opencl_c, other_cuda_c, other_hip_c, other_glsl}) {
    if (std::ranges::find(formats, source.format) == formats.end()) continue;
    const auto loaded = device.load(value(ProgramPack::source(source.format, source.code, {"other(x: write u32[])"})));
    return loaded ? Result<void>() : loaded.error();
  }
  return {};
}

}  // namespace

Ending endless(const Device& device) {
  const Kernel kernel = load(device, {opencl_c, cuda_c, hip_c, glsl}, "endless(x: read_write u32[])");
  const Buffer words = value(device.allocate(DType::u32, {4}));
  Queue queue = value(device.create_queue());
  value(queue.submit(CommandList{}.fill(words, 0U)));
  const Point never = value(queue.submit(CommandList{}.exec(kernel, Grid{1}, words)));
  const auto waited = never.wait(1s);
  expect(!waited, "the wait says that the kernel has ended");
  expect_one_of(waited, {Errc::timeout, Errc::device_lost});
  const Result<void> computed = compute(device), loaded = load_other(device), health = device.health(),
                     recovered = device.recover();
  tell("other work", computed);
  tell("loading", loaded);
  tell("health", health);
  tell("recovery", recovered);
  expect_one_of(computed, {Errc::timeout, Errc::device_lost});
  expect_one_of(loaded, {Errc::timeout, Errc::device_lost});
  expect_one_of(health, {Errc::timeout, Errc::device_lost});
  expect_one_of(recovered, {Errc::timeout, Errc::process_poisoned});
  return Ending::any;
}

}  // namespace faults
