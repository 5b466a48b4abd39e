// Queues and recordings.
#include <array>
#include <optional>

#include "allocation_sweep/operations.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> submit(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(raised, Signal::create());
  CommandList list;
  list.fill(mine.ones, 7u).fill(mine.twos, 8u);
  SubmitOptions options{.after = {run.test().at(mine.signal, 1)}, .signal = {raised.at(5)}, .label = words};
  const auto done = run.keep(during([&] { return mine.queue.submit(std::move(list), std::move(options)); }));
  PINTLE_ASSIGN(next, run.keep(mine.queue.submit(CommandList{}.fill(mine.twos, 9u))));
  PINTLE_TRY(run.test().raise(mine.signal, 1));
  PINTLE_TRY(run.test().wait(next));
  run.check(raised.value() == (done ? 5u : 0u));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, done ? 7 : 1));
  PINTLE_TRY(expect(run, mine.queue, mine.twos, 9));
  return outcome(done);
}

// As many waits as have to be put somewhere.
Result<void> submit_behind_another(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(other, run.device().create_queue());
  PINTLE_ASSIGN(before, run.keep(other.submit(CommandList{}.call([] {}).fill(mine.twos, 4u))));
  PINTLE_ASSIGN(raised, Signal::create());
  SubmitOptions options{.after = std::vector<Point>(10, before), .signal = {raised.at(5)}};
  CommandList list;
  list.copy(mine.ones, mine.twos);
  const auto done = during([&] { return mine.queue.submit(std::move(list), std::move(options)); });
  run.attempt(done);
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}, {.after = {before}})));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, done ? 4 : 1));
  run.check(raised.value() == (done ? 5u : 0u));
  return {};
}

Result<void> submit_and_wait(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  CommandList list;
  list.fill(mine.ones, 3u);
  if (run.test().is_driven()) return {};
  const auto done = during([&] { return mine.queue.submit_and_wait(std::move(list), patience); });
  PINTLE_TRY(expect(run, mine.queue, mine.twos, 2));
  PINTLE_TRY(done);
  return expect(run, mine.queue, mine.ones, 3);
}

Result<void> submit_lazy(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(lazy, run.device().allocate(DType::u32, {size}, {.label = words, .allocation = Allocation::lazy}));
  CommandList list;
  list.fill(lazy, 3u);
  run.attempt(during([&] { return mine.queue.submit(std::move(list)); }));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(lazy, 4u))));
  return expect(run, mine.queue, lazy, 4);
}

// The submission is held; that it ran out of memory must not hold those behind it.
Result<void> submit_without_room_for_options(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(promised, run.promised());
  SubmitOptions options{.signal = {run.test().at(promised, 1)}};
  PINTLE_ASSIGN(use, run.device().create_queue());
  run.attempt(during([&] { return mine.queue.submit(CommandList{}, options); }));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}, {.signal = {run.test().at(promised, 2)}})));
  PINTLE_TRY(run.keep(use.submit(CommandList{}.fill(mine.ones, 5u), {.after = {run.test().at(promised, 2)}})));
  return expect(run, use, mine.ones, 5);
}

/// A list of two fills with other buffers for each replay.
Result<void> replay_then(Run& run, bool with_options) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(recording, run.device().record(CommandList{}.fill(Slot{0}, 7u).fill(Slot{1}, 8u)));
  PINTLE_ASSIGN(x, run.device().allocate(DType::u32, {size}));
  PINTLE_ASSIGN(y, run.device().allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(x, 1u).fill(y, 1u))));
  const std::vector<SlotValue> first{x, y}, second{mine.ones, mine.twos};
  SubmitOptions options;
  if (with_options) options = {.after = {run.test().at(mine.signal, 1)}, .label = words};
  const auto done = during([&] {
    return with_options ? mine.queue.replay(recording, first, options) : mine.queue.replay(recording, first);
  });
  run.attempt(done);
  PINTLE_TRY(run.keep(mine.queue.replay(recording, second)));
  PINTLE_TRY(run.test().raise(mine.signal, 1));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 7));
  PINTLE_TRY(expect(run, mine.queue, mine.twos, 8));
  PINTLE_TRY(expect(run, mine.queue, x, done ? 7 : 1));
  return expect(run, mine.queue, y, done ? 8 : 1);
}

// A replay that ran out of memory leaves its bindings to nobody, and nobody waits for it.
Result<void> replay_after_a_failed_replay(Run& run) { return replay_then(run, false); }
Result<void> replay_with_options(Run& run) { return replay_then(run, true); }

Result<void> replay_of_copies(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(recording, run.device().record(CommandList{}.copy(Slot{0}, Slot{1}).copy(Slot{2}, Slot{0})));
  PINTLE_ASSIGN(threes, run.device().allocate(DType::u32, {size}));
  PINTLE_ASSIGN(fours, run.device().allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(threes, 3u).fill(fours, 4u))));
  const std::vector<SlotValue> first{mine.ones, mine.twos, fours}, second{fours, threes, mine.ones};
  run.attempt(during([&] { return mine.queue.replay(recording, first); }));
  PINTLE_TRY(run.keep(mine.queue.replay(recording, second)));
  PINTLE_TRY(expect(run, mine.queue, fours, 3));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 3));
  return expect(run, mine.queue, mine.twos, 2);
}

Result<void> recording_text(Run& run) {
  PINTLE_ASSIGN(recording, run.device().record(CommandList{}.label(words)));
  run.check(during([&] { return recording.text(); }).starts_with("[Recording"));
  during([&] {
    recording = Recording();
    return 0;
  });
  return {};
}

Result<void> fork(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto branch = during([&] { return mine.queue.fork(mine.ones, words); });
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 1));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 5u))));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 5));
  return branch ? expect(run, mine.queue, *branch, 1) : branch.error();
}

Result<void> free_buffer(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 5u))));
  return during([&] { return mine.queue.free(std::move(mine.ones)); });
}

Result<void> check(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  return during([&] { return mine.queue.check(mine.ones, Access::write); });
}

Result<void> last(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  return run.test().wait(during([&] { return mine.queue.last(); }));
}

Result<void> text(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue({.label = words}));
  run.check(during([&] { return queue.text(); }).starts_with("[Queue"));
  return {};
}

Result<void> fluent(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(raised, Signal::create());
  const Point point = mine.queue.last();
  const auto done = during([&] {
    return mine.queue.after(point).copy(mine.ones, mine.twos).label(words).barrier().signal(raised.at(4)).submit();
  });
  run.attempt(run.keep(done));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, done ? 2 : 1));
  run.check(raised.value() == (done ? 4u : 0u));
  return {};
}

Result<void> read_back(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  if (run.test().is_driven()) return {};
  PINTLE_ASSIGN(values, during([&] { return read<std::uint32_t>(mine.queue, mine.twos, patience); }));
  run.compare(values, Words(size, 2));
  return {};
}

Result<void> read_as_another(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  run.check(!during([&] { return read<float>(mine.queue, mine.twos, patience); }));
  return {};
}

Result<void> drop(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(other, run.device().create_queue());
  PINTLE_ASSIGN(done,
                run.keep(other.submit(CommandList{}.fill(mine.ones, 5u), {.after = {run.test().at(mine.signal, 1)}})));
  during([&] {
    other = Queue();
    return 0;
  });
  PINTLE_TRY(run.test().raise(mine.signal, 1));
  PINTLE_TRY(run.test().wait(done));
  return expect(run, mine.queue, mine.ones, 5);
}

// From one device to another: pieces, a move between them, and one signal that passes the turn.
Result<void> crossing(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(other, open("null"));
  PINTLE_ASSIGN(theirs, other.allocate(DType::u32, {size}));
  CommandList list;
  list.fill(mine.ones, 3u).copy(theirs, mine.ones).fill(mine.twos, 4u);
  const auto done = during([&] { return mine.queue.submit(std::move(list)); });
  run.attempt(run.keep(done));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, done ? 3 : 1));
  return expect(run, mine.queue, mine.twos, done ? 4 : 2);
}

}  // namespace

std::span<const Scenario> queue_operations() {
  static constexpr std::array<Scenario, 19> all{{{"Queue_submit", submit},
                                                 {"Queue_submit_behind_another", submit_behind_another},
                                                 {"Queue_submit_and_wait", submit_and_wait},
                                                 {"Queue_submit_lazy", submit_lazy},
                                                 {"Queue_submit_that_signals", submit_without_room_for_options},
                                                 {"Queue_replay_after_a_failed_replay", replay_after_a_failed_replay},
                                                 {"Queue_replay_with_options", replay_with_options},
                                                 {"Queue_replay_of_copies", replay_of_copies},
                                                 {"Recording_text", recording_text},
                                                 {"Queue_fork", fork},
                                                 {"Queue_free", free_buffer},
                                                 {"Queue_check", check},
                                                 {"Queue_last", last},
                                                 {"Queue_text", text},
                                                 {"Queue_fluent", fluent},
                                                 {"read", read_back},
                                                 {"read_as_another", read_as_another},
                                                 {"Queue_drop", drop},
                                                 {"Queue_crossing", crossing}}};
  return all;
}

}  // namespace pintle::allocation_sweep
