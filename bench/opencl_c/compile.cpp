#include "bench/opencl_c/compile.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::bench {
namespace {

constexpr int rounds = 7;

constexpr const char* three_kernels = R"(
kernel void saxpy(global const float* in, global float* out, int n) { int i = get_global_id(0); if (i < n) out[i] += 2 * in[i]; }
kernel void sums(global const float* in, global float* out, int n) {
  local float p[64];
  int l = get_local_id(0);
  p[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 32; s > 0; s >>= 1) {
    if (l < s) p[l] += p[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = p[0];
}
kernel void waves(global const float* in, global float* out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = sin(in[i]) * exp(-in[i]) + sqrt(fabs(in[i]));
}
)";

constexpr const char* names[] = {"saxpy", "sums", "waves"};

/// The milliseconds that a child prints; negative where it fails.
double child(const std::string& program, const char* device, const std::string& nonce) {
  const std::string command = "'" + program + "' compile-once " + device + " " + nonce;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  double milliseconds = -1;
  if (!pipe || std::fscanf(pipe.get(), "%lf", &milliseconds) != 1) return -1;
  return milliseconds;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int compile_once(const char* id, const char* nonce) {
  const Device device = must(open(id));
  Queue queue = must(device.create_queue());
  Buffer in = must(device.allocate(DType::f32, Shape{64})), out = must(device.allocate(DType::f32, Shape{64}));
  must(must(queue.submit(CommandList{}.fill(in, 1.0f).fill(out, 0.0f))).wait());
  std::vector<std::string> signatures;
  for (const char* name : names)
    signatures.push_back(std::string(name) + "(in: read f32[], out: read_write f32[], n: i32) group 64");
  const std::vector<std::string_view> views(signatures.begin(), signatures.end());
  const std::string source = "// " + std::string(nonce) + "\nconstant int nonce_" + nonce + " = 1;" + three_kernels;
  const auto start = std::chrono::steady_clock::now();
  const Program program = must(device.load(must(ProgramPack::source("opencl_c", source, views))));
  for (const char* name : names)
    must(must(queue.submit(CommandList{}.exec(must(program.kernel(name)), Grid{1, 1, 1}, in, out, 64))).wait());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%.3f\n", took.count());
  return 0;
}

int compile_in_turns(const char* program) {
  std::vector<double> times[2][2];  // device, cold and warm
  constexpr const char* devices[] = {"cpu", "opencl:pocl"};
  for (int round = 0; round < rounds; ++round) {
    const std::string nonce = std::to_string(getpid()) + "_" + std::to_string(round);
    for (const int state : {0, 1})
      for (const int device : {0, 1}) {
        const double took = child(program, devices[device], nonce);
        if (took < 0) return std::printf("%s does not compile the file.\n", devices[device]), 1;
        times[device][state].push_back(took);
      }
  }
  for (const int state : {0, 1}) {
    const double ours = median(times[0][state]), theirs = median(times[1][state]);
    std::printf("three kernels, load and first launches, %s: cpu %.1f ms, PoCL %.1f ms, %.2fx\n",
                state == 0 ? "cold" : "warm", ours, theirs, ours / theirs);
  }
  return 0;
}

}  // namespace pintle::bench
