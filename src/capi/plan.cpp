// Memory plans.
#include "pintle/c/plan.h"

#include <fmt/format.h>

#include "capi/arrays.h"
#include "capi/bytes_objects.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/plan_objects.h"
#include "capi/structs.h"
#include "pintle/planner.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

std::uint64_t alignment_of(std::uint64_t alignment) noexcept { return alignment == 0 ? 1 : alignment; }

Result<Assignment> assignment_of(std::uint32_t number) {
  return enumerator_or(Assignment::planned, number, Assignment::external, "assignment");
}

Result<PlanValue> value_of(const pintle_plan_value& value) {
  PINTLE_TRY(given(value.name, "pintle_plan_value.name"));
  if (value.use_count != 0) PINTLE_TRY(given(value.uses, "pintle_plan_value.uses"));
  PINTLE_ASSIGN(assignment, assignment_of(value.assignment));
  PINTLE_ASSIGN(lifetime, enumerator_or(Lifetime::steps, value.lifetime, Lifetime::persistent, "lifetime"));
  PlanValue out{.name = value.name,
                .size = value.bytes,
                .alignment = alignment_of(value.alignment),
                .lower = value.lower,
                .upper = value.upper,
                .assignment = assignment,
                .lifetime = lifetime,
                .chunk = value.chunk,
                .offset = value.offset};
  if (value.use_count != 0) out.uses.assign(value.uses, value.uses + value.use_count);
  return out;
}

Result<PlannedValue> planned_value_of(const pintle_planned_value& value) {
  PINTLE_TRY(given(value.name, "pintle_planned_value.name"));
  PINTLE_ASSIGN(assignment, assignment_of(value.assignment));
  return PlannedValue{.name = value.name,
                      .size = value.bytes,
                      .alignment = alignment_of(value.alignment),
                      .assignment = assignment,
                      .chunk = value.chunk,
                      .offset = value.offset};
}

/// `Pair` of two numbers each.
template <class Pair>
Result<std::vector<Pair>> pairs_of(const std::uint32_t* numbers, std::size_t count, const char* what) {
  std::vector<Pair> pairs;
  if (count == 0) return pairs;
  PINTLE_TRY(given(numbers, what));
  for (std::size_t i = 0; i < count; ++i) pairs.push_back({numbers[2 * i], numbers[2 * i + 1]});
  return pairs;
}

// By reference: gcc 12 warns falsely where an optional of vectors is moved.
Result<void> read(const pintle_plan_problem* problem, PlanProblem& out) {
  PINTLE_ASSIGN(in, readable(problem, "pintle_plan_problem"));
  PINTLE_ASSIGN(values, values_of<PlanValue>(in->values, in->value_count, "pintle_plan_value", value_of));
  PINTLE_ASSIGN(in_place, pairs_of<InPlace>(in->in_place, in->in_place_count, "pintle_plan_problem.in_place"));
  using Steps = std::pair<std::uint32_t, std::uint32_t>;
  PINTLE_ASSIGN(before, pairs_of<Steps>(in->before, in->before_count, "pintle_plan_problem.before"));
  out.values = std::move(values);
  out.in_place = std::move(in_place);
  if (in->steps != 0 || !before.empty()) out.order = StepOrder{in->steps, std::move(before)};
  if (in->largest_chunk != 0) out.largest_chunk = in->largest_chunk;
  return {};
}

Result<PlanBudget> budget_of(const pintle_plan_budget* budget) {
  if (budget == nullptr) return PlanBudget{};
  PINTLE_ASSIGN(in, readable(budget, "pintle_plan_budget"));
  if (in->time < 0)
    return Error(Errc::invalid_argument, fmt::format("The time of a search ({} ns) is negative.", in->time));
  return PlanBudget{.time = std::chrono::nanoseconds(in->time), .nodes = in->nodes, .enough = in->enough};
}

void fill(pintle_planned_value& out, const PlannedValue& value) noexcept {
  out.assignment = static_cast<std::uint32_t>(value.assignment);
  out.name = value.name.c_str();
  out.bytes = value.size;
  out.alignment = value.alignment;
  out.offset = value.offset;
  out.chunk = value.chunk;
}

}  // namespace

pintle_status pintle_plan_lay_out(const pintle_plan_problem* problem, const pintle_plan_budget* budget,
                                  pintle_plan* plan, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(plan, "plan"));
    PlanProblem wanted;
    PINTLE_TRY(read(problem, wanted));
    PINTLE_ASSIGN(limits, budget_of(budget));
    PINTLE_ASSIGN(made, lay_out(wanted, limits));
    return make(plan, std::move(made));
  });
}

pintle_status pintle_plan_create(const pintle_planned_value* values, size_t count, const uint64_t* chunks,
                                 size_t chunk_count, uint64_t lower_bound, pintle_plan* plan, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(plan, "plan"));
    if (chunk_count != 0) PINTLE_TRY(given(chunks, "chunks"));
    PINTLE_ASSIGN(places, values_of<PlannedValue>(values, count, "pintle_planned_value", planned_value_of));
    std::vector<std::uint64_t> sizes;
    if (chunk_count != 0) sizes.assign(chunks, chunks + chunk_count);
    PINTLE_ASSIGN(made, Plan::create(std::move(places), std::move(sizes), lower_bound));
    return make(plan, std::move(made));
  });
}

pintle_status pintle_plan_parse(const char* text, pintle_plan* plan, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(text, "text"));
    PINTLE_TRY(given(plan, "plan"));
    PINTLE_ASSIGN(read, Plan::parse(text));
    return make(plan, std::move(read));
  });
}

pintle_status pintle_plan_text(pintle_plan plan, pintle_bytes* text, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(text, "text"));
    PINTLE_ASSIGN(its, use(plan));
    std::string written = its->text();
    if (written.empty()) return Error(Errc::out_of_memory, "There is no memory for the text of a plan.");
    return make(text, std::move(written));
  });
}

pintle_status pintle_plan_get_info(pintle_plan plan, pintle_plan_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_plan_info"));
    PINTLE_ASSIGN(its, use(plan));
    out->is_optimal = its->is_optimal() ? 1 : 0;
    out->total = its->total();
    out->lower_bound = its->lower_bound();
    out->chunks = its->chunks().data();
    out->chunk_count = its->chunks().size();
    out->value_count = its->values().size();
    return {};
  });
}

pintle_status pintle_plan_get_value(pintle_plan plan, uint32_t index, pintle_planned_value* value,
                                    pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(value, "pintle_planned_value"));
    PINTLE_ASSIGN(its, use(plan));
    const std::span<const PlannedValue> values = its->values();
    PINTLE_TRY(within(index, values.size(), "value"));
    fill(*out, values[index]);
    return {};
  });
}

pintle_status pintle_plan_find(pintle_plan plan, const char* name, uint32_t* index, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(index, "index"));
    PINTLE_ASSIGN(its, use(plan));
    PINTLE_ASSIGN(found, its->find(name));
    *index = found;
    return {};
  });
}

pintle_status pintle_plan_check(pintle_plan plan, const pintle_plan_problem* problem, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(plan));
    PlanProblem wanted;
    PINTLE_TRY(read(problem, wanted));
    return check(wanted, *its);
  });
}

pintle_status pintle_plan_picture(pintle_plan plan, const pintle_plan_problem* problem, pintle_bytes* svg,
                                  pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(svg, "svg"));
    PINTLE_ASSIGN(its, use(plan));
    PlanProblem wanted;
    PINTLE_TRY(read(problem, wanted));
    PINTLE_ASSIGN(drawn, picture(wanted, *its));
    return make(svg, std::move(drawn));
  });
}

pintle_status pintle_plan_release(pintle_plan plan, pintle_error* error) {
  return enter(error, [&] { return release(plan); });
}
