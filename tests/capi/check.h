/* Checks of the programs in C: a failed one prints its line and ends the program. */
#ifndef PINTLE_TESTS_CAPI_CHECK_H
#define PINTLE_TESTS_CAPI_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "pintle/c/pintle.h"
#include "pintle/native/cpu_kernel.h" /* one program may have kernels of its own */

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

/* The call succeeds. */
#define OK(call)                                                                                               \
  do {                                                                                                         \
    pintle_error failure = PINTLE_ERROR_INIT;                                                                  \
    pintle_error* const error = &failure;                                                                      \
    if ((call) != PINTLE_OK) {                                                                                 \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, failure.text == NULL ? "" : failure.text); \
      exit(1);                                                                                                 \
    }                                                                                                          \
  } while (0)

/* The call fails with this status, and says so in the error. */
#define FAILS(status, call)                                                                                    \
  do {                                                                                                         \
    pintle_error failure = PINTLE_ERROR_INIT;                                                                  \
    pintle_error* error = &failure;                                                                            \
    const pintle_status got = (call);                                                                          \
    if (got != (status) || failure.code != (status) || failure.text == NULL) {                                 \
      fprintf(stderr, "%s:%d: %s: %d instead of %d: %s\n", __FILE__, __LINE__, #call, (int)got, (int)(status), \
              failure.text == NULL ? "" : failure.text);                                                       \
      exit(1);                                                                                                 \
    }                                                                                                          \
    CHECK(pintle_error_free(&failure, NULL) == PINTLE_OK);                                                     \
    error = NULL;                                                                                              \
    CHECK((call) == (status));                                                                                 \
  } while (0)

/* y += a * x, in C: where there is a compiler, the device `cpu` takes it. */
static inline pintle_kernel saxpy_on(pintle_device device) {
  static const char code[] =
      "void saxpy(const pintle_group* group, void* const* arguments) {\n"
      "  const float* x = arguments[1];\n"
      "  float* y = arguments[2];\n"
      "  const uint32_t first = group->id[0] * 256;\n"
      "  for (uint32_t i = first; i < first + 256; ++i) y[i] += *(const float*)arguments[0] * x[i];\n"
      "}\n";
  const char* const signature = "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256";
  pintle_pack pack;
  pintle_program program;
  pintle_kernel kernel;
  OK(pintle_pack_source("c", code, sizeof code - 1, &signature, 1, &pack, error));
  OK(pintle_program_load(device, pack, &program, error));
  OK(pintle_program_kernel(program, "saxpy", &kernel, error));
  OK(pintle_program_release(program, error));
  OK(pintle_pack_release(pack, error));
  return kernel;
}

enum { count = 1024 };

static inline pintle_buffer buffer_on(pintle_device device) {
  const uint64_t dims = count;
  pintle_buffer buffer;
  OK(pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, NULL, &buffer, error));
  return buffer;
}

static inline pintle_view all_of(pintle_buffer buffer) {
  pintle_view view = {sizeof view, 0, {0}, 0, 0};
  view.buffer = buffer;
  return view;
}

static inline pintle_argument scalar(float value) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_SCALAR, .dtype = PINTLE_F32};
  argument.value.f32 = value;
  return argument;
}

static inline pintle_argument of_buffer(pintle_buffer buffer) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_BUFFER};
  argument.buffer = buffer;
  return argument;
}

static inline pintle_argument of_slot(uint64_t slot) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_SLOT};
  argument.offset = slot;
  return argument;
}

static inline pintle_device opened(void) {
  pintle_device device;
  OK(pintle_device_open("cpu", &device, error));
  return device;
}

#endif
