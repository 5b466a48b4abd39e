// That the layer does what its README says: OpenCL by hand, in a process under the layer.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "base/dylib.h"
#include "pintle/must.h"
#include "vendor/opencl/table.h"

namespace pintle::test {
namespace {

const vendor::opencl::Table& cl() {
  static const auto& table = *new vendor::opencl::Table(must(vendor::opencl::Table::open()));
  return table;
}

/// What Pintle does not call.
struct More {
  base::Dylib library = must(base::Dylib::open("libOpenCL.so.1"));
  decltype(&::clCreateUserEvent) create_user_event = get<decltype(::clCreateUserEvent)>("clCreateUserEvent");
  decltype(&::clSetUserEventStatus) set_user_event = get<decltype(::clSetUserEventStatus)>("clSetUserEventStatus");
  decltype(&::clEnqueueMapBuffer) map = get<decltype(::clEnqueueMapBuffer)>("clEnqueueMapBuffer");
  decltype(&::clEnqueueUnmapMemObject) unmap = get<decltype(::clEnqueueUnmapMemObject)>("clEnqueueUnmapMemObject");
  decltype(&::clFinish) finish = get<decltype(::clFinish)>("clFinish");

 private:
  template <class Function>
  [[nodiscard]] Function* get(const char* name) const {
    return must(library.function<Function>(name));
  }
};

const More& more() {
  static const More& all = *new More;
  return all;
}

class HostileLayer : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    cl_platform_id platform = nullptr;
    ASSERT_EQ(cl().clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    ASSERT_EQ(cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
    context_ = cl().clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = cl().clCreateCommandQueue(context_, device_, 0, nullptr);
    ASSERT_NE(queue_, nullptr);
  }
  void TearDown() override {
    cl().clReleaseCommandQueue(queue_);
    cl().clReleaseContext(context_);
  }

  [[nodiscard]] cl_mem buffer(std::size_t size) const {
    return cl().clCreateBuffer(context_, CL_MEM_READ_WRITE, size, nullptr, nullptr);
  }
  /// Null where it does not build.
  [[nodiscard]] cl_program program(const char* source, const char* options) const {
    const cl_program made = cl().clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    if (cl().clBuildProgram(made, 1, &device_, options, nullptr, nullptr) == CL_SUCCESS) return made;
    cl().clReleaseProgram(made);
    return nullptr;
  }
  /// Fills a buffer on a queue of its own, and waits for it.
  void run_elsewhere() const {
    const cl_command_queue other = cl().clCreateCommandQueue(context_, device_, 0, nullptr);
    const cl_mem memory = buffer(4);
    const std::uint32_t word = 1;
    cl_event filled = nullptr;
    EXPECT_EQ(cl().clEnqueueFillBuffer(other, memory, &word, 4, 0, 4, 0, nullptr, &filled), CL_SUCCESS);
    cl().clFlush(other);
    while (state_of(filled) != CL_COMPLETE) std::this_thread::yield();
    cl().clReleaseEvent(filled);
    cl().clReleaseMemObject(memory);
    cl().clReleaseCommandQueue(other);
  }
  static cl_int state_of(cl_event event) {
    cl_int state = CL_QUEUED;
    cl().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    return state;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

TEST_F(HostileLayer, StandsBeforeTheNameOfTheDevice) {
  std::size_t size = 0;
  ASSERT_EQ(cl().clGetDeviceInfo(device_, CL_DEVICE_NAME, 0, nullptr, &size), CL_SUCCESS);
  std::string name(size, '\0');
  ASSERT_EQ(cl().clGetDeviceInfo(device_, CL_DEVICE_NAME, size, name.data(), nullptr), CL_SUCCESS);
  EXPECT_TRUE(name.starts_with("hostile ")) << name;
  EXPECT_EQ(cl().clGetDeviceInfo(device_, CL_DEVICE_NAME, size - 1, name.data(), nullptr), CL_INVALID_VALUE);
}

TEST_F(HostileLayer, ReadsASourceWhenItIsEnqueued) {
  const cl_mem memory = buffer(4);
  std::uint32_t source = 1, seen = 0;
  ASSERT_EQ(cl().clEnqueueWriteBuffer(queue_, memory, CL_FALSE, 0, 4, &source, 0, nullptr, nullptr), CL_SUCCESS);
  source = 2;
  cl_event read = nullptr;
  ASSERT_EQ(cl().clEnqueueReadBuffer(queue_, memory, CL_FALSE, 0, 4, &seen, 0, nullptr, &read), CL_SUCCESS);
  ASSERT_EQ(cl().clFlush(queue_), CL_SUCCESS);
  while (state_of(read) != CL_COMPLETE) std::this_thread::yield();
  EXPECT_EQ(seen, 1U);
  cl().clReleaseEvent(read);
  cl().clReleaseMemObject(memory);
}

TEST_F(HostileLayer, StartsNothingBeforeAFlush) {
  const cl_mem memory = buffer(4);
  const std::uint32_t word = 7;
  cl_event filled = nullptr;
  ASSERT_EQ(cl().clEnqueueFillBuffer(queue_, memory, &word, 4, 0, 4, 0, nullptr, &filled), CL_SUCCESS);
  for (int i = 0; i < 20; ++i) run_elsewhere();  // a driver that starts it has ended it by then
  EXPECT_NE(state_of(filled), CL_COMPLETE);
  ASSERT_EQ(cl().clFlush(queue_), CL_SUCCESS);
  while (state_of(filled) != CL_COMPLETE) std::this_thread::yield();
  cl().clReleaseEvent(filled);
  cl().clReleaseMemObject(memory);
}

TEST_F(HostileLayer, CallsBackOnThreadsOfItsOwn) {
  static std::atomic<int> calls{0};
  const cl_mem memory = buffer(4);
  const std::uint32_t word = 7;
  for (int i = 0; i < 20; ++i) {
    cl_event filled = nullptr;
    ASSERT_EQ(cl().clEnqueueFillBuffer(queue_, memory, &word, 4, 0, 4, 0, nullptr, &filled), CL_SUCCESS);
    ASSERT_EQ(
        cl().clSetEventCallback(filled, CL_COMPLETE, [](cl_event, cl_int, void*) { ++calls; }, nullptr), CL_SUCCESS);
    cl().clReleaseEvent(filled);
  }
  ASSERT_EQ(cl().clFlush(queue_), CL_SUCCESS);
  while (calls.load() < 20) std::this_thread::yield();
  cl().clReleaseMemObject(memory);
}

TEST_F(HostileLayer, AnEnqueueBlocksWhereTheQueueIsFull) {
  const cl_event gate = more().create_user_event(context_, nullptr);
  const cl_mem memory = buffer(4);
  const std::uint32_t word = 7;
  const auto fill = [&](cl_uint count, const cl_event* waits, cl_event* event) {
    return cl().clEnqueueFillBuffer(queue_, memory, &word, 4, 0, 4, count, waits, event);
  };
  cl_event held = nullptr;
  ASSERT_EQ(fill(1, &gate, &held), CL_SUCCESS);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(fill(0, nullptr, nullptr), CL_SUCCESS);  // these take no room
  EXPECT_NE(state_of(held), CL_COMPLETE);
  ASSERT_EQ(more().set_user_event(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(fill(0, nullptr, nullptr), CL_SUCCESS);  // without a flush by this program
  EXPECT_EQ(state_of(held), CL_COMPLETE);
  cl().clReleaseEvent(held);
  cl().clReleaseEvent(gate);
  cl().clReleaseMemObject(memory);
}

TEST_F(HostileLayer, GivesHandlesAndAddressesAgainAtOnce) {
  const cl_mem first = buffer(1 << 12);
  cl().clReleaseMemObject(first);
  const cl_mem second = buffer(1 << 12);
  EXPECT_EQ(first, second);
  const cl_mem other = buffer(1 << 12);
  EXPECT_NE(other, second);
  cl().clReleaseMemObject(other);
  cl().clReleaseMemObject(second);
  void* const address = cl().clSVMAlloc(context_, CL_MEM_READ_WRITE, 1 << 12, 0);
  ASSERT_NE(address, nullptr);
  cl().clSVMFree(context_, address);
  void* const again = cl().clSVMAlloc(context_, CL_MEM_READ_WRITE, 1 << 12, 0);
  EXPECT_EQ(address, again);
  cl().clSVMFree(context_, again);
}

TEST_F(HostileLayer, EndsTheProcessAtALaunchOnMappedBytes) {
  const cl_program built =
      program("kernel void put(global const int* x, global int* y) { y[0] = x[0]; }", "-cl-kernel-arg-info");
  const cl_kernel kernel = cl().clCreateKernel(built, "put", nullptr);
  const cl_mem from = buffer(64), to = buffer(64);
  ASSERT_EQ(cl().clSetKernelArg(kernel, 0, sizeof from, &from), CL_SUCCESS);
  ASSERT_EQ(cl().clSetKernelArg(kernel, 1, sizeof to, &to), CL_SUCCESS);
  const auto map = [&](cl_mem memory, cl_map_flags flags) {
    return more().map(queue_, memory, CL_TRUE, flags, 0, 4, 0, nullptr, nullptr, nullptr);
  };
  const auto launch = [&] {
    const std::size_t one = 1;
    return cl().clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
  };
  void* const read = map(from, CL_MAP_READ);
  EXPECT_EQ(launch(), CL_SUCCESS);  // both read
  void* const read_too = map(to, CL_MAP_READ);
  EXPECT_DEATH(launch(), "hostile: clEnqueueNDRangeKernel launches \"put\", whose argument 1 is written and mapped");
  more().unmap(queue_, to, read_too, 0, nullptr, nullptr);
  void* const written = map(from, CL_MAP_WRITE);
  EXPECT_DEATH(launch(), "whose argument 0 has bytes that are mapped for writing");
  for (void* const address : {read, written}) more().unmap(queue_, from, address, 0, nullptr, nullptr);
  EXPECT_EQ(launch(), CL_SUCCESS);
  more().finish(queue_);
  cl().clReleaseMemObject(from);
  cl().clReleaseMemObject(to);
  cl().clReleaseKernel(kernel);
  cl().clReleaseProgram(built);
}

TEST_F(HostileLayer, BuildsNoKernelWithoutParametersWithTheOption) {
  constexpr const char* with = "kernel void a(global int* x) { x[0] = 1; }";
  for (const char* without : {"kernel void a() {}", "__kernel void a(void) {}",
                              "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void a ( ) { }"}) {
    EXPECT_EQ(program(without, "-cl-kernel-arg-info"), nullptr) << without;
    EXPECT_NE(program(without, ""), nullptr) << without;
  }
  EXPECT_NE(program(with, "-cl-kernel-arg-info"), nullptr);
}

TEST_F(HostileLayer, EndsTheProcessAtADoubleRelease) {
  const cl_mem memory = buffer(4);
  cl().clReleaseMemObject(memory);
  EXPECT_DEATH(cl().clReleaseMemObject(memory), "hostile: clReleaseMemObject gets an object that has been released");
}

TEST_F(HostileLayer, EndsTheProcessAtAParentThatGoesBeforeItsPart) {
  const cl_mem memory = buffer(1 << 16);
  const cl_buffer_region region{1 << 12, 1 << 12};
  const cl_mem part = cl().clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  ASSERT_NE(part, nullptr);
  EXPECT_DEATH(cl().clReleaseMemObject(memory), "hostile: clReleaseMemObject releases an object before its parts");
  cl().clReleaseMemObject(part);
  cl().clReleaseMemObject(memory);
}

TEST_F(HostileLayer, EndsTheProcessAtALaunchWhoseArgumentHasGone) {
  const cl_program built = program("kernel void set(global int* x) { x[0] = 1; }", "");
  const cl_kernel kernel = cl().clCreateKernel(built, "set", nullptr);
  const cl_mem memory = buffer(4);
  ASSERT_EQ(cl().clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  cl().clReleaseMemObject(memory);
  const std::size_t one = 1;
  EXPECT_DEATH(
      cl().clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
      "hostile: clEnqueueNDRangeKernel launches \"set\", whose argument 0 is an object that has been released");
  cl().clReleaseKernel(kernel);
  cl().clReleaseProgram(built);
}

}  // namespace
}  // namespace pintle::test
