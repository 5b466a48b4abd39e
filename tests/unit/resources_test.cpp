// What stands before a resource: each alone, before one another, destroyed in any order, from threads.
#include "pintle/resources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pintle/pintle.h"

namespace pintle {
namespace {

using Lines = std::vector<std::string>;

void expect_words(const Error& error, Errc code, std::initializer_list<std::string_view> words) {
  EXPECT_EQ(error.code(), code) << error.text();
  for (const std::string_view word : words)
    EXPECT_NE(error.text().find(word), std::string::npos) << word << " in " << error.text();
}

/// Refuses while it has an error, counts what it is asked.
class ScriptedSource final : public Resource::Source {
 public:
  explicit ScriptedSource(Device device) : upstream_(must(DeviceResource::create(std::move(device)))) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override {
    ++asked;
    last = options;
    if (refusal) return *refusal;
    return upstream_.allocate(queue, dtype, shape, options);
  }

  std::optional<Error> refusal;
  BufferOptions last;
  int asked = 0;

 private:
  DeviceResource upstream_;
};

class Resources : public testing::Test {
 protected:
  Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  std::shared_ptr<ScriptedSource> scripted = std::make_shared<ScriptedSource>(device);
  Resource upstream{scripted};
  Lines lines;

  Result<Buffer> ask(const Resource& resource, std::uint64_t bytes, std::string label = {}) {
    return queue.allocate(resource, DType::u8, {bytes}, {.label = std::move(label)});
  }
  Buffer from(const Resource& resource, std::uint64_t bytes, std::string label = {}) {
    return must(ask(resource, bytes, std::move(label)));
  }
  LogResource::Sink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

/// Writes its name when it goes.
std::shared_ptr<const void> noted(Lines& lines, std::string name) {
  return {nullptr, [&lines, name = std::move(name)](const void*) { lines.push_back(name); }};
}

TEST_F(Resources, BuffersLetGoOfWhatTheyKeepInOrder) {
  Lines gone;
  {
    Buffer buffer = must(device.allocate(DType::u8, {1}));
    for (const char* name : {"first", "second", "third"}) must(buffer.keep(noted(gone, name)));
    Buffer moved = std::move(buffer);
    {
      const Buffer empty = std::move(buffer);
    }  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(gone.empty());
  }
  EXPECT_EQ(gone, (Lines{"first", "second", "third"}));
}

TEST_F(Resources, KeepIsLetGoByEveryEndOfABuffer) {
  Lines gone;
  const auto keeping = [&](const char* name) {
    Buffer buffer = must(device.allocate(DType::u8, {1}));
    must(buffer.keep(noted(gone, name)));
    return buffer;
  };
  Buffer freed = keeping("freed"), over = keeping("assigned over"), last = keeping("last");
  must(queue.free(std::move(freed)));
  EXPECT_EQ(gone, Lines{"freed"});
  over = std::move(last);
  EXPECT_EQ(gone, (Lines{"freed", "assigned over"}));
  over = Buffer();
  EXPECT_EQ(gone, (Lines{"freed", "assigned over", "last"}));
}

TEST_F(Resources, KeepIsLetGoAfterTheMemory) {
  Pool pool = must(Pool::create(device));
  std::uint64_t seen = 1;
  {
    Buffer buffer = from(pool, 100);
    must(buffer.keep({nullptr, [&](const void*) { seen = pool.statistics().in_use; }}));
    EXPECT_NE(pool.statistics().in_use, 0u);
  }
  EXPECT_EQ(seen, 0u);
}

TEST_F(Resources, EmptyBuffersKeepNothing) {
  Lines gone;
  Buffer empty;
  const Result<void> refused = empty.keep(noted(gone, "refused"));
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::invalid_argument, {"Buffer"});
  EXPECT_EQ(gone, Lines{"refused"});
}

TEST_F(Resources, OfTheDeviceAreItsAllocations) {
  DeviceResource plain = must(DeviceResource::create(device));
  const Buffer buffer = must(queue.allocate(plain, DType::f32, {3, 5}, {.label = "plain"}));
  EXPECT_EQ(buffer.size_bytes(), 60u);
  EXPECT_EQ(buffer.dtype(), DType::f32);
  EXPECT_NE(buffer.text().find("\"plain\""), std::string::npos);
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 1.5f)));
  EXPECT_EQ(must(read<float>(queue, buffer)), std::vector<float>(15, 1.5f));
  const auto refused = ask(plain, 0);
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::invalid_argument, {"(0)"});
  EXPECT_EQ(ask(must(DeviceResource::create(Device())), 1).error().code(), Errc::invalid_argument);
  EXPECT_EQ(ask(Resource(), 1).error().code(), Errc::invalid_argument);
  EXPECT_EQ(LimitResource::create(Resource(), 1).error().code(), Errc::invalid_argument);
}

TEST_F(Resources, LimitHoldsToTheByte) {
  LimitResource limit = must(LimitResource::create(upstream, 100));
  EXPECT_EQ(limit.limit(), 100u);
  Buffer first = from(limit, 60);
  const Buffer second = from(limit, 40);
  EXPECT_EQ(limit.in_use(), 100u);
  const auto refused = ask(limit, 7, "one more");
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::out_of_memory, {"(7)", "(100)", "[Buffer \"one more\"]"});
  EXPECT_EQ(scripted->asked, 2);
  must(queue.free(std::move(first)));
  EXPECT_EQ(limit.in_use(), 40u);
  const auto large = ask(limit, 61);
  ASSERT_FALSE(large);
  expect_words(large.error(), Errc::out_of_memory, {"(61)", "(40)", "(100)"});
  EXPECT_EQ(from(limit, 60).size_bytes(), 60u);
  EXPECT_EQ(limit.in_use(), 40u);
}

TEST_F(Resources, LimitOfNothingRefusesAll) {
  LimitResource limit = must(LimitResource::create(upstream, 0));
  EXPECT_EQ(ask(limit, 1).error().code(), Errc::out_of_memory);
  LimitResource most = must(LimitResource::create(upstream, ~0ull));
  const Buffer buffer = from(most, 10);
  const auto refused = queue.allocate(most, DType::u8, {~0ull}, {});  // together they are beyond 64 bits
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::out_of_memory, {"(18446744073709551615)", "(10)"});
}

TEST_F(Resources, LimitLeavesWrongShapesToUpstream) {
  LimitResource limit = must(LimitResource::create(upstream, 100));
  const auto refused = queue.allocate(limit, DType::f64, {1ull << 40, 1ull << 40}, {});
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::invalid_argument, {"64 bits"});
  EXPECT_EQ(queue.allocate(limit, static_cast<DType>(250), {1}, {}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(scripted->asked, 2);
  EXPECT_EQ(limit.in_use(), 0u);
}

TEST_F(Resources, LogHasALineForEachEvent) {
  LogResource log = must(LogResource::create(upstream, sink()));
  std::string text;
  {
    Buffer buffer = from(log, 48, "activations");
    text = buffer.text();
    EXPECT_EQ(lines, Lines{"allocated 48 bytes as " + text});
    const Buffer moved = std::move(buffer);
    EXPECT_EQ(lines.size(), 1u);
  }
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "freed 48 bytes of " + text);
  scripted->refusal = Error(Errc::out_of_memory, "No.");
  EXPECT_FALSE(ask(log, 9, "late"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2], "refused 9 bytes for [Buffer \"late\"]: out_of_memory: No.");
  EXPECT_FALSE(queue.allocate(log, DType::u64, {~0ull}, {}));
  EXPECT_EQ(lines.back(), "refused uncountable bytes for [Buffer]: out_of_memory: No.");
}

TEST_F(Resources, LogSurvivesASinkThatThrows) {
  int calls = 0;
  bool throws = true;
  LogResource log = must(LogResource::create(upstream, [&](std::string_view) {
    ++calls;
    if (throws) throw std::runtime_error("full");
  }));
  StatisticsResource above = must(StatisticsResource::create(log));
  const auto refused = ask(above, 8);
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::internal, {"full"});
  EXPECT_EQ(above.statistics().failures, 1u);
  throws = false;
  Buffer buffer = from(above, 8);
  throws = true;
  const int before = calls;
  must(queue.free(std::move(buffer)));
  EXPECT_EQ(calls, before + 1);
}

TEST_F(Resources, LogWithoutASinkIsSilent) {
  LogResource log = must(LogResource::create(upstream, nullptr));
  EXPECT_EQ(from(log, 8).size_bytes(), 8u);
}

TEST_F(Resources, LogMayAllocateThroughItself) {
  LogResource log;
  log = must(LogResource::create(upstream, [&](std::string_view line) {
    lines.emplace_back(line);
    if (lines.size() == 1) must(ask(log, 1, "inner"));
  }));
  {
    const Buffer buffer = from(log, 2, "outer");
  }
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[1].find("inner"), std::string::npos);
  EXPECT_NE(lines[3].find("outer"), std::string::npos);
}

TEST_F(Resources, TrackListsTheLargestFirst) {
  TrackResource track = must(TrackResource::create(upstream));
  EXPECT_TRUE(track.holders().empty());
  const Buffer small = from(track, 10, "small");
  Buffer large = from(track, 1000, "large");
  const Buffer middle = from(track, 500, "middle"), again = from(track, 500, "again");
  const auto holders = track.holders();
  ASSERT_EQ(holders.size(), 4u);
  EXPECT_EQ(holders[0].buffer, large.text());
  EXPECT_EQ(holders[0].bytes, 1000u);
  EXPECT_EQ(holders[1].buffer, middle.text());
  EXPECT_EQ(holders[2].buffer, again.text());
  EXPECT_EQ(holders[3].buffer, small.text());
  large = Buffer();
  ASSERT_EQ(track.holders().size(), 3u);
  EXPECT_EQ(track.holders()[0].buffer, middle.text());
}

TEST_F(Resources, TrackHasNothingOfARefusal) {
  TrackResource track = must(TrackResource::create(upstream));
  scripted->refusal = Error(Errc::io, "No.");
  EXPECT_FALSE(ask(track, 1));
  EXPECT_TRUE(track.holders().empty());
}

void expect_tally(const ResourceTally& tally, std::uint64_t current, std::uint64_t peak, std::uint64_t total) {
  EXPECT_EQ(tally.current, current);
  EXPECT_EQ(tally.peak, peak);
  EXPECT_EQ(tally.total, total);
}

TEST_F(Resources, StatisticsCountBuffersAndBytes) {
  StatisticsResource statistics = must(StatisticsResource::create(upstream));
  {
    const Buffer first = from(statistics, 100), second = from(statistics, 50);
    expect_tally(statistics.statistics().buffers, 2, 2, 2);
    expect_tally(statistics.statistics().bytes, 150, 150, 150);
  }
  const Buffer third = must(queue.allocate(statistics, DType::u16, {20}));
  scripted->refusal = Error(Errc::out_of_memory, "No.");
  EXPECT_FALSE(ask(statistics, 1));
  const ResourceStatistics now = statistics.statistics();
  expect_tally(now.buffers, 1, 2, 3);
  expect_tally(now.bytes, 40, 150, 190);
  EXPECT_EQ(now.failures, 1u);
}

TEST_F(Resources, FailuresComeByNumber) {
  FailResource fail = must(FailResource::create(upstream, {.every = 3, .after = 7}));
  std::string seen;
  for (int i = 0; i < 10; ++i) seen += ask(fail, 1) ? '.' : 'x';
  EXPECT_EQ(seen, "..x..x.xxx");
  EXPECT_EQ(fail.requests(), 10u);
  EXPECT_EQ(scripted->asked, 5);
  const auto refused = ask(fail, 1, "late");
  ASSERT_FALSE(refused);
  expect_words(refused.error(), Errc::out_of_memory, {"(11)", "\"late\"", "(3)", "(7)"});
}

TEST_F(Resources, FailuresOfEveryKindCanBeLeftOut) {
  FailResource never = must(FailResource::create(upstream, {}));
  FailResource zeroth = must(FailResource::create(upstream, {.every = 0}));
  FailResource first = must(FailResource::create(upstream, {.every = 1}));
  FailResource all = must(FailResource::create(upstream, {.after = 0}));
  FailResource later = must(FailResource::create(upstream, {.after = 2}));
  std::string seen[5];
  for (int i = 0; i < 4; ++i) {
    const Resource resources[] = {never, zeroth, first, all, later};
    for (int r = 0; r < 5; ++r) seen[r] += ask(resources[r], 1) ? '.' : 'x';
  }
  EXPECT_EQ(std::vector<std::string>(seen, seen + 5),
            (std::vector<std::string>{"....", "....", "xxxx", "xxxx", "..xx"}));
}

TEST_F(Resources, PassErrorsAndOptionsOnUntouched) {
  LimitResource limit = must(LimitResource::create(upstream, 1000));
  LogResource log = must(LogResource::create(limit, sink()));
  TrackResource track = must(TrackResource::create(log));
  StatisticsResource statistics = must(StatisticsResource::create(track));
  FailResource fail = must(FailResource::create(statistics, {}));
  scripted->refusal = Error(Errc::device_lost, "It is gone.");
  const auto refused = ask(fail, 10);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().same_origin(*scripted->refusal));
  EXPECT_EQ(refused.error().text(), scripted->refusal->text());
  EXPECT_EQ(limit.in_use(), 0u);
  scripted->refusal.reset();
  const Buffer buffer = must(queue.allocate(
      fail, DType::u8, {5},
      {.label = "asked", .placement = Placement::host, .alignment = 256, .allocation = Allocation::lazy}));
  EXPECT_EQ(scripted->last.label, "asked");
  EXPECT_EQ(scripted->last.placement, Placement::host);
  EXPECT_EQ(scripted->last.alignment, 256u);
  EXPECT_EQ(scripted->last.allocation, Allocation::lazy);
  EXPECT_EQ(limit.in_use(), 5u);
}

TEST_F(Resources, StandBeforeOneAnother) {
  Pool pool = must(Pool::create(device));
  StatisticsResource statistics = must(StatisticsResource::create(pool));
  LimitResource limit = must(LimitResource::create(statistics, 1 << 20));
  {
    const Buffer first = from(limit, 1 << 19);
    const Buffer second = from(limit, 1 << 19);
    EXPECT_EQ(ask(limit, 1).error().code(), Errc::out_of_memory);
    EXPECT_EQ(pool.statistics().buffers, 2u);
  }
  const Buffer again = from(limit, 1 << 19);
  EXPECT_EQ(pool.statistics().reuses, 1u);
  const ResourceStatistics now = statistics.statistics();
  EXPECT_EQ(now.failures, 0u);  // the limit refused before
  expect_tally(now.buffers, 1, 2, 3);
  EXPECT_EQ(limit.in_use(), 1u << 19);
}

TEST_F(Resources, OneCountsForItsOwnRequestsOnly) {
  Pool pool = must(Pool::create(device));
  TrackResource mine = must(TrackResource::create(pool)), yours = must(TrackResource::create(pool));
  const Buffer first = from(mine, 10, "mine"), second = from(yours, 20, "yours"), third = from(pool, 30);
  ASSERT_EQ(mine.holders().size(), 1u);
  EXPECT_EQ(mine.holders()[0].buffer, first.text());
  ASSERT_EQ(yours.holders().size(), 1u);
  EXPECT_EQ(yours.holders()[0].buffer, second.text());
}

/// All five before a pool; each can be destroyed by itself.
struct Stack {
  Stack(const Device& device, LogResource::Sink sink)
      : pool(must(Pool::create(device))),
        statistics(must(StatisticsResource::create(pool))),
        track(must(TrackResource::create(statistics))),
        log(must(LogResource::create(track, std::move(sink)))),
        limit(must(LimitResource::create(log, 1000))) {}

  void destroy(std::size_t which) {
    if (which == 0) pool = {};
    if (which == 1) statistics = {};
    if (which == 2) track = {};
    if (which == 3) log = {};
    if (which == 4) limit = {};
  }

  Pool pool;
  StatisticsResource statistics;
  TrackResource track;
  LogResource log;
  LimitResource limit;
};

TEST_F(Resources, AreOutlivedByBuffersInEveryOrder) {
  std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};  // 5 is the buffer
  int orders = 0;
  do {
    lines.clear();
    Stack stack(device, sink());
    Buffer buffer = from(stack.limit, 64, "survivor");
    for (const std::size_t which : order) {
      if (which == 5) must(queue.free(std::move(buffer)));
      else stack.destroy(which);
    }
    ASSERT_EQ(lines.size(), 2u);
    ASSERT_TRUE(lines[1].starts_with("freed 64 bytes"));
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(orders, 720);
}

TEST_F(Resources, OwnWhatTheyStandBefore) {
  LimitResource limit;
  {
    Stack stack(device, sink());
    limit = stack.limit;
  }
  const Buffer buffer = from(limit, 64, "late");
  EXPECT_EQ(limit.in_use(), 64u);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(Resources, BuffersWorkAfterAllIsGone) {
  Buffer buffer;
  {
    Stack stack(device, sink());
    buffer = must(queue.allocate(stack.limit, DType::u32, {16}));
  }
  EXPECT_EQ(lines.size(), 1u);
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 7u)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), std::vector<std::uint32_t>(16, 7));
  buffer = Buffer();
  EXPECT_EQ(lines.size(), 2u);
}

TEST_F(Resources, BuffersMayGoOnAnotherThread) {
  StatisticsResource statistics = must(StatisticsResource::create(upstream));
  LimitResource limit = must(LimitResource::create(statistics, 100));
  std::jthread([buffer = from(limit, 40)] { EXPECT_EQ(buffer.size_bytes(), 40u); }).join();
  expect_tally(statistics.statistics().bytes, 0, 40, 40);
  EXPECT_EQ(limit.in_use(), 0u);
}

TEST(ResourcesConcurrency, TalliesEndAtZero) {
  const Device device = must(open("cpu"));
  Pool pool = must(Pool::create(device));
  std::mutex mutex;
  std::size_t allocated = 0, freed = 0;
  LogResource log = must(LogResource::create(pool, [&](std::string_view line) {
    std::lock_guard lock(mutex);
    ++(line.starts_with("allocated") ? allocated : freed);
  }));
  TrackResource track = must(TrackResource::create(log));
  StatisticsResource statistics = must(StatisticsResource::create(track));
  LimitResource limit = must(LimitResource::create(statistics, 4096));
  FailResource fail = must(FailResource::create(limit, {.every = 7}));
  std::atomic<std::uint64_t> made{0}, refused{0};
  std::vector<std::jthread> threads;
  for (unsigned index = 0; index < 4; ++index) {
    threads.emplace_back([&, index] {
      Queue queue = must(device.create_queue());
      std::vector<Buffer> held;
      for (unsigned round = 0; round < 200; ++round) {
        auto buffer = queue.allocate(fail, DType::u8, {1 + (round * 37 + index) % 512});
        if (buffer) held.push_back(*std::move(buffer));
        ++(buffer ? made : refused);
        EXPECT_LE(limit.in_use(), 4096u);
        if (held.size() > 6) held.erase(held.begin());
        if (round % 16 == 0) (void)track.holders();
      }
    });
  }
  threads.clear();
  const ResourceStatistics now = statistics.statistics();
  EXPECT_EQ(made + refused, 800u);
  EXPECT_GE(refused, 800u / 7);
  EXPECT_EQ(fail.requests(), 800u);
  EXPECT_EQ(now.buffers.current, 0u);
  EXPECT_EQ(now.bytes.current, 0u);
  EXPECT_EQ(now.buffers.total, made);
  EXPECT_LE(now.bytes.peak, 4096u);
  EXPECT_EQ(limit.in_use(), 0u);
  EXPECT_TRUE(track.holders().empty());
  EXPECT_EQ(allocated, made);
  EXPECT_EQ(freed, made);
}

TEST(ResourcesConcurrency, BuffersGoWhileTheAdaptorDoes) {
  const Device device = must(open("cpu"));
  DeviceResource plain = must(DeviceResource::create(device));
  for (int round = 0; round < 50; ++round) {
    LimitResource limit = must(LimitResource::create(plain, 1000));
    TrackResource track = must(TrackResource::create(limit));
    Queue queue = must(device.create_queue());
    std::vector<Buffer> buffers;
    for (int i = 0; i < 8; ++i) buffers.push_back(must(queue.allocate(track, DType::u8, {100})));
    std::jthread other([&] { buffers.clear(); });
    track = {};
    limit = {};
  }
}

}  // namespace
}  // namespace pintle
