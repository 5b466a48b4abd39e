// The simulator's rules by hand, through the driver's own functions. Each is a measurement of a card: the number is the
// line of the probe's output (README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "rules.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

TEST_F(Rules, GridsGroupsAndBarriersCompute) {
  std::vector<unsigned> values(192), wanted(192);
  for (unsigned i = 0; i < 192; ++i) {
    values[i] = i;
    wanted[i] = i / 64 * 64 + 63 - i % 64;
  }
  const DevicePointer x = allocate(4 * values.size());
  write(x, values);
  EXPECT_EQ(launch("turn", 3, 64, 256, x), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(x, 192), wanted);
}

TEST_F(Rules, CallsWithoutAContextAreInvalid) {  // lines 148, 161, 162, 163, 166, 170
  Context popped = nullptr;
  ASSERT_EQ(cuda().cuCtxPopCurrent(&popped), Status::CUDA_SUCCESS);
  DevicePointer address = 0;
  Event event = nullptr;
  Stream other = nullptr;
  Module loaded = nullptr;
  void* host = nullptr;
  EXPECT_EQ(cuda().cuMemAlloc(&address, 4), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuda().cuEventCreate(&event, 0), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuda().cuStreamCreate(&other, 0), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(load(compiled().c_str(), &loaded), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuda().cuMemHostAlloc(&host, 4, 0), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuda().cuCtxPopCurrent(&popped), Status::CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(launch("nothing", 1, 1, 0), Status::CUDA_SUCCESS);  // line 151: the stream has its own
  ASSERT_EQ(cuda().cuCtxPushCurrent(context), Status::CUDA_SUCCESS);
}

TEST_F(Rules, LaunchesAreChecked) {  // lines 188 to 208
  EXPECT_EQ(launch("nothing", 0, 1, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1, 0, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1, 1024, 0), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch("nothing", 1, 1025, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1u << 31, 1, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1, 1, 49152), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch("nothing", 1, 1, 49156), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("few", 1, 33, 0), Status::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
}

TEST_F(Rules, ParametersAreToldAndTooFewBytesAreTaken) {  // lines 209 to 219, 558 to 562
  const Function kernel = function("parameters");
  const std::array<std::size_t, 4> offsets{0, 4, 8, 16}, sizes{4, 4, 8, 24};
  for (std::size_t index = 0; index < 4; ++index) {
    std::size_t offset = 0, size = 0;
    ASSERT_EQ(cuda().cuFuncGetParamInfo(kernel, index, &offset, &size), Status::CUDA_SUCCESS);
    EXPECT_EQ(offset, offsets[index]);
    EXPECT_EQ(size, sizes[index]);
  }
  std::size_t none = 0;
  EXPECT_EQ(cuda().cuFuncGetParamInfo(kernel, 4, &none, &none), Status::CUDA_ERROR_INVALID_VALUE);
  std::array<std::byte, 64> buffer{};
  const DevicePointer to = allocate(4);
  std::memcpy(buffer.data() + 8, &to, sizeof to);
  const auto launched = [&](std::size_t size) {
    std::array<void*, 5> extra{reinterpret_cast<void*>(launch_buffer), buffer.data(),
                               reinterpret_cast<void*>(launch_buffer_size), &size, reinterpret_cast<void*>(launch_end)};
    return cuda().cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, extra.data());
  };
  EXPECT_EQ(launched(40), Status::CUDA_SUCCESS);
  EXPECT_EQ(launched(36), Status::CUDA_SUCCESS);
  EXPECT_EQ(launched(44), Status::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launched(0), Status::CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Rules, CodeIsCheckedWhenItIsLoaded) {  // lines 533 to 551
  const auto answer = [](std::string head) {
    Module loaded = nullptr;
    return load((head + "\n.address_size 64\n.visible .entry f()\n{\n\tret;\n}\n").c_str(), &loaded);
  };
  EXPECT_EQ(answer(".version 9.0\n.target sm_50"), Status::CUDA_SUCCESS);
  EXPECT_EQ(answer(".version 8.0\n.target sm_90a"), Status::CUDA_SUCCESS);
  EXPECT_EQ(answer(".version 9.1\n.target sm_90"), Status::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(answer(".version 9.0\n.target sm_121"), Status::CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(answer(".version 9.0\n.target sm_100a"), Status::CUDA_ERROR_INVALID_PTX);
  Module loaded = nullptr;
  EXPECT_EQ(load("garbage", &loaded), Status::CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("", &loaded), Status::CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("\177ELF cubin of another card", &loaded), Status::CUDA_ERROR_NO_BINARY_FOR_GPU);
  Function missing = nullptr;
  EXPECT_EQ(cuda().cuModuleGetFunction(&missing, module, "missing"), Status::CUDA_ERROR_NOT_FOUND);  // line 556
}

TEST_F(Rules, ForeignCodeIsLoadedAndNotLaunched) {
  Module foreign = nullptr;
  ASSERT_EQ(load(".version 9.0\n.target sm_90\n.visible .entry f()\n{\n\tret;\n}\n", &foreign), Status::CUDA_SUCCESS);
  Function kernel = nullptr;
  ASSERT_EQ(cuda().cuModuleGetFunction(&kernel, foreign, "f"), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr),
            Status::CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Rules, APageableSourceIsReadAtTheCall) {  // lines 343 to 345
  const DevicePointer to = allocate(4);
  volatile unsigned* const gate = hold();
  std::vector<unsigned> source{17};
  write(to, source);
  source[0] = 34;
  *gate = 1;
  EXPECT_EQ(read(to, 1), std::vector<unsigned>{17});
}

TEST_F(Rules, AStreamIsFullBehind1021Launches) {  // line 349
  volatile unsigned* const gate = hold();
  for (int count = 0; count < 1021; ++count) ASSERT_EQ(launch("nothing", 1, 1, 0), Status::CUDA_SUCCESS);
  expect_held(gate, [&] { return launch("nothing", 1, 1, 0); });
}

TEST_F(Rules, FreesAndLoadsWaitForWhatRuns) {  // lines 283, 291, 294, 296
  const DevicePointer memory = allocate(4096);
  auto* const host = pinned<unsigned>(1);
  Module loaded = nullptr;
  const auto expect_wait = [&](auto call) {
    volatile unsigned* const gate = hold();
    expect_held(gate, call);
    EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
  };
  expect_wait([&] { return cuda().cuMemFree(memory); });
  expect_wait([&] { return cuda().cuMemFreeHost(host); });
  expect_wait([&] { return load(compiled().c_str(), &loaded); });
  expect_wait([&] { return cuda().cuModuleUnload(loaded); });
  DevicePointer other = 0;
  volatile unsigned* const gate = hold();
  EXPECT_EQ(cuda().cuMemAlloc(&other, 4096), Status::CUDA_SUCCESS);  // line 284: it does not wait
  *gate = 1;
}

TEST_F(Rules, MemoryIsKnown) {  // lines 230 to 242, 250, 925
  const DevicePointer memory = allocate(512);
  DevicePointer none = 0;
  EXPECT_EQ(cuda().cuMemAlloc(&none, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemFree(0), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemFree(memory + 4), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemsetD8Async(memory, 1, 513, stream), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemsetD32Async(memory + 2, 1, 4, stream), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyDtoDAsync(memory, memory + 256, 257, stream), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemFree(memory), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemFree(memory), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemAlloc(&none, std::size_t{1} << 40), Status::CUDA_ERROR_OUT_OF_MEMORY);
  void* host = nullptr;
  EXPECT_EQ(cuda().cuMemHostAlloc(&host, std::size_t{1} << 46, 0), Status::CUDA_ERROR_OUT_OF_MEMORY);  // line 925
}

TEST_F(Rules, EventsTellWhatIsDone) {  // lines 183, 221, 223
  Event event = nullptr;
  Stream other = nullptr;
  ASSERT_EQ(cuda().cuEventCreate(&event, event_disable_timing), Status::CUDA_SUCCESS);
  ASSERT_EQ(cuda().cuStreamCreate(&other, stream_non_blocking), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventQuery(event), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuStreamWaitEvent(other, event, 0), Status::CUDA_SUCCESS);
  const DevicePointer to = allocate(4);
  volatile unsigned* const gate = hold();
  EXPECT_EQ(cuda().cuMemsetD32Async(to, 5, 1, stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventRecord(event, stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventQuery(event), Status::CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuda().cuStreamWaitEvent(other, event, 0), Status::CUDA_SUCCESS);
  auto* const seen = pinned<unsigned>(1);
  EXPECT_EQ(cuda().cuMemcpyDtoHAsync(seen, to, 4, other), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventRecord(event, other), Status::CUDA_SUCCESS);
  *gate = 1;
  while (cuda().cuEventQuery(event) == Status::CUDA_ERROR_NOT_READY) {
  }
  EXPECT_EQ(*seen, 5u);
}

TEST_F(Rules, AnEventEndsWithItsContext) {  // line 1120
  Context other = nullptr;
  Event event = nullptr;
  ASSERT_EQ(cuda().cuCtxCreate(&other, 0, 0), Status::CUDA_SUCCESS);
  ASSERT_EQ(cuda().cuEventCreate(&event, event_disable_timing), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventQuery(event), Status::CUDA_SUCCESS);
  ASSERT_EQ(cuda().cuCtxDestroy(other), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventQuery(event), Status::CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/// The exit code of what a process does after a fault: 0 where every call answers `code`.
[[noreturn]] void fault(Rules& rules, Status code, const char* kernel, DevicePointer at) {
  Context other = nullptr;
  Module loaded = nullptr;
  static_cast<void>(at != 0 ? rules.launch(kernel, 1, 1, 0, at) : rules.launch(kernel, 1, 1, 0));
  const bool is_poisoned = rules.finish() == code && cuda().cuCtxCreate(&other, 0, 0) == code &&
                           Rules::load(compiled().c_str(), &loaded) == code && cuda().cuMemAlloc(&at, 4) == code &&
                           cuda().cuInit(0) == Status::CUDA_SUCCESS &&
                           cuda().cuCtxDestroy(rules.context) == Status::CUDA_SUCCESS &&
                           cuda().cuCtxCreate(&other, 0, 0) == code;
  std::_Exit(is_poisoned ? 0 : 1);
}

class Faults : public Rules {
 public:
  Faults() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Faults, PoisonTheProcess) {  // lines 732 to 741, 756 to 765
  EXPECT_EXIT(fault(*this, Status::CUDA_ERROR_ILLEGAL_ADDRESS, "store", 0x10), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(fault(*this, Status::CUDA_ERROR_LAUNCH_FAILED, "trap", 0), testing::ExitedWithCode(0), "");
}

TEST_F(Faults, AStorePastTheEndIsOne) {
  const DevicePointer memory = allocate(4096);
  EXPECT_EXIT(fault(*this, Status::CUDA_ERROR_ILLEGAL_ADDRESS, "store", memory + 4096), testing::ExitedWithCode(0), "");
}

TEST_F(Faults, AChildAfterForkHasNoDriver) {  // lines 375 to 387
  const pid_t child = ::fork();
  if (child == 0) {
    int count = 0;
    DevicePointer memory = 0;
    Context other = nullptr;
    const bool is_out = cuda().cuInit(0) == Status::CUDA_ERROR_NOT_INITIALIZED &&
                        cuda().cuDeviceGetCount(&count) == Status::CUDA_ERROR_NOT_INITIALIZED &&
                        cuda().cuMemAlloc(&memory, 4) == Status::CUDA_ERROR_NOT_INITIALIZED &&
                        cuda().cuCtxCreate(&other, 0, 0) == Status::CUDA_ERROR_NOT_INITIALIZED;
    std::_Exit(is_out ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(launch("nothing", 1, 1, 0), Status::CUDA_SUCCESS);  // line 389: the parent goes on
}

TEST_F(Faults, AHandleAfterItsEndEndsTheProcess) {  // lines 1107 to 1111
  Event event = nullptr;
  ASSERT_EQ(cuda().cuEventCreate(&event, 0), Status::CUDA_SUCCESS);
  ASSERT_EQ(cuda().cuEventDestroy(event), Status::CUDA_SUCCESS);
  EXPECT_EXIT(static_cast<void>(cuda().cuEventQuery(event)), testing::KilledBySignal(SIGSEGV),
              "cuEventQuery is called with an event that was destroyed");
  EXPECT_EXIT(static_cast<void>(cuda().cuEventDestroy(event)), testing::KilledBySignal(SIGSEGV), "cuEventDestroy");
}

TEST(Compiler, RefusesWithItsWords) {  // lines 605 and 606
  const auto compiler = must(Compiler::open());
  const auto architecture = compiler.compile({kernels, "a.cu", {"--gpu-architecture=sm_70"}});
  ASSERT_FALSE(architecture);
  EXPECT_EQ(architecture.error().vendor()->number, 5);
  EXPECT_THAT(std::string(architecture.error().message()), HasSubstr("--gpu-architecture"));
  const auto syntax = compiler.compile({"extern \"C\" __global__ void f( { }", "a.cu", {}});
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().vendor()->number, 6);
  EXPECT_THAT(std::string(syntax.error().message()), HasSubstr("a.cu:1:"));
}

}  // namespace
}  // namespace pintle::test
