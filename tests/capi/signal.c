/* Signals, points, callbacks and descriptors. */
#define _POSIX_C_SOURCE 200809L /* for setenv */

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static atomic_int calls;

static void reached(void* data, pintle_status status, const pintle_error* failure) {
  CHECK(data == &calls && status == PINTLE_OK && failure == NULL);
  atomic_fetch_add(&calls, 1);
}

static void failed(void* data, pintle_status status, const pintle_error* failure) {
  CHECK(data == &calls && status == PINTLE_IO && failure != NULL && strstr(failure->text, "the disk") != NULL);
  atomic_fetch_add(&calls, 1);
}

static pintle_point at(pintle_signal signal, uint64_t value) {
  pintle_point point = {sizeof point, 0, {0}, 0};
  point.signal = signal;
  point.value = value;
  return point;
}

static void expect_readable(int descriptor) {
  struct pollfd one = {descriptor, POLLIN, 0};
  CHECK(poll(&one, 1, 30000) == 1 && one.revents == POLLIN);
}

static void a_submission_waits_and_signals(pintle_device device) {
  pintle_queue queue;
  pintle_signal ready, done, timeline;
  pintle_list list;
  uint64_t value;
  uint32_t is_reached;
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_signal_create(0, "ready", &ready, error));
  OK(pintle_signal_create(0, NULL, &done, error));
  const pintle_point after = at(ready, 1), signal = at(done, 2);
  pintle_submit_options options = {
      .size = sizeof options, .after = &after, .after_count = 1, .signal = &signal, .signal_count = 1};
  OK(pintle_list_create(&list, error));
  pintle_point point = {.size = sizeof point};
  OK(pintle_queue_submit(queue, list, &options, &point, error));
  OK(pintle_point_is_reached(&signal, &is_reached, error));
  CHECK(is_reached == 0);
  FAILS(PINTLE_TIMEOUT, pintle_point_wait(&signal, 1000, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_signal_set(point.signal, 5, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_signal_release(point.signal, error));
  int descriptor;
  OK(pintle_point_eventfd(&signal, PINTLE_TIMEOUT_INFINITE, &descriptor, error));
  OK(pintle_signal_set(ready, 1, error));
  expect_readable(descriptor);
  close(descriptor);
  OK(pintle_point_is_reached(&signal, &is_reached, error));
  CHECK(is_reached == 1);
  const pintle_point all[] = {signal, point};
  size_t index = 9;
  OK(pintle_points_wait_all(all, 2, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_points_wait_any(all, 2, PINTLE_TIMEOUT_DEFAULT, &index, error));
  CHECK(index == 0);
  OK(pintle_queue_timeline(queue, &timeline, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_signal_value(timeline, &value, error));
  CHECK(value == 1);
  OK(pintle_signal_release(timeline, error));
  OK(pintle_signal_release(ready, error));
  OK(pintle_signal_release(done, error));
}

static void callbacks_run_once(void) {
  pintle_signal good, bad;
  OK(pintle_signal_create(0, NULL, &good, error));
  OK(pintle_signal_create(0, NULL, &bad, error));
  const pintle_point one = at(good, 1), other = at(bad, 1);
  int first, second;
  OK(pintle_point_then(&one, reached, &calls, PINTLE_TIMEOUT_INFINITE, error));
  OK(pintle_point_then(&other, failed, &calls, PINTLE_TIMEOUT_INFINITE, error));
  OK(pintle_point_eventfd(&other, PINTLE_TIMEOUT_INFINITE, &second, error));
  OK(pintle_point_eventfd(&one, 1, &first, error)); /* the timeout */
  expect_readable(first);
  close(first);
  OK(pintle_signal_set(good, 1, error));
  OK(pintle_signal_fail(bad, PINTLE_IO, "The card (7) left the disk.", error));
  expect_readable(second);
  close(second);
  FAILS(PINTLE_IO, pintle_point_wait(&other, 0, error));
  while (atomic_load(&calls) < 2) poll(NULL, 0, 1);
  OK(pintle_signal_release(good, error));
  OK(pintle_signal_release(bad, error));
  CHECK(atomic_load(&calls) == 2);
}

static void a_failure_is_kept(void) {
  pintle_error found = PINTLE_ERROR_INIT;
  pintle_signal signal;
  OK(pintle_signal_create(3, NULL, &signal, error));
  OK(pintle_signal_failure(signal, &found, error));
  CHECK(found.code == PINTLE_OK && found.text == NULL);
  OK(pintle_signal_fail(signal, PINTLE_IO, "The card (7) left the disk.", error));
  OK(pintle_signal_fail(signal, PINTLE_INTERNAL, "Only the first one counts.", error));
  OK(pintle_signal_failure(signal, &found, error));
  CHECK(found.code == PINTLE_IO && strstr(found.message, "left the disk") != NULL);
  CHECK(pintle_signal_failure(signal, &found, &found) == PINTLE_INVALID_ARGUMENT);
  OK(pintle_error_free(&found, error));
  found.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_signal_failure(signal, &found, error));
  found.size = sizeof found;
  OK(pintle_signal_release(signal, error));
  FAILS(PINTLE_STALE, pintle_signal_failure(signal, &found, error));
}

/* The environment is read at the first call that needs it. */
static void the_default_timeout_is_known(void) {
  int64_t nanoseconds = 0;
  CHECK(setenv("PINTLE_TIMEOUT_MS", "45000", 1) == 0);
  OK(pintle_default_timeout(&nanoseconds, error));
  CHECK(nanoseconds == INT64_C(45000000000));
}

int main(void) {
  the_default_timeout_is_known();
  const pintle_device device = opened();
  a_submission_waits_and_signals(device);
  callbacks_run_once();
  a_failure_is_kept();
  OK(pintle_device_release(device, error));
  return 0;
}
