// Pools: memory by queue order, caps and their end, holders.
#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t words = 4096;
constexpr std::uint64_t bytes = 4 * words;

Pool pool_of(const Context& test, PoolOptions options = {}) { return need(Pool::create(test.device(), options)); }

Buffer from(Queue& queue, Pool& pool, std::uint64_t count = words, std::string label = {}) {
  return need(queue.allocate(pool, DType::u32, {count}, {.label = std::move(label)}));
}

DEVICE_TEST(Pool, TakesNothingBeforeTheFirstRequest) {
  Pool pool = pool_of(test);
  CHECK_EQ(pool.statistics().held, 0u);
  Queue queue = test.queue();
  const Buffer buffer = from(queue, pool, words, "one");
  CHECK_EQ(buffer.size_bytes(), bytes);
  CHECK(buffer.text().ends_with("\"one\"]"));
  const PoolStatistics now = pool.statistics();
  CHECK(now.held >= bytes);
  CHECK_EQ(now.in_use, bytes);
  CHECK_EQ(now.buffers, 1u);
  CHECK_EQ(now.misses, 1u);
}

DEVICE_TEST(Pool, BuffersDoNotShareBytes) {
  test.require_bytes();
  Pool pool = pool_of(test);
  Queue queue = test.queue();
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 40; ++i) {
    buffers.push_back(from(queue, pool, 1 + i * 97));
    need(queue.submit(CommandList{}.fill(buffers[i], i)));
  }
  for (std::uint32_t i = 0; i < 40; ++i) CHECK_EQ(test.read<std::uint32_t>(queue, buffers[i]), Words(1 + i * 97, i));
}

// Launches, copies, slots, slices: wherever the buffer lies in its block.
DEVICE_TEST(Pool, BuffersWorkInEveryCommand) {
  test.require_bytes();
  Pool pool = pool_of(test);
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const Buffer first = from(queue, pool, 77), second = from(queue, pool, 300), third = from(queue, pool, 300);
  const Words nines(77, 9);
  test.write(first, std::as_bytes(std::span(nines)));
  need(queue.submit(CommandList{}.fill(second, 3u).exec(affine, Grid::cover(300), second, 5u, 1u, 300u)));
  need(queue.submit(CommandList{}.copy(third, second)));
  CHECK_EQ(test.read<std::uint32_t>(queue, third), Words(300, 16));
  const BufferView tail = need(third.slice(256, 44));
  need(queue.submit(CommandList{}.fill(tail, 8u)));
  const Recording recording = need(test.device().record(CommandList{}.copy(Slot{0}, need(third.slice(0, 77)))));
  need(queue.replay(recording, {first.view()}));
  CHECK_EQ(test.read<std::uint32_t>(queue, first), Words(77, 16));
  CHECK_EQ(test.read<std::uint32_t>(queue, tail), Words(44, 8));
  CHECK_EQ(test.read<std::uint32_t>(queue, need(second.slice(299, 1))), Words{16});
}

// M12: memory is used again in the order of the queue, and the host waits for nothing.
DEVICE_TEST(Pool, SameQueueReusesInFlight) {
  Pool pool = pool_of(test);
  Queue queue = test.queue();
  Signal gate = test.signal();
  need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  for (std::uint32_t i = 0; i < 20; ++i) {
    Buffer buffer = from(queue, pool);
    need(queue.submit(CommandList{}.fill(buffer, i)));
    if (i % 2 == 0) check_ok(queue.free(std::move(buffer)));
  }
  const PoolStatistics now = pool.statistics();
  CHECK_EQ(now.misses, 1u);
  CHECK_EQ(now.reuses, 19u);
  CHECK_EQ(now.waits, 0u);
  CHECK_EQ(now.high_water, bytes);
  check_ok(test.raise(gate, 1));
  test.finish(queue.last());
}

DEVICE_TEST(Pool, OtherQueueTakesOnlyWhatItIsBehind) {
  Pool pool = pool_of(test, {.block = bytes});
  Queue first = test.queue(), second = test.queue(), third = test.queue();
  Signal gate = test.signal();
  {
    const Buffer buffer = from(first, pool);
    need(first.submit(CommandList{}.fill(buffer, 1u), {.after = {test.at(gate, 1)}}));
  }
  const Buffer unordered = from(second, pool);
  CHECK_EQ(pool.statistics().misses, 2u);
  check_ok(test.raise(gate, 1));
  test.finish(first.last());
  const Buffer ordered = from(third, pool);  // reached meanwhile
  CHECK_EQ(pool.statistics().misses, 2u);
  CHECK_EQ(pool.statistics().waits, 0u);
}

// The waits of submissions say it, also through a third queue.
DEVICE_TEST(Pool, OrderThroughOtherQueuesIsEnough) {
  if (test.is_driven()) test.not_applicable("a driven device has run everything when submit returns");
  test.require(Feature::host_call);
  Pool pool = pool_of(test, {.block = bytes});
  Queue first = test.queue(), second = test.queue(), third = test.queue();
  std::atomic<bool> open{false};
  const auto shut = [&open] {
    while (!open) std::this_thread::yield();
  };
  Point used;
  {
    const Buffer buffer = from(first, pool);
    need(first.submit(CommandList{}.call(shut)));
    used = need(first.submit(CommandList{}.fill(buffer, 1u)));
  }
  const Point through = need(second.submit(CommandList{}, {.after = {used}}));
  need(third.submit(CommandList{}, {.after = {through}}));
  const Buffer reused = from(third, pool);
  const PoolStatistics now = pool.statistics();
  open = true;
  CHECK_EQ(now.misses, 1u);
  CHECK_EQ(now.reuses, 1u);
  CHECK_EQ(now.waits, 0u);
  test.finish(third.last());
}

DEVICE_TEST(Pool, BytesAreRightWhenMemoryIsReused) {
  test.require_bytes();
  Pool pool = pool_of(test, {.cap = 64 * bytes, .block = bytes});
  Queue queues[2] = {test.queue(), test.queue()};
  std::mt19937 random(7);
  std::map<std::uint32_t, Buffer> held;
  std::uint32_t next = 0;
  for (int step = 0; step < 120; ++step) {
    Queue& queue = queues[random() % 2];
    Queue& other = &queue == &queues[0] ? queues[1] : queues[0];
    if (held.size() < 12) {
      Buffer buffer = from(queue, pool, 64 + random() % words);
      need(queue.submit(CommandList{}.fill(buffer, next), {.after = {other.last()}}));
      held.emplace(next++, std::move(buffer));
    } else {
      auto place = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
      need(queue.submit(CommandList{}, {.after = {other.last()}}));
      const std::vector<std::uint32_t> values = test.read<std::uint32_t>(queue, place->second);
      CHECK_EQ(values, Words(values.size(), place->first));
      held.erase(place);
    }
  }
  CHECK(pool.statistics().held <= 64 * bytes);
}

DEVICE_TEST(Pool, CapIsExhaustedAndRecovers) {
  Pool pool = pool_of(test, {.label = "small", .cap = 4 * bytes, .block = bytes, .patience = Duration::zero()});
  Queue queue = test.queue();
  std::vector<Buffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(from(queue, pool, words, "holder " + std::to_string(i)));
  // Which three of four that are equally large are named, depends on ids that others had.
  check_error(queue.allocate(pool, DType::u32, {2 * words}), Errc::out_of_memory,
              {std::to_string(2 * bytes), std::to_string(4 * bytes), "\"small\"", "the largest holders are ",
               "\"holder ", "(0) free"});
  CHECK_EQ(pool.statistics().held, 4 * bytes);
  buffers.pop_back();
  buffers.pop_back();
  test.finish(queue.last());
  const Buffer again = from(queue, pool, 2 * words);  // two small blocks make room for a larger one
  CHECK(pool.statistics().held <= 4 * bytes);
  check_ok(queue.submit(CommandList{}.fill(again, 1u)));
  test.finish(queue.last());
}

DEVICE_TEST(Pool, CallbackMakesRoomAndIsAskedAgain) {
  std::vector<Buffer> buffers;
  int asked = 0;
  PoolExhaustion seen;
  PoolOptions options{.cap = 3 * bytes, .block = bytes, .patience = Duration::zero()};
  options.on_exhausted = [&](const PoolExhaustion& state) {
    ++asked;
    seen = state;
    if (buffers.empty()) return false;
    buffers.pop_back();
    return true;
  };
  Pool pool = pool_of(test, options);
  Queue queue = test.queue();
  for (int i = 0; i < 3; ++i) buffers.push_back(from(queue, pool));
  const Buffer more = from(queue, pool);
  CHECK_EQ(asked, 1);
  CHECK_EQ(seen.requested, bytes);
  CHECK_EQ(seen.in_use, 3 * bytes);
  CHECK_EQ(seen.cap, 3 * bytes);
  check_error(queue.allocate(pool, DType::u32, {4 * words}), Errc::out_of_memory, {std::to_string(4 * bytes)});
  CHECK_EQ(asked, 4);
  CHECK(buffers.empty());
}

DEVICE_TEST(Pool, WaitsForWorkInFlightAtTheCap) {
  Pool pool = pool_of(test, {.cap = bytes, .block = bytes});
  Queue first = test.queue(), second = test.queue();
  {
    const Buffer buffer = from(first, pool);
    for (std::uint32_t i = 0; i < 200; ++i) need(first.submit(CommandList{}.fill(buffer, i)));
  }
  const Buffer buffer = from(second, pool);  // whether it had to wait or not: never a second block
  CHECK_EQ(pool.statistics().held, bytes);
  test.finish(first.last());
}

// A refused list is no use of what it names; the use before it is waited for, and then the memory is there.
DEVICE_TEST(Pool, RefusedListsAreNotWaitedFor) {
  if (test.is_driven()) test.not_applicable("whoever waits in a driven device is the one who runs it");
  Pool pool = pool_of(test, {.cap = bytes, .block = bytes, .patience = patience});
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  {
    const Buffer buffer = from(first, pool);
    need(first.submit(CommandList{}.fill(buffer, 1u), {.after = {test.at(gate, 1)}}));
    Buffer gone = test.allocate(DType::u32, words);
    CommandList list;
    list.fill(buffer, 2u).fill(gone, 3u);
    gone = {};
    check_error(first.submit(std::move(list)), Errc::stale, {"destroyed"});
  }
  std::atomic<bool> done{false};
  std::thread raiser([&] {
    while (pool.statistics().waits == 0 && !done) std::this_thread::yield();
    static_cast<void>(test.raise(gate, 1));
  });
  const auto got = second.allocate(pool, DType::u32, {words});
  done = true;
  raiser.join();
  check_ok(got);
  CHECK_EQ(pool.statistics().waits, 1u);
}

DEVICE_TEST(Pool, PatienceEndsWithoutMemory) {
  Pool pool = pool_of(test, {.cap = bytes, .block = bytes, .patience = moment});
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  {
    const Buffer buffer = from(first, pool);
    need(first.submit(CommandList{}.fill(buffer, 1u), {.after = {test.at(gate, 1)}}));
  }
  check_error(second.allocate(pool, DType::u32, {words}), Errc::out_of_memory, {std::to_string(bytes)});
  CHECK_EQ(pool.statistics().waits, 1u);
  check_ok(test.raise(gate, 1));
  test.finish(first.last());
  check_ok(second.allocate(pool, DType::u32, {words}));
}

DEVICE_TEST(Pool, TrimGivesBackWhatNobodyUses) {
  Pool pool = pool_of(test, {.block = bytes});
  Queue queue = test.queue();
  std::vector<Buffer> buffers;
  for (int i = 0; i < 6; ++i) buffers.push_back(from(queue, pool));
  need(queue.submit(CommandList{}.fill(buffers[5], 1u)));
  buffers.resize(2);
  test.finish(queue.last());
  const std::uint64_t held = pool.statistics().held;
  CHECK(held >= 6 * bytes);
  CHECK_EQ(need(pool.trim(held)), 0u);
  const std::uint64_t freed = need(pool.trim());
  CHECK(freed > 0);
  CHECK_EQ(pool.statistics().held, held - freed);
  CHECK(pool.statistics().held < 6 * bytes);
  buffers.clear();
  check_ok(pool.trim());
  CHECK_EQ(pool.statistics().held, 0u);
  CHECK_EQ(pool.statistics().high_held, held);
}

DEVICE_TEST(Pool, SaysWhoHoldsWhat) {
  Pool pool = pool_of(test, {.label = "activations"});
  Queue queue = test.queue();
  const Buffer small = from(queue, pool, 10, "small"), large = from(queue, pool, 1000, "large");
  const auto holders = pool.holders();
  REQUIRE(holders.size() == 2);
  CHECK_EQ(holders[0].bytes, 4000u);
  CHECK_EQ(holders[0].buffer, large.text());
  CHECK_EQ(holders[1].buffer, small.text());
  CHECK(pool.text().find("activations") != std::string::npos);
  CHECK(pool.text().find("\"large\"] 4000 bytes") != std::string::npos);
}

DEVICE_TEST(Pool, ScrubMakesZeros) {
  test.require_bytes();
  Pool pool = pool_of(test, {.scrub = Scrub::zeros});
  Queue queue = test.queue();
  for (int round = 0; round < 3; ++round) {
    const Buffer buffer = need(queue.allocate(pool, DType::u8, {1001}));
    const std::vector<std::uint8_t> seen = test.read<std::uint8_t>(queue, buffer);
    CHECK_EQ(seen, std::vector<std::uint8_t>(1001, 0));
    need(queue.submit(CommandList{}.fill(buffer, std::uint8_t{0xab})));
  }
  CHECK_EQ(pool.statistics().reuses, 2u);
}

DEVICE_TEST(Pool, BuffersOutliveIt) {
  Queue queue = test.queue();
  Buffer buffer;
  {
    Pool pool = pool_of(test);
    buffer = from(queue, pool);
  }
  need(queue.submit(CommandList{}.fill(buffer, 5u)));
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(words, 5));
}

DEVICE_TEST(Pool, MappingWaitsForWhoHadTheMemory) {
  test.require(Feature::mapped_memory);
  Pool pool = pool_of(test, {.placement = Placement::host});
  Queue queue = test.queue();
  Signal gate = test.signal();
  Buffer before = from(queue, pool);
  const Point used = need(queue.submit(CommandList{}.fill(before, 1u), {.after = {test.at(gate, 1)}}));
  check_ok(queue.free(std::move(before)));
  Buffer after = from(queue, pool);
  check_ok(after.seal());
  std::jthread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    check_ok(test.raise(gate, 1));
  });
  need(after.map_read());
  CHECK(need(used.is_reached()));
}

DEVICE_TEST(Pool, AlignmentHolds) {
  test.require(Feature::mapped_memory);
  Pool pool = pool_of(test, {.placement = Placement::host});
  Queue queue = test.queue();
  std::vector<Buffer> buffers;
  for (const std::uint64_t alignment : {1ull, 64ull, 512ull, 4096ull, 1ull, 2048ull}) {
    Buffer buffer = need(queue.allocate(pool, DType::u8, {100}, {.alignment = alignment}));
    const auto mapped = need(buffer.map());
    CHECK_EQ(mapped.size(), 100u);
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(mapped.data()) % alignment, 0u);
    std::ranges::fill(mapped, static_cast<std::byte>(buffers.size() + 1));
    buffer.unmap();
    buffers.push_back(std::move(buffer));
  }
  test.require_bytes();
  for (std::size_t i = 0; i < buffers.size(); ++i)
    CHECK_EQ(test.read<std::uint8_t>(queue, buffers[i]),
             std::vector<std::uint8_t>(100, static_cast<std::uint8_t>(i + 1)));
}

DEVICE_TEST(Pool, WrongUseIsRefused) {
  check_error(Pool::create(test.device(), {.block = 0}), Errc::invalid_argument, {"0"});
  check_error(Pool::create(test.device(), {.cap = 10, .block = 11}), Errc::invalid_argument, {"11", "10"});
  Pool empty;
  Queue queue = test.queue();
  check_error(queue.allocate(empty, DType::u8, {1}), Errc::invalid_argument, {"Resource"});
  Pool pool = pool_of(test);
  check_error(queue.allocate(pool, DType::u8, {0}), Errc::invalid_argument, {"0"});
  check_error(queue.allocate(pool, DType::u8, {test.info().limits.max_allocation}, {.alignment = 3}),
              Errc::invalid_argument, {"3"});
  check_error(queue.free({}), Errc::invalid_argument, {"Buffer"});
  const Buffer buffer = from(queue, pool);
  const BufferView view = buffer;
  check_ok(queue.free(std::move(const_cast<Buffer&>(buffer))));
  check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale, {"destroyed"});
}

DEVICE_TEST(Pool, ThreadsShareIt) {
  Pool pool = pool_of(test, {.cap = 256 * bytes, .block = 8 * bytes});
  std::vector<std::jthread> threads;
  for (std::uint32_t index = 0; index < 4; ++index) {
    threads.emplace_back([&, index] {
      try {
        Queue queue = test.queue();
        std::vector<Buffer> held;
        for (std::uint32_t round = 0; round < 100; ++round) {
          held.push_back(from(queue, pool, 1 + (round * 131 + index * 17) % words));
          need(queue.submit(CommandList{}.fill(held.back(), round)));
          if (held.size() > 5) held.erase(held.begin() + round % 5);
        }
        test.finish(queue.last());
      } catch (const Stop&) {  // recorded already
      }
    });
  }
  threads.clear();
  CHECK_EQ(pool.statistics().buffers, 0u);
  CHECK_EQ(pool.statistics().allocations, 400u);
}

}  // namespace
}  // namespace pintle::conformance
