/* Buffers, a list with every command, a submission and its point. */
#include <string.h>

#include "check.h"

static float x[count], y[count], part[4];

static void fill(void) {
  for (int i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
}

static void expect(void) {
  for (int i = 0; i < count; ++i) CHECK(y[i] == 1 + 2 * (float)i);
}

static void devices_are_listed(void) {
  pintle_device_list list;
  size_t devices, absences, cpus = 0;
  OK(pintle_devices_list(&list, error));
  OK(pintle_device_list_count(list, &devices, &absences, error));
  for (size_t i = 0; i < devices; ++i) {
    pintle_device_info info = {.size = sizeof info};
    OK(pintle_device_list_device(list, i, &info, error));
    cpus += strcmp(info.id, "cpu") == 0;
  }
  for (size_t i = 0; i < absences; ++i) {
    pintle_absence absence = {.size = sizeof absence};
    OK(pintle_device_list_absence(list, i, &absence, error));
    CHECK(absence.reason[0] != 0);
  }
  CHECK(cpus == 1);
  OK(pintle_device_list_release(list, error));
}

static void a_launch_computes(pintle_device device) {
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_buffer dx = buffer_on(device), dy = buffer_on(device);
  const pintle_view vx = all_of(dx), vy = all_of(dy);
  const pintle_extent extent = {sizeof extent, 0, count, 0, 0};
  const pintle_argument arguments[] = {scalar(2), of_buffer(dx), of_buffer(dy)};
  pintle_queue queue;
  pintle_list list;
  pintle_point done = {.size = sizeof done};
  size_t commands;
  fill();
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &vx, x, sizeof x, error));
  OK(pintle_list_upload(list, &vy, y, sizeof y, error));
  OK(pintle_list_label(list, "the launch", error));
  OK(pintle_list_launch(list, kernel, &extent, arguments, 3, error));
  OK(pintle_list_barrier(list, error));
  memset(y, 0, sizeof y);
  OK(pintle_list_download(list, y, sizeof y, &vy, error));
  OK(pintle_list_size(list, &commands, error));
  CHECK(commands == 4);
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  expect();
  FAILS(PINTLE_STALE, pintle_list_barrier(list, error));
  OK(pintle_buffer_release(dx, error));
  FAILS(PINTLE_STALE, pintle_buffer_release(dx, error));
  OK(pintle_queue_release(queue, error));
  FAILS(PINTLE_STALE, pintle_point_wait(&done, 0, error));
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_buffer_release(dy, error));
}

static void fills_and_copies_move_parts(pintle_device device) {
  const pintle_buffer from = buffer_on(device), to = buffer_on(device);
  const pintle_view all = all_of(to);
  pintle_view source = all_of(from), target = all_of(to);
  pintle_queue queue;
  pintle_list list;
  const float seven = 7, two = 2;
  source.offset = 16;
  source.bytes = 16;
  target.offset = 4;
  target.bytes = 16;
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &all, &two, error));
  const pintle_view whole = all_of(from);
  OK(pintle_list_fill(list, &whole, &seven, error));
  OK(pintle_list_copy(list, &target, &source, error));
  OK(pintle_list_download(list, y, sizeof y, &all, error));
  OK(pintle_queue_submit(queue, list, NULL, NULL, error));
  pintle_point last = {.size = sizeof last};
  OK(pintle_queue_last(queue, &last, error));
  OK(pintle_point_wait(&last, PINTLE_TIMEOUT_INFINITE, error));
  for (int i = 0; i < count; ++i) CHECK(y[i] == (i >= 1 && i < 5 ? seven : two));
  target.offset = sizeof y;
  target.bytes = 4;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_fill(list, &target, &seven, error));
  OK(pintle_list_release(list, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_buffer_release(from, error));
  OK(pintle_buffer_release(to, error));
}

static void a_host_buffer_is_mapped_and_sealed(pintle_device device) {
  const uint64_t dims[] = {2, 2};
  pintle_buffer_options options = {.size = sizeof options, .placement = PINTLE_PLACEMENT_HOST, .label = "shared"};
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  void* data;
  const void* seen;
  OK(pintle_buffer_allocate(device, PINTLE_F32, 2, dims, &options, &buffer, error));
  OK(pintle_buffer_map(buffer, &data, error));
  memcpy(data, part, sizeof part);
  OK(pintle_buffer_unmap(buffer, error));
  OK(pintle_buffer_seal(buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_map(buffer, &data, error));
  OK(pintle_buffer_map_read(buffer, &seen, error));
  CHECK(memcmp(seen, part, sizeof part) == 0);
  OK(pintle_buffer_unmap(buffer, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.rank == 2 && info.dims[1] == 2 && info.bytes == 16 && info.dtype == PINTLE_F32 && info.is_sealed == 1);
  OK(pintle_buffer_release(buffer, error));
}

int main(void) {
  devices_are_listed();
  const pintle_device device = opened();
  pintle_device_info info = {.size = sizeof info};
  OK(pintle_device_get_info(device, &info, error));
  CHECK(strcmp(info.backend, "cpu") == 0 && info.max_in_flight > 0);
  a_launch_computes(device);
  fills_and_copies_move_parts(device);
  a_host_buffer_is_mapped_and_sealed(device);
  OK(pintle_device_wait_idle(device, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_device_health(device, error));
  OK(pintle_device_release(device, error));
  return 0;
}
