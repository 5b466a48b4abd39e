// Copies between devices: each device with every other that executes, both ways.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "conformance/pair.h"
#include "pintle/native/faulty.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

/// Every device that executes, but the one under test; with one that has no thread, and one that cannot be mapped.
std::vector<std::string> others(const Context& test) {
  std::vector<std::string> ids{"cpu?inline", "faulty(cpu)"};
  for (const DeviceInfo& info : need(devices()).devices) {
    if (info.capability(Feature::execution).support != Support::absent) ids.push_back(info.id);
  }
  std::erase(ids, test.id());
  return ids;
}

bool is_faulty(const Device& device) { return device.id().starts_with("faulty"); }

/// The faulty layer's next such call says that there is none.
void refuse(const Device& device, std::string_view call) {
  const auto control = need(device.native<layers::FaultyControl>());
  need(control.arm(control.self, call, 1, Errc::unsupported));
}

/// Copies go through the host.
void refuse_to_map(const Device& device) {
  if (is_faulty(device)) refuse(device, "map");
}

/// Made to a faulty device; 0 for others, which do not count.
std::uint64_t submissions(const Device& device) {
  return is_faulty(device) ? need(device.native<layers::FaultyCounts>()).of("submit") : 0;
}

/// Runs `body(pair)` with each of the others.
template <class Body>
void with_each(Context& test, Body body) {
  test.require_bytes();
  for (const std::string& id : others(test)) body(Pair(test, id));
}

Buffer other_buffer(const Pair& pair, std::uint32_t count = size) {
  return need(pair.other().allocate(DType::u32, {count}, {.label = "theirs"}));
}

DEVICE_TEST(Crossing, CopiesComeFromEveryOtherDevice) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    const Buffer mine = test.allocate(DType::u32, size), theirs = other_buffer(pair);
    const Point made = need(there.submit(CommandList{}.fill(theirs, 7u)));
    refuse_to_map(pair.other());
    const auto before = submissions(pair.other());
    pair.finish(need(here.submit(CommandList{}.copy(mine, theirs), {.after = {made}})));
    CHECK_EQ(submissions(pair.other()), before + (is_faulty(pair.other()) ? 1 : 0));
    CHECK_EQ(test.read<std::uint32_t>(here, mine), Words(size, 7));
  });
}

DEVICE_TEST(Crossing, CopiesGoToEveryOtherDevice) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    const Buffer mine = test.buffer(Words(size, 5)), theirs = other_buffer(pair);
    Words result(size);
    refuse_to_map(pair.other());
    const Point copied = need(here.submit(CommandList{}.copy(theirs, mine)));
    pair.finish(need(there.submit(CommandList{}.download(result, theirs), {.after = {copied}})));
    CHECK_EQ(result, Words(size, 5));
  });
}

// Commands around a crossing behave as if run one after another.
DEVICE_TEST(Crossing, KeepsItsPlaceInTheList) {
  const Kernel affine = test.kernel("affine");
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here");
    const Buffer first = test.allocate(DType::u32, size), last = test.allocate(DType::u32, size);
    const Buffer theirs = other_buffer(pair);
    int calls = 0;
    CommandList list;
    list.fill(first, 3u).exec(affine, Grid::cover(size), first, 2u, 1u, size).copy(theirs, first).fill(first, 9u);
    list.copy(last, theirs).exec(affine, Grid::cover(size), last, 10u, 2u, size);
    if (test.has(Feature::host_call)) list.call([&calls] { ++calls; });
    refuse_to_map(pair.other());
    pair.finish(need(here.submit(std::move(list))));
    CHECK_EQ(test.read<std::uint32_t>(here, first), Words(size, 9));
    CHECK_EQ(test.read<std::uint32_t>(here, last), Words(size, 72));
    CHECK_EQ(calls, test.has(Feature::host_call) ? 1 : 0);
  });
}

DEVICE_TEST(Crossing, MovesAWindow) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    const Buffer mine = test.buffer(Words{1, 2, 3, 4, 5, 6, 7, 8}), theirs = other_buffer(pair, 8);
    const Point cleared = need(there.submit(CommandList{}.fill(theirs, 0u)));
    refuse_to_map(pair.other());
    const Point copied =
        need(here.submit(CommandList{}.copy(need(theirs.slice(5, 2)), need(mine.slice(1, 2))), {.after = {cleared}}));
    Words result(8);
    pair.finish(need(there.submit(CommandList{}.download(result, theirs), {.after = {copied}})));
    CHECK_EQ(result, (Words{0, 0, 0, 0, 0, 2, 3, 0}));
  });
}

// The example of the design: a producer and a consumer on two devices, double-buffered, `empty` starts at 2.
DEVICE_TEST(Crossing, DoubleBufferedFramesArriveWhole) {
  constexpr std::uint32_t frames = 10;
  const Kernel consumer = test.kernel("affine");
  with_each(test, [&](const Pair& pair) {
    const Kernel producer = need(pair.other().load(need(suite_pack()), "conform_affine"));
    Queue make = pair.other_queue("make"), use = test.queue("use");
    Signal empty = test.signal("empty"), full = test.signal("full");
    need(test.raise(empty, 2));
    const std::array<Buffer, 2> out{other_buffer(pair), other_buffer(pair)};
    const std::array<Buffer, 2> in{test.allocate(DType::u32, size), test.allocate(DType::u32, size)};
    std::vector<Words> results(frames, Words(size));
    for (std::uint32_t f = 1; f <= frames; ++f) {
      CommandList made;
      made.fill(out[f % 2], f).exec(producer, Grid::cover(size), out[f % 2], 100u, 1u, size);
      need(make.submit(std::move(made), {.after = {test.at(empty, f)}, .signal = {test.at(full, f)}}));
      CommandList used;
      used.copy(in[f % 2], out[f % 2]).exec(consumer, Grid::cover(size), in[f % 2], 10u, 5u, size);
      used.download(results[f - 1], in[f % 2]);
      need(use.submit(std::move(used), {.after = {test.at(full, f)}, .signal = {test.at(empty, f + 2)}}));
    }
    pair.finish(test.at(empty, frames + 2));
    for (std::uint32_t f = 1; f <= frames; ++f) CHECK_EQ(results[f - 1], Words(size, (f * 100 + 1) * 10 + 5));
  });
}

DEVICE_TEST(Crossing, KeepsTheOtherBuffer) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    Signal gate = test.signal();
    const Buffer mine = test.allocate(DType::u32, size);
    {
      const Buffer doomed = other_buffer(pair);
      pair.finish(need(there.submit(CommandList{}.fill(doomed, 4u))));
      need(here.submit(CommandList{}.copy(mine, doomed), {.after = {test.at(gate, 1)}}));
    }
    const Buffer other = other_buffer(pair);  // would take the freed memory
    pair.finish(need(there.submit(CommandList{}.fill(other, 1u))));
    need(test.raise(gate, 1));
    pair.finish(here.last());
    CHECK_EQ(test.read<std::uint32_t>(here, mine), Words(size, 4));
  });
}

// The best way there is: one list that goes and comes back has a hazard between its copies, though each device knows
// the memory by a name of its own.
DEVICE_TEST(Crossing, TwoIncarnationsOfOneDeviceShareMemory) {
  test.require(Feature::memory_export);
  if (test.id().contains("(")) test.not_applicable("a layer shares what its device does");
  const Pair pair(test, "faulty(" + std::string(test.id()) + ")");
  const auto calls = [&](std::string_view name) { return need(pair.other().native<layers::FaultyCounts>()).of(name); };
  Queue here = test.queue("here"), there = pair.other_queue("there");
  const Buffer mine = test.buffer(Words(size, 5)), back = test.allocate(DType::u32, size), theirs = other_buffer(pair);
  pair.finish(need(here.submit(CommandList{}.copy(theirs, mine).copy(back, theirs))));
  const auto maps = calls("map"), submits = calls("submit");
  CHECK_EQ(test.read<std::uint32_t>(here, back), Words(size, 5));
  Words seen(size);
  pair.finish(need(there.submit(CommandList{}.download(seen, theirs))));
  CHECK_EQ(seen, Words(size, 5));
  CHECK_EQ(calls("export_memory"), 2u);  // one was the trial
  CHECK_EQ(calls("submit"), submits + 1);
  refuse(pair.other(), "export_memory");
  pair.finish(need(here.submit(CommandList{}.copy(back, theirs))));
  CHECK(calls("map") + calls("submit") > maps + submits + 1);
  CHECK_EQ(test.read<std::uint32_t>(here, back), Words(size, 5));
}

DEVICE_TEST(Crossing, ALossWhileMemoryIsSharedIsHeard) {
  test.require(Feature::memory_export);
  if (test.id().contains("(")) test.not_applicable("a layer shares what its device does");
  Queue here = test.queue("here");
  const Buffer mine = test.allocate(DType::u32, size);
  for (const std::string_view call : {"export_memory", "allocate", "map"}) {
    const Pair pair(test, "faulty(" + std::string(test.id()) + ")");
    const Buffer theirs = other_buffer(pair);
    const auto control = need(pair.other().native<layers::FaultyControl>());
    need(control.arm(control.self, call, 1, Errc::device_lost));
    check_error(here.submit(CommandList{}.copy(mine, theirs)), Errc::device_lost);
    check_error(pair.other().health(), Errc::device_lost);
  }
  check_ok(here.submit(CommandList{}.fill(mine, 1u)));
}

DEVICE_TEST(Crossing, ForksKeepTheirBytes) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    const Buffer mine = test.buffer(Words(size, 9)), theirs = other_buffer(pair);
    need(there.submit(CommandList{}.fill(theirs, 5u)));
    const Buffer child = need(there.fork(theirs));
    const Point written = need(here.submit(CommandList{}.copy(theirs, mine), {.after = {there.last()}}));
    pair.finish(written);
    Words first(size), second(size);
    pair.finish(
        need(there.submit(CommandList{}.download(first, theirs).download(second, child), {.after = {written}})));
    CHECK_EQ(first, Words(size, 9));
    CHECK_EQ(second, Words(size, 5));
  });
}

// No point says so: the user of the fork may not know who made it.
DEVICE_TEST(Crossing, WhatUsesAForkComesAfterItsCopy) {
  with_each(test, [&](const Pair& pair) {
    const DeviceInfo info = pair.other().info();
    if (info.progress != Progress::own || info.capability(Feature::host_call).support == Support::absent) return;
    for (const bool is_held : {false, true}) {
      Queue here = test.queue("here"), there = pair.other_queue("there");
      const Buffer mine = test.buffer(Words(size, 9)), theirs = other_buffer(pair);
      need(there.submit(CommandList{}.fill(theirs, 5u)));
      Signal gate = test.signal();
      std::atomic<bool> is_open{false};
      CommandList slow;
      slow.call([&] {
        while (!is_open) std::this_thread::yield();
      });
      SubmitOptions options;
      if (is_held) options.after = {test.at(gate, 1)};
      need(there.submit(std::move(slow), std::move(options)));
      const Buffer child = need(there.fork(theirs));
      const Point taken = need(here.submit(CommandList{}.copy(mine, child)));
      const Point written = need(here.submit(CommandList{}.copy(child, mine)));
      check_error(taken.wait(moment), Errc::timeout);
      is_open = true;
      check_ok(test.raise(gate, 1));
      pair.finish(written);
      CHECK_EQ(test.read<std::uint32_t>(here, mine), Words(size, 5));
    }
  });
}

// A list that is cut into pieces waits as a whole, so nothing of it overtakes the copy, on either device.
DEVICE_TEST(Crossing, ListsInPiecesComeAfterTheCopyOfAFork) {
  test.require(Feature::host_call);
  if (test.info().progress != Progress::own) test.not_applicable("a host call cannot wait for the thread that submits");
  with_each(test, [&](const Pair& pair) {
    if (pair.other().info().progress != Progress::own) return;
    const DeviceInfo info = pair.other().info();
    if (info.capability(Feature::host_call).support == Support::absent) return;
    for (const bool is_mine : {false, true}) {
      Queue here = test.queue("here"), mover = test.queue("mover"), there = pair.other_queue("there");
      const Buffer mine = test.buffer(Words(size, 9)), theirs = other_buffer(pair);
      Queue& maker = is_mine ? mover : there;
      std::atomic<bool> is_open{false}, has_overtaken{false};
      need(maker.submit(CommandList{}.call([&] {
        while (!is_open) std::this_thread::yield();
      })));
      const Buffer child = need(maker.fork(is_mine ? mine : theirs));
      CommandList list;
      list.call([&] { has_overtaken = !is_open; });
      is_mine ? list.copy(theirs, child) : list.copy(mine, child);
      const Point copied = need(here.submit(std::move(list)));
      check_error(copied.wait(moment), Errc::timeout);
      is_open = true;
      pair.finish(copied);
      CHECK(!has_overtaken);
    }
  });
}

// The bytes of such a fork were never made, so nobody reads or writes them.
DEVICE_TEST(Crossing, WhatUsesAForkFailsWithItsCopy) {
  with_each(test, [&](const Pair& pair) {
    const DeviceInfo info = pair.other().info();
    if (info.progress != Progress::own || info.capability(Feature::host_call).support == Support::absent) return;
    Queue here = test.queue("here"), there = pair.other_queue("there");
    const Buffer mine = test.buffer(Words(size, 9)), theirs = other_buffer(pair);
    pair.finish(need(there.submit(CommandList{}.fill(theirs, 5u))));
    std::atomic<bool> is_open{false};
    need(there.submit(CommandList{}.call([&] {
      while (!is_open) std::this_thread::yield();
      throw std::runtime_error("The shutter is stuck.");
    })));
    const Buffer child = need(there.fork(theirs));
    const Point written = need(here.submit(CommandList{}.copy(child, mine)));
    is_open = true;
    check_error(written.wait(10s), Errc::cancelled, {"shutter"});
    check_error(pair.other().wait_idle(), Errc::cancelled, {"shutter"});
    Words bytes(size);
    Queue reader = pair.other_queue("reader");
    pair.finish(need(reader.submit(CommandList{}.download(bytes, theirs))));
    CHECK_EQ(bytes, Words(size, 5));
  });
}

// The device of a layer's own, so that it goes here.
DEVICE_TEST(Crossing, DevicesThatGoRunWhatWaitsForAnother) {
  test.require(Feature::host_call);
  if (test.info().progress != Progress::own || !test.executes())
    test.not_applicable("a host call cannot wait for the thread that submits");
  Queue here = test.queue("here");
  std::atomic<bool> is_open{false};
  std::atomic<int> calls{0};
  const Point slow = need(here.submit(CommandList{}.call([&] {
    while (!is_open) std::this_thread::yield();
  })));
  const std::jthread opener([&] {
    std::this_thread::sleep_for(moment);  // by then it would have gone
    is_open = true;
  });
  {
    const Device other = need(open("validate(trace(cpu))"));
    Queue there = need(other.create_queue());
    need(there.submit(CommandList{}.call([&] { ++calls; }), {.after = {slow}}));
  }
  CHECK_EQ(calls, 1);
}

DEVICE_TEST(Crossing, FailureCrosses) {
  with_each(test, [&](const Pair& pair) {
    Queue here = test.queue("here"), there = pair.other_queue("there");
    Signal gate = test.signal("gate"), made = test.signal("made");
    const Buffer mine = test.allocate(DType::u32, size), theirs = other_buffer(pair);
    need(there.submit(CommandList{}.fill(theirs, 1u), {.after = {test.at(gate, 1)}, .signal = {test.at(made, 1)}}));
    const Point copied = need(here.submit(CommandList{}.copy(mine, theirs), {.after = {test.at(made, 1)}}));
    need(gate.fail(Error(Errc::internal, "The lens cap is on.")));
    CHECK(test.eventually([&] {
      static_cast<void>(pair.other().poll());
      return !copied.is_reached();
    }));
    check_error(copied.is_reached(), Errc::internal, {"lens cap"});
  });
}

DEVICE_TEST(Crossing, WrongOnesAreRefused) {
  const Pair pair(test, test.id() == "cpu" ? "cpu?inline" : "cpu");
  const Device third = need(open("null"));
  Queue here = test.queue("here");
  const Buffer mine = test.allocate(DType::u32, size), theirs = other_buffer(pair);
  const Buffer small = other_buffer(pair, size - 1);
  check_error(here.submit(CommandList{}.copy(mine, small)), Errc::invalid_argument, {"4000", "3996"});
  check_error(test.device().record(CommandList{}.copy(mine, theirs)), Errc::invalid_argument, {"ecording"});
  if (test.id() != "null") {
    const Buffer far = need(third.allocate(DType::u32, {size}));
    check_error(here.submit(CommandList{}.copy(far, theirs)), Errc::invalid_argument,
                {"[null]", "[" + std::string(test.id()) + "]"});
  }
  BufferView gone;
  {
    const Buffer doomed = other_buffer(pair);
    gone = doomed;
  }
  check_error(here.submit(CommandList{}.copy(mine, gone)), Errc::stale, {"[Buffer", std::string(pair.other().id())});
  check_ok(here.submit(CommandList{}));
}

}  // namespace
}  // namespace pintle::conformance
