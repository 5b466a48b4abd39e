// Pools.
#include <array>

#include "allocation_sweep/operations.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> create(Run& run) {
  return outcome(during([&] { return Pool::create(run.device(), {.label = words}); }));
}

Result<void> allocate(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device()));
  PINTLE_TRY(mine.queue.allocate(pool, DType::u32, {100}));
  const auto made = during([&] { return mine.queue.allocate(pool, DType::u32, {1000}, {.label = words}); });
  run.attempt(made);
  PINTLE_ASSIGN(after, mine.queue.allocate(pool, DType::u32, {1000}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(after, 5u))));
  return expect(run, mine.queue, after, 5);
}

Result<void> allocate_again(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.scrub = Scrub::zeros}));
  PINTLE_ASSIGN(before, mine.queue.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(before, 5u))));
  before = Buffer();
  PINTLE_ASSIGN(after, during([&] { return mine.queue.allocate(pool, DType::u32, {size}, {.label = words}); }));
  return expect(run, mine.queue, after, 0);
}

Result<void> exhausted(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.label = words, .cap = 4096, .block = 4096}));
  PINTLE_ASSIGN(all, mine.queue.allocate(pool, DType::u8, {4096}, {.label = words}));
  run.check(!during([&] { return mine.queue.allocate(pool, DType::u8, {4096}); }));
  PINTLE_TRY(mine.queue.free(std::move(all)));
  return {};
}

Result<void> trim(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device()));
  PINTLE_ASSIGN(before, mine.queue.allocate(pool, DType::u32, {size}));
  before = Buffer();
  return outcome(during([&] { return pool.trim(); }));
}

Result<void> asked(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.label = words}));
  PINTLE_ASSIGN(buffer, mine.queue.allocate(pool, DType::u32, {size}, {.label = words}));
  const PoolStatistics statistics = during([&] { return pool.statistics(); });
  run.check(statistics.buffers == 1);
  const auto holders = during([&] { return pool.holders(); });
  run.check(holders.size() <= 1);
  run.check(during([&] { return pool.text(); }).starts_with("[Pool"));
  return mine.queue.free(std::move(buffer));
}

Result<void> drop(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device()));
  PINTLE_ASSIGN(buffer, mine.queue.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(buffer, 5u), {.after = {run.test().at(mine.signal, 1)}})));
  during([&] {
    pool = Pool();
    buffer = Buffer();
    return 0;
  });
  return run.test().raise(mine.signal, 1);
}

}  // namespace

std::span<const Scenario> pool_operations() {
  static constexpr std::array<Scenario, 7> all{{{"Pool_create", create},
                                                {"Pool_allocate", allocate},
                                                {"Pool_allocate_again", allocate_again},
                                                {"Pool_exhausted", exhausted},
                                                {"Pool_trim", trim},
                                                {"Pool_asked", asked},
                                                {"Pool_drop", drop}}};
  return all;
}

}  // namespace pintle::allocation_sweep
