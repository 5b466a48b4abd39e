/* A program in C: fills a buffer on the best device and reads it back. */
#include <pintle/c/pintle.h>
#include <stdio.h>

static int failed(pintle_status status, pintle_error* error) {
  if (status == PINTLE_OK) return 0;
  fprintf(stderr, "%s\n", error->text);
  (void)pintle_error_free(error, NULL);
  return 1;
}

int main(void) {
  pintle_error error = PINTLE_ERROR_INIT;
  const uint64_t dims[] = {1000};
  const float value = 7;
  float result[1000] = {0};
  pintle_device device;
  pintle_queue queue;
  pintle_buffer buffer;
  pintle_list list;
  if (failed(pintle_device_open("best", &device, &error), &error)) return 1;
  if (failed(pintle_queue_create(device, NULL, &queue, &error), &error)) return 1;
  if (failed(pintle_buffer_allocate(device, PINTLE_F32, 1, dims, NULL, &buffer, &error), &error)) return 1;
  if (failed(pintle_list_create(&list, &error), &error)) return 1;
  pintle_view view = {.size = sizeof view, .buffer = buffer};
  if (failed(pintle_list_fill(list, &view, &value, &error), &error)) return 1;
  if (failed(pintle_list_download(list, result, sizeof result, &view, &error), &error)) return 1;
  pintle_point done = {.size = sizeof done};
  if (failed(pintle_queue_submit(queue, list, NULL, &done, &error), &error)) return 1;
  if (failed(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, &error), &error)) return 1;
  return result[999] == 7 ? 0 : 1;
}
