// Collectives on device memory.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/group_queue.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> create(Run& run) {
  PINTLE_ASSIGN(groups, Group::threads(1));
  PINTLE_ASSIGN(queue, during([&] { return GroupQueue::create(groups[0], run.device(), {.label = words}); }));
  run.check(during([&] { return queue.text(); }).starts_with("[GroupQueue"));
  return {};
}

// On a queue of its own thread: what is accepted is done.
Result<void> all_reduce(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(groups, Group::threads(1));
  PINTLE_ASSIGN(queue, GroupQueue::create(groups[0], run.device()));
  const SubmitOptions options{.after = {mine.queue.last()}, .label = words};
  const auto done = during(
      [&] { return queue.submit(Collective::all_reduce(mine.ones.view(), mine.twos.view(), ReduceOp::sum), options); });
  run.attempt(run.keep(done));
  PINTLE_ASSIGN(last, run.keep(queue.submit(Collective::barrier())));
  PINTLE_TRY(run.test().wait(last));
  return expect(run, mine.queue, mine.ones, done ? 2 : 1);
}

Result<void> broadcast(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(groups, Group::threads(1));
  PINTLE_ASSIGN(queue, GroupQueue::create(groups[0], run.device()));
  run.attempt(run.keep(during([&] { return queue.submit(Collective::broadcast(mine.ones, 0)); })));
  PINTLE_ASSIGN(last, run.keep(queue.submit(Collective::barrier())));
  PINTLE_TRY(run.test().wait(last));
  run.check(!during([&] { return queue.submit(Collective::broadcast(mine.ones, 17)); }));
  during([&] {
    queue = GroupQueue();
    return 0;
  });
  return expect(run, mine.queue, mine.ones, 1);
}

}  // namespace

std::span<const Scenario> group_queue_operations() {
  static constexpr std::array<Scenario, 3> all{
      {{"GroupQueue_create", create}, {"GroupQueue_all_reduce", all_reduce}, {"GroupQueue_broadcast", broadcast}}};
  return all;
}

}  // namespace pintle::allocation_sweep
