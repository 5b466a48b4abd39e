// Buffers and views: sizes, windows, placement, lifetime.
#include <array>
#include <limits>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
  return bytes;
}

DEVICE_TEST(Buffer, HasItsDtypeShapeAndSize) {
  const Buffer buffer = need(test.device().allocate(
      DType::f16, {3, 5, 7}, {.label = "picture", .placement = Placement::device, .alignment = 64}));
  CHECK_EQ(buffer.dtype(), DType::f16);
  CHECK(buffer.shape() == Shape({3, 5, 7}));
  CHECK_EQ(buffer.size_bytes(), 210u);
  CHECK(buffer.text().starts_with("[Buffer "));
  CHECK(buffer.text().ends_with("\"picture\"]"));
}

DEVICE_TEST(Copy, EveryDtypeRoundTrips) {
  test.require_bytes();
  Queue queue = test.queue();
  for (const DType dtype : all_dtypes()) {
    const std::vector<std::byte> bytes = pattern(33 * bytes_of(dtype));
    const Buffer buffer = test.allocate(dtype, 33);
    test.write(buffer, bytes);
    CHECK_EQ(test.bytes(queue, buffer), bytes);
  }
}

DEVICE_TEST(Buffer, RankZeroIsOneElement) {
  const Buffer buffer = need(test.device().allocate(DType::f64, Shape{}));
  CHECK_EQ(buffer.size_bytes(), 8u);
  CHECK_EQ(buffer.shape().rank(), 0u);
}

// M10: sizes are computed with checks.
DEVICE_TEST(Buffer, HugeSizesAreRefusedWithTheLimit) {
  const std::uint64_t most = test.info().limits.max_allocation;
  const std::string limit = std::to_string(most);
  constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
  check_error(test.device().allocate(DType::f32, {huge}), Errc::invalid_argument, {"18446744073709551615"});
  check_error(test.device().allocate(DType::u8, {1ull << 32, 1ull << 32}), Errc::invalid_argument, {"4294967296"});
  check_error(test.device().allocate(DType::f64, {1ull << 61}), Errc::invalid_argument, {"2305843009213693952"});
  if (most < huge)
    check_error(test.device().allocate(DType::u8, {most + 1}), Errc::invalid_argument,
                {std::to_string(most + 1), limit});
}

DEVICE_TEST(Buffer, BadShapesAreRefused) {
  check_error(test.device().allocate(DType::u8, {0}), Errc::invalid_argument, {"0"});
  check_error(test.device().allocate(DType::u8, {4, 0, 4}), Errc::invalid_argument, {"0"});
  check_error(test.device().allocate(DType::u8, {1, 1, 1, 1, 1, 1, 1, 1, 1}), Errc::invalid_argument, {"8"});
  check_error(test.device().allocate(DType{0}, {1}), Errc::invalid_argument, {"0"});
  check_error(test.device().allocate(DType{17}, {1}), Errc::invalid_argument, {"17"});
}

DEVICE_TEST(Buffer, BadAlignmentIsRefusedWithTheLimit) {
  for (const std::uint64_t alignment : {0ull, 3ull, 4097ull, 8192ull}) {
    const auto refused =
        test.device().allocate(DType::u8, {16}, {.label = "odd", .placement = {}, .alignment = alignment});
    check_error(refused, Errc::invalid_argument, {std::to_string(alignment), "4096"});
  }
}

DEVICE_TEST(Buffer, SlicesCountElements) {
  const Buffer buffer = test.allocate(DType::u32, 100);
  const BufferView middle = need(buffer.slice(10, 20));
  CHECK_EQ(middle.offset_bytes(), 40u);
  CHECK_EQ(middle.size_bytes(), 80u);
  CHECK(middle.shape() == Shape({20}));
  const BufferView inner = need(middle.slice(5, 3));
  CHECK_EQ(inner.offset_bytes(), 60u);
  CHECK_EQ(inner.size_bytes(), 12u);
  CHECK_EQ(need(buffer.slice(0, 100)).size_bytes(), 400u);
  CHECK_EQ(need(buffer.slice(100, 0)).size_bytes(), 0u);
}

// M10: offset plus size is checked, and so is the product with the element size.
DEVICE_TEST(Buffer, SlicesBeyondTheEndAreRefusedWithBothNumbers) {
  const Buffer buffer = test.allocate(DType::u32, 100, "short");
  constexpr auto huge = std::numeric_limits<std::uint64_t>::max();
  check_error(buffer.slice(90, 11), Errc::invalid_argument, {"101", "100"});
  check_error(buffer.slice(101, 0), Errc::invalid_argument, {"101", "100"});
  check_error(buffer.slice(huge, 1), Errc::invalid_argument, {"18446744073709551615", "100"});
  check_error(buffer.slice(1, huge), Errc::invalid_argument, {"18446744073709551615", "100"});
  check_error(buffer.slice(1ull << 62, 0), Errc::invalid_argument, {"100"});
  check_error(need(buffer.slice(50, 10)).slice(0, 11), Errc::invalid_argument, {"11", "10"});
}

DEVICE_TEST(Buffer, ViewsAreReadAsAnotherDtype) {
  const Buffer buffer = test.allocate(DType::u8, 64);
  const BufferView words = need(buffer.view().as(DType::u32, {4, 4}));
  CHECK_EQ(words.dtype(), DType::u32);
  CHECK_EQ(words.size_bytes(), 64u);
  check_error(buffer.view().as(DType::u32, {15}), Errc::invalid_argument, {"60", "64"});
  check_error(buffer.view().as(DType::u32, {17}), Errc::invalid_argument, {"68", "64"});
  check_error(need(buffer.slice(2, 8)).as(DType::u32, {2}), Errc::invalid_argument, {"2", "4"});
  check_error(buffer.view().as(DType::u8, {1ull << 40, 1ull << 40}), Errc::invalid_argument);
}

DEVICE_TEST(Buffer, ViewsReachTheirBytesOnly) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(std::vector<std::uint32_t>(8, 1));
  need(queue.submit(CommandList{}.fill(need(buffer.slice(2, 3)), 9u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), (std::vector<std::uint32_t>{1, 1, 9, 9, 9, 1, 1, 1}));
  CHECK_EQ(test.read<std::uint32_t>(queue, need(buffer.slice(4, 2))), (std::vector<std::uint32_t>{9, 1}));
}

DEVICE_TEST(Error, EmptyAndMovedFromBuffersAreRefused) {
  Queue queue = test.queue();
  Buffer source = test.allocate(DType::u32, 4);
  const Buffer target = std::move(source);
  Buffer empty;
  for (Buffer* nothing : {&source, &empty}) {  // NOLINT(bugprone-use-after-move)
    check_error(queue.submit(CommandList{}.fill(*nothing, 1u)), Errc::invalid_argument, {"empty"});
    check_error(queue.submit(CommandList{}.copy(target, *nothing)), Errc::invalid_argument, {"empty"});
    check_error(queue.submit(CommandList{}.timestamp(*nothing)), Errc::invalid_argument, {"empty"});
    check_error(nothing->map(), Errc::invalid_argument);
    check_error(nothing->slice(0, 1), Errc::invalid_argument);
    nothing->unmap();
    CHECK_EQ(nothing->size_bytes(), 0u);
  }
  check_ok(queue.submit(CommandList{}.fill(target, 1u)));
}

DEVICE_TEST(Error, DestroyedBuffersAreStaleByName) {
  Queue queue = test.queue();
  BufferView view;
  {
    const Buffer buffer = test.allocate(DType::u32, 4, "gone");
    view = buffer.view();
  }
  check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale, {"[Buffer"});
  check_error(test.device().record(CommandList{}.fill(view, 1u)), Errc::stale, {"[Buffer"});
}

// A new buffer in the same memory is another buffer.
DEVICE_TEST(Error, StaleViewsDoNotReachNewBuffers) {
  Queue queue = test.queue();
  std::vector<BufferView> old;
  for (int i = 0; i < 8; ++i) old.push_back(test.allocate(DType::u32, 64).view());
  std::vector<Buffer> fresh;
  for (int i = 0; i < 8; ++i) fresh.push_back(test.allocate(DType::u32, 64));
  for (const BufferView& view : old) check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale);
}

// A list built before the buffer is destroyed does not reach it either.
DEVICE_TEST(Error, BufferDestroyedBetweenBuildAndSubmitIsStale) {
  Queue queue = test.queue();
  CommandList list;
  {
    const Buffer buffer = test.allocate(DType::u32, 4, "brief");
    list.fill(buffer, 1u);
  }
  check_error(queue.submit(std::move(list)), Errc::stale, {"[Buffer"});
}

// Y7: operands stay until the work is done, whatever the caller destroys.
DEVICE_TEST(Buffer, DestroyedInFlightKeepsItsMemory) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  const std::vector<std::uint32_t> values = ramp<std::uint32_t>(1000, 5u, 3u);
  const Buffer result = test.allocate(DType::u32, values.size());
  {
    const Buffer doomed = test.buffer(values);
    const Buffer between = test.allocate(DType::u32, values.size());
    need(queue.submit(CommandList{}.copy(between, doomed).copy(result, between), {.after = {test.at(gate, 1)}}));
  }
  std::vector<Buffer> others;  // would take the freed memory
  for (int i = 0; i < 16; ++i) others.push_back(test.buffer(std::vector<std::uint32_t>(values.size(), 0xdeadbeef)));
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, result), values);
}

DEVICE_TEST(Buffer, DestroyedInFlightIsFreedAfterwards) {
  const auto used = [&] { return need(test.device().budget()).front().used; };
  const std::uint64_t before = used();
  Queue queue = test.queue();
  Signal gate = test.signal();
  {
    const Buffer doomed = test.allocate(DType::u8, 1 << 20);
    need(queue.submit(CommandList{}.fill(doomed, std::uint8_t{1}), {.after = {test.at(gate, 1)}}));
  }
  CHECK(used() >= before + (1 << 20));
  need(test.raise(gate, 1));
  test.finish(queue.last());
  CHECK(test.eventually([&] { return used() <= before; }));
}

DEVICE_TEST(Buffer, OfAnotherDeviceIsRefusedByName) {
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  const Buffer foreign = need(other.allocate(DType::u32, {4}, {.label = "foreign"}));
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.fill(foreign, 1u)), Errc::invalid_argument,
              {"[Buffer", "[" + std::string(test.id()) + "]"});
  check_error(test.device().record(CommandList{}.fill(foreign, 1u)), Errc::invalid_argument, {"[Buffer"});
}

DEVICE_TEST(Buffer, MapIsHonest) {
  Buffer buffer =
      need(test.device().allocate(DType::u32, {4}, {.label = "mapped", .placement = Placement::host, .alignment = 1}));
  const auto bytes = buffer.map();
  if (!test.has(Feature::mapped_memory)) {
    check_error(bytes, Errc::unsupported, {"mapped", test.info().capability(Feature::mapped_memory).detail});
    return;
  }
  REQUIRE(bytes.has_value());
  CHECK_EQ(bytes->size(), 16u);
  const std::array<std::uint32_t, 4> values{1, 2, 3, 4};
  std::memcpy(bytes->data(), values.data(), sizeof values);
  buffer.unmap();
  buffer.unmap();
  CHECK_EQ(test.read<std::uint32_t>(buffer), values);
}

DEVICE_TEST(Buffer, ARefusedMapSaysWhy) {
  Buffer buffer = need(test.device().allocate(DType::u32, {1024}, {.label = "far", .placement = Placement::device}));
  const auto bytes = buffer.map();
  if (bytes) {
    CHECK_EQ(bytes->size(), buffer.size_bytes());
    return buffer.unmap();
  }
  check_error(bytes, Errc::unsupported, {"\"far\""});
  CHECK(bytes.error().text().find(": .") == std::string::npos);  // a reason without words
}

DEVICE_TEST(Buffer, MapSeesWhatTheDeviceWrote) {
  test.require(Feature::mapped_memory);
  test.require_bytes();
  Buffer buffer =
      need(test.device().allocate(DType::u32, {4}, {.label = "", .placement = Placement::host, .alignment = 256}));
  Queue queue = test.queue();
  test.finish(need(queue.submit(CommandList{}.fill(buffer, 0x01020304u))));
  const auto bytes = need(buffer.map());
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 256, 0u);
  CHECK_EQ(bytes[0], std::byte{4});
  CHECK_EQ(bytes[15], std::byte{1});
}

DEVICE_TEST(Buffer, MoveKeepsTheBytes) {
  test.require_bytes();
  const std::vector<std::uint32_t> values{1, 2, 3};
  Buffer first = test.buffer(values);
  Buffer second = std::move(first);
  CHECK_EQ(test.read<std::uint32_t>(second), values);
  Buffer third = test.buffer(std::vector<std::uint32_t>{4});
  const BufferView replaced = third.view();
  third = std::move(second);
  CHECK_EQ(test.read<std::uint32_t>(third), values);
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.fill(replaced, 1u)), Errc::stale);
}

}  // namespace
}  // namespace pintle::conformance
