// Tensors of DLPack in the memory of a CUDA device, both ways.
#include "pintle/dlpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/native/cuda.h"
#include "pintle/pintle.h"
#include "rules.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle::test {
namespace {

namespace dlpack = vendor::dlpack;
using pintle::cuda::CudaDevice;
using pintle::cuda::CudaMemory;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

/// Another library's tensor of `size` words in a device's memory, which counts how often its deleter is called.
struct Producer {
  explicit Producer(DevicePointer address, std::int32_t number = 0) {
    managed.version = dlpack::version;
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; };
    managed.dl_tensor = {.data = reinterpret_cast<void*>(address),
                         .device = {dlpack::device_cuda, number},
                         .ndim = 1,
                         .dtype = {dlpack::code_uint, 32, 1},
                         .shape = shape.data(),
                         .strides = nullptr,
                         .byte_offset = 64};
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  std::array<std::int64_t, 1> shape{size};
  std::array<std::int64_t, 1> strides{2};
  std::atomic<int> deleted = 0;
  DLManagedTensorVersioned managed{};
};

/// A device over the program's own context, whose memory the tensors are in.
class CudaDlpack : public Rules {
 public:
  CudaDlpack()
      : device(must(wrap_native(CudaDevice{0, context}))),
        queue(must(device.create_queue())),
        memory(allocate(2 * size * 4 + 64)) {
    EXPECT_EQ(pintle::test::cuda().cuMemsetD32Async(memory, 7, 2 * size + 16, stream), Status::CUDA_SUCCESS);
    finish();
  }

  Words words(const BufferView& view) { return must(pintle::read<std::uint32_t>(queue, view)); }
  static void refused(const Result<Buffer>& taken, const Producer& producer, Errc code, std::string_view text) {
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code(), code) << taken.error().text();
    EXPECT_THAT(taken.error().text(), HasSubstr(std::string(text)));
    EXPECT_EQ(producer.deleted, 1);
  }

  pintle::Device device;
  pintle::Queue queue;
  DevicePointer memory;
};

TEST_F(CudaDlpack, ATensorIsUsedInPlaceUntilTheLastUse) {
  Producer producer(memory);
  Signal gate = must(Signal::create());
  {
    const Buffer buffer = must(from_dlpack(device, &producer.managed, "theirs"));
    EXPECT_EQ(must(buffer.native<CudaMemory>()).address, memory + 64);
    EXPECT_EQ(words(buffer), Words(size, 7));
    must(queue.submit(CommandList{}.fill(buffer, 9u), {.after = {gate.at(1)}}));
  }
  EXPECT_EQ(producer.deleted, 0);
  must(gate.set(1));
  must(queue.last().wait());
  must(device.poll());
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_EQ(read(memory + 64, size), std::vector<unsigned>(size, 9));
}

TEST_F(CudaDlpack, ACopySharesNothing) {
  Producer producer(memory);
  const Buffer copy = must(from_dlpack(device, queue, &producer.managed, DlpackCopy::always));
  must(queue.last().wait());
  must(device.poll());
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_NE(must(copy.native<CudaMemory>()).address, memory + 64);
  EXPECT_EQ(pintle::test::cuda().cuMemsetD32Async(memory, 1, size + 16, stream), Status::CUDA_SUCCESS);
  finish();
  EXPECT_EQ(words(copy), Words(size, 7));
}

TEST_F(CudaDlpack, AReadOnlyTensorIsASealedBuffer) {
  Producer producer(memory);
  producer.managed.flags = dlpack::flag_read_only;
  const Buffer buffer = must(from_dlpack(device, queue, &producer.managed, DlpackCopy::allowed));
  EXPECT_TRUE(buffer.is_sealed());
  EXPECT_EQ(words(buffer), Words(size, 7));
}

TEST_F(CudaDlpack, ABufferIsHandedOutWhereItIs) {
  Buffer buffer = must(device.allocate(DType::u32, {10, 100}));
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 5u)));
  const auto address = must(buffer.native<CudaMemory>()).address;
  DlpackTensor tensor = must(to_dlpack(std::move(buffer)));
  const DLTensor& its = tensor->dl_tensor;
  EXPECT_EQ(its.device.device_type, dlpack::device_cuda);
  EXPECT_EQ(its.device.device_id, 0);
  EXPECT_EQ(reinterpret_cast<DevicePointer>(its.data), address);
  EXPECT_EQ(tensor->flags, 0u);
  ASSERT_EQ(its.ndim, 2);
  EXPECT_EQ(its.shape[1], 100);
  EXPECT_EQ(its.strides[0], 100);
  EXPECT_EQ(read(address, size), std::vector<unsigned>(size, 5));
  const Buffer back = must(from_dlpack(device, tensor.release()));
  EXPECT_EQ(must(back.native<CudaMemory>()).address, address);
  EXPECT_EQ(words(back), Words(size, 5));
}

TEST_F(CudaDlpack, ASealedBufferIsReadOnlyAndAMappedOneIsTheHosts) {
  Buffer sealed = must(device.allocate(DType::u32, {size}));
  must(sealed.seal());
  EXPECT_EQ(to_old_dlpack(std::move(sealed)).error().code(), Errc::unsupported);
  const DlpackTensor read_only = must(to_dlpack(std::move(sealed)));  // the refusal left it alone
  EXPECT_EQ(read_only->flags, dlpack::flag_read_only);
  EXPECT_EQ(read_only->dl_tensor.device.device_type, dlpack::device_cuda);
  Buffer pinned = must(device.allocate(DType::u32, {size}, {.placement = Placement::host}));
  void* const host = must(pinned.map()).data();
  const DlpackTensor mapped = must(to_dlpack(std::move(pinned)));
  EXPECT_EQ(mapped->dl_tensor.device.device_type, dlpack::device_cpu);
  EXPECT_EQ(mapped->dl_tensor.data, host);
}

TEST_F(CudaDlpack, WhatIsNotTheDevicesIsRefused) {
  Producer second(memory, 1);
  refused(from_dlpack(device, &second.managed), second, Errc::unsupported, "CUDA device 1");
  Producer elsewhere(memory);
  refused(from_dlpack(must(open("cpu")), &elsewhere.managed), elsewhere, Errc::unsupported, "[cpu] is another one");
  Producer copied(memory);
  pintle::Device cpu = must(open("cpu"));
  pintle::Queue on_cpu = must(cpu.create_queue());
  refused(from_dlpack(cpu, on_cpu, &copied.managed, DlpackCopy::always), copied, Errc::unsupported, "[cpu]");
  Producer rocm(memory);
  rocm.managed.dl_tensor.device.device_type = dlpack::device_rocm;
  refused(from_dlpack(device, &rocm.managed), rocm, Errc::unsupported, "ROCm device 0");
  Producer foreign(memory);
  refused(from_dlpack(must(open("cuda:0")), &foreign.managed), foreign, Errc::invalid_argument, "cuda:0?primary");
  Producer gaps(memory);
  gaps.managed.dl_tensor.strides = gaps.strides.data();
  refused(from_dlpack(device, queue, &gaps.managed, DlpackCopy::always), gaps, Errc::unsupported, "not in C order");
  Producer nowhere(memory + (1u << 24));
  refused(from_dlpack(device, &nowhere.managed), nowhere, Errc::invalid_argument, "is not of memory");
}

}  // namespace
}  // namespace pintle::test
