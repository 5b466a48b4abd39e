// Memory that a plan has laid out, in two chunks.
#include <algorithm>

#include "conformance/sweep/memory.h"
#include "pintle/planner.h"

namespace pintle::conformance {
namespace {

constexpr std::uint64_t small = 64, large = 70'000;  // in 32-bit elements: staged; straight into the arena, if it can

Result<Arena> arena_on(const Device& device) {
  PlanProblem problem;
  const std::uint64_t alignment = std::max<std::uint64_t>(4, device.info().limits.offset_alignment);
  problem.values = {{.name = "x", .size = 4 * small, .alignment = alignment, .lower = 0, .upper = 2},
                    {.name = "y", .size = 4 * large, .alignment = alignment, .lower = 1, .upper = 2}};
  problem.largest_chunk = 4 * large;
  PINTLE_ASSIGN(plan, lay_out(problem));
  PINTLE_TRY(Arena::can_fit(plan, device));
  return Arena::create(device, plan, {{"x", DType::f32, {small}}, {"y", DType::u32, {large}}}, {.label = "swept"});
}

}  // namespace

// What is fed comes back; a refused feed is fed again.
Result<void> arena_fed_and_read(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(arena, arena_on(run.device()));
  PINTLE_ASSIGN(ids, arena.plan().ids("x", "y"));
  const std::vector<std::uint16_t> codes(small, 0x3c00);  // 1 in f16
  const Words words(large, 9);
  PINTLE_TRY(run.keep(feed(queue, arena, ids[0], Elements(DType::f16, codes), Convert::f16_to_f32)));
  if (!run.attempt(feed(queue, arena, ids[1], words))) PINTLE_TRY(run.keep(feed(queue, arena, ids[1], words)));
  PINTLE_ASSIGN(x, read<float>(queue, arena, ids[0]));
  PINTLE_ASSIGN(y, read<std::uint32_t>(queue, arena, ids[1]));
  run.compare(Words(x.begin(), x.end()), Words(small, 1));
  run.compare(y, words);
  return {};
}

}  // namespace pintle::conformance
