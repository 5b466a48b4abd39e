// The planner, and conversions: no device is asked.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/convert.h"
#include "pintle/planner.h"

namespace pintle::allocation_sweep {
namespace {

PlanProblem problem() {
  PlanProblem made;
  made.values = {{.name = "the first of the values", .size = 256, .alignment = 64, .lower = 0, .upper = 2},
                 {.name = "the second of the values", .size = 128, .alignment = 64, .lower = 1, .upper = 3},
                 {.name = "the third of the values", .size = 256, .alignment = 64, .lower = 2, .upper = 4}};
  made.in_place = {{0, 2}};
  return made;
}

Result<void> lay_out_greedily(Run& run) {
  const PlanProblem asked = problem();
  PINTLE_ASSIGN(plan, during([&] { return lay_out(asked); }));
  run.check(pintle::check(asked, plan).has_value());
  return {};
}

Result<void> lay_out_exactly(Run& run) {
  const PlanProblem asked = problem();
  PINTLE_ASSIGN(plan, during([&] { return lay_out(asked, {.nodes = 1000}); }));
  run.check(pintle::check(asked, plan).has_value());
  return {};
}

Result<void> lay_out_steps(Run& run) {
  PlanProblem asked = problem();
  asked.in_place.clear();
  asked.order = StepOrder{4, {{0, 1}, {1, 2}, {2, 3}}};
  for (std::uint32_t i = 0; i < asked.values.size(); ++i) asked.values[i].uses = {i, i + 1};
  PINTLE_ASSIGN(plan, during([&] { return lay_out(asked); }));
  run.check(pintle::check(asked, plan).has_value());
  return {};
}

Result<void> lay_out_refused(Run& run) {
  PlanProblem asked = problem();
  asked.values[1].alignment = 3;
  run.check(!during([&] { return lay_out(asked); }));
  return {};
}

Result<void> check_plan(Run& /*run*/) {
  const PlanProblem asked = problem();
  PINTLE_ASSIGN(plan, lay_out(asked));
  return during([&] { return pintle::check(asked, plan); });
}

Result<void> text(Run& run) {
  PINTLE_ASSIGN(plan, lay_out(problem()));
  const std::string written = during([&] { return plan.text(); });
  if (written.empty()) return {};  // memory ran out
  PINTLE_ASSIGN(read, during([&] { return Plan::parse(written); }));
  run.check(read == plan);
  return {};
}

Result<void> find(Run& run) {
  PINTLE_ASSIGN(plan, lay_out(problem()));
  PINTLE_ASSIGN(found, during([&] { return plan.find("the second of the values"); }));
  run.check(found == 1);
  run.check(!during([&] { return plan.find("a value that nobody has ever planned"); }));
  return {};
}

Result<void> draw(Run& /*run*/) {
  const PlanProblem asked = problem();
  PINTLE_ASSIGN(plan, lay_out(asked));
  return outcome(during([&] { return picture(asked, plan); }));
}

Result<void> make(Run& /*run*/) {
  PINTLE_ASSIGN(plan, lay_out(problem()));
  const std::vector<PlannedValue> values(plan.values().begin(), plan.values().end());
  const std::vector<std::uint64_t> chunks(plan.chunks().begin(), plan.chunks().end());
  return outcome(during([&] { return Plan::create(values, chunks, plan.lower_bound()); }));
}

Result<void> convert_elements(Run& run) {
  const std::vector<float> from(size, 1);
  std::vector<std::uint16_t> to(size);
  PINTLE_TRY(during([&] {
    return convert(std::as_writable_bytes(std::span(to)), std::as_bytes(std::span(from)), Convert::f32_to_f16);
  }));
  run.check(to.back() == 0x3c00);
  return {};
}

Result<void> convert_refused(Run& run) {
  const std::vector<float> from(size, 1e9F);
  std::vector<std::uint16_t> to(size);
  run.check(!during([&] {
    return convert(std::as_writable_bytes(std::span(to)), std::as_bytes(std::span(from)),
                   Convert::f32_to_f16.with(Overflow::error));
  }));
  run.check(to.back() == 0);
  run.check(!during([] { return converted_bytes(3, Convert::f32_to_f16); }));
  return {};
}

}  // namespace

std::span<const Scenario> plan_operations() {
  static constexpr std::array<Scenario, 11> all{{{"lay_out", lay_out_greedily},
                                                 {"lay_out_exactly", lay_out_exactly},
                                                 {"lay_out_steps", lay_out_steps},
                                                 {"lay_out_refused", lay_out_refused},
                                                 {"check", check_plan},
                                                 {"Plan_text", text},
                                                 {"Plan_find", find},
                                                 {"picture", draw},
                                                 {"Plan_make", make},
                                                 {"convert", convert_elements},
                                                 {"convert_refused", convert_refused}}};
  return all;
}

}  // namespace pintle::allocation_sweep
