// Lists: what is built, and what is said of a mistake.
#include <array>
#include <memory>

#include "allocation_sweep/operations.h"

namespace pintle::allocation_sweep {
namespace {

/// What was built is submitted; a list that ran out of memory says so there.
Result<void> submitted(Run& run, World& mine, CommandList&& list) {
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(std::move(list))));
  return run.test().wait(done);
}

Result<void> commands(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  CommandList list = during([&] {
    CommandList made;
    made.label(words).copy(mine.ones, mine.twos).barrier().fill(mine.twos, 7u).holds(mine.twos);
    return made;
  });
  PINTLE_TRY(submitted(run, mine, std::move(list)));
  PINTLE_TRY(expect(run, mine.queue, mine.ones, 2));
  return expect(run, mine.queue, mine.twos, 7);
}

Result<void> exec(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pack, conformance::suite_pack_for(run.device()));
  PINTLE_ASSIGN(kernel, run.device().load(pack, "conform_add_to"));
  CommandList list = during([&] {
    CommandList made;
    made.exec(kernel, Grid{1}, mine.ones, mine.twos, 7u, 64u).uses(mine.ones, Access::read);
    return made;
  });
  PINTLE_TRY(submitted(run, mine, std::move(list)));
  return expect(run, mine.queue, mine.twos, 8);
}

Result<void> upload(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const Words values(size, 5);
  PINTLE_TRY(submitted(run, mine, during([&] {
                         CommandList made;
                         made.upload(mine.ones, values);
                         return made;
                       })));
  return expect(run, mine.queue, mine.ones, 5);
}

Result<void> upload_taken(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  Words values(size, 5);
  PINTLE_TRY(submitted(run, mine, during([&] {
                         CommandList made;
                         made.upload(mine.ones, std::move(values));
                         return made;
                       })));
  return expect(run, mine.queue, mine.ones, 5);
}

Result<void> upload_retained(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto values = std::make_shared<Words>(size, 5);
  PINTLE_TRY(submitted(run, mine, during([&] {
                         CommandList made;
                         made.upload_retained(mine.ones, values, std::as_bytes(std::span(*values)));
                         return made;
                       })));
  run.check(run.test().eventually([&] { return values.use_count() == 1; }));
  return expect(run, mine.queue, mine.ones, 5);
}

Result<void> download_retained(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto values = std::make_shared<Words>(size);
  PINTLE_TRY(submitted(run, mine, during([&] {
                         CommandList made;
                         made.download_retained(values, std::as_writable_bytes(std::span(*values)), mine.twos);
                         return made;
                       })));
  run.compare(*values, Words(size, 2));
  return {};
}

Result<void> call(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const std::function<void()> function = [calls] { ++*calls; };
  PINTLE_TRY(submitted(run, mine, during([&] {
                         CommandList made;
                         made.call(function);
                         return made;
                       })));
  run.check(calls->load() == 1);
  return {};
}

Result<void> timestamp(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(at, run.device().allocate(DType::u64, {1}));
  CommandList list = during([&] {
    CommandList made;
    made.timestamp(at);
    return made;
  });
  const auto done = mine.queue.submit(std::move(list));
  PINTLE_TRY(unless_unsupported(done));
  return done ? run.test().wait(*done) : Result<void>();
}

Result<void> mistake(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(other, run.device().allocate(DType::u8, {3}, {.label = words}));
  CommandList list = during([&] {
    CommandList made;
    made.copy(mine.ones, other);
    return made;
  });
  run.check(list.error().has_value());
  run.check(!mine.queue.submit(std::move(list)));
  return expect(run, mine.queue, mine.ones, 1);
}

Result<void> slots(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  CommandList list = during([&] {
    CommandList made;
    made.copy(Slot{3}, Slot{1}).upload(mine.ones, Slot{2}).download(Slot{0}, mine.ones);
    return made;
  });
  return outcome(run.device().record(std::move(list)));
}

}  // namespace

std::span<const Scenario> list_operations() {
  static constexpr std::array<Scenario, 10> all{{{"CommandList_commands", commands},
                                                 {"CommandList_exec", exec},
                                                 {"CommandList_upload", upload},
                                                 {"CommandList_upload_taken", upload_taken},
                                                 {"CommandList_upload_retained", upload_retained},
                                                 {"CommandList_download_retained", download_retained},
                                                 {"CommandList_call", call},
                                                 {"CommandList_timestamp", timestamp},
                                                 {"CommandList_mistake", mistake},
                                                 {"CommandList_slots", slots}}};
  return all;
}

}  // namespace pintle::allocation_sweep
