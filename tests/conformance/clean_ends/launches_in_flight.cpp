// The process ends while kernels are launched that the driver has not compiled yet: some compile at each launch, others
// at the first one of a kernel. It runs in children, since it depends on how far the driver has come.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

namespace {

constexpr int runs = 4;
constexpr int kernels = 8;
constexpr std::uint32_t items = 1 << 16;

/// Long enough to be compiled for some milliseconds, and another code for each number.
std::string body_of(int number) {
  std::string text = "x[i] = x[i] + " + std::to_string(number) + "u;";
  for (int line = 0; line < 60; ++line) text += " x[i] = x[i] * " + std::to_string(line + 3) + "u + (x[i] >> 3);";
  return text;
}

/// The same as a function over the whole array.
std::string stablehlo_of(int number) {
  const auto constant = [](const std::string& name, int value) {
    return "  %" + name + " = stablehlo.constant dense<" + std::to_string(value) + "> : !x\n";
  };
  std::string text = "!x = tensor<?xui32>\nfunc.func @turn(%x: !x) -> !x {\n" + constant("three", 3) +
                     constant("first", number) + "  %x0 = stablehlo.add %x, %first : !x\n";
  for (int line = 0; line < 60; ++line) {
    const std::string at = std::to_string(line), next = std::to_string(line + 1);
    text += constant("factor" + at, line + 3) + "  %product" + at + " = stablehlo.multiply %x" + at + ", %factor" + at +
            " : !x\n  %shifted" + at + " = stablehlo.shift_right_logical %x" + at + ", %three : !x\n  %x" + next +
            " = stablehlo.add %product" + at + ", %shifted" + at + " : !x\n";
  }
  return text + "  return %x60 : !x\n}\n";
}

ProgramPack pack_of(int number) {
  const std::string body = body_of(number);
  const std::string in_cuda =
      "extern \"C\" __global__ void turn(unsigned* x) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; " + body +
      " }";
  const auto one = [](const char* format, const std::string& text) {
    return value(ProgramPack::source(format, text, {"turn(x: read_write u32[]) group 64"}));
  };
  return one("c",
             "void turn(const pintle_group* g, void* const* a) { unsigned* x = a[0]; for (unsigned k = 0; k < "
             "g->size[0]; ++k) { unsigned i = g->id[0] * g->size[0] + k; " +
                 body + " } }")
      .with(one("opencl_c", "kernel void turn(global uint* x) { size_t i = get_global_id(0); " + body + " }"))
      .with(one("cuda_c", in_cuda))
      .with(one("hip_c", in_cuda))
      .with(one("glsl",
                "#version 450\nlayout(local_size_x = 64) in; layout(set = 0, binding = 0, std430) buffer A { uint x[]; "
                "}; void main() { uint i = gl_GlobalInvocationID.x; " +
                    body + " }"))
      .with(one("stablehlo", stablehlo_of(number)));
}

/// Nothing of it is ever destroyed, as if globals were leaked: only core can wait for the work.
[[noreturn]] void leave_work(const char* id) {
  auto& device = *new Device(value(open(id)));
  auto& queue = *new Queue(value(device.create_queue()));
  auto& buffer = *new Buffer(value(device.allocate(DType::u32, {items})));
  auto& loaded = *new std::vector<Kernel>;
  for (int number = 0; number < kernels; ++number) loaded.push_back(value(device.load(pack_of(number), "turn")));
  const auto launch = [&](const Kernel& kernel) {
    return value(queue.submit(CommandList{}.exec(kernel, Grid::cover(items), buffer)));
  };
  value(launch(loaded[0]).wait());
  for (const Kernel& kernel : loaded) launch(kernel);
  for (int round = 0; round < 50; ++round) launch(loaded[0]);
  std::exit(0);
}

/// In a process of its own; its status.
int run_again(char** arguments) {
  std::string word = "child";
  const std::vector<char*> words{arguments[0], arguments[1], word.data(), nullptr};
  pid_t child = 0;
  clean_end::expect(::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words.data(), environ) == 0);
  int status = 0;
  clean_end::expect(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  const char* const id = clean_end::device_id(count, arguments);
  if (count > 2) leave_work(id);
  if (count < 2 || !clean_end::executes(value(open(id)))) return 0;
  for (int run = 0; run < runs; ++run) {
    const int status = run_again(arguments);
    if (status != 0) std::fprintf(stderr, "run (%d) ends with status (%#x)\n", run, static_cast<unsigned>(status));
    clean_end::expect(status == 0);
  }
  return 0;
}
