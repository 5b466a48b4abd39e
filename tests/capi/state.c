/* States: front and back, what is kept of them, sets and files. */
#define _POSIX_C_SOURCE 200809L /* for mkdtemp */
#include "pintle/c/state.h"

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pintle/c/state_set.h"
#include "transfer.h"

static float ones[count], seen[count];
static const uint64_t dims[] = {4, count / 4};

static pintle_state state_of(pintle_device device, const char* name, uint32_t keep) {
  const pintle_state_options options = {.size = sizeof options, .keep = keep};
  pintle_state state;
  OK(pintle_state_create(device, name, PINTLE_F32, 2, dims, &options, &state, error));
  return state;
}

static pintle_state_info info_of(pintle_state state) {
  pintle_state_info info = {.size = sizeof info};
  OK(pintle_state_get_info(state, &info, error));
  return info;
}

static pintle_view front_of(pintle_state state) {
  pintle_view view = {.size = sizeof view};
  OK(pintle_state_view(state, &view, error));
  return view;
}

static pintle_view back_of(pintle_state state) {
  pintle_view view = {.size = sizeof view};
  OK(pintle_state_next(state, &view, error));
  return view;
}

static void expect_view(pintle_queue queue, pintle_view view, float value) {
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_download(list, seen, sizeof seen, &view, error));
  finish(queue, list);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == value);
}

static void expect_state(pintle_queue queue, pintle_state state, float value) {
  expect_view(queue, front_of(state), value);
}

static void write_ones(pintle_queue queue, pintle_state state) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_state_write(state, queue, PINTLE_F32, ones, sizeof ones, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

static void restore(pintle_queue queue, pintle_state state) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_state_restore(state, queue, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

static void front_and_back_are_exchanged(pintle_device device, pintle_queue queue) {
  const pintle_state state = state_of(device, "kv", PINTLE_KEEP_LOST);
  const pintle_state_info info = info_of(state);
  CHECK(strcmp(info.name, "kv") == 0 && info.dtype == PINTLE_F32 && info.bytes == sizeof ones);
  CHECK(info.rank == 2 && info.dims[0] == 4 && info.dims[1] == count / 4 && info.dims[2] == 0);
  CHECK(info.keep == PINTLE_KEEP_LOST && info.is_stale == 0 && info.generation != 0);
  write_ones(queue, state);
  const pintle_view front = front_of(state);
  CHECK(front.dtype == PINTLE_F32 && front.bytes == sizeof ones && front_of(state).buffer.id == front.buffer.id);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_flip(state, error)); /* there is no back */
  const pintle_view back = back_of(state);
  CHECK(back.buffer.id != front.buffer.id);
  fill_view(queue, back, 2);
  expect_state(queue, state, 1);
  OK(pintle_state_flip(state, error));
  expect_state(queue, state, 2);
  CHECK(front_of(state).buffer.id == back.buffer.id && back_of(state).buffer.id == front.buffer.id);
  expect_view(queue, front, 1); /* a view keeps the memory that it had */
  OK(pintle_state_release(state, error));
  FAILS(PINTLE_STALE, pintle_state_flip(state, error));
  pintle_list list;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_STALE, pintle_list_download(list, seen, sizeof seen, &front, error));
  OK(pintle_list_release(list, error));
}

static void a_shadow_is_what_was_reached_last(pintle_device device, pintle_queue queue) {
  const pintle_state state = state_of(device, "kv", PINTLE_KEEP_HOST_SHADOW);
  pintle_point done = {.size = sizeof done};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_restore(state, queue, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  write_ones(queue, state);
  fill_view(queue, front_of(state), 7);
  restore(queue, state);
  expect_state(queue, state, 1);
  fill_view(queue, front_of(state), 7);
  OK(pintle_state_checkpoint(state, queue, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  fill_view(queue, front_of(state), 9);
  restore(queue, state);
  expect_state(queue, state, 7);
  OK(pintle_state_renew(state, error)); /* nothing is stale */
  expect_state(queue, state, 7);
  OK(pintle_state_release(state, error));
}

static int fills;

/* Fails at first; then fills with the number of calls. */
static pintle_status refilled(void* data, void* bytes, size_t size) {
  float* const values = bytes;
  CHECK(data == &fills && size == sizeof ones && values[0] == 0 && values[count - 1] == 0);
  ++fills;
  for (int i = 0; i < count; ++i) values[i] = (float)fills;
  return fills == 1 ? PINTLE_IO : fills == 2 ? 99 : PINTLE_OK;
}

static pintle_state refilled_state(pintle_device device) {
  const pintle_state_options options = {
      .size = sizeof options, .keep = PINTLE_KEEP_REFILL, .fill = refilled, .data = &fills};
  pintle_state state;
  OK(pintle_state_create(device, "refilled", PINTLE_F32, 2, dims, &options, &state, error));
  return state;
}

static void a_function_fills_again(pintle_device device, pintle_queue queue) {
  const pintle_state state = refilled_state(device);
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(fills == 0);
  write_ones(queue, state);
  CHECK(pintle_state_restore(state, queue, PINTLE_TIMEOUT_DEFAULT, NULL, &refusal) == PINTLE_IO);
  CHECK(strstr(refusal.text, "refilled") != NULL);
  OK(pintle_error_free(&refusal, error));
  CHECK(pintle_state_restore(state, queue, PINTLE_TIMEOUT_DEFAULT, NULL, NULL) == PINTLE_INVALID_ARGUMENT);
  expect_state(queue, state, 1); /* as before */
  restore(queue, state);
  expect_state(queue, state, 3);
  OK(pintle_state_release(state, error));
}

static void wrong_states_are_refused(pintle_device device, pintle_queue queue) {
  pintle_state_options options = {.size = sizeof options, .keep = PINTLE_KEEP_REFILL};
  const uint64_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const int64_t soon = PINTLE_TIMEOUT_DEFAULT;
  pintle_state state = {0};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "", PINTLE_F32, 2, dims, NULL, &state, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "__metadata__", PINTLE_F32, 2, dims, NULL, &state, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 2, dims, &options, &state, error));
  options.keep = 4;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 2, dims, &options, &state, error));
  options = (pintle_state_options){.size = sizeof options, .placement = 3};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 2, dims, &options, &state, error));
  options = (pintle_state_options){.size = sizeof options, .alignment = 3};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 2, dims, &options, &state, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", 17, 2, dims, NULL, &state, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 9, many, NULL, &state, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_create(device, "x", PINTLE_F32, 2, NULL, NULL, &state, error));
  CHECK(state.id == 0);
  state = state_of(device, "x", PINTLE_KEEP_LOST);
  write_ones(queue, state);
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_state_write(state, queue, PINTLE_F32, ones, sizeof ones - 4, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_write(state, queue, PINTLE_I32, ones, sizeof ones, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_write(state, queue, PINTLE_F32, NULL, sizeof ones, soon, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_write(state, queue, PINTLE_F32, ones, sizeof ones, -2, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_checkpoint(state, queue, soon, NULL, error)); /* no shadow */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_restore(state, queue, soon, NULL, error));    /* nothing kept */
  expect_state(queue, state, 1);
  OK(pintle_state_release(state, error));
}

static pintle_state_set set_of(pintle_state first, pintle_state second) {
  pintle_state_set set;
  OK(pintle_state_set_create(&set, error));
  OK(pintle_state_set_add(set, first, error));
  OK(pintle_state_set_add(set, second, error));
  return set;
}

static void a_set_has_names(pintle_device device, pintle_queue queue) {
  const pintle_state b = state_of(device, "b", PINTLE_KEEP_HOST_SHADOW), twin = state_of(device, "b", PINTLE_KEEP_LOST);
  const pintle_state a = state_of(device, "a", PINTLE_KEEP_LOST);
  const pintle_state_set set = set_of(b, a), other = {0};
  pintle_state found = {0};
  const char* name = NULL;
  size_t states = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_set_add(set, twin, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_set_add(set, a, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_set_add(other, twin, error));
  write_ones(queue, twin); /* it is the caller's still */
  OK(pintle_state_release(twin, error));
  OK(pintle_state_set_count(set, &states, error));
  CHECK(states == 2);
  OK(pintle_state_set_name(set, 0, &name, error));
  CHECK(strcmp(name, "a") == 0);
  OK(pintle_state_set_name(set, 1, &name, error));
  CHECK(strcmp(name, "b") == 0);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_set_name(set, 2, &name, error));
  FAILS(PINTLE_NOT_FOUND, pintle_state_set_find(set, "z", &found, error));
  write_ones(queue, b);
  OK(pintle_state_release(b, error)); /* the set has it */
  OK(pintle_state_set_find(set, "b", &found, error));
  expect_state(queue, found, 1);
  OK(pintle_state_release(a, error));
  OK(pintle_state_set_release(set, error));
  FAILS(PINTLE_STALE, pintle_state_set_count(set, &states, error));
  expect_state(queue, found, 1); /* the handle keeps it */
  OK(pintle_state_release(found, error));
}

static void a_set_goes_back_to_one_point(pintle_device device, pintle_queue queue) {
  const pintle_state shadow = state_of(device, "shadow", PINTLE_KEEP_HOST_SHADOW);
  const pintle_state lost = state_of(device, "lost", PINTLE_KEEP_LOST);
  const pintle_state_set set = set_of(shadow, lost);
  pintle_point done = {.size = sizeof done};
  const char* const* names = NULL;
  size_t gone = 9;
  fill_view(queue, front_of(shadow), 3);
  fill_view(queue, front_of(lost), 4);
  OK(pintle_state_set_checkpoint(set, queue, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  fill_view(queue, front_of(shadow), 5);
  OK(pintle_state_set_restore(set, queue, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  expect_state(queue, shadow, 3);
  expect_state(queue, lost, 4); /* not stale: it stays as it is */
  OK(pintle_state_set_lost(set, &names, &gone, error));
  CHECK(gone == 0);
  OK(pintle_state_set_release(set, error));
  OK(pintle_state_release(shadow, error));
  OK(pintle_state_release(lost, error));
}

static void load(pintle_queue queue, pintle_state_set set, const char* path, const pintle_state_load_options* options) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_state_set_load(set, queue, path, options, PINTLE_TIMEOUT_DEFAULT, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

/* The file has "a", which is 5, and "b", which is 6. */
static void a_file_holds_a_set(pintle_device device, pintle_queue queue, const char* path) {
  const pintle_state a = state_of(device, "a", PINTLE_KEEP_LOST), b = state_of(device, "b", PINTLE_KEEP_LOST);
  const pintle_state_set set = set_of(a, b);
  fill_view(queue, front_of(a), 5);
  fill_view(queue, front_of(b), 6);
  OK(pintle_state_set_save(set, queue, path, PINTLE_TIMEOUT_DEFAULT, error));
  fill_view(queue, front_of(a), 0);
  fill_view(queue, front_of(b), 0);
  load(queue, set, path, NULL);
  expect_state(queue, a, 5);
  expect_state(queue, b, 6);
  OK(pintle_state_set_release(set, error));
  OK(pintle_state_release(a, error));
  OK(pintle_state_release(b, error));
}

/* The set has "a" and "c". */
static void a_file_differs_where_it_may(pintle_device device, pintle_queue queue, const char* path) {
  const pintle_state a = state_of(device, "a", PINTLE_KEEP_LOST), c = state_of(device, "c", PINTLE_KEEP_LOST);
  const pintle_state_set set = set_of(a, c);
  const char *const reused[] = {"c"}, *const ignored[] = {"b"}, *const none[] = {NULL};
  const int64_t soon = PINTLE_TIMEOUT_DEFAULT;
  pintle_state_load_options options = {.size = sizeof options, .reuse_last = reused, .reuse_last_count = 1};
  fill_view(queue, front_of(a), 1);
  fill_view(queue, front_of(c), 7);
  FAILS(PINTLE_NOT_FOUND, pintle_state_set_load(set, queue, path, NULL, soon, NULL, error));
  FAILS(PINTLE_NOT_FOUND, pintle_state_set_load(set, queue, path, &options, soon, NULL, error));
  options.ignore = none;
  options.ignore_count = 1;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_state_set_load(set, queue, path, &options, soon, NULL, error));
  expect_state(queue, a, 1); /* nothing was written */
  options.ignore = ignored;
  load(queue, set, path, &options);
  expect_state(queue, a, 5);
  expect_state(queue, c, 7);
  FAILS(PINTLE_IO, pintle_state_set_load(set, queue, "/there/is/none", &options, soon, NULL, error));
  FAILS(PINTLE_IO, pintle_state_set_save(set, queue, "/there/is/none", soon, error));
  OK(pintle_state_set_release(set, error));
  OK(pintle_state_release(a, error));
  OK(pintle_state_release(c, error));
}

static void files(pintle_device device, pintle_queue queue) {
  char folder[] = "/tmp/pintle_state_XXXXXX", path[64];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/model.safetensors", folder);
  a_file_holds_a_set(device, queue, path);
  a_file_differs_where_it_may(device, queue, path);
  CHECK(remove(path) == 0 && rmdir(folder) == 0);
}

/* The first submission to this device loses it. */
static pintle_device lost_device(void) {
  pintle_device device;
  pintle_list list;
  pintle_point done = {.size = sizeof done};
  OK(pintle_device_open("faulty(cpu)?call=submit&ordinal=1&code=device_lost", &device, error));
  const pintle_queue queue = queue_on(device);
  OK(pintle_list_create(&list, error));
  if (pintle_queue_submit(queue, list, NULL, &done, NULL) == PINTLE_OK)
    CHECK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, NULL) == PINTLE_DEVICE_LOST);
  OK(pintle_queue_release(queue, error));
  return device;
}

static void after_a_loss_states_are_stale_until_they_are_back(void) {
  pintle_device device;
  OK(pintle_device_open("faulty(cpu)?call=submit&ordinal=1&code=device_lost", &device, error));
  const pintle_state lost = state_of(device, "lost", PINTLE_KEEP_LOST), refill = refilled_state(device);
  const pintle_state_set set = set_of(lost, refill);
  const pintle_view before = front_of(lost);
  const char* const* names = NULL;
  size_t gone = 0;
  const pintle_device same = lost_device();
  OK(pintle_device_recover(device, error));
  const pintle_queue queue = queue_on(device);
  CHECK(info_of(lost).is_stale == 1 && info_of(refill).is_stale == 1);
  pintle_view back = {.size = sizeof back};
  FAILS(PINTLE_STALE, pintle_state_next(lost, &back, error));
  FAILS(PINTLE_STALE, pintle_state_restore(lost, queue, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  OK(pintle_state_set_lost(set, &names, &gone, error));
  CHECK(gone == 1 && strcmp(names[0], "lost") == 0);
  FAILS(PINTLE_STALE, pintle_state_set_restore(set, queue, PINTLE_TIMEOUT_DEFAULT, NULL, error));
  restore(queue, refill);
  CHECK(info_of(refill).is_stale == 0);
  expect_state(queue, refill, (float)fills);
  OK(pintle_state_renew(lost, error));
  CHECK(info_of(lost).is_stale == 0 && info_of(lost).generation == info_of(refill).generation);
  CHECK(front_of(lost).buffer.id != before.buffer.id);
  write_ones(queue, lost);
  expect_state(queue, lost, 1);
  pintle_list list;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_STALE, pintle_list_download(list, seen, sizeof seen, &before, error));
  OK(pintle_list_release(list, error));
  OK(pintle_state_set_release(set, error));
  OK(pintle_state_release(lost, error));
  OK(pintle_state_release(refill, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(same, error));
  OK(pintle_device_release(device, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  for (int i = 0; i < count; ++i) ones[i] = 1;
  front_and_back_are_exchanged(device, queue);
  a_shadow_is_what_was_reached_last(device, queue);
  a_function_fills_again(device, queue);
  wrong_states_are_refused(device, queue);
  a_set_has_names(device, queue);
  a_set_goes_back_to_one_point(device, queue);
  files(device, queue);
  after_a_loss_states_are_stale_until_they_are_back();
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
