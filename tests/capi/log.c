/* The log's callback: what it hears, what it may do, and how it is replaced. */
#define _POSIX_C_SOURCE 200809L /* for setenv */
#include "pintle/c/log.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "transfer.h"

enum { most_waiting = 4096 }; /* what the header says */

/* Each load of a program says that the folder of compiled programs cannot be used: it would lie in a device. */
static const char no_folder[] = "/dev/null/pintle";

typedef struct heard {
  int messages, about_the_folder, about_lost;
  unsigned long lost;
} heard;

static void hear(void* data, uint32_t level, const char* category, const char* message) {
  heard* const all = data;
  ++all->messages;
  if (level == PINTLE_LOG_WARN && strcmp(category, "cache") == 0 && strstr(message, no_folder) != NULL)
    ++all->about_the_folder;
  if (level == PINTLE_LOG_WARN && strcmp(category, "log") == 0) {
    ++all->about_lost;
    all->lost += strtoul(strchr(message, '(') + 1, NULL, 10);
  }
}

static void listen_with(heard* all, uint32_t most_verbose) {
  OK(pintle_log_set_callback(hear, all, most_verbose, error));
}

static void speak(pintle_device device) {
  const pintle_kernel kernel = saxpy_on(device);
  OK(pintle_kernel_release(kernel, error));
}

/* A message without a device: an entry takes what no signature can say. */
static void mutter(void) {
  static const char code[] =
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@group(0) @binding(1) var image: texture_2d<f32>;\n"
      "@compute @workgroup_size(1) fn one() { x[0] = 1.0; }\n"
      "@compute @workgroup_size(1) fn other() { x[0] = textureLoad(image, vec2<i32>(0, 0), 0).x; }\n";
  pintle_pack pack;
  OK(pintle_pack_source("wgsl", code, sizeof code - 1, NULL, 0, &pack, error));
  OK(pintle_pack_release(pack, error));
}

/* Each replacement waits until the callback before has heard all. */
static void messages_are_heard(pintle_device device) {
  heard first = {0}, second = {0}, grave = {0};
  listen_with(&first, PINTLE_LOG_WARN);
  speak(device);
  listen_with(&first, PINTLE_LOG_WARN);
  CHECK(first.about_the_folder == 1);
  speak(device);
  listen_with(&second, PINTLE_LOG_DEBUG);
  CHECK(first.about_the_folder == 2);
  const int before = first.messages;
  speak(device);
  listen_with(&grave, PINTLE_LOG_ERROR);
  CHECK(second.about_the_folder == 1 && first.messages == before);
  speak(device);
  listen_with(&second, PINTLE_LOG_WARN);
  CHECK(grave.messages == 0); /* a warning is no error */
  OK(pintle_log_clear_callback(error));
  OK(pintle_log_clear_callback(error));
  CHECK(second.about_the_folder == 1);
  speak(device);
  CHECK(second.about_the_folder == 1);
}

/* What a callback does that uses the library, and what of it fails. */
typedef struct inside {
  pintle_device device;
  int calls, failures;
} inside;

static void work_inside(void* data, uint32_t level, const char* category, const char* message) {
  inside* const its = data;
  const float three = 3;
  pintle_point done = {.size = sizeof done};
  pintle_device again;
  pintle_list list;
  (void)level, (void)category, (void)message;
  ++its->calls;
  const pintle_queue queue = queue_on(its->device);
  const pintle_buffer buffer = buffer_on(its->device);
  const pintle_view view = all_of(buffer);
  its->failures += pintle_device_open("cpu", &again, NULL) != PINTLE_OK;
  its->failures += pintle_list_create(&list, NULL) != PINTLE_OK;
  its->failures += pintle_list_fill(list, &view, &three, NULL) != PINTLE_OK;
  its->failures += pintle_queue_submit(queue, list, NULL, &done, NULL) != PINTLE_OK;
  its->failures += pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, NULL) != PINTLE_OK;
  speak(its->device); /* it is not told of that */
  its->failures += pintle_log_clear_callback(NULL) != PINTLE_OK;
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(again, error));
}

static void a_callback_may_use_the_library_and_end_itself(pintle_device device) {
  inside its = {.device = device};
  OK(pintle_log_set_callback(work_inside, &its, PINTLE_LOG_WARN, error));
  speak(device);
  OK(pintle_log_clear_callback(error)); /* waits for it */
  CHECK(its.calls == 1 && its.failures == 0);
  speak(device);
  OK(pintle_log_clear_callback(error));
  CHECK(its.calls == 1);
}

/* A callback that stays inside of its first call until it may go on. */
typedef struct gate {
  atomic_int is_inside, is_open;
  heard* next; /* It then makes `hear` the callback, with this, if it is not NULL. */
  heard all;
} gate;

static void stand(void* data, uint32_t level, const char* category, const char* message) {
  gate* const its = data;
  hear(&its->all, level, category, message);
  atomic_store(&its->is_inside, 1);
  while (!atomic_load(&its->is_open)) sched_yield();
  if (its->next == NULL) return;
  if (pintle_log_set_callback(hear, its->next, PINTLE_LOG_WARN, NULL) != PINTLE_OK) its->all.messages = -1;
}

/* The callback has one message, and stays with it. */
static void stand_inside(gate* its) {
  OK(pintle_log_set_callback(stand, its, PINTLE_LOG_WARN, error));
  mutter();
  while (!atomic_load(&its->is_inside)) sched_yield();
}

static void what_waits_goes_to_the_next_one(void) {
  heard next = {0};
  gate its = {.next = &next};
  stand_inside(&its);
  mutter();
  mutter();
  atomic_store(&its.is_open, 1);
  OK(pintle_log_clear_callback(error));
  CHECK(its.all.messages == 1 && next.messages == 2);
}

static void lost_messages_are_counted(void) {
  gate its = {.next = NULL};
  stand_inside(&its);
  for (int i = 0; i < most_waiting + 100; ++i) mutter();
  atomic_store(&its.is_open, 1);
  listen_with(&its.all, PINTLE_LOG_WARN);
  CHECK(its.all.messages == 1 + most_waiting + 1 && its.all.about_lost == 1 && its.all.lost == 100);
  mutter();
  OK(pintle_log_clear_callback(error));
  CHECK(its.all.messages == 1 + most_waiting + 2 && its.all.about_lost == 1);
}

static void* mutter_on(void* is_over) {
  while (!atomic_load((atomic_int*)is_over)) mutter();
  return NULL;
}

/* When the call is over, nobody uses `data`: it may be freed while others have messages. */
static void data_may_be_freed_after_a_replacement(void) {
  atomic_int is_over = 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, mutter_on, &is_over) == 0);
  for (int i = 0; i < 50; ++i) {
    heard* const one = calloc(1, sizeof *one);
    heard* const other = calloc(1, sizeof *other);
    CHECK(one != NULL && other != NULL);
    listen_with(one, PINTLE_LOG_WARN);
    listen_with(other, PINTLE_LOG_WARN);
    memset(one, 0, sizeof *one);
    free(one);
    OK(pintle_log_clear_callback(error));
    free(other);
  }
  atomic_store(&is_over, 1);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* The thread that calls the callback is in the parent alone. */
static void a_forked_child_is_refused(void) {
  heard all = {0};
  int status = -1;
  listen_with(&all, PINTLE_LOG_WARN);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    pintle_error refusal = PINTLE_ERROR_INIT;
    if (pintle_log_clear_callback(&refusal) != PINTLE_UNAVAILABLE || strstr(refusal.text, "fork") == NULL) _exit(1);
    if (pintle_log_set_callback(hear, &all, PINTLE_LOG_WARN, NULL) != PINTLE_UNAVAILABLE) _exit(2);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(pintle_log_clear_callback(error));
  CHECK(all.messages == 0);
}

static void wrong_callbacks_change_nothing(pintle_device device) {
  heard all = {0};
  listen_with(&all, PINTLE_LOG_WARN);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(NULL, NULL, PINTLE_LOG_WARN, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(hear, NULL, 0, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(hear, NULL, 5, error));
  speak(device);
  OK(pintle_log_clear_callback(error));
  CHECK(all.about_the_folder == 1);
}

static void levels_have_names(void) {
  static const char* const names[] = {"error", "warn", "info", "debug"};
  const char* name = "untouched";
  uint32_t level = 77;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_level_name(0, &name, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_level_name(5, &name, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_level_name(PINTLE_LOG_INFO, NULL, error));
  FAILS(PINTLE_NOT_FOUND, pintle_log_level_parse("loud", &level, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_level_parse(NULL, &level, error));
  CHECK(strcmp(name, "untouched") == 0 && level == 77);
  for (uint32_t i = PINTLE_LOG_ERROR; i <= PINTLE_LOG_DEBUG; ++i) {
    OK(pintle_log_level_name(i, &name, error));
    CHECK(strcmp(name, names[i - 1]) == 0);
    OK(pintle_log_level_parse(name, &level, error));
    CHECK(level == i);
  }
}

/* The process ends while the callback has a message and others wait. */
static void leave_with_messages_waiting(void) {
  static gate its;
  stand_inside(&its);
  mutter();
}

int main(void) {
  CHECK(setenv("PINTLE_CACHE_DIR", no_folder, 1) == 0 && unsetenv("PINTLE_LOG") == 0);
  const pintle_device device = opened();
  levels_have_names();
  messages_are_heard(device);
  a_callback_may_use_the_library_and_end_itself(device);
  what_waits_goes_to_the_next_one();
  lost_messages_are_counted();
  data_may_be_freed_after_a_replacement();
  a_forked_child_is_refused();
  wrong_callbacks_change_nothing(device);
  OK(pintle_device_release(device, error));
  leave_with_messages_waiting();
  return 0;
}
