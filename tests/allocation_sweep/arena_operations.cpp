// Arenas: made, fed, read, asked.
#include <algorithm>
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/arena.h"
#include "pintle/planner.h"

namespace pintle::allocation_sweep {
namespace {

Result<Plan> plan_for(const Run& run) {
  const std::uint64_t alignment = std::max<std::uint64_t>(4, run.device().info().limits.offset_alignment);
  PlanProblem problem;
  problem.values = {
      {.name = "a value with a long name", .size = 4 * size, .alignment = alignment, .lower = 0, .upper = 2},
      {.name = "y", .size = 4 * size, .alignment = alignment, .lower = 1, .upper = 2}};
  return lay_out(problem);
}

Result<Arena> arena_for(const Run& run) {
  PINTLE_ASSIGN(plan, plan_for(run));
  return Arena::create(run.device(), plan,
                       {{"a value with a long name", DType::f32, {size}}, {"y", DType::u32, {size}}}, {.label = words});
}

Result<void> create(Run& run) {
  PINTLE_ASSIGN(plan, plan_for(run));
  const std::vector<ArenaValue> values{{"a value with a long name", DType::f32, {size}}, {"y", DType::u32, {size}}};
  return outcome(during([&] { return Arena::create(run.device(), plan, values, {.label = words}); }));
}

Result<void> requirements(Run& run) {
  PINTLE_ASSIGN(plan, plan_for(run));
  PINTLE_TRY(during([&] { return Arena::requirements(plan, run.device()); }));
  return during([&] { return Arena::can_fit(plan, run.device()); });
}

Result<void> views(Run& run) {
  PINTLE_ASSIGN(arena, arena_for(run));
  PINTLE_TRY(during([&] { return arena.view(1); }));
  PINTLE_TRY(during([&] { return arena.id("a value with a long name"); }));
  run.check(!during([&] { return arena.id("a value that nobody has ever planned"); }));
  run.check(!during([&] { return arena.view(17); }));
  run.check(during([&] { return arena.text(); }).starts_with("[Arena"));
  return {};
}

Result<void> fed(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_for(run));
  const Words values(size, 9), other(size, 4);
  PINTLE_TRY(run.keep(feed(queue, arena, 1, values)));
  const bool done = run.attempt(during([&] { return feed(queue, arena, 1, other); }));
  if (run.test().is_driven()) return {};
  PINTLE_ASSIGN(now, read<std::uint32_t>(queue, arena, 1));
  run.compare(now, done ? other : values);
  return {};
}

Result<void> fed_and_converted(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_for(run));
  const std::vector<std::uint16_t> codes(size, 0x3c00);
  return outcome(
      run.keep(during([&] { return feed(queue, arena, 0, Elements(DType::f16, codes), Convert::f16_to_f32); })));
}

Result<void> fed_refused(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_for(run));
  const Words too_few(3, 9);
  run.check(!during([&] { return feed(queue, arena, 1, too_few); }));
  return {};
}

Result<void> read_back(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_for(run));
  PINTLE_TRY(run.keep(feed(queue, arena, 1, Words(size, 9))));
  PINTLE_ASSIGN(now, during([&] { return read<std::uint32_t>(queue, arena, 1, patience); }));
  run.compare(now, Words(size, 9));
  return {};
}

Result<void> read_converted(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_for(run));
  PINTLE_TRY(run.keep(feed(queue, arena, 0, std::vector<float>(size, 1))));
  PINTLE_ASSIGN(
      now, during([&] { return read<std::uint16_t>(queue, arena, 0, Convert{DType::f32, DType::u16}, patience); }));
  run.compare(Words(now.begin(), now.end()), Words(size, 1));
  return {};
}

}  // namespace

std::span<const Scenario> arena_operations() {
  static constexpr std::array<Scenario, 8> all{{{"Arena_create", create},
                                                {"Arena_requirements", requirements},
                                                {"Arena_views", views},
                                                {"feed", fed},
                                                {"feed_converted", fed_and_converted},
                                                {"feed_refused", fed_refused},
                                                {"read_of_an_arena", read_back},
                                                {"read_converted", read_converted}}};
  return all;
}

}  // namespace pintle::allocation_sweep
