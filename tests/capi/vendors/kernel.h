/* A kernel that adds to the words of a buffer, launched on what a program has made by a vendor's API. */
#ifndef PINTLE_TESTS_CAPI_VENDORS_KERNEL_H
#define PINTLE_TESTS_CAPI_VENDORS_KERNEL_H

#include "transfer.h"

enum { word_count = 1024, skipped = 77 };

/* Whether the device takes the source; else it says why on standard output. */
static inline int loads(pintle_device device, const char* format, const char* code, size_t size,
                        pintle_kernel* kernel) {
  const char* const signature = "add(words: read_write u32[], added: u32) group 64";
  pintle_error why = PINTLE_ERROR_INIT;
  pintle_pack pack;
  OK(pintle_pack_source(format, code, size, &signature, 1, &pack, error));
  const int is_taken = pintle_device_takes(device, pack, &why) == PINTLE_OK;
  if (is_taken) OK(pintle_kernel_load(device, pack, "add", kernel, error));
  else printf("%s\n", why.text);
  OK(pintle_error_free(&why, error));
  OK(pintle_pack_release(pack, error));
  return is_taken;
}

/* words[i] += added, and the end of the kernel. */
static inline void add(pintle_queue queue, pintle_kernel kernel, pintle_buffer words, uint32_t added) {
  const pintle_extent extent = {.size = sizeof extent, .x = word_count};
  pintle_argument arguments[2] = {of_buffer(words),
                                  {.size = sizeof *arguments, .kind = PINTLE_ARGUMENT_SCALAR, .dtype = PINTLE_U32}};
  pintle_list list;
  arguments[1].value.u = added;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, kernel, &extent, arguments, 2, error));
  finish(queue, list);
  OK(pintle_kernel_release(kernel, error));
}

static inline void expect_words(const uint32_t* words, uint32_t expected) {
  for (int i = 0; i < word_count; ++i) CHECK(words[i] == expected);
}

/* A buffer of words of 40 becomes one of 42, and everything is released. */
static inline void add_two(pintle_device device, const char* format, const char* code, size_t size, pintle_queue queue,
                           pintle_buffer buffer) {
  static uint32_t words[word_count];
  pintle_kernel kernel;
  CHECK(loads(device, format, code, size, &kernel));
  add(queue, kernel, buffer, 2);
  read_buffer(queue, buffer, words, sizeof words);
  expect_words(words, 42);
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
}

#endif
