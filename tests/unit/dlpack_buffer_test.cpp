// Buffers over DLPack structs made by hand, and structs over buffers: who owns what, and what is refused.
#include "pintle/dlpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/dlpack.h"
#include "pintle/native/faulty.h"
#include "pintle/pintle.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle {
namespace {

using namespace vendor::dlpack;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

using Floats = std::vector<float>;

template <class Managed>
constexpr bool is_versioned = std::is_same_v<Managed, DLManagedTensorVersioned>;

/// A producer of 64 floats, which counts how often its deleter is called.
template <class Managed = DLManagedTensorVersioned>
struct Producer {
  explicit Producer(std::vector<std::int64_t> dims = {2, 3}, std::vector<std::int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    std::iota(data.begin(), data.end(), 0.0f);
    if constexpr (is_versioned<Managed>) managed.version = version;
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; };
    managed.dl_tensor = {.data = data.data(),
                         .device = {device_cpu, 0},
                         .ndim = static_cast<std::int32_t>(shape.size()),
                         .dtype = {code_float, 32, 1},
                         .shape = shape.data(),
                         .strides = strides.empty() ? nullptr : strides.data(),
                         .byte_offset = 0};
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  DLTensor& tensor() { return managed.dl_tensor; }

  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  alignas(64) std::array<float, 64> data{};
  std::atomic<int> deleted = 0;
  Managed managed{};
};

template <class T>
std::string refusal(const Result<T>& result, Errc code) {
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), code) << result.error().text();
  return result.error().text();
}

/// A device that runs what it is given in the test's own thread, behind a layer that fails when told.
class DlpackBuffer : public testing::Test {
 protected:
  DlpackBuffer() : device_(must(open("faulty(cpu?inline)?call=open&ordinal=1000000&code=unavailable"))) {
    queue_ = must(device_.create_queue());
  }

  void fail_next(std::string_view call, Errc code) {
    const auto control = must(device_.native<layers::FaultyControl>());
    must(control.arm(control.self, call, 1, code));
  }
  Floats floats_of(const BufferView& view) { return must(read<float>(queue_, view)); }
  Buffer buffer_of(const Floats& values) {
    Buffer buffer = must(device_.allocate(DType::f32, {values.size()}));
    must(queue_.submit_and_wait(CommandList{}.upload(buffer, values)));
    return buffer;
  }
  /// Whatever is submitted now waits until `gate` is set to 1.
  Signal hold() {
    Signal gate = must(Signal::create());
    must(queue_.submit(CommandList{}, {.after = {gate.at(1)}}));
    return gate;
  }
  /// The refusal of a tensor where no copy is allowed; its deleter must have been called once.
  template <class Managed>
  std::string refused(Producer<Managed>& producer, Errc code) {
    const std::string text = refusal(from_dlpack(device_, &producer.managed), code);
    EXPECT_EQ(producer.deleted, 1) << text;
    return text;
  }

  Device device_;
  Queue queue_;
};

template <class Managed>
void check_in_place(const Device& device, Queue& queue) {
  Producer<Managed> producer;
  {
    const Buffer buffer = must(from_dlpack(device, &producer.managed, "theirs"));
    EXPECT_EQ(buffer.dtype(), DType::f32);
    EXPECT_EQ(buffer.shape(), Shape({2, 3}));
    EXPECT_FALSE(buffer.is_sealed());
    EXPECT_THAT(buffer.text(), HasSubstr("theirs"));
    EXPECT_EQ(must(read<float>(queue, buffer)), (Floats{0, 1, 2, 3, 4, 5}));
    must(queue.submit_and_wait(CommandList{}.fill(must(buffer.slice(1, 4)), 7.0f)));
    EXPECT_EQ(producer.deleted, 0);
  }
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_EQ(Floats(producer.data.begin(), producer.data.begin() + 7), (Floats{0, 7, 7, 7, 7, 5, 6}));
}

TEST_F(DlpackBuffer, TensorIsUsedInPlace) {
  check_in_place<DLManagedTensorVersioned>(device_, queue_);
  check_in_place<DLManagedTensor>(device_, queue_);
}

TEST_F(DlpackBuffer, DeleterRunsAfterTheLastUseOfTheBuffer) {
  Producer producer;
  Signal gate = hold();
  Buffer buffer = must(from_dlpack(device_, &producer.managed));
  must(queue_.submit(CommandList{}.fill(buffer, 9.0f)));
  buffer = {};
  must(device_.poll());
  EXPECT_EQ(producer.deleted, 0);
  EXPECT_EQ(producer.data[0], 0.0f);
  must(gate.set(1));
  must(queue_.last().wait());
  must(device_.poll());
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_EQ(producer.data[5], 9.0f);
}

TEST_F(DlpackBuffer, MissingDeleterIsNotCalled) {
  Producer producer;
  producer.managed.deleter = nullptr;
  EXPECT_TRUE(from_dlpack(device_, &producer.managed));
  EXPECT_EQ(producer.deleted, 0);
}

TEST_F(DlpackBuffer, HonoursByteOffset) {
  Producer producer;
  producer.tensor().byte_offset = 40;
  const Buffer buffer = must(from_dlpack(device_, &producer.managed));
  EXPECT_EQ(floats_of(buffer), (Floats{10, 11, 12, 13, 14, 15}));
}

TEST_F(DlpackBuffer, ScalarsAreOneElement) {
  Producer producer(std::vector<std::int64_t>{});
  producer.tensor().byte_offset = 12;
  const Buffer buffer = must(from_dlpack(device_, &producer.managed));
  EXPECT_EQ(buffer.shape(), Shape());
  EXPECT_EQ(floats_of(buffer), (Floats{3}));
}

TEST_F(DlpackBuffer, ReadOnlyTensorIsASealedBuffer) {
  Producer producer;
  producer.managed.flags = flag_read_only;
  const Buffer buffer = must(from_dlpack(device_, &producer.managed));
  EXPECT_TRUE(buffer.is_sealed());
  EXPECT_THAT(refusal(queue_.submit(CommandList{}.fill(buffer, 1.0f)), Errc::invalid_argument), HasSubstr("sealed"));
  EXPECT_EQ(floats_of(buffer), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST_F(DlpackBuffer, DtypesAreThoseOfTheTensor) {
  for (const auto& [code, bits, dtype] :
       std::initializer_list<std::tuple<std::uint8_t, std::uint8_t, DType>>{{code_int, 8, DType::i8},
                                                                            {code_uint, 64, DType::u64},
                                                                            {code_bfloat, 16, DType::bf16},
                                                                            {code_bool, 8, DType::boolean},
                                                                            {code_complex, 64, DType::complex64},
                                                                            {code_float8_e5m2, 8, DType::f8_e5m2}}) {
    Producer producer;
    producer.tensor().dtype = {code, bits, 1};
    EXPECT_EQ(must(from_dlpack(device_, &producer.managed)).dtype(), dtype);
    EXPECT_EQ(producer.deleted, 1);
  }
}

TEST_F(DlpackBuffer, RefusedTensorsAreLetGoOnce) {
  EXPECT_THAT(refusal(from_dlpack(device_, static_cast<DLManagedTensorVersioned*>(nullptr)), Errc::invalid_argument),
              HasSubstr("null"));
  EXPECT_THAT(refusal(from_dlpack(device_, static_cast<DLManagedTensor*>(nullptr)), Errc::invalid_argument),
              HasSubstr("null"));
  Producer newer;
  newer.managed.version = {2, 0};
  EXPECT_THAT(refused(newer, Errc::unsupported), HasSubstr("version 2.0"));
  Producer elsewhere;
  elsewhere.tensor().device = {2, 0};
  EXPECT_THAT(refused(elsewhere, Errc::unsupported), HasSubstr("CUDA"));
  Producer<DLManagedTensor> lanes;
  lanes.tensor().dtype.lanes = 4;
  refused(lanes, Errc::unsupported);
  Producer empty({2, 0});
  EXPECT_THAT(refused(empty, Errc::invalid_argument), AllOf(HasSubstr("[2,0]"), HasSubstr("(0)")));
  Producer huge({std::numeric_limits<std::int64_t>::max(), 4}, {0, 0});
  EXPECT_THAT(refused(huge, Errc::invalid_argument), HasSubstr("63 bits"));
  Producer wraps({2, 3}, {std::numeric_limits<std::int64_t>::max() / 2, 1});
  refused(wraps, Errc::invalid_argument);
  Producer homeless;
  EXPECT_FALSE(from_dlpack(Device(), &homeless.managed));
  EXPECT_EQ(homeless.deleted, 1);
  Producer unlucky;
  fail_next("import_memory", Errc::out_of_memory);
  refused(unlucky, Errc::out_of_memory);
}

TEST_F(DlpackBuffer, WhatCannotBeUsedInPlaceSaysWhy) {
  Producer transposed({2, 3}, {1, 2});
  EXPECT_THAT(refused(transposed, Errc::unsupported), AllOf(HasSubstr("C order"), HasSubstr("[4,8]")));
  Producer<DLManagedTensor> askew;
  askew.tensor().byte_offset = 2;
  EXPECT_THAT(refused(askew, Errc::unsupported), AllOf(HasSubstr("aligned"), HasSubstr("(f32)")));
  const Device null = must(open("null"));
  Producer elsewhere;
  EXPECT_THAT(refusal(from_dlpack(null, &elsewhere.managed), Errc::unsupported), HasSubstr("null"));
  EXPECT_EQ(elsewhere.deleted, 1);
}

TEST_F(DlpackBuffer, StridesAreGathered) {
  const auto copied = [&](std::vector<std::int64_t> dims, std::vector<std::int64_t> steps, std::uint64_t first) {
    Producer producer(std::move(dims), std::move(steps));
    producer.tensor().byte_offset = first * sizeof(float);
    const Buffer buffer = must(from_dlpack(device_, queue_, &producer.managed));
    EXPECT_EQ(producer.deleted, 1);
    return floats_of(buffer);
  };
  EXPECT_EQ(copied({2, 3}, {1, 2}, 0), (Floats{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(copied({2, 3}, {-3, -1}, 5), (Floats{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(copied({2, 3}, {0, 1}, 4), (Floats{4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(copied({2, 2}, {10, 1}, 1), (Floats{1, 2, 11, 12}));
  EXPECT_EQ(copied({3}, {-20}, 63), (Floats{63, 43, 23}));
  EXPECT_EQ(copied({2, 1, 2, 1, 2}, {1, 99, 8, -7, 16}, 0), (Floats{0, 16, 8, 24, 1, 17, 9, 25}));
}

// Each size of element has its own loop.
TEST(DlpackGather, MovesElementsOfEverySize) {
  for (const DType dtype : {DType::u8, DType::u16, DType::u32, DType::f64, DType::complex64}) {
    const std::size_t size = bytes_of(dtype);
    std::vector<std::byte> from(24 * size);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i);
    io::Tensor tensor;
    tensor.dtype = dtype;
    tensor.shape = {3, 4, 2};
    const auto step = static_cast<std::int64_t>(size);
    tensor.byte_strides = {-8 * step, step, 4 * step};
    tensor.bytes = from;
    tensor.first = 16 * size;
    std::vector<std::byte> to(from.size(), std::byte{0xff}), wanted;
    for (std::size_t i : {2u, 1u, 0u}) {
      for (std::size_t j = 0; j < 4; ++j) {
        for (std::size_t k = 0; k < 2; ++k) {
          const auto element = std::span(from).subspan((i * 8 + j + k * 4) * size, size);
          wanted.insert(wanted.end(), element.begin(), element.end());
        }
      }
    }
    io::gather(tensor, to);
    EXPECT_EQ(to, wanted) << name(dtype);
  }
}

TEST_F(DlpackBuffer, WhereCopiesAreAllowedTheyAreMadeWhenNeeded) {
  Producer shared;
  {
    const Buffer buffer = must(from_dlpack(device_, queue_, &shared.managed));
    must(queue_.submit_and_wait(CommandList{}.fill(buffer, 8.0f)));
    EXPECT_EQ(shared.deleted, 0);
  }
  EXPECT_EQ(shared.data[0], 8.0f);
  Producer<DLManagedTensor> askew({15});
  std::memmove(reinterpret_cast<std::byte*>(askew.data.data()) + 2, askew.data.data(), 15 * sizeof(float));
  askew.tensor().byte_offset = 2;
  const Buffer buffer = must(from_dlpack(device_, queue_, &askew.managed));
  EXPECT_EQ(floats_of(must(buffer.slice(12, 3))), (Floats{12, 13, 14}));
  EXPECT_EQ(askew.deleted, 1);
}

TEST_F(DlpackBuffer, CopiesShareNothing) {
  Producer producer;
  producer.managed.flags = flag_read_only;
  const Buffer buffer = must(from_dlpack(device_, queue_, &producer.managed, DlpackCopy::always, "mine"));
  must(queue_.last().wait());
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_FALSE(buffer.is_sealed());
  must(queue_.submit_and_wait(CommandList{}.fill(must(buffer.slice(0, 5)), 8.0f)));
  EXPECT_EQ(floats_of(buffer), (Floats{8, 8, 8, 8, 8, 5}));
  EXPECT_EQ(producer.data[0], 0.0f);
}

// The same code has the same rights, whether the device could use the tensor or not.
TEST_F(DlpackBuffer, CopyInsteadOfAReadOnlyTensorIsSealed) {
  Producer producer({2, 3}, {1, 2});
  producer.managed.flags = flag_read_only;
  const Buffer buffer = must(from_dlpack(device_, queue_, &producer.managed));
  EXPECT_TRUE(buffer.is_sealed());
  EXPECT_EQ(floats_of(buffer), (Floats{0, 2, 4, 1, 3, 5}));
}

TEST_F(DlpackBuffer, UploadKeepsTheTensorUntilItsBytesAreTaken) {
  Producer producer;
  Signal gate = hold();
  const Buffer buffer = must(from_dlpack(device_, queue_, &producer.managed, DlpackCopy::always));
  must(device_.poll());
  EXPECT_EQ(producer.deleted, 0);
  must(gate.set(1));
  must(queue_.last().wait());
  must(device_.poll());
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_EQ(floats_of(buffer)[5], 5.0f);
}

TEST_F(DlpackBuffer, FailedCopiesLetTheTensorGoOnce) {
  Producer full;
  fail_next("allocate", Errc::out_of_memory);
  refusal(from_dlpack(device_, queue_, &full.managed, DlpackCopy::always), Errc::out_of_memory);
  EXPECT_EQ(full.deleted, 1);
  Producer busy;
  fail_next("submit", Errc::out_of_memory);
  refusal(from_dlpack(device_, queue_, &busy.managed, DlpackCopy::always), Errc::out_of_memory);
  EXPECT_EQ(busy.deleted, 1);
  Producer strange;
  const Device other = must(open("cpu?inline"));
  EXPECT_FALSE(from_dlpack(other, queue_, &strange.managed, DlpackCopy::always));
  EXPECT_EQ(strange.deleted, 1);
  // Nothing on the host is allocated for what the device cannot have.
  Producer endless({1ll << 60}, {0});
  refusal(from_dlpack(device_, queue_, &endless.managed), Errc::invalid_argument);
  EXPECT_EQ(endless.deleted, 1);
  // What is no question of copying is not copied.
  Producer exhausted;
  fail_next("import_memory", Errc::out_of_memory);
  refusal(from_dlpack(device_, queue_, &exhausted.managed), Errc::out_of_memory);
  EXPECT_EQ(exhausted.deleted, 1);
}

TEST_F(DlpackBuffer, TensorTakesTheBufferAndDestroysIt) {
  Buffer buffer = must(device_.allocate(DType::bf16, {4, 6}));
  const BufferView view = buffer;
  void* const address = must(buffer.map()).data();
  buffer.unmap();
  {
    const DlpackTensor made = must(to_dlpack(std::move(buffer)));
    EXPECT_EQ(made->version.major, 1u);
    EXPECT_EQ(made->flags, 0u);
    const DLTensor& tensor = made->dl_tensor;
    EXPECT_EQ(tensor.data, address);
    EXPECT_EQ(tensor.byte_offset, 0u);
    EXPECT_EQ(tensor.device.device_type, device_cpu);
    EXPECT_EQ(std::vector(tensor.shape, tensor.shape + tensor.ndim), (std::vector<std::int64_t>{4, 6}));
    EXPECT_EQ(std::vector(tensor.strides, tensor.strides + tensor.ndim), (std::vector<std::int64_t>{6, 1}));
    EXPECT_EQ(tensor.dtype.code, code_bfloat);
    EXPECT_EQ(tensor.dtype.bits, 16);
    must(queue_.submit_and_wait(CommandList{}.fill(must(view.as(DType::u16, {24})), std::uint16_t{0x3f80})));
    EXPECT_EQ(static_cast<std::uint16_t*>(tensor.data)[23], 0x3f80);
  }
  const Buffer other = must(device_.allocate(DType::bf16, {24}));
  EXPECT_THAT(refusal(queue_.submit(CommandList{}.copy(other, view)), Errc::stale), HasSubstr("destroyed"));
}

TEST_F(DlpackBuffer, OldStructTakesTheBufferToo) {
  Buffer buffer = buffer_of({1, 2, 3});
  const BufferView view = buffer;
  {
    const OldDlpackTensor made = must(to_old_dlpack(std::move(buffer)));
    EXPECT_EQ(static_cast<float*>(made->dl_tensor.data)[2], 3.0f);
    EXPECT_EQ(made->dl_tensor.shape[0], 3);
    EXPECT_EQ(floats_of(view), (Floats{1, 2, 3}));
  }
  refusal(queue_.submit(CommandList{}.fill(view, 1.0f)), Errc::stale);
}

TEST_F(DlpackBuffer, ARefusedBufferStaysTheCallers) {
  Buffer sealed = buffer_of({1, 2, 3});
  must(sealed.seal());
  EXPECT_THAT(refusal(to_old_dlpack(std::move(sealed)), Errc::unsupported),
              AllOf(HasSubstr("read-only"), HasSubstr("[Buffer")));
  EXPECT_EQ(floats_of(sealed), (Floats{1, 2, 3}));
  const DlpackTensor made = must(to_dlpack(std::move(sealed)));
  EXPECT_EQ(made->flags, flag_read_only);
  EXPECT_EQ(static_cast<float*>(made->dl_tensor.data)[2], 3.0f);

  Buffer small = must(device_.allocate(DType::f8_e4m3fn, {8}));
  refusal(to_old_dlpack(std::move(small)), Errc::unsupported);
  EXPECT_EQ(small.size_bytes(), 8u);
  EXPECT_TRUE(to_dlpack(std::move(small)));
  EXPECT_FALSE(to_dlpack(std::move(small)));
  EXPECT_FALSE(to_dlpack(Buffer()));

  Buffer unreachable = must(must(open("null")).allocate(DType::u8, {8}, {.label = "far"}));
  EXPECT_THAT(refusal(to_dlpack(std::move(unreachable)), Errc::unsupported), HasSubstr("far"));
  EXPECT_EQ(unreachable.size_bytes(), 8u);
}

// A buffer that came from a tensor, and leaves as one: both deleters have their turn.
TEST_F(DlpackBuffer, TensorsGoThroughABuffer) {
  Producer producer;
  producer.managed.flags = flag_read_only;
  Buffer buffer = must(from_dlpack(device_, &producer.managed));
  DlpackTensor made = must(to_dlpack(std::move(buffer)));
  EXPECT_EQ(made->dl_tensor.data, producer.data.data());
  EXPECT_EQ(made->flags, flag_read_only);
  EXPECT_EQ(producer.deleted, 0);
  made.reset();
  EXPECT_EQ(producer.deleted, 1);
}

TEST_F(DlpackBuffer, CopiesBelongToTheConsumer) {
  DlpackTensor made;
  OldDlpackTensor old;
  {
    const Buffer buffer = buffer_of({1, 2, 3, 4, 5, 6});
    must(queue_.submit(CommandList{}.fill(must(buffer.slice(0, 1)), 7.0f)));
    made = must(to_dlpack(queue_, must(must(buffer.slice(0, 4)).as(DType::f32, {2, 2}))));
    old = must(to_old_dlpack(queue_, must(buffer.slice(4, 2))));
  }
  EXPECT_EQ(made->flags, flag_is_copied);
  EXPECT_EQ(made->dl_tensor.ndim, 2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made->dl_tensor.data) % 256, 0u);
  const auto* const values = static_cast<const float*>(made->dl_tensor.data);
  EXPECT_EQ(Floats(values, values + 4), (Floats{7, 2, 3, 4}));
  EXPECT_EQ(static_cast<float*>(old->dl_tensor.data)[1], 6.0f);
}

TEST_F(DlpackBuffer, RefusedCopiesSayWhy) {
  const Buffer buffer = must(device_.allocate(DType::f8_e5m2, {8}));
  refusal(to_old_dlpack(queue_, buffer), Errc::unsupported);
  EXPECT_TRUE(to_dlpack(queue_, buffer));
  EXPECT_FALSE(to_dlpack(queue_, BufferView()));
  refusal(to_dlpack(queue_, must(buffer.slice(3, 0))), Errc::invalid_argument);
  BufferView gone = must(device_.allocate(DType::u8, {8}));
  refusal(to_dlpack(queue_, gone), Errc::stale);
  fail_next("submit", Errc::out_of_memory);
  refusal(to_dlpack(queue_, buffer), Errc::out_of_memory);
}

// The device still writes the memory when nobody waits for it any more.
TEST_F(DlpackBuffer, CopyOutlivesItsTimeout) {
  const Buffer buffer = buffer_of({1, 2, 3});
  Signal gate = hold();
  refusal(to_dlpack(queue_, buffer, 1ms), Errc::timeout);
  must(gate.set(1));
  must(queue_.last().wait());
  EXPECT_EQ(floats_of(buffer), (Floats{1, 2, 3}));
}

// What a consumer's collector does: the deleter comes whenever, from wherever.
TEST(DlpackBufferConcurrency, DeletersRunOnOtherThreads) {
  const Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  Producer producer;
  for (int i = 0; i < 50; ++i) {
    producer.deleted = 0;
    Buffer buffer = must(from_dlpack(device, &producer.managed));
    must(queue.submit(CommandList{}.fill(buffer, static_cast<float>(i))));
    must(queue.last().wait());
    DlpackTensor made = must(to_dlpack(std::move(buffer)));
    const Buffer other = must(device.allocate(DType::f32, {64}));
    std::thread collector([made = std::move(made)]() mutable { made.reset(); });
    must(queue.submit(CommandList{}.fill(other, 1.0f)));
    collector.join();
    must(device.wait_idle());
    EXPECT_EQ(producer.deleted, 1);
    EXPECT_EQ(producer.data[5], static_cast<float>(i));
  }
}

}  // namespace
}  // namespace pintle
