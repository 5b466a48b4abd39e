/* A queue, a list, a buffer and a signal that one thread releases while another uses them: each call answers PINTLE_OK,
 * PINTLE_STALE or PINTLE_INVALID_ARGUMENT, and what is used ends after that call. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"
#include "pintle/c/memory.h"
#include "transfer.h"

enum { kinds = 4, uses_of_one = 3 };

static atomic_int is_over;
static pintle_device device;
static pintle_queue writer; /* what uses the buffer submits to it */

/* An object that is released and made again: its handle, and how often it was used and released. */
struct target {
  _Atomic uint64_t id;
  atomic_uint uses, releases;
  uint64_t (*create)(void);
  pintle_status (*release)(uint64_t id);
  void (*use)(uint64_t id);
};

static void expect(pintle_status status) {
  if (status == PINTLE_OK || status == PINTLE_STALE || status == PINTLE_INVALID_ARGUMENT) return;
  fprintf(stderr, "a call answers %d\n", (int)status);
  exit(1);
}

/* Submits what the list has; a queue that is gone leaves the list. */
static void submit(pintle_queue queue, pintle_list list) {
  pintle_point done = {.size = sizeof done};
  const pintle_status status = pintle_queue_submit(queue, list, NULL, &done, NULL);
  expect(status);
  if (status == PINTLE_OK) expect(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, NULL));
  expect(pintle_list_release(list, NULL));
}

static pintle_list new_list(void) {
  pintle_list list;
  OK(pintle_list_create(&list, error));
  return list;
}

static uint64_t create_queue(void) { return queue_on(device).id; }
static pintle_status release_queue(uint64_t id) { return pintle_queue_release((pintle_queue){id}, NULL); }
static void use_queue(uint64_t id) {
  const pintle_queue queue = {id};
  pintle_point last = {.size = sizeof last};
  pintle_signal timeline;
  submit(queue, new_list());
  expect(pintle_queue_last(queue, &last, NULL));
  if (pintle_queue_timeline(queue, &timeline, NULL) == PINTLE_OK) OK(pintle_signal_release(timeline, error));
}

static uint64_t create_list(void) { return new_list().id; }
static pintle_status release_list(uint64_t id) { return pintle_list_release((pintle_list){id}, NULL); }
static void use_list(uint64_t id) {
  const pintle_list list = {id};
  size_t commands;
  expect(pintle_list_barrier(list, NULL));
  expect(pintle_list_label(list, "used", NULL));
  expect(pintle_list_size(list, &commands, NULL));
}

static uint64_t create_buffer(void) { return buffer_on(device).id; }
static pintle_status release_buffer(uint64_t id) { return pintle_buffer_release((pintle_buffer){id}, NULL); }
static void use_buffer(uint64_t id) {
  static const float one = 1;
  const pintle_buffer buffer = {id};
  const pintle_view view = all_of(buffer);
  pintle_buffer_info info = {.size = sizeof info};
  void* data;
  expect(pintle_buffer_get_info(buffer, &info, NULL));
  expect(pintle_queue_check(writer, &view, PINTLE_ACCESS_WRITE, NULL));
  if (pintle_buffer_map(buffer, &data, NULL) == PINTLE_OK) expect(pintle_buffer_unmap(buffer, NULL));
  const pintle_list list = new_list();
  expect(pintle_list_fill(list, &view, &one, NULL));
  submit(writer, list);
}

static void reached(void* data, pintle_status status, const pintle_error* found) {
  (void)found;
  expect(status);
  atomic_fetch_add((atomic_uint*)data, 1);
}

static uint64_t create_signal(void) {
  pintle_signal signal;
  OK(pintle_signal_create(1, NULL, &signal, error));
  return signal.id;
}
static pintle_status release_signal(uint64_t id) { return pintle_signal_release((pintle_signal){id}, NULL); }
static void use_signal(uint64_t id) {
  static atomic_uint calls;
  const pintle_signal signal = {id};
  const pintle_point point = {.size = sizeof point, .signal = signal, .value = 1};
  pintle_error found = PINTLE_ERROR_INIT;
  uint32_t is_reached;
  uint64_t value;
  expect(pintle_signal_value(signal, &value, NULL));
  expect(pintle_signal_set(signal, 2, NULL));
  expect(pintle_signal_failure(signal, &found, NULL));
  expect(pintle_point_is_reached(&point, &is_reached, NULL));
  expect(pintle_point_wait(&point, PINTLE_TIMEOUT_DEFAULT, NULL));
  expect(pintle_point_then(&point, reached, &calls, PINTLE_TIMEOUT_DEFAULT, NULL));
}

static struct target targets[kinds] = {
    {.create = create_queue, .release = release_queue, .use = use_queue},
    {.create = create_list, .release = release_list, .use = use_list},
    {.create = create_buffer, .release = release_buffer, .use = use_buffer},
    {.create = create_signal, .release = release_signal, .use = use_signal},
};

static void* using(void* data) {
  struct target* const its = data;
  while (atomic_load(&is_over) == 0) {
    its->use(atomic_load(&its->id));
    atomic_fetch_add(&its->uses, 1);
  }
  return NULL;
}

/* Each object is used a few times before it is released: mostly in the middle of another use. */
static void* releasing(void* data) {
  struct target* const its = data;
  while (atomic_load(&is_over) == 0) {
    const uint64_t before = atomic_load(&its->id);
    atomic_store(&its->id, its->create());
    if (before != 0) CHECK(its->release(before) == PINTLE_OK && its->release(before) == PINTLE_STALE);
    const unsigned enough = atomic_load(&its->uses) + uses_of_one;
    while ((int)(atomic_load(&its->uses) - enough) < 0 && atomic_load(&is_over) == 0) sched_yield();
    CHECK(its->release(atomic_load(&its->id)) == PINTLE_OK); /* in use, and found no more */
    atomic_fetch_add(&its->releases, 1);
    atomic_store(&its->id, its->create());
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2 * kinds];
  device = opened();
  writer = queue_on(device);
  for (int i = 0; i < kinds; ++i) {
    CHECK(pthread_create(&threads[2 * i], NULL, using, &targets[i]) == 0);
    CHECK(pthread_create(&threads[2 * i + 1], NULL, releasing, &targets[i]) == 0);
  }
  const struct timespec second = {.tv_sec = 1};
  nanosleep(&second, NULL); /* how long it runs; what has to happen is waited for below */
  for (int i = 0; i < kinds; ++i)
    while (atomic_load(&targets[i].uses) == 0 || atomic_load(&targets[i].releases) == 0) sched_yield();
  atomic_store(&is_over, 1);
  for (int i = 0; i < 2 * kinds; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < kinds; ++i) {
    printf("%u uses, %u releases\n", atomic_load(&targets[i].uses), atomic_load(&targets[i].releases));
    CHECK(targets[i].release(atomic_load(&targets[i].id)) == PINTLE_OK);
  }
  OK(pintle_device_wait_idle(device, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_queue_release(writer, error));
  OK(pintle_device_release(device, error));
  return 0;
}
