// The simulator by hand: a context, a stream and kernels, through the driver's own functions.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "pintle/must.h"
#include "vendor/cuda/driver.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::test {

using namespace vendor::cuda;

inline constexpr const char* kernels = R"(
extern "C" __global__ void nothing() {}
extern "C" __global__ void hold(volatile unsigned* gate) { while (*gate == 0) {} }
extern "C" __global__ void copy(const unsigned* from, unsigned* to) { *to = *from; }
extern "C" __global__ void add(unsigned* x, unsigned a) { *x += a; }
extern "C" __global__ void store(unsigned long long at) { *(volatile unsigned*)at = 1; }
extern "C" __global__ void trap() { __trap(); }
extern "C" __global__ void __launch_bounds__(32) few() {}
struct S24 { unsigned long long a; double b; unsigned c, d; };
extern "C" __global__ void parameters(unsigned a, float b, unsigned* c, S24 s) { c[0] = a + (unsigned)b + (unsigned)s.a + s.c; }
extern "C" __global__ void turn(unsigned* x) {
  extern __shared__ unsigned dynamic[];
  __shared__ unsigned fixed[64];
  const unsigned i = threadIdx.x, n = blockDim.x;
  dynamic[i] = x[blockIdx.x * n + i];
  __syncthreads();
  fixed[i] = dynamic[n - 1 - i];
  __syncthreads();
  x[blockIdx.x * n + i] = fixed[i];
}
)";

inline const Driver& cuda() {
  static const auto& driver = *new Driver(must(Driver::open()));
  return driver;
}

inline const std::string& compiled() {
  static const auto& ptx = *new std::string(
      must(must(Compiler::open()).compile({kernels, "rules.cu", {"--gpu-architecture=compute_90", "--std=c++17"}})));
  return ptx;
}

/// A context that is current, a stream, and the kernels.
class Rules : public testing::Test {
 public:
  Rules() {
    EXPECT_EQ(cuda().cuInit(0), Status::CUDA_SUCCESS);
    EXPECT_EQ(cuda().cuCtxCreate(&context, 0, 0), Status::CUDA_SUCCESS);
    EXPECT_EQ(cuda().cuStreamCreate(&stream, stream_non_blocking), Status::CUDA_SUCCESS);
    EXPECT_EQ(load(compiled().c_str(), &module), Status::CUDA_SUCCESS);
  }
  ~Rules() override {
    finish();
    static_cast<void>(cuda().cuCtxDestroy(context));
  }

  static Status load(const char* image, Module* to) {
    return cuda().cuModuleLoadDataEx(to, image, 0, nullptr, nullptr);
  }
  Function function(const char* name) {
    Function found = nullptr;
    EXPECT_EQ(cuda().cuModuleGetFunction(&found, module, name), Status::CUDA_SUCCESS);
    return found;
  }
  DevicePointer allocate(std::size_t size) {
    DevicePointer address = 0;
    EXPECT_EQ(cuda().cuMemAlloc(&address, size), Status::CUDA_SUCCESS);
    return address;
  }
  template <class T>
  T* pinned(std::size_t count) {
    void* host = nullptr;
    EXPECT_EQ(cuda().cuMemHostAlloc(&host, count * sizeof(T), host_memory_device_mapped), Status::CUDA_SUCCESS);
    std::memset(host, 0, count * sizeof(T));
    return static_cast<T*>(host);
  }
  template <class... Values>
  Status launch(const char* name, unsigned grid, unsigned block, unsigned shared, Values... values) {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    return cuda().cuLaunchKernel(function(name), grid, 1, 1, block, 1, 1, shared, stream, pointers.data(), nullptr);
  }
  /// Waits until the stream has done everything; the code of a fault.
  Status finish() {
    Event event = nullptr;
    Status status = cuda().cuEventCreate(&event, event_disable_timing);
    if (status != Status::CUDA_SUCCESS) return status;
    status = cuda().cuEventRecord(event, stream);
    if (status == Status::CUDA_SUCCESS) {
      do status = cuda().cuEventQuery(event);
      while (status == Status::CUDA_ERROR_NOT_READY);
    }
    static_cast<void>(cuda().cuEventDestroy(event));
    return status;
  }
  std::vector<unsigned> read(DevicePointer from, std::size_t count) {
    std::vector<unsigned> values(count);
    EXPECT_EQ(cuda().cuMemcpyDtoHAsync(values.data(), from, 4 * count, stream), Status::CUDA_SUCCESS);
    return values;
  }
  void write(DevicePointer to, const std::vector<unsigned>& values) {
    EXPECT_EQ(cuda().cuMemcpyHtoDAsync(to, values.data(), 4 * values.size(), stream), Status::CUDA_SUCCESS);
  }
  /// Holds the stream until the gate is opened, and returns the gate.
  volatile unsigned* hold() {
    auto* const gate = pinned<unsigned>(1);
    EXPECT_EQ(launch("hold", 1, 1, 0, static_cast<void*>(gate)), Status::CUDA_SUCCESS);
    return gate;
  }
  /// Expects that `call` returns only when the gate has been opened.
  template <class Call>
  void expect_held(volatile unsigned* gate, Call call) {
    std::atomic<bool> has_begun{false};
    unsigned gate_at_return = 7;
    std::thread caller([&] {
      static_cast<void>(cuda().cuCtxPushCurrent(context));
      has_begun.store(true);
      EXPECT_EQ(call(), Status::CUDA_SUCCESS);
      gate_at_return = *gate;
    });
    while (!has_begun.load()) std::this_thread::yield();
    for (int look = 0; look < 1000; ++look) std::this_thread::yield();
    *gate = 1;
    caller.join();
    EXPECT_EQ(gate_at_return, 1u);
  }

  Context context = nullptr;
  Stream stream = nullptr;
  Module module = nullptr;
};

}  // namespace pintle::test
