/* What a list has besides launches and copies: calls of the host, grids that the device reads, memory that is kept or
 * that slots bring, buffers that are left out. */
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "pintle/c/load.h"
#include "transfer.h"

static atomic_int calls;

static void counted(void* data) { atomic_fetch_add((atomic_int*)data, 1); }

static void waits_inside(void* data) {
  CHECK(pintle_point_wait(data, 0, NULL) == PINTLE_INVALID_ARGUMENT);
  atomic_fetch_add(&calls, 1);
}

static void calls_of_the_host_stand_in_order(pintle_queue queue) {
  pintle_list list;
  pintle_signal signal;
  OK(pintle_signal_create(0, NULL, &signal, error));
  pintle_point point = {.size = sizeof point, .signal = signal, .value = 1};
  OK(pintle_list_create(&list, error));
  OK(pintle_list_call(list, counted, &calls, error));
  OK(pintle_list_call(list, waits_inside, &point, error));
  CHECK(atomic_load(&calls) == 0);
  finish(queue, list);
  CHECK(atomic_load(&calls) == 2);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_call(list, counted, &calls, error));
  OK(pintle_list_release(list, error));
  CHECK(atomic_load(&calls) == 2);
  OK(pintle_signal_release(signal, error));
}

static void the_device_reads_the_grid(pintle_device device, pintle_queue queue) {
  static float y[count];
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_buffer dx = buffer_on(device), dy = buffer_on(device), grid = buffer_on(device);
  const pintle_view vx = all_of(dx), vy = all_of(dy);
  pintle_view at = {.size = sizeof at, .dtype = PINTLE_U32, .buffer = grid, .bytes = 12};
  const uint32_t two_groups[] = {2, 1, 1};
  const pintle_argument arguments[] = {scalar(2), of_buffer(dx), of_buffer(dy)};
  const pintle_extent most = {.size = sizeof most, .is_groups = 1, .x = 4, .y = 1, .z = 1};
  const pintle_extent items = {.size = sizeof items, .x = 4};
  const float one = 1;
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &vx, &one, error));
  OK(pintle_list_fill(list, &vy, &one, error));
  OK(pintle_list_upload(list, &at, two_groups, sizeof two_groups, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch_indirect(list, kernel, &at, &items, arguments, 3, error));
  OK(pintle_list_launch_indirect(list, kernel, &at, &most, arguments, 3, error));
  OK(pintle_list_uses(list, &vx, PINTLE_ACCESS_READ, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_uses(list, &vx, 4, error));
  OK(pintle_list_download(list, y, sizeof y, &vy, error));
  OK(pintle_list_holds(list, grid, error));
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_buffer_release(grid, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  for (int i = 0; i < count; ++i) CHECK(y[i] == (i < 512 ? 3 : 1));
  OK(pintle_buffer_release(dx, error));
  OK(pintle_buffer_release(dy, error));
  OK(pintle_kernel_release(kernel, error));
}

static void expect_calls(pintle_device device, int expected) {
  while (atomic_load(&calls) < expected) OK(pintle_device_poll(device, error));
  CHECK(atomic_load(&calls) == expected);
}

static void memory_is_kept_until_it_is_used(pintle_device device, pintle_queue queue) {
  static float from[count], to[count];
  const pintle_buffer buffer = buffer_on(device);
  const pintle_view view = all_of(buffer);
  pintle_list list;
  for (int i = 0; i < count; ++i) from[i] = (float)i;
  atomic_store(&calls, 0);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload_retained(list, &view, from, sizeof from, counted, &calls, error));
  OK(pintle_list_download_retained(list, to, sizeof to, &view, counted, &calls, error));
  CHECK(atomic_load(&calls) == 0);
  finish(queue, list);
  expect_calls(device, 2);
  CHECK(memcmp(to, from, sizeof to) == 0);
  OK(pintle_list_create(&list, error)); /* released without being submitted */
  OK(pintle_list_upload_retained(list, &view, from, sizeof from, counted, &calls, error));
  OK(pintle_list_release(list, error));
  expect_calls(device, 3);
  OK(pintle_list_create(&list, error)); /* another size than the view's: nothing is kept */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_upload_retained(list, &view, from, 4, counted, &calls, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_download_retained(list, to, 4, &view, counted, &calls, error));
  OK(pintle_list_release(list, error));
  OK(pintle_buffer_release(buffer, error));
  CHECK(atomic_load(&calls) == 3);
}

static void slots_bring_memory(pintle_device device, pintle_queue queue) {
  static float from[count], to[count];
  const pintle_buffer buffer = buffer_on(device);
  const pintle_view view = all_of(buffer);
  pintle_list list;
  pintle_recording recording;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_upload_slot(list, &view, 1024, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_download_slot(list, 1024, &view, error));
  OK(pintle_list_upload_slot(list, &view, 0, error));
  OK(pintle_list_download_slot(list, 1, &view, error));
  OK(pintle_recording_create(device, list, &recording, error));
  for (int turn = 1; turn <= 3; ++turn) {
    for (int i = 0; i < count; ++i) from[i] = (float)(turn * i);
    pintle_argument bindings[2] = {{.size = sizeof *bindings, .kind = PINTLE_ARGUMENT_BYTES, .bytes = sizeof from},
                                   {.size = sizeof *bindings, .kind = PINTLE_ARGUMENT_TARGET, .bytes = sizeof to}};
    bindings[0].value.data = from;
    bindings[1].value.out = to;
    pintle_point done = {.size = sizeof done};
    OK(pintle_queue_replay(queue, recording, bindings, 2, NULL, &done, error));
    OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
    CHECK(memcmp(from, to, sizeof to) == 0);
    bindings[1].value.out = NULL;
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, bindings, 2, NULL, NULL, error));
    bindings[1].kind = PINTLE_ARGUMENT_LOCAL;
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, bindings, 2, NULL, NULL, error));
  }
  OK(pintle_recording_release(recording, error));
  OK(pintle_buffer_release(buffer, error));
}

/* The launches add 1, what y has, and 1. */
static void what_is_optional_may_be_null(pintle_device device, pintle_queue queue) {
  static const char code[] =
      "void add(const pintle_group* group, const float* x, float* y) {\n"
      "  (void)group;\n"
      "  for (int i = 0; i < 1024; ++i) y[i] += x == 0 ? 1 : x[i];\n"
      "}\n";
  static float y[count];
  const char* const signature = "add(x: optional read f32[1024], y: read_write f32[1024])";
  const pintle_buffer dy = buffer_on(device);
  const pintle_extent one = {.size = sizeof one, .is_groups = 1, .x = 1};
  const pintle_argument null = {.size = sizeof null, .kind = PINTLE_ARGUMENT_NULL};
  const pintle_argument without[] = {null, of_buffer(dy)}, with[] = {of_buffer(dy), of_buffer(dy)};
  const pintle_argument wrong[] = {of_buffer(dy), null}, slot[] = {of_slot(0), of_buffer(dy)};
  pintle_pack pack;
  pintle_kernel add;
  pintle_list list;
  pintle_recording recording;
  OK(pintle_pack_source("c", code, sizeof code - 1, &signature, 1, &pack, error));
  OK(pintle_kernel_load(device, pack, "add", &add, error));
  OK(pintle_pack_release(pack, error));
  fill_buffer(queue, dy, 2);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, add, &one, without, 2, error));
  OK(pintle_list_launch(list, add, &one, with, 2, error));
  OK(pintle_list_launch(list, add, &one, without, 2, error));
  finish(queue, list);
  read_buffer(queue, dy, y, sizeof y);
  for (int i = 0; i < count; ++i) CHECK(y[i] == 7);
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, add, &one, wrong, 2, error));
  OK(pintle_list_release(list, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, add, &one, slot, 2, error));
  OK(pintle_recording_create(device, list, &recording, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, &null, 1, NULL, NULL, error));
  OK(pintle_recording_release(recording, error));
  OK(pintle_kernel_release(add, error));
  OK(pintle_buffer_release(dy, error));
}

int main(void) {
  const pintle_device device = opened();
  pintle_queue queue;
  OK(pintle_queue_create(device, NULL, &queue, error));
  calls_of_the_host_stand_in_order(queue);
  the_device_reads_the_grid(device, queue);
  memory_is_kept_until_it_is_used(device, queue);
  slots_bring_memory(device, queue);
  what_is_optional_may_be_null(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
