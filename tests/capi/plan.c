/* Memory plans: what shares bytes, what stays where it is, and what is refused. */
#include "pintle/c/plan.h"

#include <string.h>

#include "check.h"

static pintle_plan_value value(const char* name, uint64_t lower, uint64_t upper, uint64_t bytes) {
  const pintle_plan_value made = {.size = sizeof made, .name = name, .bytes = bytes, .lower = lower, .upper = upper};
  return made;
}

static pintle_plan_problem problem_of(const pintle_plan_value* values, size_t number) {
  const pintle_plan_problem problem = {.size = sizeof problem, .values = values, .value_count = number};
  return problem;
}

static pintle_plan laid_out(const pintle_plan_problem* problem, const pintle_plan_budget* budget) {
  pintle_plan plan;
  OK(pintle_plan_lay_out(problem, budget, &plan, error));
  OK(pintle_plan_check(plan, problem, error));
  return plan;
}

static pintle_plan_info info_of(pintle_plan plan) {
  pintle_plan_info info = {.size = sizeof info};
  OK(pintle_plan_get_info(plan, &info, error));
  return info;
}

static pintle_planned_value place_of(pintle_plan plan, const char* name) {
  pintle_planned_value place = {.size = sizeof place};
  uint32_t index = 99;
  OK(pintle_plan_find(plan, name, &index, error));
  OK(pintle_plan_get_value(plan, index, &place, error));
  CHECK(strcmp(place.name, name) == 0);
  return place;
}

static uint64_t total_of(const pintle_plan_problem* problem) {
  const pintle_plan plan = laid_out(problem, NULL);
  const uint64_t total = info_of(plan).total;
  OK(pintle_plan_release(plan, error));
  return total;
}

/* The text of a plan is the one that was read. */
static void expect_same_text(pintle_plan plan) {
  pintle_bytes text, again;
  pintle_plan copy;
  const void *data, *other;
  size_t size, other_size;
  OK(pintle_plan_text(plan, &text, error));
  OK(pintle_bytes_data(text, &data, &size, error));
  CHECK(size != 0 && strlen(data) == size && strncmp(data, "pintle-plan 1\n", 14) == 0);
  OK(pintle_plan_parse(data, &copy, error));
  OK(pintle_plan_text(copy, &again, error));
  OK(pintle_bytes_data(again, &other, &other_size, error));
  CHECK(size == other_size && memcmp(data, other, size) == 0);
  OK(pintle_bytes_release(text, error));
  OK(pintle_bytes_release(again, error));
  OK(pintle_plan_release(copy, error));
}

static void values_at_other_times_share_bytes(void) {
  const pintle_plan_value values[] = {value("a", 0, 2, 100), value("b", 1, 3, 50), value("c", 2, 4, 100)};
  const pintle_plan_problem problem = problem_of(values, 3);
  const pintle_plan plan = laid_out(&problem, NULL);
  const pintle_plan_info info = info_of(plan);
  pintle_bytes svg;
  const void* picture;
  CHECK(info.total == 150 && info.lower_bound == 150 && info.is_optimal == 1 && info.value_count == 3);
  CHECK(info.chunk_count == 1 && info.chunks[0] == 150);
  const pintle_planned_value a = place_of(plan, "a"), c = place_of(plan, "c");
  CHECK(a.bytes == 100 && a.alignment == 1 && a.chunk == 0 && a.assignment == PINTLE_ASSIGNMENT_PLANNED);
  CHECK(a.offset == c.offset);
  expect_same_text(plan);
  OK(pintle_plan_picture(plan, &problem, &svg, error));
  OK(pintle_bytes_data(svg, &picture, NULL, error));
  CHECK(strncmp(picture, "<svg ", 5) == 0 && strstr(picture, "<title>c: ") != NULL);
  OK(pintle_bytes_release(svg, error));
  OK(pintle_plan_release(plan, error));
  FAILS(PINTLE_STALE, pintle_plan_release(plan, error));
}

static void assignments_and_lifetimes_hold(void) {
  pintle_plan_value values[] = {value("fixed", 0, 4, 16),  value("x", 0, 1, 30),         value("y", 1, 2, 30),
                                value("weights", 0, 0, 8), value("outside", 0, 4, 1000), value("nothing", 0, 1, 0)};
  values[0].assignment = PINTLE_ASSIGNMENT_FIXED;
  values[0].offset = 64;
  values[1].alignment = values[2].alignment = 32;
  values[3].lifetime = PINTLE_LIFETIME_PERSISTENT;
  values[4].assignment = PINTLE_ASSIGNMENT_EXTERNAL;
  const pintle_plan_problem problem = problem_of(values, 6);
  const pintle_plan plan = laid_out(&problem, NULL);
  const pintle_planned_value fixed = place_of(plan, "fixed"), y = place_of(plan, "y"), out = place_of(plan, "outside");
  CHECK(fixed.offset == 64 && fixed.assignment == PINTLE_ASSIGNMENT_FIXED);
  CHECK(y.offset % 32 == 0 && y.alignment == 32);
  CHECK(out.assignment == PINTLE_ASSIGNMENT_EXTERNAL && out.offset == 0 && out.bytes == 1000);
  const uint64_t total = info_of(plan).total;
  CHECK(total >= 80 && total < 1000);
  OK(pintle_plan_release(plan, error));
}

static void pairs_and_chunks_change_the_total(void) {
  const pintle_plan_value values[] = {value("a", 0, 2, 8), value("b", 1, 3, 8), value("c", 2, 4, 6),
                                      value("d", 0, 9, 3)};
  const uint32_t pairs[] = {0, 1, 1, 2};
  pintle_plan_problem problem = problem_of(values, 4);
  CHECK(total_of(&problem) == 19);
  problem.in_place = pairs;
  problem.in_place_count = 2;
  CHECK(total_of(&problem) == 11);
  pintle_plan_value many[10];
  const char* const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  for (int i = 0; i < 10; ++i) many[i] = value(names[i], 0, 1, 30);
  problem = problem_of(many, 10);
  problem.largest_chunk = 64;
  const pintle_plan plan = laid_out(&problem, NULL);
  const pintle_plan_info info = info_of(plan);
  uint64_t sum = 0;
  for (size_t i = 0; i < info.chunk_count; ++i) {
    CHECK(info.chunks[i] <= 64);
    sum += info.chunks[i];
  }
  CHECK(info.chunk_count == 5 && sum == info.total && sum >= 300);
  OK(pintle_plan_release(plan, error));
}

/* Values of two steps share bytes where one step happens before the other. */
static void a_relation_of_steps_says_what_shares(void) {
  const uint32_t first = 0, second = 1, before[] = {0, 1};
  pintle_plan_value values[] = {value("p", 0, 0, 10), value("q", 0, 0, 10)};
  values[0].uses = &first;
  values[1].uses = &second;
  values[0].use_count = values[1].use_count = 1;
  pintle_plan_problem problem = problem_of(values, 2);
  pintle_plan plan;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error)); /* uses, and no relation */
  problem.steps = 2;
  CHECK(total_of(&problem) == 20);
  problem.before = before;
  problem.before_count = 1;
  CHECK(total_of(&problem) == 10);
  const uint32_t cycle[] = {0, 1, 1, 0};
  problem.before = cycle;
  problem.before_count = 2;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
  problem.steps = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
  problem.steps = 16385;
  problem.before_count = 0;
  FAILS(PINTLE_UNSUPPORTED, pintle_plan_lay_out(&problem, NULL, &plan, error));
}

/* No plan reaches the sum of the bytes here; the search proves it. */
static void a_budget_is_for_the_search(void) {
  pintle_plan_value values[] = {value("a", 0, 2, 3), value("b", 0, 2, 3), value("c", 0, 2, 6), value("d", 2, 3, 1)};
  pintle_plan_budget budget = {.size = sizeof budget, .nodes = 200000};
  values[0].alignment = values[1].alignment = 8;
  const pintle_plan_problem problem = problem_of(values, 4);
  const pintle_plan greedy = laid_out(&problem, NULL), searched = laid_out(&problem, &budget);
  CHECK(info_of(greedy).is_optimal == 0);
  CHECK(info_of(searched).is_optimal == 1 && info_of(searched).total == 17);
  OK(pintle_plan_release(greedy, error));
  OK(pintle_plan_release(searched, error));
  budget.nodes = 0;
  budget.time = 10000000000;
  const pintle_plan timed = laid_out(&problem, &budget);
  CHECK(info_of(timed).is_optimal == 1);
  OK(pintle_plan_release(timed, error));
  pintle_plan plan;
  budget.time = -1;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, &budget, &plan, error));
  budget.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, &budget, &plan, error));
}

static void a_plan_is_put_together(void) {
  pintle_planned_value places[] = {{.size = sizeof *places, .name = "x", .bytes = 16},
                                   {.size = sizeof *places, .name = "w", .bytes = 32, .alignment = 64, .chunk = 1},
                                   {.size = sizeof *places, .name = "in", .bytes = 99}};
  const uint64_t chunks[] = {16, 96};
  pintle_plan plan;
  places[1].offset = 64;
  places[2].assignment = PINTLE_ASSIGNMENT_EXTERNAL;
  OK(pintle_plan_create(places, 3, chunks, 2, 40, &plan, error));
  CHECK(info_of(plan).total == 112 && info_of(plan).lower_bound == 40 && info_of(plan).is_optimal == 0);
  CHECK(place_of(plan, "w").chunk == 1 && place_of(plan, "w").offset == 64);
  expect_same_text(plan);
  OK(pintle_plan_release(plan, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(places, 3, chunks, 2, 113, &plan, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(places, 3, NULL, 2, 0, &plan, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(NULL, 3, chunks, 2, 0, &plan, error));
  places[1].offset = 32;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(places, 3, chunks, 2, 0, &plan, error));
  places[1].offset = 64;
  places[1].name = "x";
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(places, 3, chunks, 2, 0, &plan, error));
  places[1].name = NULL;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_create(places, 3, chunks, 2, 0, &plan, error));
  OK(pintle_plan_create(NULL, 0, NULL, 0, 0, &plan, error));
  CHECK(info_of(plan).total == 0 && info_of(plan).value_count == 0);
  OK(pintle_plan_release(plan, error));
}

/* What is wrong with one value of an array. */
static void wrong_values_are_refused(void) {
  pintle_plan_value good[] = {value("a", 0, 2, 8), value("b", 1, 3, 8)}, wrong[8][2];
  for (int i = 0; i < 8; ++i) memcpy(wrong[i], good, sizeof good);
  wrong[0][1].size = 16;
  wrong[1][1].name = NULL;
  wrong[2][1].name = "a";
  wrong[3][1].assignment = 4;
  wrong[4][1].lifetime = 3;
  wrong[5][1].alignment = 3;
  wrong[6][1].upper = 1;
  wrong[7][1].use_count = 1;
  pintle_plan plan;
  for (int i = 0; i < 8; ++i) {
    const pintle_plan_problem problem = problem_of(wrong[i], 2);
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
  }
  good[0].assignment = good[1].assignment = PINTLE_ASSIGNMENT_FIXED;
  pintle_plan_problem problem = problem_of(good, 2);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error)); /* they overlap */
  problem = problem_of(NULL, 2);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
  problem = problem_of(good, 0);
  problem.in_place_count = 1;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
  problem.size = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_lay_out(&problem, NULL, &plan, error));
}

static void wrong_questions_are_refused(void) {
  const pintle_plan_value values[] = {value("a", 0, 2, 8), value("b", 1, 3, 8)},
                          apart[] = {value("a", 0, 1, 8), value("b", 1, 2, 8)};
  const pintle_plan_problem problem = problem_of(values, 2), other = problem_of(apart, 2);
  const pintle_plan plan = laid_out(&problem, NULL), small = laid_out(&other, NULL);
  pintle_planned_value place = {.size = sizeof place};
  pintle_bytes svg;
  pintle_plan parsed;
  uint32_t index = 7;
  FAILS(PINTLE_NOT_FOUND, pintle_plan_find(plan, "z", &index, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_find(plan, NULL, &index, error));
  CHECK(index == 7);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_get_value(plan, 2, &place, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_check(small, &problem, error)); /* both at offset 0, and alive together */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_picture(small, &problem, &svg, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_parse("pintle-plan 1\ntotal x\n", &parsed, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_parse(NULL, &parsed, error));
  OK(pintle_plan_release(plan, error));
  OK(pintle_plan_release(small, error));
  FAILS(PINTLE_STALE, pintle_plan_get_value(plan, 0, &place, error));
}

int main(void) {
  values_at_other_times_share_bytes();
  assignments_and_lifetimes_hold();
  pairs_and_chunks_change_the_total();
  a_relation_of_steps_says_what_shares();
  a_budget_is_for_the_search();
  a_plan_is_put_together();
  wrong_values_are_refused();
  wrong_questions_are_refused();
  return 0;
}
