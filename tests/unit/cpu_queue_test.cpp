#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "cpu_support.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"

namespace pintle::test {
namespace {

using backend::Copy;
using backend::Download;
using backend::Fill;
using backend::HostCall;
using backend::no_slot;
using backend::QueuePoint;
using backend::Range;
using backend::Upload;

std::uint32_t scalar_at(void* const* arguments, std::size_t index) {
  return *static_cast<const std::uint32_t*>(arguments[index]);
}

void kernel_iota(const pintle_group* group, void* const* arguments) {
  auto* const out = static_cast<std::uint32_t*>(arguments[0]);
  const std::uint32_t first = group->id[0] * group->size[0];
  for (std::uint32_t index = first; index < std::min(first + group->size[0], scalar_at(arguments, 1)); ++index)
    out[index] = index;
}

/// Counts each group of a 3-D launch, and writes what the group sees.
void kernel_visit(const pintle_group* group, void* const* arguments) {
  auto* const hits = static_cast<std::uint32_t*>(arguments[0]);
  const std::uint32_t index = (group->id[2] * group->count[1] + group->id[1]) * group->count[0] + group->id[0];
  hits[index] += group->size[0] * 100 + group->size[1] * 10 + group->size[2];
}

/// A sum through local memory; 1000000 more where the scratch is not what the entry declares.
void kernel_local(const pintle_group* group, void* const* arguments) {
  auto* const local = static_cast<std::uint32_t*>(group->local);
  const std::uint32_t items = group->local_bytes / 4;
  for (std::uint32_t index = 0; index < items; ++index) local[index] = index + group->id[0];
  std::uint32_t sum = reinterpret_cast<std::uintptr_t>(local) % 64 == 0 ? 0 : 1000000;
  for (std::uint32_t index = 0; index < items; ++index) sum += local[index];
  static_cast<std::uint32_t*>(arguments[0])[group->id[0]] = sum;
}

void kernel_add(const pintle_group*, void* const* arguments) {
  *static_cast<std::uint32_t*>(arguments[0]) += scalar_at(arguments, 1);
}

const std::vector<std::string>& signatures() {
  static const bool registered = [] {
    must(cpu::register_kernel("queue_test_iota", kernel_iota));
    must(cpu::register_kernel("queue_test_visit", kernel_visit));
    must(cpu::register_kernel("queue_test_local", kernel_local));
    must(cpu::register_kernel("queue_test_add", kernel_add));
    return true;
  }();
  static_cast<void>(registered);
  static const std::vector<std::string> all{
      "queue_test_iota(out: write u32[], n: u32) group 16", "queue_test_visit(hits: read_write u32[]) group 4,3,2",
      "queue_test_local(out: write u32[]) group 1 local 4000", "queue_test_add(out: read_write u32[], n: u32) group 1"};
  return all;
}
enum Entries : std::uint32_t { iota, visit, local, add };

/// Everything here holds with threads and without.
class CpuQueueConcurrency : public testing::TestWithParam<const char*> {
 protected:
  std::vector<Option> options() const {
    const std::string_view text = GetParam();
    if (text.empty()) return {};
    const auto equals = std::min(text.find('='), text.size());
    return {{text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))}};
  }
  bool is_driven() const { return std::string_view(GetParam()) == "inline"; }
  CpuRig rig{options()};
  backend::ProgramId program = rig.native(signatures());
};

INSTANTIATE_TEST_SUITE_P(, CpuQueueConcurrency, testing::Values("", "threads=1", "threads=4", "inline"),
                         [](const auto& row) {
                           std::string text(row.param);
                           std::erase(text, '=');
                           return text.empty() ? std::string("standard") : text;
                         });

TEST_P(CpuQueueConcurrency, SerialsRiseByOneFromTheFirst) {
  const auto queue = must(rig.device->create_queue({QueueKind::compute, 41, {}}));
  EXPECT_EQ(must(rig.device->reached(queue)), 41u);
  const List empty;
  EXPECT_EQ(must(rig.device->submit(queue, {}, empty)), 42u);
  EXPECT_EQ(must(rig.device->submit(queue, {}, empty)), 43u);
  must(rig.device->wait(queue, 43, soon()));
  EXPECT_EQ(must(rig.device->reached(queue)), 43u);
  rig.device->destroy_queue(queue);
}

TEST_P(CpuQueueConcurrency, SerialsNearTheEndWork) {
  const std::uint64_t first = ~std::uint64_t{0} - 3000;
  const auto queue = must(rig.device->create_queue({QueueKind::compute, first, {}}));
  const List empty;
  for (std::uint64_t serial = first + 1; serial <= first + 2500; ++serial) {
    ASSERT_EQ(must(rig.device->submit(queue, {}, empty)), serial);
    if (serial % 500 == 0) must(rig.device->wait(queue, serial, soon()));
  }
  must(rig.device->wait(queue, first + 2500, soon()));
  EXPECT_EQ(must(rig.device->reached(queue)), first + 2500);
}

TEST_P(CpuQueueConcurrency, SubmissionsRunInOrder) {
  std::vector<int> order;
  std::vector<std::function<void()>> calls;
  for (int index = 0; index < 1000; ++index) calls.push_back([&order, index] { order.push_back(index); });
  std::vector<List> lists;
  for (auto& call : calls) lists.push_back(List({call_of(call)}));
  std::uint64_t last = 0;
  for (const List& list : lists) last = must(rig.device->submit(rig.queue, {}, list));
  rig.finish(last);
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_P(CpuQueueConcurrency, TheRingGoesRound) {
  const auto out = rig.buffer<std::uint32_t>({0});
  const List list =
      launch(program, add, {1, 1, 1}, {buffer_argument(range_of(out, 0, 4)), scalar_argument<std::uint32_t>(3)});
  std::uint64_t last = 0;
  for (int round = 0; round < 5000; ++round) {
    last = must(rig.device->submit(rig.queue, {}, list));
    if (round % 1000 == 999) rig.finish(last);
  }
  EXPECT_EQ(rig.read<std::uint32_t>(out), std::vector<std::uint32_t>{15000});
}

TEST_P(CpuQueueConcurrency, GroupsOfALaunchRunOnceEach) {
  for (const std::uint32_t groups : {1u, 2u, 3u, 63u, 1000u}) {
    const std::uint32_t count = groups * 16 - 5;
    const auto out = rig.buffer(std::vector<std::uint32_t>(count + 3, 7));
    rig.run(
        launch(program, iota, {groups, 1, 1}, {buffer_argument(range_of(out, 0, 4 * count)), scalar_argument(count)}));
    std::vector<std::uint32_t> expected(count + 3, 7);
    std::iota(expected.begin(), expected.end() - 3, 0u);
    EXPECT_EQ(rig.read<std::uint32_t>(out), expected);
    rig.device->release(out);
  }
}

// Launches without a barrier between them are one loop: each group of each runs once, and a barrier is kept.
TEST_P(CpuQueueConcurrency, LaunchesSideBySideRunOnceEach) {
  constexpr std::uint32_t launches = 40;
  const auto groups_of = [](std::uint32_t index) { return index % 7 * index + 1; };
  std::vector<backend::MemoryId> outs;
  List list;
  for (std::uint32_t step = 0; step < 2; ++step) {
    for (std::uint32_t index = 0; index < launches; ++index) {
      const std::uint32_t count = groups_of(index) * 16;
      if (step == 0) outs.push_back(rig.buffer(std::vector<std::uint32_t>(count, 0)));
      const std::uint32_t entry = step == 0 ? iota : add;
      add_launch(list, program, entry, {step == 0 ? groups_of(index) : 1, 1, 1},
                 std::array{buffer_argument(range_of(outs[index], 0, 4 * count)), scalar_argument(count)});
      list.commands.back().barrier_before = step == 1 && index == 0;
    }
  }
  rig.run(list);
  for (std::uint32_t index = 0; index < launches; ++index) {
    const std::uint32_t count = groups_of(index) * 16;
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    expected[0] += count;
    ASSERT_EQ(rig.read<std::uint32_t>(outs[index]), expected) << index;
  }
}

TEST_P(CpuQueueConcurrency, ThreeDimensionsAreSeen) {
  const auto hits = rig.buffer(std::vector<std::uint32_t>(5 * 7 * 3));
  rig.run(launch(program, visit, {5, 7, 3}, {buffer_argument(range_of(hits, 0, 4 * 105))}));
  EXPECT_EQ(rig.read<std::uint32_t>(hits), std::vector<std::uint32_t>(105, 432));
}

TEST_P(CpuQueueConcurrency, LocalMemoryBelongsToItsGroup) {
  const auto out = rig.buffer(std::vector<std::uint32_t>(200));
  rig.run(launch(program, local, {200, 1, 1}, {buffer_argument(range_of(out, 0, 800))}));
  std::vector<std::uint32_t> expected(200);
  for (std::uint32_t id = 0; id < 200; ++id) expected[id] = 999 * 1000 / 2 + 1000 * id;
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected);
}

TEST_P(CpuQueueConcurrency, ArgumentsByAddressAreNoParameters) {
  const auto out = rig.buffer<std::uint32_t>({1});
  backend::Argument used = buffer_argument(range_of(out, 0, 4));
  used.kind = backend::Argument::Kind::use;
  rig.run(
      launch(program, add, {1, 1, 1}, {buffer_argument(range_of(out, 0, 4)), scalar_argument<std::uint32_t>(2), used}));
  EXPECT_EQ(rig.read<std::uint32_t>(out), std::vector<std::uint32_t>{3});
}

TEST_P(CpuQueueConcurrency, IndirectGridsAreReadWhenTheyRunAndClamped) {
  struct Case {
    std::vector<std::uint32_t> counts;
    std::uint32_t groups;
  };
  for (const Case& each :
       {Case{{3, 1, 1}, 3}, Case{{9, 9, 9}, 4}, Case{{0, 1, 1}, 0}, Case{{1, 0, 1}, 0}, Case{{1, 1, 0}, 0}}) {
    const auto counts = rig.buffer<std::uint32_t>({99, 0, 0, 0});
    const auto out = rig.buffer(std::vector<std::uint32_t>(64, 1000));
    List list =
        launch(program, iota, {4, 1, 1}, {buffer_argument(range_of(out, 0, 256)), scalar_argument<std::uint32_t>(64)});
    const auto exec = std::get<backend::Exec>(list.commands[0].operation);
    const auto source = std::as_bytes(std::span(each.counts));
    list.commands.clear();
    list.add(Upload{range_of(counts, 4, 12), {source.data(), source.size(), no_slot}});
    list.add(backend::ExecIndirect{exec, range_of(counts, 4, 12)});
    rig.run(list);
    const auto result = rig.read<std::uint32_t>(out);
    EXPECT_EQ(std::ranges::count_if(result, [](std::uint32_t value) { return value != 1000; }), each.groups * 16);
  }
}

TEST_P(CpuQueueConcurrency, CopiesMoveBytes) {
  for (const std::uint64_t size : {1ull, 100ull, (1ull << 20) - 1, (5ull << 20) + 13}) {
    std::vector<std::uint8_t> in(size), out(size);
    for (std::size_t index = 0; index < size; ++index) in[index] = static_cast<std::uint8_t>(index * 2654435761u >> 13);
    const auto first = rig.allocate(size + 3), second = rig.allocate(size);
    rig.run(List({Upload{range_of(first, 3, size), {reinterpret_cast<const std::byte*>(in.data()), size, no_slot}},
                  Copy{range_of(second, 0, size), range_of(first, 3, size)},
                  Download{{reinterpret_cast<std::byte*>(out.data()), size, no_slot}, range_of(second, 0, size)}}));
    EXPECT_TRUE(in == out) << size;
    rig.device->release(first);
    rig.device->release(second);
  }
}

TEST_P(CpuQueueConcurrency, FillsRepeatTheirPattern) {
  for (const std::uint32_t width : {1u, 2u, 4u, 8u}) {
    for (const std::uint64_t count : {1ull, 3ull, 65ull, 600000ull}) {
      const std::uint64_t size = count * width;
      const auto memory = rig.buffer(std::vector<std::uint8_t>(size + 16, 0xee));
      rig.run(List({Fill{range_of(memory, 8, size), scalar_of<std::uint64_t>(0x8877665544332211), width}}));
      auto expected = std::vector<std::uint8_t>(size + 16, 0xee);
      for (std::uint64_t index = 0; index < size; ++index)
        expected[8 + index] = static_cast<std::uint8_t>(0x11 * (index % width + 1));
      EXPECT_TRUE(rig.read<std::uint8_t>(memory) == expected) << width << " x " << count;
      rig.device->release(memory);
    }
  }
}

TEST_P(CpuQueueConcurrency, TimestampsRise) {
  const auto memory = rig.allocate(16);
  const std::uint64_t before = must(rig.device->calibrate()).device_ticks;
  rig.run(List({backend::Timestamp{range_of(memory, 0, 8)}, backend::Timestamp{range_of(memory, 8, 8)}}));
  const auto ticks = rig.read<std::uint64_t>(memory);
  EXPECT_LE(before, ticks[0]);
  EXPECT_LE(ticks[0], ticks[1]);
  EXPECT_LE(ticks[1], must(rig.device->calibrate()).device_ticks);
}

TEST_P(CpuQueueConcurrency, ReplayFillsItsSlots) {
  const auto first = rig.buffer<std::uint32_t>({10, 20, 30, 40});
  const auto second = rig.buffer<std::uint32_t>({1, 2, 3, 4});
  List recorded;
  backend::Argument slotted = buffer_argument({backend::MemoryId::none, 0, 0, 4, 0});
  backend::Argument number = scalar_argument<std::uint32_t>(0);
  number.slot = 1;
  recorded.arguments = {slotted, number};
  backend::Exec exec;
  exec.program = program;
  exec.entry = add;
  exec.argument_count = 2;
  recorded.add(exec);
  recorded.add(Upload{{backend::MemoryId::none, 0, 0, 0, 2}, {nullptr, 0, 3}});
  recorded.add(Download{{nullptr, 0, 4}, {backend::MemoryId::none, 0, 0, 8, 0}});
  const auto recording = must(rig.device->record(recorded));
  for (const auto memory : {first, second}) {
    const auto original = rig.read<std::uint32_t>(memory);
    const std::vector<std::uint32_t> in{77};
    std::vector<std::uint32_t> out(2);
    const std::vector<backend::Binding> bindings{
        range_of(memory, 4, 8), scalar_of<std::uint32_t>(5), range_of(memory, 12, 4),
        backend::HostSource{reinterpret_cast<const std::byte*>(in.data()), 4, no_slot},
        backend::HostTarget{reinterpret_cast<std::byte*>(out.data()), 8, no_slot}};
    rig.run(List({backend::Replay{recording, bindings}}));
    EXPECT_EQ(rig.read<std::uint32_t>(memory),
              (std::vector<std::uint32_t>{original[0], original[1] + 5, original[2], 77}));
    EXPECT_EQ(out, (std::vector<std::uint32_t>{original[1] + 5, original[2]}));
  }
  rig.device->forget(recording);
}

TEST_P(CpuQueueConcurrency, WaitsOfOtherQueuesAreHonoured) {
  std::atomic<int> stage{0};
  std::atomic<bool> wrong{false};
  std::function<void()> produce = [&] { ++stage; };
  std::function<void()> consume = [&] {
    if (stage != 7) wrong = true;
  };
  // More waits than fit in place.
  std::vector<backend::QueueId> queues;
  std::vector<QueuePoint> points;
  const List producing({call_of(produce)}), consuming({call_of(consume)});
  for (int index = 0; index < 7; ++index) {
    queues.push_back(must(rig.device->create_queue({})));
    points.push_back({queues.back(), must(rig.device->submit(queues.back(), {}, producing))});
  }
  rig.finish(must(rig.device->submit(rig.queue, points, consuming)));
  EXPECT_FALSE(wrong);
  EXPECT_EQ(stage, 7);
  for (const auto queue : queues) rig.device->destroy_queue(queue);
}

TEST_P(CpuQueueConcurrency, QueuesThatWaitForEachOtherInTurn) {
  constexpr int rounds = 2000;
  const auto other = must(rig.device->create_queue({}));
  std::vector<int> order;  // no lock: the waits order everything
  std::function<void()> left = [&] { order.push_back(0); }, right = [&] { order.push_back(1); };
  const List lefts({call_of(left)}), rights({call_of(right)});
  std::uint64_t mine = 0, theirs = 0;
  for (int round = 0; round < rounds; ++round) {
    const QueuePoint their_point{other, theirs}, my_point{rig.queue, 0};
    mine = must(
        rig.device->submit(rig.queue, theirs == 0 ? std::span<const QueuePoint>() : std::span(&their_point, 1), lefts));
    const QueuePoint point{my_point.queue, mine};
    theirs = must(rig.device->submit(other, std::span(&point, 1), rights));
    if (round % 500 == 499) must(rig.device->wait(other, theirs, soon()));
  }
  must(rig.device->wait(other, theirs, soon()));
  ASSERT_EQ(order.size(), 2u * rounds);
  for (std::size_t index = 0; index < order.size(); ++index) ASSERT_EQ(order[index], static_cast<int>(index % 2));
}

TEST_P(CpuQueueConcurrency, AQueueCanBeDestroyedBeforeAWaitThatNamesItIsLookedAt) {
  std::atomic<bool> open{is_driven()};
  std::function<void()> block = [&] {
    while (!open) std::this_thread::yield();
  };
  const auto blocked = must(rig.device->create_queue({}));
  const auto gone = must(rig.device->create_queue({}));
  const List blocking({call_of(block)}), empty;
  if (std::string_view(GetParam()) == "threads=1") open = true;  // its one worker would be held up
  const auto first = must(rig.device->submit(blocked, {}, blocking));
  const QueuePoint blocked_point{blocked, first};
  const std::uint64_t end = must(rig.device->submit(gone, {}, empty));
  const std::array<QueuePoint, 2> points{blocked_point, QueuePoint{gone, end}};
  const auto last = must(rig.device->submit(rig.queue, points, empty));
  must(rig.device->wait(gone, end, soon()));
  rig.device->destroy_queue(gone);
  open = true;
  rig.finish(last);
}

TEST_P(CpuQueueConcurrency, NotificationsComeWhenTheSerialIsReached) {
  std::atomic<int> told{0};
  std::atomic<bool> early{false};
  std::function<void()> work = [&] {
    if (told != 0) early = true;
  };
  const List list({call_of(work)});
  const std::uint64_t serial = must(rig.device->submit(rig.queue, {}, list));
  const backend::Notification notification{[](void* state) { ++*static_cast<std::atomic<int>*>(state); }, &told};
  must(rig.device->notify(rig.queue, serial, notification));
  rig.finish(serial);
  while (told == 0) std::this_thread::yield();  // the worker tells after waking the waiter
  must(rig.device->notify(rig.queue, serial, notification));
  EXPECT_EQ(told, 2);
}

TEST(CpuThreadsConcurrency, AWaitPastItsDeadlineTimesOutAndTheWorkGoesOn) {
  CpuRig rig;
  std::atomic<bool> open{false};
  std::function<void()> block = [&] {
    while (!open) std::this_thread::yield();
  };
  const List list({call_of(block)});
  const auto serial = must(rig.device->submit(rig.queue, {}, list));
  const auto waited = rig.device->wait(rig.queue, serial, Clock::now() + std::chrono::milliseconds(2));
  open = true;
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::timeout);
  rig.finish(serial);
}

TEST_P(CpuQueueConcurrency, ManyThreadsWaitWhileOneSubmits) {
  const auto out = rig.buffer<std::uint32_t>({0});
  const List list =
      launch(program, add, {1, 1, 1}, {buffer_argument(range_of(out, 0, 4)), scalar_argument<std::uint32_t>(1)});
  const auto spread = rig.buffer(std::vector<std::uint32_t>(640));
  const List wide = launch(program, iota, {40, 1, 1},
                           {buffer_argument(range_of(spread, 0, 2560)), scalar_argument<std::uint32_t>(640)});
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> waiters;
  for (int index = 0; index < 4; ++index) {
    waiters.emplace_back([&] {
      while (!done) {
        const std::uint64_t serial = last;
        if (serial != 0) must(rig.device->wait(rig.queue, serial, soon()));
      }
    });
  }
  for (int round = 0; round < 300; ++round) {
    must(rig.device->submit(rig.queue, {}, wide));
    last = must(rig.device->submit(rig.queue, {}, list));
    if (round % 10 == 0) rig.finish(last);
  }
  rig.finish(last);
  done = true;
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(rig.read<std::uint32_t>(out), std::vector<std::uint32_t>{300});
}

TEST_P(CpuQueueConcurrency, TheDeviceCanGoWithWorkLeft) {
  std::atomic<bool> started{false};
  std::function<void()> begin = [&] { started = true; };
  const auto other = must(rig.device->create_queue({}));
  const List list({call_of(begin)}), empty;
  std::uint64_t last = 0;
  for (int round = 0; round < 500; ++round) {
    last = must(rig.device->submit(rig.queue, {}, list));
    const QueuePoint point{rig.queue, last};
    must(rig.device->submit(other, std::span(&point, 1), empty));
  }
  if (!is_driven()) {
    while (!started) std::this_thread::yield();
  }
  rig.device.reset();
}

}  // namespace
}  // namespace pintle::test
