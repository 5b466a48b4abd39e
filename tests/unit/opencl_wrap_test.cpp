// OpenCL objects that a program has made itself, under Pintle's devices, buffers and queues.
#include <gmock/gmock.h>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/service.h"
#include "pintle/native/cpu.h"
#include "pintle/native/opencl.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using opencl::api;
using opencl::FoundDevice;
using opencl::OpenClDevice;
using opencl::OpenClMemory;
using opencl::OpenClQueue;
using opencl::Owned;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

/// What a program that comes from OpenCL has before it meets Pintle.
struct Made {
  explicit Made(const FoundDevice& found)
      : device(found.device),
        clock(found.clock),
        context(api().clCreateContext(nullptr, 1, &found.device, nullptr, nullptr, nullptr)),
        queue(must(opencl::create_queue(context.get(), found.device, opencl::queue_properties(found.clock)))),
        given{found.platform, found.device, context.get()} {}

  [[nodiscard]] Owned<cl_mem> buffer(std::size_t bytes) const {
    return Owned<cl_mem>(api().clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, nullptr));
  }
  [[nodiscard]] Owned<cl_command_queue> queue_with(cl_command_queue_properties properties) const {
    return Owned<cl_command_queue>(api().clCreateCommandQueue(context.get(), device, properties, nullptr));
  }
  [[nodiscard]] Words words(cl_mem memory, std::size_t count) const {
    Words seen(count);
    EXPECT_EQ(api().clEnqueueReadBuffer(queue.get(), memory, CL_TRUE, 0, count * 4, seen.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return seen;
  }

  cl_device_id device;
  opencl::ClockSource clock;
  Owned<cl_context> context;
  Owned<cl_command_queue> queue;
  OpenClDevice given;
};

/// Runs each test on every device.
class OpenClWrapTest : public testing::Test {
 protected:
  void SetUp() override {
    all_ = opencl::find_devices().devices;
    if (all_.empty()) GTEST_SKIP() << "this machine has no OpenCL device";
  }
  template <class Body>
  void each(Body body) {
    for (const FoundDevice& found : all_) {
      SCOPED_TRACE(found.info.name);
      body(Made(found));
    }
  }

  std::vector<FoundDevice> all_;
};

TEST_F(OpenClWrapTest, ADeviceRunsAndStaysTheCallers) {
  each([](const Made& made) {
    {
      const Device device = must(wrap_native(made.given));
      EXPECT_THAT(std::string(device.id()), HasSubstr("opencl?native="));
      EXPECT_EQ(must(device.native<OpenClDevice>()).context, made.context.get());
      Queue queue = must(device.create_queue());
      const Buffer buffer = must(device.allocate(DType::u32, {size}));
      must(queue.submit(CommandList{}.fill(buffer, 7u)));
      EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(size, 7));
      must(device.health());
    }
    EXPECT_NE(made.buffer(4), nullptr);
  });
}

TEST_F(OpenClWrapTest, KernelsWorkOnWrappedBuffersAndQueues) {
  each([](const Made& made) {
    const Device device = must(wrap_native(made.given));
    const auto memory = made.buffer(size * sizeof(std::uint32_t));
    const Buffer wrapped = must(device.wrap_native(OpenClMemory{memory.get()}, DType::u32, {size}, "theirs"));
    EXPECT_EQ(must(wrapped.native<OpenClMemory>()).memory, memory.get());
    const auto pack = must(ProgramPack::source(
        "opencl_c", "kernel void add(global uint* words, uint added) { words[get_global_id(0)] += added; }",
        {"add(words: read_write u32[], added: u32) group 8"}));
    const Kernel add = must(device.load(pack, "add"));
    Queue queue = must(device.wrap_native(OpenClQueue{made.queue.get()}, {.label = "theirs"}));
    EXPECT_EQ(must(queue.native<OpenClQueue>()).queue, made.queue.get());
    must(queue.submit_and_wait(CommandList{}.fill(wrapped, 40u).exec(add, Grid::cover(size), wrapped, 2u)));
    EXPECT_EQ(made.words(memory.get(), size), Words(size, 42));
    EXPECT_EQ(must(read<std::uint32_t>(queue, wrapped)), Words(size, 42));
  });
}

TEST_F(OpenClWrapTest, AnOrdinaryQueueTakesAllButTimestamps) {
  each([](const Made& made) {
    const Device device = must(wrap_native(made.given));
    const auto ordinary = made.queue_with(0);
    Queue queue = must(device.wrap_native(OpenClQueue{ordinary.get()}, {.label = "theirs"}));
    const Buffer buffer = must(device.allocate(DType::u32, {size})), time = must(device.allocate(DType::u64, {1}));
    must(queue.submit_and_wait(CommandList{}.fill(buffer, 7u)));
    EXPECT_EQ(must(queue.native<OpenClQueue>()).queue, ordinary.get());
    const auto timed = queue.submit(CommandList{}.fill(buffer, 8u).timestamp(time));
    if (made.clock == opencl::ClockSource::host) {
      must(timed);
    } else {
      ASSERT_FALSE(timed);
      EXPECT_EQ(timed.error().code(), Errc::unsupported);
      EXPECT_THAT(timed.error().text(), HasSubstr("CL_QUEUE_PROFILING_ENABLE"));
      EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(size, 7));
    }
    must(queue.submit_and_wait(CommandList{}.fill(buffer, 9u)));
    EXPECT_EQ(must(queue.native<OpenClQueue>()).queue, ordinary.get());
    EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(size, 9));
  });
}

TEST_F(OpenClWrapTest, ABufferOnSharedVirtualMemoryTellsItsAddress) {
  int tried = 0;
  each([&](const Made& made) {
    if (api().clSVMAlloc == nullptr) return;
    void* const shared = api().clSVMAlloc(made.context.get(), CL_MEM_READ_WRITE, size, 0);
    if (shared == nullptr) return;
    ++tried;
    {
      const Device device = must(wrap_native(made.given));
      const Owned<cl_mem> memory(
          api().clCreateBuffer(made.context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, shared, nullptr));
      const Buffer wrapped = must(device.wrap_native(OpenClMemory{memory.get()}, DType::u8, {size}));
      EXPECT_EQ(must(wrapped.native<OpenClMemory>()).address, reinterpret_cast<std::uintptr_t>(shared));
    }
    api().clSVMFree(made.context.get(), shared);
  });
  if (tried == 0) GTEST_SKIP() << "no device has shared virtual memory";
}

TEST_F(OpenClWrapTest, WhatDoesNotFitIsRefused) {
  each([](const Made& made) {
    const Device device = must(wrap_native(made.given));
    const auto memory = made.buffer(64);
    const auto wrap = [&](const auto& native, std::uint64_t count) {
      const auto wrapped = device.wrap_native(native, DType::u32, {count});
      return wrapped ? Error(Errc::internal, "it was wrapped") : wrapped.error();
    };
    EXPECT_THAT(wrap(OpenClMemory{memory.get()}, 17).text(), AllOf(HasSubstr("(64)"), HasSubstr("(68)")));
    EXPECT_EQ(wrap(OpenClMemory{}, 1).code(), Errc::invalid_argument);
    EXPECT_EQ(wrap(cpu::CpuMemory{}, 1).code(), Errc::unsupported);
    EXPECT_EQ(device.wrap_native(OpenClQueue{}, {}).error().code(), Errc::invalid_argument);
    const auto disorderly = made.queue_with(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (disorderly != nullptr) {
      EXPECT_THAT(device.wrap_native(OpenClQueue{disorderly.get()}, {}).error().text(), HasSubstr("out of order"));
    }
  });
}

TEST_F(OpenClWrapTest, ObjectsOfAnotherContextAreRefused) {
  each([](const Made& made) {
    const Device device = must(wrap_native(made.given));
    const Owned<cl_context> other(api().clCreateContext(nullptr, 1, &made.device, nullptr, nullptr, nullptr));
    const Owned<cl_mem> memory(api().clCreateBuffer(other.get(), CL_MEM_READ_WRITE, 64, nullptr, nullptr));
    const Owned<cl_command_queue> queue(
        api().clCreateCommandQueue(other.get(), made.device, CL_QUEUE_PROFILING_ENABLE, nullptr));
    EXPECT_EQ(device.wrap_native(OpenClMemory{memory.get()}, DType::u32, {1}).error().code(), Errc::invalid_argument);
    EXPECT_EQ(device.wrap_native(OpenClQueue{queue.get()}, {}).error().code(), Errc::invalid_argument);
  });
}

TEST_F(OpenClWrapTest, DevicesThatDoNotFitAreRefused) {
  each([](const Made& made) {
    OpenClDevice given = made.given;
    given.context = nullptr;
    EXPECT_THAT(wrap_native(given).error().text(), HasSubstr("context"));
    given.device = nullptr;
    EXPECT_EQ(wrap_native(given).error().code(), Errc::invalid_argument);
  });
}

}  // namespace
}  // namespace pintle::test
