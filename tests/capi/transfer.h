/* Work that has ended when the call returns. */
#ifndef PINTLE_TESTS_CAPI_TRANSFER_H
#define PINTLE_TESTS_CAPI_TRANSFER_H

#include "check.h"

static inline pintle_queue queue_on(pintle_device device) {
  pintle_queue queue;
  OK(pintle_queue_create(device, NULL, &queue, error));
  return queue;
}

static inline void finish(pintle_queue queue, pintle_list list) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

static inline void fill_view(pintle_queue queue, pintle_view view, float value) {
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &view, &value, error));
  finish(queue, list);
}

static inline void fill_buffer(pintle_queue queue, pintle_buffer buffer, float value) {
  fill_view(queue, all_of(buffer), value);
}

static inline void write_buffer(pintle_queue queue, pintle_buffer buffer, const void* from, size_t bytes) {
  const pintle_view view = all_of(buffer);
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &view, from, bytes, error));
  finish(queue, list);
}

static inline void read_buffer(pintle_queue queue, pintle_buffer buffer, void* to, size_t bytes) {
  const pintle_view view = all_of(buffer);
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_download(list, to, bytes, &view, error));
  finish(queue, list);
}

#endif
