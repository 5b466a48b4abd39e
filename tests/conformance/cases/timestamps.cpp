// Device clock readings as commands.
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

DEVICE_TEST(Timestamp, IsHonest) {
  Queue queue = test.queue();
  const Buffer ticks = test.allocate(DType::u64, 1);
  const auto point = queue.submit(CommandList{}.timestamp(ticks));
  if (!test.has(Feature::timestamp)) {
    check_error(point, Errc::unsupported, {"timestamp", test.info().capability(Feature::timestamp).detail});
    check_error(test.device().record(CommandList{}.timestamp(ticks)), Errc::unsupported, {"timestamp"});
    return;
  }
  test.finish(need(point));
  CHECK(test.info().nanoseconds_per_tick > 0);
}

DEVICE_TEST(Timestamp, NeverGoesBackAlongAQueue) {
  test.require(Feature::timestamp);
  test.require_bytes();
  constexpr std::uint64_t count = 32;
  Queue queue = test.queue();
  const Buffer ticks = test.buffer(std::vector<std::uint64_t>(count, 0)), work = test.allocate(DType::u32, 4096);
  for (std::uint64_t i = 0; i < count; i += 2) {
    need(queue.submit(CommandList{}
                          .timestamp(need(ticks.slice(i, 1)))
                          .fill(work, static_cast<std::uint32_t>(i))
                          .timestamp(need(ticks.slice(i + 1, 1)))));
  }
  const auto read = test.read<std::uint64_t>(queue, ticks);
  CHECK(read.front() > 0);
  for (std::size_t i = 1; i < count; ++i) CHECK(read[i] >= read[i - 1]);
  CHECK(read.back() > read.front());
}

DEVICE_TEST(Timestamp, RefusesWrongWindows) {
  test.require(Feature::timestamp);
  Queue queue = test.queue();
  const Buffer bytes = test.allocate(DType::u8, 64);
  check_error(queue.submit(CommandList{}.timestamp(need(bytes.slice(0, 16)))), Errc::invalid_argument, {"16", "8"});
  check_error(queue.submit(CommandList{}.timestamp(need(bytes.slice(0, 4)))), Errc::invalid_argument, {"4", "8"});
  check_error(queue.submit(CommandList{}.timestamp(need(bytes.slice(4, 8)))), Errc::invalid_argument, {"4", "8"});
}

DEVICE_TEST(Timestamp, WorksInRecordings) {
  test.require(Feature::timestamp);
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer first = test.buffer(std::vector<std::uint64_t>{0}), second = test.buffer(std::vector<std::uint64_t>{0});
  const Recording recording = need(test.device().record(CommandList{}.timestamp(Slot{0})));
  need(queue.replay(recording, {first}));
  need(queue.replay(recording, {second}));
  const auto a = test.read<std::uint64_t>(queue, first), b = test.read<std::uint64_t>(queue, second);
  CHECK(a[0] > 0 && b[0] >= a[0]);
}

}  // namespace
}  // namespace pintle::conformance
