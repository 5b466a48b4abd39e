// What stands before a resource, on every device: limits before statistics before a pool.
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t words = 1024;
constexpr std::uint64_t bytes = 4 * words;

Buffer from(Queue& queue, const Resource& resource, std::string label = {}) {
  return need(queue.allocate(resource, DType::u32, {words}, {.label = std::move(label)}));
}

DEVICE_TEST(Resource, OfTheDeviceNeedsNoPool) {
  DeviceResource plain = need(DeviceResource::create(test.device()));
  Queue queue = test.queue();
  const Buffer first = from(queue, plain, "plain"), second = from(queue, plain);
  CHECK(first.text().ends_with("\"plain\"]"));
  need(queue.submit(CommandList{}.fill(first, 3u).fill(second, 4u)));
  test.finish(queue.last());
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, first), Words(words, 3));
  check_error(queue.allocate(plain, DType::u8, {0}), Errc::invalid_argument, {"0"});
}

DEVICE_TEST(Resource, LimitStandsBeforeStatisticsBeforeAPool) {
  Pool pool = need(Pool::create(test.device()));
  StatisticsResource statistics = need(StatisticsResource::create(pool));
  LimitResource limit = need(LimitResource::create(statistics, 2 * bytes));
  Queue queue = test.queue();
  Buffer first = from(queue, limit), second = from(queue, limit);
  need(queue.submit(CommandList{}.fill(first, 1u).copy(second, first)));
  check_error(queue.allocate(limit, DType::u32, {1}, {.label = "one more"}), Errc::out_of_memory,
              {"(4)", std::to_string(2 * bytes), "one more"});
  CHECK_EQ(pool.statistics().buffers, 2u);
  CHECK_EQ(statistics.statistics().failures, 0u);
  check_ok(queue.free(std::move(first)));  // work in flight does not count
  CHECK_EQ(limit.in_use(), bytes);
  const Buffer third = from(queue, limit);
  CHECK_EQ(pool.statistics().reuses, 1u);
  const ResourceStatistics now = statistics.statistics();
  CHECK_EQ(now.buffers.current, 2u);
  CHECK_EQ(now.buffers.total, 3u);
  CHECK_EQ(now.bytes.peak, 2 * bytes);
  test.finish(queue.last());
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, second), Words(words, 1));
}

DEVICE_TEST(Resource, BuffersOutliveWhatStandsBefore) {
  Queue queue = test.queue();
  std::vector<std::string> lines;
  Buffer buffer;
  {
    Pool pool = need(Pool::create(test.device()));
    LogResource log = need(LogResource::create(pool, [&](std::string_view line) { lines.emplace_back(line); }));
    TrackResource track = need(TrackResource::create(log));
    LimitResource limit = need(LimitResource::create(track, bytes));
    buffer = from(queue, limit, "survivor");
    const auto holders = track.holders();
    REQUIRE(holders.size() == 1);
    CHECK_EQ(holders[0].buffer, buffer.text());
    CHECK_EQ(holders[0].bytes, bytes);
  }
  need(queue.submit(CommandList{}.fill(buffer, 5u)));
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(words, 5));
  REQUIRE(lines.size() == 1);
  buffer = Buffer();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("allocated " + std::to_string(bytes)));
  CHECK(lines[1].starts_with("freed " + std::to_string(bytes)));
  CHECK(lines[1].find("\"survivor\"") != std::string::npos);
  test.finish(queue.last());
}

// A program that goes on after each failure has its bytes right in the end.
DEVICE_TEST(Resource, FailuresPoisonNothing) {
  Pool pool = need(Pool::create(test.device()));
  StatisticsResource statistics = need(StatisticsResource::create(pool));
  FailResource fail = need(FailResource::create(statistics, {.every = 2}));
  Queue queue = test.queue();
  std::vector<Buffer> buffers;
  while (buffers.size() < 8) {
    const auto number = static_cast<std::uint32_t>(buffers.size());
    auto buffer = queue.allocate(fail, DType::u32, {words});
    if (fail.requests() % 2 == 0) {
      check_error(buffer, Errc::out_of_memory, {std::to_string(fail.requests())});
      continue;
    }
    buffers.push_back(need(std::move(buffer)));
    need(queue.submit(CommandList{}.fill(buffers.back(), number)));
  }
  test.finish(queue.last());
  CHECK_EQ(fail.requests(), 15u);
  CHECK_EQ(statistics.statistics().failures, 0u);
  CHECK_EQ(statistics.statistics().buffers.total, 8u);
  if (!test.executes()) return;
  for (std::uint32_t i = 0; i < 8; ++i) CHECK_EQ(test.read<std::uint32_t>(queue, buffers[i]), Words(words, i));
}

}  // namespace
}  // namespace pintle::conformance
