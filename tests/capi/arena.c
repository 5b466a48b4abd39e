/* Arenas of a plan: values that are fed and read with their dtype, and views of them in commands. */
#include "pintle/c/arena.h"

#include <string.h>

#include "check.h"
#include "pintle/c/plan.h"
#include "transfer.h"

enum { large = 100000 }; /* f32: beyond what is staged */

static float x[count], y[count], back[count], wide[large], wide_back[large];
static uint16_t halves[count];

static pintle_plan_value value(const char* name, uint64_t bytes, uint64_t alignment) {
  const pintle_plan_value made = {
      .size = sizeof made, .name = name, .bytes = bytes, .alignment = alignment, .lower = 0, .upper = 1};
  return made;
}

/* x, y: f32; h: f16; wide: f32; raw: bytes; outside: external. */
static pintle_plan plan_on(pintle_device device) {
  pintle_device_info info = {.size = sizeof info};
  OK(pintle_device_get_info(device, &info, error));
  const uint64_t alignment = info.offset_alignment < 8 ? 8 : info.offset_alignment;
  pintle_plan_value values[] = {value("x", sizeof x, alignment),      value("y", sizeof y, alignment),
                                value("h", sizeof halves, alignment), value("wide", sizeof wide, alignment),
                                value("raw", sizeof x, alignment),    value("outside", 16, 1)};
  values[5].assignment = PINTLE_ASSIGNMENT_EXTERNAL;
  const pintle_plan_problem problem = {.size = sizeof problem, .values = values, .value_count = 6};
  pintle_plan plan;
  OK(pintle_plan_lay_out(&problem, NULL, &plan, error));
  return plan;
}

static pintle_arena_value described(const char* name, uint32_t dtype, uint64_t elements) {
  pintle_arena_value made = {.size = sizeof made, .dtype = dtype, .name = name, .rank = 2};
  made.dims[0] = 2;
  made.dims[1] = elements / 2;
  return made;
}

static pintle_arena arena_on(pintle_device device) {
  const pintle_plan plan = plan_on(device);
  const pintle_arena_value values[] = {described("h", PINTLE_F16, count), described("x", PINTLE_F32, count),
                                       described("y", PINTLE_F32, count), described("wide", PINTLE_F32, large)};
  const pintle_arena_options options = {.size = sizeof options, .label = "step"};
  pintle_arena arena;
  OK(pintle_plan_can_fit(plan, device, error));
  OK(pintle_arena_create(device, plan, values, 4, &options, &arena, error));
  OK(pintle_plan_release(plan, error));
  return arena;
}

static uint32_t id_of(pintle_arena arena, const char* name) {
  uint32_t id = 99;
  OK(pintle_arena_find(arena, name, &id, error));
  return id;
}

static pintle_view view_of(pintle_arena arena, const char* name) {
  pintle_view view = {.size = sizeof view};
  OK(pintle_arena_view(arena, id_of(arena, name), &view, error));
  return view;
}

static pintle_argument argument_of(pintle_view view) {
  const pintle_argument argument = {.size = sizeof argument,
                                    .kind = PINTLE_ARGUMENT_BUFFER,
                                    .dtype = (uint16_t)view.dtype,
                                    .buffer = view.buffer,
                                    .offset = view.offset,
                                    .bytes = view.bytes};
  return argument;
}

static void an_arena_takes_what_its_plan_says(pintle_device device) {
  const pintle_plan plan = plan_on(device);
  const pintle_arena arena = arena_on(device);
  pintle_plan_info info = {.size = sizeof info};
  pintle_arena_requirements asked = {.size = sizeof asked}, taken = {.size = sizeof taken};
  pintle_arena_value h = {.size = sizeof h}, raw = {.size = sizeof raw};
  OK(pintle_plan_get_info(plan, &info, error));
  OK(pintle_plan_get_requirements(plan, device, &asked, error));
  OK(pintle_arena_get_requirements(arena, &taken, error));
  CHECK(asked.total == info.total && taken.total == info.total && asked.largest_chunk == info.chunks[0]);
  CHECK(asked.total >= 3 * sizeof x + sizeof halves + sizeof wide && taken.alignment == asked.alignment);
  OK(pintle_arena_get_value(arena, id_of(arena, "h"), &h, error));
  CHECK(strcmp(h.name, "h") == 0 && h.dtype == PINTLE_F16 && h.rank == 2 && h.dims[0] == 2 && h.dims[1] == count / 2);
  OK(pintle_arena_get_value(arena, id_of(arena, "raw"), &raw, error));
  CHECK(raw.dtype == PINTLE_U8 && raw.rank == 1 && raw.dims[0] == sizeof x && raw.dims[1] == 0);
  OK(pintle_arena_release(arena, error));
  OK(pintle_plan_release(plan, error));
}

static void what_is_fed_is_read(pintle_device device, pintle_queue queue) {
  const pintle_arena arena = arena_on(device);
  pintle_point done = {.size = sizeof done};
  OK(pintle_arena_feed(arena, queue, id_of(arena, "x"), PINTLE_F32, x, sizeof x, NULL, PINTLE_TIMEOUT_DEFAULT, &done,
                       error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_arena_read(arena, queue, id_of(arena, "x"), PINTLE_F32, back, sizeof back, NULL, PINTLE_TIMEOUT_DEFAULT,
                       error));
  CHECK(memcmp(x, back, sizeof x) == 0);
  OK(pintle_arena_feed(arena, queue, id_of(arena, "wide"), 0, wide, sizeof wide, NULL, PINTLE_TIMEOUT_DEFAULT, NULL,
                       error));
  OK(pintle_arena_read(arena, queue, id_of(arena, "wide"), 0, wide_back, sizeof wide, NULL, PINTLE_TIMEOUT_DEFAULT,
                       error));
  CHECK(memcmp(wide, wide_back, sizeof wide) == 0);
  OK(pintle_arena_release(arena, error));
}

static void elements_are_converted_on_the_way(pintle_device device, pintle_queue queue) {
  const pintle_arena arena = arena_on(device);
  const uint32_t h = id_of(arena, "h");
  const pintle_conversion narrow = {.size = sizeof narrow, .from = PINTLE_F32, .to = PINTLE_F16};
  const pintle_conversion widen = {.size = sizeof widen, .from = PINTLE_F16, .to = PINTLE_F32};
  OK(pintle_arena_feed(arena, queue, h, PINTLE_F32, x, sizeof x, &narrow, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  OK(pintle_arena_read(arena, queue, h, PINTLE_F16, halves, sizeof halves, NULL, PINTLE_TIMEOUT_DEFAULT, error));
  CHECK(halves[0] == 0 && halves[1] == 0x3c00 && halves[2] == 0x4000);
  OK(pintle_arena_read(arena, queue, h, PINTLE_F32, back, sizeof back, &widen, PINTLE_TIMEOUT_DEFAULT, error));
  for (int i = 0; i < count; ++i) CHECK(back[i] == x[i]); /* whole numbers below 2048 */
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_read(arena, queue, h, PINTLE_F64, back, sizeof back, &widen, PINTLE_TIMEOUT_DEFAULT, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_read(arena, queue, h, PINTLE_F32, back, sizeof back, &narrow, PINTLE_TIMEOUT_DEFAULT, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_feed(arena, queue, h, PINTLE_I32, x, sizeof x, &narrow, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  pintle_conversion strict = narrow;
  strict.overflow = PINTLE_OVERFLOW_ERROR;
  y[7] = 1e9f;
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_feed(arena, queue, h, PINTLE_F32, y, sizeof y, &strict, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  y[7] = 1;
  OK(pintle_arena_read(arena, queue, h, PINTLE_F32, back, sizeof back, &widen, PINTLE_TIMEOUT_DEFAULT, error));
  CHECK(back[7] == x[7]); /* nothing was written */
  OK(pintle_arena_release(arena, error));
}

/* y += 2 * x, where both lie in the arena; then a part of y is copied over the first of x. */
static void commands_use_views(pintle_device device, pintle_queue queue) {
  const pintle_arena arena = arena_on(device);
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_view vx = view_of(arena, "x"), vy = view_of(arena, "y");
  const pintle_extent extent = {sizeof extent, 0, count, 0, 0};
  const pintle_argument arguments[] = {scalar(2), argument_of(vx), argument_of(vy)};
  pintle_list list;
  CHECK(vx.dtype == PINTLE_F32 && vx.bytes == sizeof x && vx.buffer.id != vy.buffer.id);
  CHECK(view_of(arena, "x").buffer.id == vx.buffer.id);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &vx, x, sizeof x, error));
  OK(pintle_list_upload(list, &vy, y, sizeof y, error));
  OK(pintle_list_launch(list, kernel, &extent, arguments, 3, error));
  pintle_view from = vy, to = vx;
  from.offset = 16;
  from.bytes = to.bytes = 8;
  OK(pintle_list_copy(list, &to, &from, error));
  OK(pintle_list_holds(list, vy.buffer, error));
  finish(queue, list);
  OK(pintle_arena_read(arena, queue, id_of(arena, "y"), PINTLE_F32, back, sizeof back, NULL, PINTLE_TIMEOUT_DEFAULT,
                       error));
  for (int i = 0; i < count; ++i) CHECK(back[i] == 1 + 2 * (float)i);
  OK(pintle_arena_read(arena, queue, id_of(arena, "x"), PINTLE_F32, back, sizeof back, NULL, PINTLE_TIMEOUT_DEFAULT,
                       error));
  CHECK(back[0] == 9 && back[1] == 11 && back[2] == 2);
  OK(pintle_list_create(&list, error));
  from.offset = sizeof y;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy(list, &to, &from, error)); /* beyond the value's end */
  OK(pintle_arena_release(arena, error));
  FAILS(PINTLE_STALE, pintle_list_copy(list, &vx, &vy, error));
  OK(pintle_list_release(list, error));
  OK(pintle_kernel_release(kernel, error));
}

/* Only views name the buffer of a view: it is the arena's. */
static void the_buffer_of_a_view_is_the_arenas(pintle_device device) {
  const pintle_arena arena = arena_on(device);
  const pintle_view view = view_of(arena, "x");
  void* data;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_map(view.buffer, &data, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_seal(view.buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_release(view.buffer, error));
  OK(pintle_arena_release(arena, error));
  FAILS(PINTLE_STALE, pintle_arena_release(arena, error));
}

/* A read that is late leaves the memory alone, and may be repeated. */
static void a_late_read_writes_nothing(pintle_device device, pintle_queue queue) {
  const pintle_arena arena = arena_on(device);
  const uint32_t id = id_of(arena, "x");
  pintle_signal gate;
  pintle_list list;
  OK(pintle_signal_create(0, NULL, &gate, error));
  const pintle_point open = {.size = sizeof open, .signal = gate, .value = 1};
  const pintle_submit_options options = {.size = sizeof options, .after = &open, .after_count = 1};
  OK(pintle_arena_feed(arena, queue, id, PINTLE_F32, x, sizeof x, NULL, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_queue_submit(queue, list, &options, NULL, error));
  for (int i = 0; i < count; ++i) back[i] = -1;
  FAILS(PINTLE_TIMEOUT, pintle_arena_read(arena, queue, id, PINTLE_F32, back, sizeof back, NULL, 1000000, error));
  CHECK(back[0] == -1 && back[count - 1] == -1);
  OK(pintle_signal_set(gate, 1, error));
  OK(pintle_arena_read(arena, queue, id, PINTLE_F32, back, sizeof back, NULL, PINTLE_TIMEOUT_DEFAULT, error));
  CHECK(memcmp(x, back, sizeof x) == 0);
  OK(pintle_signal_release(gate, error));
  OK(pintle_arena_release(arena, error));
}

static void wrong_transfers_are_refused(pintle_device device, pintle_queue queue) {
  const pintle_arena arena = arena_on(device);
  const uint32_t id = id_of(arena, "x");
  const int64_t soon = PINTLE_TIMEOUT_DEFAULT;
  pintle_view view = {.size = sizeof view};
  pintle_arena_value described_value = {.size = sizeof described_value};
  pintle_point small = {.size = 4};
  uint32_t found = 5;
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_feed(arena, queue, id, PINTLE_F32, x, sizeof x - 4, NULL, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_feed(arena, queue, id, PINTLE_I32, x, sizeof x, NULL, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_feed(arena, queue, id, 17, x, sizeof x, NULL, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_feed(arena, queue, id, PINTLE_F32, NULL, sizeof x, NULL, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_feed(arena, queue, id, PINTLE_F32, x, sizeof x, NULL, -5, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_feed(arena, queue, id, PINTLE_F32, x, sizeof x, NULL, soon, &small, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_feed(arena, queue, 6, 0, x, sizeof x, NULL, soon, NULL, error));
  FAILS(PINTLE_NOT_FOUND, pintle_arena_feed(arena, queue, 5, 0, x, 16, NULL, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_arena_read(arena, queue, id, PINTLE_F32, back, sizeof back + 4, NULL, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_read(arena, queue, id, PINTLE_I32, back, sizeof back, NULL, soon, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_read(arena, queue, 6, 0, back, sizeof back, NULL, soon, error));
  FAILS(PINTLE_NOT_FOUND, pintle_arena_read(arena, queue, 5, 0, back, 16, NULL, soon, error));
  FAILS(PINTLE_NOT_FOUND, pintle_arena_view(arena, 5, &view, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_view(arena, 6, &view, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_get_value(arena, 6, &described_value, error));
  FAILS(PINTLE_NOT_FOUND, pintle_arena_find(arena, "outside", &found, error));
  FAILS(PINTLE_NOT_FOUND, pintle_arena_find(arena, "z", &found, error));
  CHECK(found == 5 && view.buffer.id == 0);
  OK(pintle_arena_release(arena, error));
}

static void wrong_arenas_are_refused(pintle_device device) {
  const pintle_plan plan = plan_on(device);
  pintle_arena_value wrong[] = {described("x", PINTLE_F32, count), described("x", PINTLE_F32, count)};
  pintle_arena_options options = {.size = sizeof options, .placement = 3};
  pintle_arena arena = {0};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 2, NULL, &arena, error)); /* twice */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 1, &options, &arena, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, NULL, 1, NULL, &arena, error));
  wrong[0].dims[1] += 1;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 1, NULL, &arena, error));
  wrong[0] = wrong[1];
  wrong[0].rank = 9;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 1, NULL, &arena, error));
  wrong[0] = wrong[1];
  wrong[0].dtype = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 1, NULL, &arena, error));
  wrong[0] = wrong[1];
  wrong[0].name = "z";
  FAILS(PINTLE_NOT_FOUND, pintle_arena_create(device, plan, wrong, 1, NULL, &arena, error));
  wrong[0].name = NULL;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_arena_create(device, plan, wrong, 1, NULL, &arena, error));
  CHECK(arena.id == 0);
  pintle_planned_value place = {.size = sizeof place, .name = "x", .bytes = 8, .alignment = 8192};
  const uint64_t chunk = 8;
  pintle_plan coarse;
  pintle_arena_requirements needed = {.size = sizeof needed};
  OK(pintle_plan_create(&place, 1, &chunk, 1, 0, &coarse, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_get_requirements(coarse, device, &needed, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_plan_can_fit(coarse, device, error));
  OK(pintle_plan_release(coarse, error));
  OK(pintle_plan_release(plan, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  for (int i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  for (int i = 0; i < large; ++i) wide[i] = (float)(i * 3);
  an_arena_takes_what_its_plan_says(device);
  what_is_fed_is_read(device, queue);
  elements_are_converted_on_the_way(device, queue);
  commands_use_views(device, queue);
  the_buffer_of_a_view_is_the_arenas(device);
  a_late_read_writes_nothing(device, queue);
  wrong_transfers_are_refused(device, queue);
  wrong_arenas_are_refused(device);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
