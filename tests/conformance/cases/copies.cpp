// Copies, fills, uploads and downloads.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

DEVICE_TEST(Copy, MovesBytesBetweenBuffers) {
  test.require_bytes();
  Queue queue = test.queue();
  const Words values = ramp<std::uint32_t>(1000);
  const Buffer from = test.buffer(values), to = test.allocate(DType::u32, 1000);
  need(queue.submit(CommandList{}.copy(to, from)));
  CHECK_EQ(test.read<std::uint32_t>(queue, to), values);
}

DEVICE_TEST(Copy, MovesWindowsAtAnyByteOffset) {
  test.require_bytes();
  Queue queue = test.queue();
  const auto values = ramp<std::uint8_t>(64);
  for (const std::uint64_t from : {0ull, 1ull, 3ull, 7ull}) {
    for (const std::uint64_t to : {0ull, 1ull, 2ull, 5ull}) {
      for (const std::uint64_t size : {1ull, 2ull, 13ull, 50ull}) {
        const Buffer source = test.buffer(values), target = test.buffer(std::vector<std::uint8_t>(64, 0xee));
        need(queue.submit(CommandList{}.copy(need(target.slice(to, size)), need(source.slice(from, size)))));
        std::vector<std::uint8_t> expected(64, 0xee);
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), size,
                    expected.begin() + static_cast<std::ptrdiff_t>(to));
        CHECK_EQ(test.read<std::uint8_t>(queue, target), expected);
      }
    }
  }
}

DEVICE_TEST(Copy, WithinOneBufferWhenApart) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Words{1, 2, 3, 4, 5, 6});
  need(queue.submit(CommandList{}.copy(need(buffer.slice(3, 3)), need(buffer.slice(0, 3)))));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), (Words{1, 2, 3, 1, 2, 3}));
}

// M11: what overlaps has no defined order of bytes.
DEVICE_TEST(Copy, OverlapIsRefusedWithBothRanges) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 8, "overlapped");
  const auto copy = [&](std::uint64_t to, std::uint64_t from, std::uint64_t count) {
    return queue.submit(CommandList{}.copy(need(buffer.slice(to, count)), need(buffer.slice(from, count))));
  };
  check_error(copy(0, 0, 8), Errc::invalid_argument, {"overlaps", "[0, 32)"});
  check_error(copy(1, 0, 4), Errc::invalid_argument, {"[4, 20)", "[0, 16)"});
  check_error(copy(0, 3, 4), Errc::invalid_argument, {"[0, 16)", "[12, 28)"});
  check_ok(copy(4, 0, 4));
}

// Y7: never the smaller of the two.
DEVICE_TEST(Copy, SizesThatDifferAreRefusedWithBoth) {
  Queue queue = test.queue();
  const Buffer big = test.allocate(DType::u32, 8), small = test.allocate(DType::u32, 7);
  check_error(queue.submit(CommandList{}.copy(big, small)), Errc::invalid_argument, {"32", "28", "[Buffer"});
  check_error(queue.submit(CommandList{}.copy(small, big)), Errc::invalid_argument, {"32", "28"});
}

DEVICE_TEST(Copy, EmptyWindowsAreRefused) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 8);
  const BufferView nothing = need(buffer.slice(4, 0));
  check_error(queue.submit(CommandList{}.fill(nothing, 1u)), Errc::invalid_argument, {"0"});
  check_error(queue.submit(CommandList{}.copy(nothing, nothing)), Errc::invalid_argument, {"0"});
  check_error(queue.submit(CommandList{}.upload(nothing, Words{})), Errc::invalid_argument, {"0"});
}

DEVICE_TEST(Copy, FillRepeatsEveryPatternSize) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer bytes = test.allocate(DType::u8, 37), halves = test.allocate(DType::i16, 37);
  const Buffer words = test.allocate(DType::f32, 37), longs = test.allocate(DType::u64, 37);
  need(queue.submit(CommandList{}
                        .fill(bytes, std::uint8_t{0xa5})
                        .fill(halves, std::int16_t{-2})
                        .fill(words, 1.5f)
                        .fill(longs, std::uint64_t{0x0102030405060708})));
  CHECK_EQ(test.read<std::uint8_t>(queue, bytes), std::vector<std::uint8_t>(37, 0xa5));
  CHECK_EQ(test.read<std::int16_t>(queue, halves), std::vector<std::int16_t>(37, -2));
  CHECK_EQ(test.read<float>(queue, words), std::vector<float>(37, 1.5f));
  CHECK_EQ(test.read<std::uint64_t>(queue, longs), std::vector<std::uint64_t>(37, 0x0102030405060708));
}

DEVICE_TEST(Copy, FillLeavesTheRestAlone) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(std::vector<std::uint8_t>(40, 1));
  need(queue.submit(CommandList{}.fill(need(buffer.slice(3, 5)), std::uint8_t{2})));
  std::vector<std::uint8_t> expected(40, 1);
  std::fill_n(expected.begin() + 3, 5, std::uint8_t{2});
  CHECK_EQ(test.read<std::uint8_t>(queue, buffer), expected);
}

DEVICE_TEST(Copy, FillOfAnotherDtypeIsRefused) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::f32, 4);
  check_error(queue.submit(CommandList{}.fill(buffer, 1u)), Errc::invalid_argument, {"f32", "u32", "[Buffer"});
  check_error(queue.submit(CommandList{}.fill(buffer, 1.0)), Errc::invalid_argument, {"f32", "f64"});
}

// The caller's memory is free as soon as the call returns, also while the submission is held.
DEVICE_TEST(Copy, UploadReadsItsSourceAtOnce) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  Words values = ramp<std::uint32_t>(256);
  const Words original = values;
  const Buffer buffer = test.allocate(DType::u32, 256);
  need(queue.submit(CommandList{}.upload(buffer, values), {.after = {test.at(gate, 1)}}));
  values.assign(256, 0xbad);
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), original);
}

DEVICE_TEST(Copy, UploadKeepsAVectorThatIsGiven) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 256);
  Words values = ramp<std::uint32_t>(256, 9u);
  const Words original = values;
  need(queue.submit(CommandList{}.upload(buffer, std::move(values))));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), original);
}

// Y13: each submission has its own input; a later upload does not change what an earlier one reads.
DEVICE_TEST(Copy, UploadsInFlightDoNotDisturbEachOther) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer input = test.allocate(DType::u32, 64);
  std::vector<Buffer> outputs;
  Words values(64);
  for (std::uint32_t run = 0; run < 8; ++run) {
    values.assign(64, run + 100);
    outputs.push_back(test.allocate(DType::u32, 64));
    need(queue.submit(CommandList{}.upload(input, values).copy(outputs.back(), input), {.after = {test.at(gate, 1)}}));
  }
  need(test.raise(gate, 1));
  for (std::uint32_t run = 0; run < 8; ++run)
    CHECK_EQ(test.read<std::uint32_t>(queue, outputs[run]), Words(64, run + 100));
}

DEVICE_TEST(Copy, RetainedMemoryIsReleasedWhenDone) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.allocate(DType::u32, 16);
  auto source = std::make_shared<Words>(16, 3u);
  auto target = std::make_shared<Words>(16);
  const std::weak_ptr<Words> source_watch = source, target_watch = target;
  const auto bytes = std::as_bytes(std::span(*source));
  const auto result = std::as_writable_bytes(std::span(*target));
  need(queue.submit(CommandList{}
                        .upload_retained(buffer, std::move(source), bytes)
                        .download_retained(std::move(target), result, buffer),
                    {.after = {test.at(gate, 1)}}));
  CHECK(!source_watch.expired());
  CHECK(!target_watch.expired());
  need(test.raise(gate, 1));
  test.finish(queue.last());
  CHECK(test.eventually([&] { return source_watch.expired() && target_watch.expired(); }));
}

DEVICE_TEST(Copy, WrongHostMemoryIsRefused) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::f32, 4, "weights");
  std::array<float, 5> five{};
  std::array<std::int32_t, 4> integers{};
  check_error(queue.submit(CommandList{}.upload(buffer, five)), Errc::invalid_argument, {"20", "16", "\"weights\""});
  check_error(queue.submit(CommandList{}.upload(buffer, integers)), Errc::invalid_argument,
              {"i32", "f32", "\"weights\""});
  check_error(queue.submit(CommandList{}.upload(buffer, std::vector<float>(3))), Errc::invalid_argument, {"12", "16"});
  check_error(queue.submit(CommandList{}.download(five, buffer)), Errc::invalid_argument, {"20", "16"});
  check_error(queue.submit(CommandList{}.download(integers, buffer)), Errc::invalid_argument, {"i32", "f32"});
  const std::span<const std::byte> nowhere(static_cast<const std::byte*>(nullptr), 16);
  check_error(queue.submit(CommandList{}.upload(buffer, nowhere)), Errc::invalid_argument, {"null", "16"});
  check_error(read<std::int32_t>(queue, buffer, patience), Errc::invalid_argument, {"i32", "f32"});
}

DEVICE_TEST(Copy, BytesFitEveryDtype) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::bf16, 4);
  const std::array<std::byte, 8> values{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  std::array<std::byte, 8> result{};
  const Point done = need(queue.submit(CommandList{}.upload(buffer, values).download(result, buffer)));
  test.finish(done);
  CHECK_EQ(result, values);
}

DEVICE_TEST(Copy, ReadGivesTheValues) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(std::vector<double>{1, 2, 4});
  CHECK_EQ(need(read<double>(queue, buffer, patience)), (std::vector<double>{1, 2, 4}));
}

DEVICE_TEST(Copy, LargeBuffersMoveWhole) {
  test.require_bytes();
  constexpr std::size_t count = (8u << 20) / 4 + 3;
  Queue queue = test.queue();
  const Words values = ramp<std::uint32_t>(count, 1u, 2654435761u);
  const Buffer from = test.buffer(values), to = test.allocate(DType::u32, count);
  need(queue.submit(CommandList{}.copy(to, from)));
  CHECK_EQ(test.read<std::uint32_t>(queue, to), values);
}

}  // namespace
}  // namespace pintle::conformance
