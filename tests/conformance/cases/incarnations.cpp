// Loss and recovery: one cause for everybody, stale objects, a next generation that works. Each case puts a faulty
// layer of its own over the device under test.
#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "conformance/fragile.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

void check_cause(const Result<void>& result, const Error& cause,
                 std::source_location where = std::source_location::current()) {
  if (!check_error(result, cause.code(), {}, where)) return;
  if (!result.error().same_origin(cause)) record_failure("not the first cause: " + result.error().text(), where);
}

DEVICE_TEST(Incarnation, LossAnswersEveryWaitWithTheFirstCause) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Queue held = inner.queue("held"), idle = inner.queue("idle");
  Signal gate = test.signal(), promised = test.signal();
  const Point before = need(idle.submit(CommandList{}));
  inner.finish(before);
  const Point pending =
      need(held.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(promised, 1)}}));
  const Error cause = fragile.lose();
  check_cause(pending.wait(moment), cause);
  check_cause(test.at(promised, 1).wait(moment), cause);
  CHECK(need(before.is_reached()));
  check_cause(fragile.device().health(), cause);
  check_cause(fragile.device().wait_idle(moment), cause);
  for (int i = 0; i < 2; ++i) {
    const auto later = idle.submit(CommandList{});
    check_error(later, Errc::device_lost);
    if (!later) CHECK(later.error().same_origin(cause));
  }
  check_error(fragile.device().allocate(DType::u8, {16}), Errc::device_lost);
  check_error(fragile.device().create_queue(), Errc::device_lost);
  check_error(fragile.device().load(need(suite_pack())), Errc::device_lost);
  check_error(fragile.device().record(CommandList{}), Errc::device_lost);
  need(test.raise(gate, 1));  // releases nothing
  check_cause(pending.wait(moment), cause);
}

DEVICE_TEST(Incarnation, LossAnswersCallbacksAndThreads) {
  if (test.is_driven()) test.not_applicable("one thread drives the device");
  Fragile fragile(test);
  Queue queue = fragile.context().queue();
  Signal gate = test.signal();
  const Point pending = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  std::atomic<Errc> told{};
  need(pending.then([&](const Result<void>& result) { told = result ? Errc::internal : result.error().code(); }));
  std::atomic<Errc> woken{};
  std::jthread waiter([&] {
    const auto result = pending.wait(patience);
    woken = result ? Errc::internal : result.error().code();
  });
  const Error cause = fragile.lose();
  waiter.join();
  CHECK_EQ(woken.load(), Errc::device_lost);
  CHECK(test.eventually([&] { return told.load() != Errc{}; }));
  CHECK_EQ(told.load(), Errc::device_lost);
}

DEVICE_TEST(Incarnation, LossFailsWorkOfOtherDevices) {
  Fragile fragile(test);
  Queue lost = fragile.context().queue(), other = test.queue();
  Signal gate = test.signal(), middle = test.signal();
  need(lost.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(middle, 1)}}));
  const Point waiting = need(other.submit(CommandList{}, {.after = {test.at(middle, 1)}}));
  const Error cause = fragile.lose();
  check_cause(test.wait(waiting), cause);
  Queue fresh = test.queue();
  test.finish(need(fresh.submit(CommandList{})));
}

DEVICE_TEST(Incarnation, RecoverOpensTheNextGeneration) {
  Fragile fragile(test);
  const Device& device = fragile.device();
  const std::uint64_t generation = device.generation();
  const Device copy = device;
  fragile.lose();
  CHECK_EQ(device.generation(), generation);
  need(device.recover());
  CHECK_EQ(device.generation(), generation + 1);
  CHECK_EQ(copy.generation(), generation + 1);
  check_ok(device.health());
  check_ok(device.recover());
  CHECK_EQ(device.generation(), generation + 1);
}

/// One of everything, made before a loss.
struct Belongings {
  Buffer buffer, host_buffer;
  Queue queue;
  Program program;
  Kernel kernel;
  Recording recording;
  Point point;

  explicit Belongings(Context& inner)
      : buffer(inner.allocate(DType::u32, 4, "old")),
        host_buffer(
            need(inner.device().allocate(DType::u32, {4}, {.label = "old host", .placement = Placement::host}))),
        queue(inner.queue("old queue")),
        program(need(inner.device().load(need(suite_pack())))),
        kernel(need(program.kernel("conform_nothing"))),
        recording(need(inner.device().record(CommandList{}.fill(buffer, 1u)))) {}
};

DEVICE_TEST(Incarnation, OldObjectsAreStaleAndSayBothGenerations) {
  Fragile fragile(test);
  const Device& device = fragile.device();
  Belongings old(fragile.context());
  const std::string before = std::to_string(device.generation()), after = std::to_string(device.generation() + 1);
  fragile.lose();
  need(device.recover());
  Queue queue = fragile.context().queue("new queue");
  check_error(old.queue.submit(CommandList{}), Errc::stale, {"generation", before, after, "\"old queue\""});
  check_error(queue.submit(CommandList{}.fill(old.buffer, 1u)), Errc::stale, {"[Buffer", "generation", before, after});
  check_error(queue.submit(CommandList{}.exec(old.kernel, Grid{1})), Errc::stale,
              {"[Kernel", "generation", before, after});
  check_error(queue.replay(old.recording), Errc::stale, {"[Recording", "generation", before, after});
  check_error(old.queue.replay(old.recording), Errc::stale, {"generation", before, after});
  check_error(device.record(CommandList{}.fill(old.buffer, 1u)), Errc::stale, {"[Buffer", before, after});
  const Recording fresh = need(device.record(CommandList{}.fill(Slot{0}, 1u)));
  check_error(queue.replay(fresh, {old.buffer}), Errc::stale, {"[Buffer", before, after});
  check_error(old.host_buffer.map(), Errc::stale, {"\"old host\"", before, after});
  check_error(old.buffer.native<layers::FaultyCounts>(), Errc::stale, {before, after});
  test.finish(need(queue.submit(CommandList{})));
}

// Destructors of old objects touch nothing of the new generation; ASan sees whether they touch the old one.
DEVICE_TEST(Incarnation, OldObjectsDieQuietly) {
  Fragile fragile(test);
  std::optional<Belongings> first(std::in_place, fragile.context()), second(std::in_place, fragile.context());
  const auto used = [&] { return need(fragile.device().budget()).front().used; };
  fragile.lose();
  first.reset();
  need(fragile.device().recover());
  const Buffer fresh = fragile.context().allocate(DType::u32, 1024);
  const std::uint64_t held = used();
  second.reset();
  CHECK_EQ(used(), held);
  Queue queue = fragile.context().queue();
  need(queue.submit(CommandList{}.fill(fresh, 3u)));
  fragile.context().finish(queue.last());
}

DEVICE_TEST(Incarnation, NewGenerationComputes) {
  test.require_bytes();
  Fragile fragile(test);
  Context& inner = fragile.context();
  for (int round = 0; round < 3; ++round) {
    const Buffer lost = inner.buffer(Words{1, 2, 3});
    fragile.lose();
    need(fragile.device().recover());
    const Buffer buffer = inner.buffer(Words{4, 5, 6});
    Queue queue = inner.queue();
    need(queue.submit(CommandList{}.exec(inner.kernel("affine"), Grid{1}, buffer, 2u, 1u, 3u)));
    CHECK_EQ(inner.read<std::uint32_t>(queue, buffer), (Words{9, 11, 13}));
  }
}

DEVICE_TEST(Incarnation, FailedRecoveryCanBeTriedAgain) {
  Fragile fragile(test, 2);
  const std::uint64_t generation = fragile.device().generation();
  fragile.lose();
  check_error(fragile.device().recover(), Errc::unavailable);
  CHECK_EQ(fragile.device().generation(), generation);
  check_error(fragile.device().create_queue(), Errc::device_lost);
  need(fragile.device().recover());
  CHECK_EQ(fragile.device().generation(), generation + 1);
  check_ok(fragile.device().create_queue());
}

// features.md: only a new process can use the device again.
DEVICE_TEST(Incarnation, PoisonedProcessDoesNotRecover) {
  Fragile fragile(test);
  const Error cause = fragile.lose(Errc::process_poisoned);
  check_cause(fragile.device().health(), cause);
  check_cause(fragile.device().recover(), cause);
  check_error(fragile.device().create_queue(), Errc::process_poisoned);
}

DEVICE_TEST(Incarnation, OutOfMemoryPoisonsNothing) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  const Buffer kept = inner.allocate(DType::u32, 4);
  fragile.arm("allocate", Errc::out_of_memory);
  check_error(fragile.device().allocate(DType::u32, {4}), Errc::out_of_memory, {fragile.device().id()});
  const Buffer again = inner.allocate(DType::u32, 4);
  Queue queue = inner.queue();
  inner.finish(need(queue.submit(CommandList{}.fill(kept, 1u).copy(again, kept))));
}

DEVICE_TEST(Incarnation, RefusedSubmitStartsNothing) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Queue queue = inner.queue();
  Signal done = test.signal();
  const std::uint64_t before = queue.last().value();
  fragile.arm("submit", Errc::out_of_memory);
  check_error(queue.submit(CommandList{}, {.signal = {test.at(done, 1)}}), Errc::out_of_memory);
  CHECK_EQ(queue.last().value(), before);
  CHECK(!done.failure());
  const Point point = need(queue.submit(CommandList{}, {.signal = {test.at(done, 1)}}));
  CHECK_EQ(point.value(), before + 1);
  inner.finish(test.at(done, 1));
}

// A submission that was accepted and held, and then refused by the device, fails its points and its queue.
DEVICE_TEST(Incarnation, HeldSubmitThatIsRefusedLaterFailsItsPoints) {
  Fragile fragile(test);
  Context& inner = fragile.context();
  Queue queue = inner.queue("late"), other = inner.queue();
  Signal gate = test.signal(), done = test.signal();
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(done, 1)}}));
  const Point waiting = need(other.submit(CommandList{}, {.after = {test.at(done, 1)}}));
  fragile.arm("submit", Errc::internal);
  need(test.raise(gate, 1));
  check_error(inner.wait(held), Errc::internal, {"\"late\""});
  check_error(inner.wait(test.at(done, 1)), Errc::internal);
  check_error(inner.wait(waiting), Errc::internal);
  check_error(queue.submit(CommandList{}), Errc::internal);
  Queue fresh = inner.queue();
  inner.finish(need(fresh.submit(CommandList{})));
}

// Y19, E5: generation and device change together; a look meanwhile gets one or the other, or a named error.
DEVICE_TEST(Incarnation, RecoveryUnderFireIsAtomic) {
  if (test.is_driven()) test.not_applicable("one thread drives the device");
  Fragile fragile(test);
  const Device& device = fragile.device();
  std::atomic<bool> stop{false};
  std::atomic<int> submitted{0};
  const auto hammer = [&] {
    while (!stop.load()) {
      auto queue = device.create_queue();
      auto point = queue ? queue->submit(CommandList{}) : Result<Point>(queue.error());
      auto waited = point ? point->wait(patience) : Result<void>(point.error());
      if (waited) ++submitted;
      else if (waited.error().code() != Errc::stale) check_error(waited, Errc::device_lost);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(hammer);
    for (std::uint64_t round = 1; round <= 10; ++round) {
      const std::uint64_t generation = device.generation();
      const int before = submitted.load();
      CHECK(test.eventually([&] { return submitted.load() > before; }));
      fragile.arm("submit", Errc::device_lost);
      CHECK(test.eventually([&] { return !device.health(); }));
      check_ok(device.recover());
      CHECK_EQ(device.generation(), generation + 1);
    }
    stop = true;
  }
  CHECK(submitted.load() >= 10);
}

}  // namespace
}  // namespace pintle::conformance
