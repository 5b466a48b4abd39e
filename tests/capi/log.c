/* The log's callback: what it hears, how it is replaced, and what it may not do. */
#define _POSIX_C_SOURCE 200809L /* for setenv */
#include "pintle/c/log.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Each load of a program says that the folder of compiled programs cannot be used: it would lie in a device. */
static const char no_folder[] = "/dev/null/pintle";

typedef struct heard {
  int messages, about_the_folder, refusals;
} heard;

static void hear(void* data, uint32_t level, const char* category, const char* message) {
  heard* const all = data;
  ++all->messages;
  if (level == PINTLE_LOG_WARN && strcmp(category, "cache") == 0 && strstr(message, no_folder) != NULL)
    ++all->about_the_folder;
}

static void replace_inside(void* data, uint32_t level, const char* category, const char* message) {
  heard* const all = data;
  hear(all, level, category, message);
  if (pintle_log_set_callback(hear, all, PINTLE_LOG_DEBUG, NULL) == PINTLE_INVALID_ARGUMENT) ++all->refusals;
  if (pintle_log_clear_callback(NULL) == PINTLE_INVALID_ARGUMENT) ++all->refusals;
}

static void speak(pintle_device device) {
  const pintle_kernel kernel = saxpy_on(device);
  OK(pintle_kernel_release(kernel, error));
}

static void messages_are_heard(pintle_device device) {
  heard first = {0}, second = {0}, grave = {0};
  OK(pintle_log_set_callback(hear, &first, PINTLE_LOG_WARN, error));
  speak(device);
  CHECK(first.about_the_folder == 1);
  speak(device);
  CHECK(first.about_the_folder == 2);
  const int before = first.messages;
  OK(pintle_log_set_callback(hear, &second, PINTLE_LOG_DEBUG, error));
  speak(device);
  CHECK(second.about_the_folder == 1 && first.messages == before);
  OK(pintle_log_set_callback(hear, &grave, PINTLE_LOG_ERROR, error));
  speak(device);
  CHECK(grave.messages == 0 && second.about_the_folder == 1); /* a warning is no error */
  OK(pintle_log_set_callback(hear, &second, PINTLE_LOG_WARN, error));
  OK(pintle_log_clear_callback(error));
  OK(pintle_log_clear_callback(error));
  speak(device);
  CHECK(second.about_the_folder == 1);
}

static void a_callback_does_not_replace_itself(pintle_device device) {
  heard all = {0};
  OK(pintle_log_set_callback(replace_inside, &all, PINTLE_LOG_WARN, error));
  speak(device);
  CHECK(all.about_the_folder == 1 && all.refusals == 2 * all.messages);
  speak(device);
  CHECK(all.about_the_folder == 2 && all.refusals == 2 * all.messages);
  OK(pintle_log_clear_callback(error)); /* outside of it everything works again */
}

static void wrong_callbacks_change_nothing(pintle_device device) {
  heard all = {0};
  OK(pintle_log_set_callback(hear, &all, PINTLE_LOG_WARN, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(NULL, NULL, PINTLE_LOG_WARN, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(hear, NULL, 0, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_log_set_callback(hear, NULL, 5, error));
  speak(device);
  CHECK(all.about_the_folder == 1);
  OK(pintle_log_clear_callback(error));
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

int main(void) {
  CHECK(setenv("PINTLE_CACHE_DIR", no_folder, 1) == 0 && unsetenv("PINTLE_LOG") == 0);
  const pintle_device device = opened();
  levels_have_names();
  messages_are_heard(device);
  a_callback_does_not_replace_itself(device);
  wrong_callbacks_change_nothing(device);
  OK(pintle_device_release(device, error));
  return 0;
}
