// Recordings: replayed with other bindings, refused with wrong ones before anything runs.
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

std::span<const std::byte> source(const Words& words) { return std::as_bytes(std::span(words)); }
std::span<std::byte> target(Words& words) { return std::as_writable_bytes(std::span(words)); }

DEVICE_TEST(Recording, ReplaysAsOftenAsAsked) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Words{1});
  const Recording recording =
      need(test.device().record(CommandList{}.exec(test.kernel("affine"), Grid{1}, buffer, 3u, 1u, 1u)));
  std::uint32_t expected = 1;
  for (int i = 0; i < 50; ++i) {
    need(queue.replay(recording));
    expected = expected * 3 + 1;
  }
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{expected});
  CHECK(recording.text().starts_with("[Recording "));
}

DEVICE_TEST(Recording, RecordingRunsNothing) {
  test.require_bytes();
  const Buffer buffer = test.buffer(Words{1});
  const Recording recording = need(test.device().record(CommandList{}.fill(buffer, 2u)));
  CHECK_EQ(test.read<std::uint32_t>(buffer), Words{1});
}

DEVICE_TEST(Recording, EmptyListReplays) {
  Queue queue = test.queue();
  const Recording recording = need(test.device().record(CommandList{}));
  CHECK_EQ(recording.slots(), 0u);
  test.finish(need(queue.replay(recording)));
}

DEVICE_TEST(Recording, SlotsTakeBuffersScalarsAndHostMemory) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer in = test.allocate(DType::u32, 16), work = test.allocate(DType::u32, 16);
  const Recording recording =
      need(test.device().record(CommandList{}
                                    .upload(in, Slot{0})
                                    .exec(test.kernel("add_to"), Grid{1}, in, work, Slot{1}, 16u)
                                    .copy(Slot{2}, work)
                                    .download(Slot{3}, work)));
  CHECK_EQ(recording.slots(), 4u);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    const Words values(16, round);
    Words result(16);
    const Buffer copy = test.allocate(DType::u32, 16);
    const std::array<SlotValue, 4> bindings{source(values), round * 100, copy, target(result)};
    test.finish(need(queue.replay(recording, bindings)));
    CHECK_EQ(result, Words(16, round * 101));
    CHECK_EQ(test.read<std::uint32_t>(queue, copy), Words(16, round * 101));
  }
}

// What a slot decides stands between runs that are the same each time, and is ordered with both.
DEVICE_TEST(Recording, SlotsStandAmongCommandsThatStayTheSame) {
  test.require_bytes();
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const Buffer x = test.buffer(Words{0});
  CommandList list;
  const auto run = [&] {
    for (int i = 0; i < 8; ++i) list.exec(affine, Grid{1}, x, 1u, 1u, 1u);
  };
  run();
  list.exec(affine, Grid{1}, x, Slot{0}, 0u, 1u);
  run();
  list.copy(Slot{1}, x).copy(x, Slot{1});
  run();
  list.download(Slot{2}, x);
  const Recording recording = need(test.device().record(std::move(list)));
  std::uint32_t expected = 0;
  for (std::uint32_t round = 1; round <= 5; ++round) {
    const Buffer between = test.buffer(Words{0});
    Words seen(1);
    test.finish(need(queue.replay(recording, {round, between, target(seen)})));
    expected = (expected + 8) * round + 8;
    CHECK_EQ(test.read<std::uint32_t>(queue, between), Words{expected});
    expected += 8;
    CHECK_EQ(seen, Words{expected});
  }
}

// Y13: each replay has its own bindings, however many are in flight.
DEVICE_TEST(Recording, ReplaysInFlightKeepTheirBindings) {
  test.require_bytes();
  constexpr std::uint32_t count = 16;
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Recording recording =
      need(test.device().record(CommandList{}.exec(test.kernel("put_u32"), Grid{1}, Slot{0}, Slot{1}, 4u)));
  std::vector<Buffer> outputs;
  for (std::uint32_t i = 0; i < count; ++i) {
    outputs.push_back(test.buffer(Words(4, 0)));
    const std::array<SlotValue, 2> bindings{1000 + i, outputs.back()};
    need(queue.replay(recording, bindings, {.after = {test.at(gate, 1)}}));
  }
  need(test.raise(gate, 1));
  for (std::uint32_t i = 0; i < count; ++i) CHECK_EQ(test.read<std::uint32_t>(queue, outputs[i]), Words(4, 1000 + i));
}

DEVICE_TEST(Recording, OneSlotMayHaveSeveralUses) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer first = test.buffer(Words{5, 5, 5, 5}), second = test.buffer(Words{9, 9, 9, 9}),
               out = test.allocate(DType::u32, 4);
  const Recording recording = need(test.device().record(
      CommandList{}.exec(test.kernel("affine"), Grid{1}, Slot{0}, 2u, Slot{1}, Slot{1}).copy(out, Slot{0})));
  CHECK_EQ(recording.slots(), 2u);
  need(queue.replay(recording, {first, 3u}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), (Words{13, 13, 13, 5}));
  need(queue.replay(recording, {second, 4u}));
  CHECK_EQ(test.read<std::uint32_t>(queue, out), (Words{22, 22, 22, 22}));
}

DEVICE_TEST(Recording, SlotsTakeWindows) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(Words(8, 1));
  const Recording recording = need(test.device().record(CommandList{}.fill(Slot{0}, 4u)));
  need(queue.replay(recording, {need(buffer.slice(2, 3))}));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), (Words{1, 1, 4, 4, 4, 1, 1, 1}));
}

DEVICE_TEST(Recording, MissingAndExtraBindingsAreRefused) {
  Queue queue = test.queue();
  const Buffer a = test.allocate(DType::u32, 4), b = test.allocate(DType::u32, 4);
  const Recording recording = need(test.device().record(CommandList{}.copy(Slot{1}, Slot{0})));
  CHECK_EQ(recording.slots(), 2u);
  const Point before = queue.last();
  check_error(queue.replay(recording), Errc::invalid_argument, {"(0)", "(2)", "[Recording"});
  check_error(queue.replay(recording, {a}), Errc::invalid_argument, {"(1)", "(2)"});
  check_error(queue.replay(recording, {a, b, a}), Errc::invalid_argument, {"(3)", "(2)"});
  CHECK_EQ(queue.last().value(), before.value());
  check_ok(queue.replay(recording, {a, b}));
}

DEVICE_TEST(Recording, WrongBindingsAreRefusedBeforeAnythingRuns) {
  Queue queue = test.queue("strict");
  const Buffer words = test.allocate(DType::u32, 4), floats = test.allocate(DType::f32, 4),
               longer = test.allocate(DType::u32, 5);
  Words host(4), short_host(3);
  const Recording recording = need(test.device().record(CommandList{}
                                                            .upload(words, Slot{0})
                                                            .exec(test.kernel("put_u32"), Grid{1}, Slot{1}, Slot{2}, 4u)
                                                            .copy(Slot{3}, words)
                                                            .download(Slot{4}, words)));
  std::array<SlotValue, 5> good{source(host), 7u, words, longer, target(host)};
  good[3] = floats.view();  // a copy takes bytes of any dtype
  const Point before = queue.last();
  const auto refused = [&](std::size_t slot, const SlotValue& wrong, std::initializer_list<std::string_view> words_,
                           std::source_location where = std::source_location::current()) {
    auto bindings = good;
    bindings[slot] = wrong;
    const auto result = queue.replay(recording, bindings);
    check_error(result, Errc::invalid_argument, words_, where);
    check_error(result, Errc::invalid_argument, {"slot " + std::to_string(slot), "[Recording"}, where);
  };
  refused(0, target(host), {"host memory"});
  refused(0, source(short_host), {"12", "16"});
  refused(0, words, {"buffer"});
  refused(1, 7, {"i32", "u32"});
  refused(1, 7.f, {"f32", "u32"});
  refused(1, words, {"buffer", "scalar"});
  refused(2, floats, {"f32", "u32"});
  refused(2, 7u, {"scalar", "buffer"});
  refused(3, longer, {"20", "16"});
  refused(4, source(host), {"host memory"});
  refused(4, target(short_host), {"12", "16"});
  CHECK_EQ(queue.last().value(), before.value());
  const Buffer apart = test.allocate(DType::f32, 4);
  good[3] = apart.view();
  check_ok(queue.replay(recording, good));
  test.finish(queue.last());
}

DEVICE_TEST(Recording, BindingsThatOverlapACopyAreRefused) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 8);
  const Recording recording = need(test.device().record(CommandList{}.copy(Slot{0}, Slot{1})));
  check_error(queue.replay(recording, {need(buffer.slice(0, 4)), need(buffer.slice(3, 4))}), Errc::invalid_argument,
              {"overlap"});
  check_ok(queue.replay(recording, {need(buffer.slice(0, 4)), need(buffer.slice(4, 4))}));
  const auto unequal = queue.replay(recording, {need(buffer.slice(0, 3)), need(buffer.slice(4, 4))});
  check_error(unequal, Errc::invalid_argument, {"12", "16"});
}

DEVICE_TEST(Recording, FillSlotTakesWholeElementsOfItsDtype) {
  Queue queue = test.queue();
  const Buffer bytes = test.allocate(DType::u8, 64), floats = test.allocate(DType::f32, 16);
  const Recording recording = need(test.device().record(CommandList{}.fill(Slot{0}, 4u)));
  check_error(queue.replay(recording, {need(bytes.slice(0, 7))}), Errc::invalid_argument);
  check_error(queue.replay(recording, {need(bytes.slice(2, 8))}), Errc::invalid_argument);
  check_error(queue.replay(recording, {floats}), Errc::invalid_argument, {"f32", "u32"});
}

DEVICE_TEST(Recording, EmptyAndStaleBindingsAreRefused) {
  Queue queue = test.queue();
  const Buffer own = test.allocate(DType::u32, 4);
  BufferView gone;
  {
    const Buffer brief = test.allocate(DType::u32, 4);
    gone = brief.view();
  }
  const Recording recording = need(test.device().record(CommandList{}.copy(own, Slot{0})));
  check_error(queue.replay(recording, {gone}), Errc::stale, {"[Buffer"});
  check_error(queue.replay(recording, {BufferView()}), Errc::invalid_argument);
  check_error(queue.replay(recording, {need(own.slice(4, 0))}), Errc::invalid_argument);
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  const Buffer foreign = need(other.allocate(DType::u32, {4}));
  check_error(queue.replay(recording, {foreign}), Errc::invalid_argument, {"[Buffer"});
}

// M15: a recording never runs a buffer that is gone.
DEVICE_TEST(Recording, DestroyedBufferMakesItStale) {
  Queue queue = test.queue();
  const Buffer kept = test.allocate(DType::u32, 4);
  std::optional<Buffer> doomed = test.allocate(DType::u32, 4, "doomed");
  const Recording recording = need(test.device().record(CommandList{}.copy(*doomed, kept)));
  test.finish(need(queue.replay(recording)));
  doomed.reset();
  check_error(queue.replay(recording), Errc::stale, {"[Buffer", "[Recording"});
}

DEVICE_TEST(Recording, DestroyedInFlightStillRuns) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.buffer(Words{1});
  {
    const Recording recording = need(test.device().record(
        CommandList{}.upload(buffer, Words{6}).exec(test.kernel("affine"), Grid{1}, buffer, 2u, Slot{0}, 1u)));
    const std::array<SlotValue, 1> bindings{3u};
    need(queue.replay(recording, bindings, {.after = {test.at(gate, 1)}}));
  }
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{15});
}

DEVICE_TEST(Recording, BuffersInFlightOutliveTheirHandles) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer result = test.allocate(DType::u32, 64);
  {
    const Buffer bound = test.buffer(Words(64, 8)), inner = test.allocate(DType::u32, 64);
    const Recording recording = need(test.device().record(CommandList{}.copy(inner, Slot{0}).copy(result, inner)));
    const std::array<SlotValue, 1> bindings{bound};
    need(queue.replay(recording, bindings, {.after = {test.at(gate, 1)}}));
  }
  std::vector<Buffer> others;
  for (int i = 0; i < 8; ++i) others.push_back(test.buffer(Words(64, 0xbad)));
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, result), Words(64, 8));
}

DEVICE_TEST(Recording, HasWaitsSignalsAndPoints) {
  Queue queue = test.queue();
  Signal gate = test.signal(), done = test.signal();
  const Buffer buffer = test.allocate(DType::u32, 4);
  const Recording recording = need(test.device().record(CommandList{}.fill(buffer, 1u)));
  const Point point = need(queue.replay(recording, {}, {.after = {test.at(gate, 1)}, .signal = {test.at(done, 1)}}));
  CHECK_EQ(point.value(), test.first() + 1);
  CHECK(!need(point.is_reached()));
  need(test.raise(gate, 1));
  test.finish(test.at(done, 1));
}

DEVICE_TEST(Recording, RunsOnSeveralQueues) {
  test.require_bytes();
  Queue first = test.queue(), second = test.queue();
  const Buffer a = test.buffer(Words{0}), b = test.buffer(Words{0});
  const Recording recording =
      need(test.device().record(CommandList{}.exec(test.kernel("affine"), Grid{1}, Slot{0}, 1u, 1u, 1u)));
  for (int i = 0; i < 20; ++i) {
    need(first.replay(recording, {a}));
    need(second.replay(recording, {b}));
  }
  CHECK_EQ(test.read<std::uint32_t>(first, a), Words{20});
  CHECK_EQ(test.read<std::uint32_t>(second, b), Words{20});
}

DEVICE_TEST(Recording, ReplaysFromSeveralThreads) {
  test.require_bytes();
  if (test.is_driven()) test.not_applicable("one thread drives the device");
  constexpr std::uint32_t threads = 3, rounds = 50;
  const Recording recording =
      need(test.device().record(CommandList{}.exec(test.kernel("affine"), Grid{1}, Slot{0}, 1u, 1u, 1u)));
  std::vector<Buffer> counters;
  for (std::uint32_t i = 0; i < threads; ++i) counters.push_back(test.buffer(Words{0}));
  {
    std::vector<std::jthread> workers;
    for (std::uint32_t i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        auto queue = test.device().create_queue();
        if (!check_ok(queue)) return;
        for (std::uint32_t round = 0; round < rounds; ++round) check_ok(queue->replay(recording, {counters[i]}));
        check_ok(test.wait(queue->last()));
      });
    }
  }
  for (const Buffer& counter : counters) CHECK_EQ(test.read<std::uint32_t>(counter), Words{rounds});
}

DEVICE_TEST(Recording, RefusesLentHostMemory) {
  const Buffer buffer = test.allocate(DType::u32, 4);
  Words host(4);
  check_error(test.device().record(CommandList{}.download(host, buffer)), Errc::invalid_argument, {"lot"});
  auto owned = std::make_shared<Words>(4);
  check_ok(test.device().record(CommandList{}.upload(buffer, host).download_retained(owned, target(*owned), buffer)));
}

DEVICE_TEST(Error, EmptyMovedAndForeignRecordingsAreRefused) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  Recording recording = need(test.device().record(CommandList{}.fill(buffer, 1u)));
  Recording kept = std::move(recording);
  const Recording empty;
  for (const Recording* nothing : std::array<const Recording*, 2>{&recording, &empty}) {
    check_error(queue.replay(*nothing), Errc::invalid_argument, {"Recording"});
  }
  CHECK_EQ(recording.slots(), 0u);
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  Queue foreign = need(other.create_queue());
  check_error(foreign.replay(kept), Errc::invalid_argument, {"[Recording"});
  check_ok(queue.replay(kept));
}

DEVICE_TEST(Recording, NativeOrDeclaredFallbackGiveTheSameBytes) {
  test.require_bytes();
  const Capability capability = test.info().capability(Feature::recording);
  if (capability.support != Support::native) CHECK(!capability.detail.empty());
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const auto build = [&](const Buffer& buffer) {
    CommandList list;
    for (std::uint32_t i = 0; i < 30; ++i) list.exec(affine, Grid::cover(100), buffer, 3u, i, 100u);
    return list;
  };
  const Buffer a = test.buffer(Words(100, 2)), b = test.buffer(Words(100, 2));
  const Recording recording = need(test.device().record(build(a)));
  need(queue.replay(recording));
  need(queue.submit(build(b)));
  CHECK_EQ(test.read<std::uint32_t>(queue, a), test.read<std::uint32_t>(queue, b));
}

}  // namespace
}  // namespace pintle::conformance
