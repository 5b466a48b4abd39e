/* Commands on buffers that each replay binds; and the device's clock. */
#include <string.h>

#include "check.h"
#include "transfer.h"

static float seen[count];

static pintle_recording recorded(pintle_device device, pintle_list list) {
  pintle_recording recording;
  OK(pintle_recording_create(device, list, &recording, error));
  return recording;
}

static void replay(pintle_queue queue, pintle_recording recording, const pintle_argument* bindings, size_t slots) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_replay(queue, recording, bindings, slots, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

static void expect_all(pintle_queue queue, pintle_buffer buffer, float value) {
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == value);
}

/* From slot 0 to slot 1, by a buffer between the two and directly. */
static void copies_take_slots(pintle_device device, pintle_queue queue) {
  const pintle_buffer from = buffer_on(device), between = buffer_on(device), to = buffer_on(device);
  const pintle_view view = all_of(between);
  const pintle_argument bindings[] = {of_buffer(from), of_buffer(to)},
                        one_buffer[] = {of_buffer(from), of_buffer(from)};
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_copy_from_slot(list, &view, 0, error));
  OK(pintle_list_copy_to_slot(list, 1, &view, error));
  const pintle_recording by_way = recorded(device, list);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_copy_slots(list, 1, 0, error));
  const pintle_recording directly = recorded(device, list);
  fill_buffer(queue, from, 5);
  replay(queue, by_way, bindings, 2);
  expect_all(queue, to, 5);
  fill_buffer(queue, from, 6);
  replay(queue, directly, bindings, 2);
  expect_all(queue, to, 6);
  expect_all(queue, between, 5);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, directly, one_buffer, 2, NULL, NULL, error));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_slots(list, 3, 3, error));
  OK(pintle_list_release(list, error));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_from_slot(list, &view, 1024, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_to_slot(list, 1024, &view, error));
  OK(pintle_list_release(list, error));
  OK(pintle_recording_release(by_way, error));
  OK(pintle_recording_release(directly, error));
  OK(pintle_buffer_release(from, error));
  OK(pintle_buffer_release(between, error));
  OK(pintle_buffer_release(to, error));
}

static void fills_take_slots(pintle_device device, pintle_queue queue) {
  const uint64_t dims = 4;
  const int16_t thousand = 1000;
  const uint16_t half = 0x3800;
  const float two = 2;
  int16_t shorts[4];
  uint16_t halves[4];
  pintle_buffer of_shorts, of_halves;
  pintle_list list;
  OK(pintle_buffer_allocate(device, PINTLE_I16, 1, &dims, NULL, &of_shorts, error));
  OK(pintle_buffer_allocate(device, PINTLE_F16, 1, &dims, NULL, &of_halves, error));
  const pintle_buffer of_floats = buffer_on(device);
  const pintle_argument bindings[] = {of_buffer(of_floats), of_buffer(of_shorts), of_buffer(of_halves)};
  const pintle_argument exchanged[] = {of_buffer(of_shorts), of_buffer(of_floats), of_buffer(of_halves)};
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill_slot(list, 0, PINTLE_F32, &two, error));
  OK(pintle_list_fill_slot(list, 1, PINTLE_I16, &thousand, error));
  OK(pintle_list_fill_slot(list, 2, PINTLE_F16, &half, error));
  const pintle_recording recording = recorded(device, list);
  replay(queue, recording, bindings, 3);
  expect_all(queue, of_floats, 2);
  read_buffer(queue, of_shorts, shorts, sizeof shorts);
  read_buffer(queue, of_halves, halves, sizeof halves);
  for (int i = 0; i < 4; ++i) CHECK(shorts[i] == thousand && halves[i] == half);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, exchanged, 3, NULL, NULL, error));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_fill_slot(list, 0, 17, &two, error));
  OK(pintle_list_release(list, error));
  OK(pintle_recording_release(recording, error));
  OK(pintle_buffer_release(of_floats, error));
  OK(pintle_buffer_release(of_shorts, error));
  OK(pintle_buffer_release(of_halves, error));
}

static void a_slot_has_the_grid(pintle_device device, pintle_queue queue) {
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_buffer x = buffer_on(device), y = buffer_on(device), grid = buffer_on(device);
  const pintle_extent most = {.size = sizeof most, .is_groups = 1, .x = 4, .y = 1, .z = 1};
  const pintle_argument arguments[] = {scalar(2), of_buffer(x), of_buffer(y)};
  const uint32_t groups[] = {3, 1, 1};
  const pintle_view at = {.size = sizeof at, .dtype = PINTLE_U32, .buffer = grid, .bytes = 12};
  pintle_argument counts = of_buffer(grid);
  pintle_list list;
  fill_buffer(queue, x, 1);
  fill_buffer(queue, y, 0);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &at, groups, sizeof groups, error));
  finish(queue, list);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch_indirect_slot(list, kernel, 0, &most, arguments, 3, error));
  OK(pintle_list_uses_slot(list, 1, PINTLE_ACCESS_READ, error));
  const pintle_recording recording = recorded(device, list);
  counts.bytes = sizeof groups;
  const pintle_argument bindings[] = {counts, of_buffer(x)};
  replay(queue, recording, bindings, 2);
  read_buffer(queue, y, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == (i < 768 ? 2 : 0));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_uses_slot(list, 1, 4, error));
  OK(pintle_list_release(list, error));
  OK(pintle_recording_release(recording, error));
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_buffer_release(x, error));
  OK(pintle_buffer_release(y, error));
  OK(pintle_buffer_release(grid, error));
}

/* The second reading is not before the first, in a list and in a replay. */
static void the_clock_is_read(pintle_device device, pintle_queue queue) {
  const uint64_t dims = 2;
  uint64_t ticks[2] = {0, 0};
  pintle_buffer buffer;
  pintle_list list;
  OK(pintle_buffer_allocate(device, PINTLE_U64, 1, &dims, NULL, &buffer, error));
  const pintle_view first = {.size = sizeof first, .buffer = buffer, .bytes = 8};
  const pintle_view second = {.size = sizeof second, .buffer = buffer, .offset = 8};
  OK(pintle_list_create(&list, error));
  OK(pintle_list_timestamp(list, &first, error));
  OK(pintle_list_timestamp(list, &second, error));
  finish(queue, list);
  read_buffer(queue, buffer, ticks, sizeof ticks);
  CHECK(ticks[0] > 0 && ticks[0] <= ticks[1]);
  const uint64_t before = ticks[1];
  OK(pintle_list_create(&list, error));
  OK(pintle_list_timestamp_slot(list, 0, error));
  const pintle_recording recording = recorded(device, list);
  pintle_argument binding = of_buffer(buffer);
  binding.bytes = 8;
  replay(queue, recording, &binding, 1);
  read_buffer(queue, buffer, ticks, sizeof ticks);
  CHECK(ticks[0] >= before && ticks[1] == before);
  OK(pintle_recording_release(recording, error));
  OK(pintle_buffer_release(buffer, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  copies_take_slots(device, queue);
  fills_take_slots(device, queue);
  a_slot_has_the_grid(device, queue);
  the_clock_is_read(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
