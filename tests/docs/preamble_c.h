/* The names that blocks of C in the documentation use without declaring them. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pintle/c/pintle.h"

/* Not every block uses every name. */
#define PINTLE_TEST_NAMES                                                                                             \
  pintle_error error = PINTLE_ERROR_INIT;                                                                             \
  pintle_device device = {0};                                                                                         \
  pintle_queue queue = {0};                                                                                           \
  pintle_kernel kernel = {0};                                                                                         \
  pintle_buffer buffer = {0};                                                                                         \
  pintle_point done = {.size = sizeof done};                                                                          \
  void *cl_platform = NULL, *cl_device = NULL;                                                                        \
  void *cl_context = NULL, *cl_queue = NULL, *cl_mem = NULL;                                                          \
  (void)error, (void)device, (void)queue, (void)kernel, (void)buffer, (void)done, (void)cl_platform, (void)cl_device, \
      (void)cl_context, (void)cl_queue, (void)cl_mem
