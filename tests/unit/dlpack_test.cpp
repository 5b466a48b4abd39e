// DLPack structs made by hand, those that Pintle makes, and what is refused. tests/dlpack has NumPy's.
#include "io/dlpack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "io/dlpack_dtype.h"
#include "pintle/must.h"
#include "unit/golden.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle::io {
namespace {

using namespace vendor::dlpack;

/// A producer: it counts how often its deleter is called.
struct Producer {
  std::vector<std::int64_t> shape{2, 3};
  std::vector<std::int64_t> strides;
  std::vector<float> data = std::vector<float>(64);
  int deleted = 0;
  DLManagedTensorVersioned managed{
      .version = {1, 1},
      .manager_ctx = this,
      .deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; },
      .flags = 0,
      .dl_tensor = {data.data(), {device_cpu, 0}, 2, {code_float, 32, 1}, shape.data(), nullptr, 0}};

  Producer() { std::iota(data.begin(), data.end(), 0.0f); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  DLTensor& tensor() { return managed.dl_tensor; }
  Producer& shaped(std::vector<std::int64_t> dims, std::vector<std::int64_t> steps = {}) {
    shape = std::move(dims);
    strides = std::move(steps);
    tensor().ndim = static_cast<std::int32_t>(shape.size());
    tensor().shape = shape.data();
    tensor().strides = strides.empty() ? nullptr : strides.data();
    return *this;
  }
  /// The refusal's text; the deleter must have been called.
  std::string refusal(Errc code = Errc::invalid_argument) {
    const auto host = from_dlpack(&managed);
    if (host) return "accepted";
    EXPECT_EQ(host.error().code(), code) << host.error().text();
    EXPECT_EQ(deleted, 1);
    return std::string(host.error().message());
  }
};

float at(const Tensor& host, std::initializer_list<std::int64_t> index) {
  std::int64_t offset = static_cast<std::int64_t>(host.first);
  std::size_t axis = 0;
  for (const std::int64_t step : index) offset += step * host.byte_strides[axis++];
  EXPECT_GE(offset, 0);
  EXPECT_LE(static_cast<std::size_t>(offset) + sizeof(float), host.bytes.size());
  float value = 0;
  std::memcpy(&value, host.bytes.data() + offset, sizeof value);
  return value;
}

TEST(Dlpack, TakesATensorInCOrder) {
  Producer producer;
  {
    const Tensor host = must(from_dlpack(&producer.managed));
    EXPECT_EQ(host.dtype, DType::f32);
    EXPECT_EQ(host.shape, Shape({2, 3}));
    EXPECT_TRUE(host.is_contiguous());
    EXPECT_TRUE(host.is_aligned());
    EXPECT_EQ(host.access, TensorAccess::read_write);
    EXPECT_EQ(static_cast<void*>(host.bytes.data()), producer.data.data());
    EXPECT_EQ(host.bytes.size(), 24u);
    EXPECT_EQ(at(host, {1, 2}), 5.0f);
    EXPECT_EQ(producer.deleted, 0);
  }
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, TheLastCopyOfTheOwnerCallsTheDeleter) {
  Producer producer;
  std::shared_ptr<void> owner;
  {
    const Tensor host = must(from_dlpack(&producer.managed));
    const Tensor copy = host;
    owner = copy.owner;
  }
  EXPECT_EQ(producer.deleted, 0);
  owner.reset();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, AMissingDeleterIsNotCalled) {
  Producer producer;
  producer.managed.deleter = nullptr;
  EXPECT_TRUE(from_dlpack(&producer.managed));
  EXPECT_EQ(producer.deleted, 0);
}

TEST(Dlpack, HonoursByteOffset) {
  Producer producer;
  producer.tensor().byte_offset = 40;
  const Tensor host = must(from_dlpack(&producer.managed));
  EXPECT_EQ(at(host, {0, 0}), 10.0f);
  EXPECT_EQ(at(host, {1, 2}), 15.0f);
}

TEST(Dlpack, HonoursStrides) {
  Producer producer;
  const Tensor host = must(from_dlpack(&producer.shaped({2, 3}, {1, 2}).managed));
  EXPECT_FALSE(host.is_contiguous());
  EXPECT_EQ(host.bytes.size(), 24u);
  EXPECT_EQ(at(host, {1, 0}), 1.0f);
  EXPECT_EQ(at(host, {0, 2}), 4.0f);
}

TEST(Dlpack, HonoursNegativeStrides) {
  Producer producer;
  producer.tensor().byte_offset = 80;
  const Tensor host = must(from_dlpack(&producer.shaped({2, 3}, {10, -1}).managed));
  EXPECT_EQ(host.first, 8u);
  EXPECT_EQ(host.bytes.size(), (10u + 3) * 4);
  EXPECT_EQ(at(host, {0, 0}), 20.0f);
  EXPECT_EQ(at(host, {0, 2}), 18.0f);
  EXPECT_EQ(at(host, {1, 2}), 28.0f);
}

TEST(Dlpack, HonoursBroadcastStrides) {
  Producer producer;
  const Tensor host = must(from_dlpack(&producer.shaped({4, 3}, {0, 1}).managed));
  EXPECT_FALSE(host.is_contiguous());
  EXPECT_EQ(host.bytes.size(), 12u);
  EXPECT_EQ(at(host, {3, 2}), 2.0f);
}

TEST(Dlpack, StridesOfOneElementDoNotCount) {
  Producer producer;
  EXPECT_TRUE(must(from_dlpack(&producer.shaped({1, 3}, {77, 1}).managed)).is_contiguous());
}

TEST(Dlpack, WrittenOutStridesOfCOrderAreContiguous) {
  Producer producer;
  EXPECT_TRUE(must(from_dlpack(&producer.shaped({2, 3, 4}, {12, 4, 1}).managed)).is_contiguous());
}

TEST(Dlpack, HonoursReadOnly) {
  Producer producer;
  producer.managed.flags = flag_read_only | flag_is_copied;
  EXPECT_EQ(must(from_dlpack(&producer.managed)).access, TensorAccess::read_only);
}

TEST(Dlpack, TakesScalarsAndEmptyTensors) {
  Producer scalar;
  scalar.shaped({});
  scalar.tensor().shape = nullptr;
  EXPECT_EQ(must(from_dlpack(&scalar.managed)).bytes.size(), 4u);
  Producer empty;
  empty.shaped({3, 0, std::numeric_limits<std::int64_t>::max()}, {5, 6, 7});
  empty.tensor().data = nullptr;
  const Tensor host = must(from_dlpack(&empty.managed));
  EXPECT_TRUE(host.bytes.empty());
  EXPECT_TRUE(host.is_contiguous());
}

TEST(Dlpack, PinnedMemoryIsTheProcessors) {
  for (const std::int32_t device : {device_cuda_host, device_rocm_host}) {
    Producer producer;
    producer.tensor().device.device_type = device;
    const auto host = from_dlpack(&producer.managed);
    ASSERT_TRUE(host) << host.error().text();
    EXPECT_EQ(at(*host, {1, 2}), 5.0f);
  }
}

TEST(Dlpack, MemoryOfAGpuKeepsItsDevice) {
  for (const auto& [type, memory] : {std::pair{device_cuda, TensorMemory::cuda}, {device_rocm, TensorMemory::rocm}}) {
    Producer producer;
    producer.tensor().device = {type, 3};
    const Tensor theirs = must(from_dlpack(&producer.managed));
    EXPECT_EQ(theirs.memory, memory);
    EXPECT_EQ(theirs.device_number, 3);
    const DlpackTensor again = must(to_dlpack(theirs));
    EXPECT_EQ(again->dl_tensor.device.device_type, type);
    EXPECT_EQ(again->dl_tensor.device.device_id, 3);
  }
}

TEST(Dlpack, UpTo16DimensionsBecomeEightWithTheSameElements) {
  Producer ones;
  const Tensor host = must(from_dlpack(&ones.shaped({1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}).managed));
  EXPECT_EQ(host.shape, Shape({2, 1, 1, 1, 1, 1, 1, 3}));
  EXPECT_TRUE(host.is_contiguous());
  Producer twos;
  const Tensor joined = must(from_dlpack(&twos.shaped({2, 2, 2, 2, 1, 2, 2, 1, 1, 1}).managed));
  EXPECT_EQ(joined.shape, Shape({2, 2, 2, 2, 2, 2, 1, 1}));
  EXPECT_TRUE(joined.is_contiguous());
  Producer many;
  const Tensor six = must(from_dlpack(&many.shaped(std::vector<std::int64_t>(6, 2)).managed));
  EXPECT_EQ(six.shape, Shape({2, 2, 2, 2, 2, 2}));
  Producer empty;
  EXPECT_EQ(*must(from_dlpack(&empty.shaped({2, 2, 2, 2, 2, 2, 2, 2, 0, 2}).managed)).shape.count(), 0u);
}

TEST(Dlpack, TheLastOf16DimensionsMayBeDropped) {
  Producer producer;
  std::vector<std::int64_t> shape(16, 2);
  shape.back() = 1;
  const Tensor host = must(from_dlpack(&producer.shaped(shape).managed));
  EXPECT_EQ(host.shape, Shape({256, 2, 2, 2, 2, 2, 2, 2}));
}

// The last dimension goes backwards, and the outer ones lie without a gap.
TEST(Dlpack, DimensionsWithoutGapsBecomeOneWhateverTheStrideOfTheInner) {
  Producer producer;
  producer.data.resize(2048);
  std::iota(producer.data.begin(), producer.data.end(), 0.0f);
  producer.tensor().data = producer.data.data() + 1;
  const Tensor host =
      must(from_dlpack(&producer.shaped({2, 2, 2, 2, 2, 2, 2, 2, 2}, {512, 256, 128, 64, 32, 16, 8, 4, -1}).managed));
  EXPECT_EQ(host.shape, Shape({4, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(at(host, {3, 1, 1, 1, 1, 1, 1, 1}), 1.0f + 512 + 256 + 128 + 64 + 32 + 16 + 8 + 4 - 1);
  EXPECT_EQ(at(host, {2, 0, 0, 0, 0, 0, 0, 1}), 1.0f + 512 - 1);
}

TEST(Dlpack, MoreThanEightDimensionsWithGapsAreUnsupported) {
  Producer producer;
  producer.shaped({2, 2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128, 256});
  EXPECT_EQ(producer.refusal(Errc::unsupported),
            "DLPack tensor has 9 dimensions, 9 where those without gaps between them are one, and the limit of a shape "
            "is 8.");
}

TEST(Dlpack, TellsWhatIsNotAligned) {
  Producer offset;
  offset.tensor().byte_offset = 2;
  EXPECT_FALSE(must(from_dlpack(&offset.managed)).is_aligned());
}

TEST(Dlpack, ALaterMinorVersionIsTaken) {
  Producer producer;
  producer.managed.version = {1, 99};
  producer.managed.flags = std::uint64_t{1} << 60;
  EXPECT_EQ(must(from_dlpack(&producer.managed)).access, TensorAccess::read_write);
}

TEST(Dlpack, AnotherMajorVersionIsRefusedAndOnlyDeleted) {
  // The fields behind the deleter are no longer what they were, so they may not even be there.
  struct Future {
    DLPackVersion version{2, 0};
    int* deleted = nullptr;
    void (*deleter)(DLManagedTensorVersioned*) = [](DLManagedTensorVersioned* self) {
      ++*static_cast<int*>(self->manager_ctx);
    };
  };
  int deleted = 0;
  const auto future = std::make_unique<Future>(Future{.deleted = &deleted});
  static_assert(offsetof(Future, deleted) == offsetof(DLManagedTensorVersioned, manager_ctx));
  static_assert(offsetof(Future, deleter) == offsetof(DLManagedTensorVersioned, deleter));
  const auto host = from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(future.get()));
  ASSERT_FALSE(host);
  EXPECT_EQ(host.error().code(), Errc::unsupported);
  EXPECT_EQ(host.error().message(), "DLPack tensor has version 2.0 where 1.x is expected.");
  EXPECT_EQ(deleted, 1);
}

TEST(Dlpack, ANullPointerIsRefused) {
  EXPECT_EQ(from_dlpack(static_cast<DLManagedTensorVersioned*>(nullptr)).error().code(), Errc::invalid_argument);
  EXPECT_EQ(from_dlpack(static_cast<DLManagedTensor*>(nullptr)).error().message(), "DLPack tensor is a null pointer.");
}

/// What `change` makes of a good tensor.
template <class Change>
std::string refused(Change change, Errc code = Errc::invalid_argument) {
  Producer producer;
  change(producer);
  return producer.refusal(code);
}

TEST(Dlpack, RefusalsNameTheFault) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::string all = refused([](Producer& p) { p.tensor().ndim = -1; });
  const auto also = [&](auto change) { all += "\n" + refused(change); };
  also([](Producer& p) { p.shaped(std::vector<std::int64_t>(17, 1)); });
  also([](Producer& p) { p.shaped({1, 1, 1, 1, 1, 1, 1, 1, -2}); });
  also([](Producer& p) { p.shaped({most, 2, 2, 2, 2, 2, 2, 2, 2}); });
  also([](Producer& p) { p.tensor().ndim = std::numeric_limits<std::int32_t>::max(); });
  also([](Producer& p) { p.tensor().shape = nullptr; });
  also([](Producer& p) { p.shaped({2, -3}); });
  also([](Producer& p) { p.shaped({least}); });
  also([](Producer& p) { p.shaped({most, most}); });
  also([](Producer& p) { p.shaped({most}); });
  also([](Producer& p) { p.shaped({most / 4 + 1}); });
  also([](Producer& p) { p.shaped({2, 3}, {most, 1}); });
  also([](Producer& p) { p.shaped({2, 3}, {least, 1}); });
  also([](Producer& p) { p.shaped({9, 3}, {most / 4, 1}); });
  also([](Producer& p) { p.shaped({3}, {-(most / 8)}); });
  also([](Producer& p) { p.tensor().data = nullptr; });
  also([](Producer& p) { p.tensor().byte_offset = std::numeric_limits<std::uint64_t>::max(); });
  also([](Producer& p) {
    p.shaped({2, 3}, {-1024, 1});  // its last row begins at address 0
    p.tensor().data = reinterpret_cast<void*>(4096);
  });
  // Addresses differ from run to run, and so do none of these messages.
  test::expect_golden("errors/dlpack_bad", all);
}

TEST(Dlpack, WhatPintleHasNotIsUnsupportedByName) {
  std::string all;
  for (const std::int32_t device : {-1, 0, 4, 7, 8, 13, 14, 15, 16, 17, 18, 19, 99}) {
    all += refused([&](Producer& p) { p.tensor().device.device_type = device; }, Errc::unsupported) + "\n";
  }
  for (const DLDataType type : std::vector<DLDataType>{{code_float, 32, 4},
                                                       {code_float, 32, 0},
                                                       {code_float, 80, 1},
                                                       {code_float, 128, 1},
                                                       {code_int, 4, 1},
                                                       {code_uint, 1, 1},
                                                       {code_bool, 1, 1},
                                                       {code_opaque_handle, 64, 1},
                                                       {code_bfloat, 32, 1},
                                                       {code_complex, 128, 1},
                                                       {code_float8_e3m4, 8, 1},
                                                       {code_float8_e4m3, 8, 1},
                                                       {code_float8_e4m3b11fnuz, 8, 1},
                                                       {code_float8_e4m3fnuz, 8, 1},
                                                       {code_float8_e5m2fnuz, 8, 1},
                                                       {code_float8_e8m0fnu, 8, 1},
                                                       {code_float6_e2m3fn, 6, 1},
                                                       {code_float6_e3m2fn, 6, 1},
                                                       {code_float4_e2m1fn, 4, 1},
                                                       {200, 8, 1}}) {
    all += refused([&](Producer& p) { p.tensor().dtype = type; }, Errc::unsupported) + "\n";
  }
  test::expect_golden("errors/dlpack_unsupported", all);
}

TEST(Dlpack, EveryDTypeHasACodeOfItsSize) {
  for (unsigned number = 1; number <= 16; ++number) {
    const auto dtype = static_cast<DType>(number);
    const DLDataType type = must(dlpack_type_of(dtype));
    EXPECT_EQ(type.bits, bytes_of(dtype) * 8) << name(dtype);
    EXPECT_EQ(type.lanes, 1);
    EXPECT_EQ(must(dtype_of_dlpack(type)), dtype) << name(dtype);
  }
  EXPECT_EQ(dlpack_type_of(static_cast<DType>(99)).error().message(), "DType (99) of a tensor is unknown.");
}

/// Six floats, counted up from 0, that a test's own owner keeps.
struct Owned {
  std::shared_ptr<std::vector<float>> memory =
      std::make_shared<std::vector<float>>(std::vector<float>{0, 1, 2, 3, 4, 5});
  Tensor host{.dtype = DType::f32,
              .shape = Shape{2, 3},
              .byte_strides = contiguous_strides(DType::f32, Shape{2, 3}),
              .bytes = std::as_writable_bytes(std::span(*memory)),
              .first = 0,
              .access = TensorAccess::read_write,
              .owner = memory};
};

TEST(Dlpack, MakesATensorOfVersion1) {
  const Owned owned;
  const DlpackTensor made = must(to_dlpack(owned.host));
  EXPECT_EQ(made->version.major, 1u);
  EXPECT_EQ(made->version.minor, 1u);
  EXPECT_EQ(made->flags, 0u);
  const DLTensor& tensor = made->dl_tensor;
  EXPECT_EQ(tensor.data, owned.memory->data());
  EXPECT_EQ(tensor.device.device_type, 1);
  EXPECT_EQ(tensor.device.device_id, 0);
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.dtype.code, 2);
  EXPECT_EQ(tensor.dtype.bits, 32);
  EXPECT_EQ(tensor.dtype.lanes, 1);
  EXPECT_EQ(std::vector(tensor.shape, tensor.shape + 2), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::vector(tensor.strides, tensor.strides + 2), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(tensor.byte_offset, 0u);
}

TEST(Dlpack, TheConsumersDeleterLetsTheOwnerGo) {
  Owned owned;
  const std::weak_ptr<std::vector<float>> watched = owned.memory;
  DLManagedTensorVersioned* const handed = must(to_dlpack(owned.host)).release();
  DLManagedTensor* const old = must(to_old_dlpack(owned.host)).release();
  owned.host.owner.reset();
  owned.memory.reset();
  EXPECT_EQ(static_cast<float*>(handed->dl_tensor.data)[5], 5.0f);
  handed->deleter(handed);
  EXPECT_FALSE(watched.expired());
  old->deleter(old);
  EXPECT_TRUE(watched.expired());
}

TEST(Dlpack, WhatWasNotHandedOutLetsTheOwnerGo) {
  const Owned owned;
  {
    const OldDlpackTensor made = must(to_old_dlpack(owned.host));
  }
  EXPECT_EQ(owned.memory.use_count(), 2);  // `memory` and `host.owner`
}

TEST(Dlpack, WhatIsMadeReadsEqual) {
  Owned owned;
  owned.host.byte_strides = {-12, 4};
  owned.host.first = 12;
  owned.host.access = TensorAccess::read_only;
  const Tensor back = must(from_dlpack(must(to_dlpack(owned.host)).release()));
  EXPECT_EQ(back.dtype, owned.host.dtype);
  EXPECT_EQ(back.shape, owned.host.shape);
  EXPECT_EQ(back.byte_strides, owned.host.byte_strides);
  EXPECT_EQ(back.bytes.data(), owned.host.bytes.data());
  EXPECT_EQ(back.bytes.size(), owned.host.bytes.size());
  EXPECT_EQ(back.first, owned.host.first);
  EXPECT_EQ(back.access, TensorAccess::read_only);
  EXPECT_EQ(at(back, {0, 2}), 5.0f);
  EXPECT_EQ(at(back, {1, 0}), 0.0f);
}

TEST(Dlpack, TheOldStructCannotSayReadOnlyOrFp8) {
  Owned owned;
  owned.host.access = TensorAccess::read_only;
  const auto read_only = to_old_dlpack(owned.host);
  ASSERT_FALSE(read_only);
  EXPECT_EQ(read_only.error().code(), Errc::unsupported);
  const auto fp8 = to_old_dlpack({.dtype = DType::f8_e5m2, .shape = Shape{0}, .bytes = {}, .owner = {}});
  ASSERT_FALSE(fp8);
  EXPECT_EQ(fp8.error().message(), "DType (f8_e5m2) has no code in a DLPack tensor without version.");
}

TEST(Dlpack, WhatCannotBeHandedOutIsNamed) {
  std::string all;
  const auto also = [&](auto change) {
    Owned owned;
    change(owned.host);
    const auto made = to_dlpack(owned.host);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::invalid_argument);
    all += std::string(made.error().message()) + "\n";
    EXPECT_EQ(owned.memory.use_count(), 2);
  };
  also([](Tensor& host) { host.byte_strides = {12, 6}; });
  also([](Tensor& host) { host.bytes = host.bytes.first(23); });
  also([](Tensor& host) { host.first = 4; });
  also([](Tensor& host) { host.byte_strides = {-12, 4}; });
  also([](Tensor& host) { host.byte_strides = {std::numeric_limits<std::int64_t>::min(), 4}; });
  also([](Tensor& host) { host.shape = Shape{1ull << 32, 1ull << 32}; });
  also([](Tensor& host) { host.shape = Shape(std::vector<std::uint64_t>(9, 1)); });
  also([](Tensor& host) { host.shape = Shape{0, 1ull << 63}; });
  also([](Tensor& host) { host.dtype = static_cast<DType>(99); });
  test::expect_golden("errors/dlpack_made", all);
}

TEST(Dlpack, TakesAndMakesTheOldStruct) {
  const Owned owned;
  const Tensor back = must(from_dlpack(must(to_old_dlpack(owned.host)).release()));
  EXPECT_EQ(back.access, TensorAccess::read_write);
  EXPECT_EQ(at(back, {1, 2}), 5.0f);
  EXPECT_TRUE(back.is_contiguous());
}

}  // namespace
}  // namespace pintle::io
