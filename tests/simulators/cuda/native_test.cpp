// Objects of the driver that a program has made itself, under Pintle's devices, buffers and queues, and the other way
// round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "pintle/native/cuda.h"
#include "pintle/native/hip.h"
#include "pintle/pintle.h"
#include "rig.h"
#include "rules.h"

namespace pintle::test {
namespace {

using cuda::CudaDevice;
using cuda::CudaMemory;
using cuda::CudaQueue;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

/// What a program that comes from CUDA has before it meets Pintle: `Rules` has its context, and a stream in it.
class CudaNative : public Rules {
 public:
  [[nodiscard]] CudaDevice given() const { return {0, context}; }
  Words words(DevicePointer from) {
    const std::vector<unsigned> seen = read(from, size);
    return {seen.begin(), seen.end()};
  }
  static Kernel add_of(const pintle::Device& device) {
    const auto pack = must(ProgramPack::source("cuda_c", source, {signatures[0]}, "native"));
    return must(device.load(pack, "add"));
  }
};

/// The exit code of a process in which a kernel of somebody else's has faulted before Pintle asks for anything.
[[noreturn]] void open_behind_a_fault(Rules& rules) {
  static_cast<void>(rules.launch("store", 1, 1, 0, DevicePointer{0x10}));
  static_cast<void>(rules.finish());
  const auto is_told = [](const auto& opened) {
    return !opened && opened.error().code() == Errc::process_poisoned && opened.error().vendor()->number == 700;
  };
  const bool is_listed = create_driver()->enumerate().devices.size() == 1;
  std::_Exit(is_listed && is_told(try_open()) && is_told(open("cuda:0")) ? 0 : 1);
}

TEST_F(CudaNative, NoDeviceOpensWhereAnotherLibraryHasPoisonedTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_behind_a_fault(*this), testing::ExitedWithCode(0), "");
}

TEST_F(CudaNative, ADeviceRunsAndStaysTheCallers) {
  {
    const pintle::Device device = must(wrap_native(given()));
    EXPECT_THAT(std::string(device.id()), HasSubstr("cuda?native="));
    EXPECT_EQ(must(device.native<CudaDevice>()).context, context);
    pintle::Queue queue = must(device.create_queue());
    const Buffer buffer = must(device.allocate(DType::u32, {size}));
    must(queue.submit(CommandList{}.fill(buffer, 7u)));
    EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, buffer)), Words(size, 7));
    must(device.health());
  }
  EXPECT_NE(allocate(4), 0u);  // in the context, which is there
}

TEST_F(CudaNative, KernelsWorkOnWrappedBuffersAndQueues) {
  const DevicePointer memory = allocate(size * 4 + 64);
  {
    const pintle::Device device = must(wrap_native(given()));
    const Buffer wrapped = must(device.wrap_native(CudaMemory{memory + 64}, DType::u32, {size}, "theirs"));
    EXPECT_EQ(must(wrapped.native<CudaMemory>()).address, memory + 64);
    pintle::Queue queue = must(device.wrap_native(CudaQueue{stream}, {.label = "theirs"}));
    EXPECT_EQ(must(queue.native<CudaQueue>()).stream, stream);
    EXPECT_EQ(pintle::test::cuda().cuMemsetD32Async(memory + 64, 40, size, stream),
              Status::CUDA_SUCCESS);  // theirs, before
    must(queue.submit_and_wait(CommandList{}.exec(add_of(device), Grid::cover(size), wrapped, 2u, size)));
    EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, wrapped)), Words(size, 42));
  }
  EXPECT_EQ(words(memory + 64), Words(size, 42));  // the stream and the memory are there
}

TEST_F(CudaNative, TheDefaultStreamIsThatOfTheContext) {
  const pintle::Device device = must(wrap_native(given()));
  pintle::Queue queue = must(device.wrap_native(CudaQueue{}, {}));
  const Buffer buffer = must(device.allocate(DType::u32, {size}));
  pintle::cuda::CudaMemory place = must(buffer.native<CudaMemory>());
  EXPECT_EQ(pintle::test::cuda().cuMemsetD32Async(place.address, 5, size, nullptr), Status::CUDA_SUCCESS);
  const Kernel add = add_of(device);
  Recording recording = must(
      device.record(CommandList{}.exec(add, Grid::cover(size), buffer, 1u, size).fill(must(buffer.slice(0, 1)), 9u)));
  must(queue.submit(CommandList{}.exec(add, Grid::cover(size), buffer, 1u, size)));
  must(must(queue.replay(recording)).wait());
  Words expected(size, 7);
  expected[0] = 9;
  EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, buffer)), expected);
}

TEST_F(CudaNative, ObjectsOfOursWorkInTheDriversCalls) {
  pintle::Device device = must(open("cuda:0"));
  pintle::Queue queue = must(device.create_queue());
  const Buffer buffer = must(device.allocate(DType::u32, {size}, {.placement = Placement::host}));
  const auto theirs = must(device.native<CudaDevice>());
  const auto memory = must(buffer.native<CudaMemory>());
  auto* const their_stream = static_cast<Stream>(must(queue.native<CudaQueue>()).stream);
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 1u)));
  EXPECT_EQ(pintle::test::cuda().cuCtxPushCurrent(static_cast<Context>(theirs.context)), Status::CUDA_SUCCESS);
  EXPECT_EQ(pintle::test::cuda().cuMemsetD32Async(memory.address + 40, 8, 5, their_stream), Status::CUDA_SUCCESS);
  Context ours = nullptr;
  EXPECT_EQ(pintle::test::cuda().cuCtxPopCurrent(&ours), Status::CUDA_SUCCESS);
  Words expected(size, 1);
  std::fill_n(expected.begin() + 10, 5, 8u);
  EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, buffer)), expected);  // behind the fill, in the same stream
  EXPECT_EQ(static_cast<std::uint32_t*>(memory.host)[10], 8u);
  EXPECT_EQ(device.native<hip::HipDevice>().error().code(), Errc::unsupported);
}

TEST_F(CudaNative, ThePrimaryContextIsSharedAndCounted) {
  Context primary = nullptr;
  ASSERT_EQ(pintle::test::cuda().cuDevicePrimaryCtxRetain(&primary, 0), Status::CUDA_SUCCESS);
  {
    const pintle::Device device = must(open("cuda:0?primary"));
    EXPECT_EQ(must(device.native<CudaDevice>()).context, primary);
    EXPECT_NE(must(must(open("cuda:0")).native<CudaDevice>()).context, primary);
    pintle::Queue queue = must(device.create_queue());
    const Buffer buffer = must(device.allocate(DType::u32, {size}));
    must(queue.submit(CommandList{}.fill(buffer, 7u)));
    EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, buffer)), Words(size, 7));
  }
  EXPECT_EQ(pintle::test::cuda().cuCtxPushCurrent(primary), Status::CUDA_SUCCESS);  // theirs keeps it
  Context popped = nullptr;
  EXPECT_EQ(pintle::test::cuda().cuCtxPopCurrent(&popped), Status::CUDA_SUCCESS);
  EXPECT_EQ(pintle::test::cuda().cuDevicePrimaryCtxRelease(0), Status::CUDA_SUCCESS);
  EXPECT_NE(pintle::test::cuda().cuDevicePrimaryCtxRelease(0), Status::CUDA_SUCCESS);  // ours has gone with the device
  EXPECT_EQ(open("cuda:0?primary=1").error().code(), Errc::invalid_argument);
}

// What the simulator runs first is the node that is ready and came last.
TEST_F(CudaNative, BarriersOrderARecordingOfBuffersOverTheSameBytes) {
  const DevicePointer memory = allocate(size * 4);
  const pintle::Device device = must(wrap_native(given()));
  pintle::Queue queue = must(device.create_queue());
  const Buffer one = must(device.wrap_native(CudaMemory{memory}, DType::u32, {size}));
  const Buffer other = must(device.wrap_native(CudaMemory{memory}, DType::u32, {size}));
  const Kernel add = add_of(device);
  Recording recording = must(device.record(CommandList{}
                                               .fill(one, 1u)
                                               .barrier()
                                               .exec(add, Grid::cover(size), other, 2u, size)
                                               .barrier()
                                               .fill(must(one.slice(0, 1)), 9u)));
  must(must(queue.replay(recording)).wait());
  Words expected(size, 3);
  expected[0] = 9;
  EXPECT_EQ(must(pintle::read<std::uint32_t>(queue, other)), expected);
}

TEST_F(CudaNative, WhatDoesNotFitIsRefused) {
  const pintle::Device device = must(wrap_native(given()));
  const auto refused = [](const auto& result, std::string_view words) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::invalid_argument);
    EXPECT_THAT(result.error().text(), HasSubstr(std::string(words)));
  };
  refused(wrap_native(CudaDevice{}), "null");
  refused(wrap_native(CudaDevice{7, context}), "(7)");
  const DevicePointer memory = allocate(64);
  refused(device.wrap_native(CudaMemory{memory + 32}, DType::u8, {33}), "(32) bytes, and (33)");
  refused(device.wrap_native(CudaMemory{64}, DType::u8, {1}), "is not of memory");  // nobody's, wherever others lie
  refused(device.wrap_native(CudaQueue{stream_per_thread}, {}), "each thread");
  Context second = nullptr;
  Stream foreign = nullptr;
  ASSERT_EQ(pintle::test::cuda().cuCtxCreate(&second, 0, 0), Status::CUDA_SUCCESS);
  ASSERT_EQ(pintle::test::cuda().cuStreamCreate(&foreign, stream_non_blocking), Status::CUDA_SUCCESS);
  refused(device.wrap_native(CudaQueue{foreign}, {}), "another context");
  EXPECT_EQ(pintle::test::cuda().cuCtxDestroy(second), Status::CUDA_SUCCESS);
  EXPECT_EQ(device.wrap_native(hip::HipQueue{}, {}).error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace pintle::test
