/* The settings of the library, as the environment has them. */
#define _POSIX_C_SOURCE 200809L /* for setenv */
#include "pintle/c/settings.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static pintle_setting setting_of(pintle_setting_list list, const char* name) {
  pintle_setting setting = {.size = sizeof setting};
  size_t settings = 0;
  OK(pintle_setting_list_count(list, &settings, error));
  for (size_t i = 0; i < settings; ++i) {
    OK(pintle_setting_list_setting(list, i, &setting, error));
    CHECK(strncmp(setting.name, "PINTLE_", 7) == 0 && setting.meaning[0] != 0 && setting.valid[0] != 0);
    if (strcmp(setting.name, name) == 0) return setting;
  }
  fprintf(stderr, "no setting %s\n", name);
  exit(1);
}

static void values_have_their_source(pintle_setting_list list) {
  const pintle_setting timeout = setting_of(list, "PINTLE_TIMEOUT_MS"),
                       threads = setting_of(list, "PINTLE_CPU_THREADS");
  int64_t nanoseconds = 0;
  CHECK(strcmp(timeout.value, "12345") == 0 && strcmp(timeout.source, "environment") == 0);
  CHECK(strcmp(threads.value, "0") == 0 && strcmp(threads.source, "default") == 0);
  OK(pintle_default_timeout(&nanoseconds, error));
  CHECK(nanoseconds == INT64_C(12345000000));
}

static void the_strings_outlive_the_list(void) {
  pintle_setting setting = {.size = sizeof setting};
  size_t settings = 0;
  pintle_setting_list list;
  OK(pintle_settings(&list, error));
  OK(pintle_setting_list_count(list, &settings, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_setting_list_setting(list, settings, &setting, error));
  OK(pintle_setting_list_setting(list, 0, &setting, error));
  OK(pintle_setting_list_release(list, error));
  FAILS(PINTLE_STALE, pintle_setting_list_count(list, &settings, error));
  CHECK(strcmp(setting.name, "PINTLE_LOG") == 0);
}

/* A value that no device can be opened with is there to be shown. */
static void a_wrong_value_is_shown(pintle_setting_list list) {
  const pintle_setting werror = setting_of(list, "PINTLE_WERROR");
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_device device;
  CHECK(strcmp(werror.value, "perhaps") == 0 && strcmp(werror.source, "environment") == 0);
  CHECK(pintle_device_open("cpu", &device, &refusal) == PINTLE_INVALID_ARGUMENT);
  CHECK(strstr(refusal.text, "PINTLE_WERROR") != NULL && strstr(refusal.text, werror.valid) != NULL);
  OK(pintle_error_free(&refusal, error));
}

int main(int argc, char** argv) {
  const int is_wrong = argc == 2 && strcmp(argv[1], "wrong") == 0;
  pintle_setting_list list;
  CHECK(setenv("PINTLE_TIMEOUT_MS", "12345", 1) == 0 && unsetenv("PINTLE_CPU_THREADS") == 0);
  if (is_wrong) CHECK(setenv("PINTLE_WERROR", "perhaps", 1) == 0);
  OK(pintle_settings(&list, error));
  if (is_wrong) {
    a_wrong_value_is_shown(list);
  } else {
    values_have_their_source(list);
    the_strings_outlive_the_list();
  }
  OK(pintle_setting_list_release(list, error));
  return 0;
}
