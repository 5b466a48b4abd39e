/* The plug-in's objects behind a device of the pjrt backend, where PINTLE_PJRT_PLUGINS names a plug-in. */
#include "check.h"
#include "pintle/c/native.h"
#include "transfer.h"

enum { skipped = 77 };

int main(void) {
  pintle_pjrt_device first = {.native = {sizeof first, PINTLE_NATIVE_PJRT_DEVICE}}, again = first;
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_device device, made;
  const pintle_status opened_it = pintle_device_open("pjrt:0", &device, &refusal);
  if (opened_it == PINTLE_UNAVAILABLE) {
    fprintf(stderr, "%s\n", refusal.text);
    OK(pintle_error_free(&refusal, error));
    return skipped;
  }
  CHECK(opened_it == PINTLE_OK);
  OK(pintle_device_get_native(device, &first.native, error));
  OK(pintle_device_get_native(device, &again.native, error));
  CHECK(first.client != NULL && first.device != NULL && first.client != first.device);
  CHECK(again.client == first.client && again.device == first.device);
  const pintle_queue queue = queue_on(device);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_get_native(queue, &first.native, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_device_wrap(&first.native, &made, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
