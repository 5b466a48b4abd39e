/* Buffers over memory of the program's, over a file, and over another buffer's bytes. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pintle/c/memory.h"
#include "transfer.h"

enum { page = 4096 };

static _Alignas(page) float mine[count];
static float seen[count];
static const uint64_t dims[] = {2, count / 2};
static atomic_int calls;

static void counted(void* data) { atomic_fetch_add((atomic_int*)data, 1); }

static void expect_call(pintle_device device) {
  while (atomic_load(&calls) == 0) OK(pintle_device_poll(device, error));
  CHECK(atomic_load(&calls) == 1);
  atomic_store(&calls, 0);
}

static void memory_is_imported_in_place(pintle_device device, pintle_queue queue) {
  const pintle_import_options options = {.size = sizeof options, .label = "mine", .released = counted, .data = &calls};
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  OK(pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.bytes == sizeof mine && info.rank == 2 && info.dims[0] == 2 && info.is_sealed == 0);
  fill_buffer(queue, buffer, 4);
  for (int i = 0; i < count; ++i) CHECK(mine[i] == 4);
  mine[7] = 1;
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == (i == 7 ? 1 : 4));
  CHECK(atomic_load(&calls) == 0);
  OK(pintle_buffer_release(buffer, error));
  expect_call(device);
}

static void the_last_use_lets_memory_go(pintle_device device, pintle_queue queue) {
  const pintle_import_options options = {.size = sizeof options, .released = counted, .data = &calls};
  const float value = 6;
  pintle_signal gate;
  pintle_buffer buffer;
  pintle_list list;
  OK(pintle_signal_create(0, "gate", &gate, error));
  OK(pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  const pintle_view view = all_of(buffer);
  const pintle_point open = {.size = sizeof open, .signal = gate, .value = 1};
  const pintle_submit_options after = {.size = sizeof after, .after = &open, .after_count = 1};
  pintle_point done = {.size = sizeof done};
  mine[0] = 0;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &view, &value, error));
  OK(pintle_queue_submit(queue, list, &after, &done, error));
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_device_poll(device, error));
  CHECK(atomic_load(&calls) == 0 && mine[0] == 0);
  OK(pintle_signal_set(gate, 1, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  expect_call(device);
  CHECK(mine[0] == 6);
  OK(pintle_signal_release(gate, error));
}

static void memory_to_read_is_sealed(pintle_device device, pintle_queue queue) {
  const pintle_import_options options = {.size = sizeof options, .access = PINTLE_ACCESS_READ};
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  pintle_list list;
  const float value = 1;
  for (int i = 0; i < count; ++i) mine[i] = (float)i;
  OK(pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.is_sealed == 1);
  read_buffer(queue, buffer, seen, sizeof seen);
  CHECK(memcmp(seen, mine, sizeof mine) == 0);
  const pintle_view view = all_of(buffer);
  OK(pintle_queue_check(queue, &view, PINTLE_ACCESS_READ, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_check(queue, &view, PINTLE_ACCESS_READ_WRITE, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &view, &value, error));
  CHECK(pintle_queue_submit(queue, list, NULL, NULL, NULL) == PINTLE_INVALID_ARGUMENT);
  CHECK(mine[1] == 1 && mine[2] == 2);
  OK(pintle_buffer_release(buffer, error));
}

static void an_import_that_is_refused_calls_nothing(pintle_device device) {
  pintle_import_options options = {.size = sizeof options, .released = counted, .data = &calls};
  char* const odd = (char*)mine + 2;
  pintle_buffer buffer = {7};
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine - 1, PINTLE_F32, 2, dims, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, odd, sizeof mine, PINTLE_F32, 1, dims, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, NULL, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, NULL, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine, 99, 2, dims, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 9, dims, &options, &buffer, error));
  options.access = 4;
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  options.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_import(device, mine, sizeof mine, PINTLE_F32, 2, dims, &options, &buffer, error));
  CHECK(atomic_load(&calls) == 0 && buffer.id == 7);
}

static void write_file(int descriptor, const void* data, size_t bytes) {
  CHECK(write(descriptor, data, bytes) == (ssize_t)bytes);
}

static void a_file_is_mapped(pintle_device device, pintle_queue queue) {
  static const char before[page];
  char path[] = "capi_memory_XXXXXX";
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  for (int i = 0; i < count; ++i) mine[i] = (float)(3 * i);
  const int descriptor = mkstemp(path);
  CHECK(descriptor >= 0);
  write_file(descriptor, before, sizeof before);
  write_file(descriptor, mine, sizeof mine);
  CHECK(close(descriptor) == 0);
  OK(pintle_buffer_map_file(device, path, page, PINTLE_F32, 2, dims, "weights", &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_map_file(device, path, page + 4, PINTLE_F32, 2, dims, NULL, &buffer, error));
  CHECK(unlink(path) == 0);
  FAILS(PINTLE_IO, pintle_buffer_map_file(device, path, page, PINTLE_F32, 2, dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_map_file(device, NULL, page, PINTLE_F32, 2, dims, NULL, &buffer, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.is_sealed == 1 && info.bytes == sizeof mine && info.dims[1] == count / 2);
  read_buffer(queue, buffer, seen, sizeof seen);
  CHECK(memcmp(seen, mine, sizeof mine) == 0);
  OK(pintle_buffer_release(buffer, error));
}

static void expect_floats(pintle_queue queue, pintle_buffer buffer, float value) {
  memset(seen, 0, sizeof seen);
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == value);
}

static void a_fork_has_bytes_of_its_own(pintle_device device, pintle_queue queue) {
  const pintle_buffer parent = buffer_on(device);
  pintle_buffer fork = {7};
  pintle_point before = {.size = sizeof before}, after = {.size = sizeof after};
  fill_buffer(queue, parent, 1);
  OK(pintle_queue_last(queue, &before, error));
  OK(pintle_queue_fork(queue, parent, "branch", &fork, error));
  OK(pintle_queue_last(queue, &after, error));
  CHECK(after.value == before.value + 1); /* the copy */
  fill_buffer(queue, parent, 2);
  expect_floats(queue, fork, 1);
  fill_buffer(queue, fork, 3);
  expect_floats(queue, parent, 2);
  OK(pintle_buffer_release(parent, error));
  expect_floats(queue, fork, 3);
  OK(pintle_buffer_release(fork, error));
  FAILS(PINTLE_STALE, pintle_queue_fork(queue, parent, NULL, &fork, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_fork(queue, (pintle_buffer){0}, NULL, &fork, error));
}

static void what_is_kept_goes_with_the_buffer(pintle_device device) {
  const pintle_buffer buffer = buffer_on(device);
  atomic_int other;
  atomic_init(&other, 0);
  OK(pintle_buffer_keep(buffer, counted, &calls, error));
  OK(pintle_buffer_keep(buffer, counted, &other, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_keep(buffer, NULL, &calls, error));
  CHECK(atomic_load(&calls) == 0);
  OK(pintle_buffer_release(buffer, error));
  CHECK(atomic_load(&calls) == 1 && atomic_load(&other) == 1);
  FAILS(PINTLE_STALE, pintle_buffer_keep(buffer, counted, &calls, error));
  CHECK(atomic_load(&calls) == 1);
  atomic_store(&calls, 0);
}

static void views_are_checked(pintle_device device, pintle_queue queue) {
  const pintle_buffer buffer = buffer_on(device);
  pintle_view view = all_of(buffer);
  OK(pintle_queue_check(queue, &view, PINTLE_ACCESS_READ_WRITE, error));
  OK(pintle_queue_check(queue, &view, PINTLE_ACCESS_WRITE, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_check(queue, &view, 0, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_check(queue, &view, 4, error));
  view.offset = 8;
  view.bytes = sizeof mine;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_check(queue, &view, PINTLE_ACCESS_READ, error));
  view.bytes = sizeof mine - 8;
  OK(pintle_queue_check(queue, &view, PINTLE_ACCESS_READ, error));
  OK(pintle_buffer_release(buffer, error));
  FAILS(PINTLE_STALE, pintle_queue_check(queue, &view, PINTLE_ACCESS_READ, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  memory_is_imported_in_place(device, queue);
  the_last_use_lets_memory_go(device, queue);
  memory_to_read_is_sealed(device, queue);
  an_import_that_is_refused_calls_nothing(device);
  a_file_is_mapped(device, queue);
  a_fork_has_bytes_of_its_own(device, queue);
  what_is_kept_goes_with_the_buffer(device);
  views_are_checked(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
