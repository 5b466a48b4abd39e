/* A recording with slots, replayed with other buffers and numbers. */
#include "check.h"

static float y[count];

int main(void) {
  const pintle_device device = opened();
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_buffer dx = buffer_on(device), dy = buffer_on(device);
  const pintle_view vx = all_of(dx), vy = all_of(dy);
  const pintle_extent extent = {sizeof extent, 1, count / 256, 1, 1};
  const pintle_argument arguments[] = {of_slot(0), of_buffer(dx), of_slot(1)};
  const float one = 1, three = 3;
  pintle_queue queue;
  pintle_list list;
  pintle_recording recording;
  size_t slots;
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &vx, &three, error));
  OK(pintle_list_fill(list, &vy, &one, error));
  OK(pintle_queue_submit(queue, list, NULL, NULL, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, kernel, &extent, arguments, 3, error));
  OK(pintle_recording_create(device, list, &recording, error));
  OK(pintle_recording_slots(recording, &slots, error));
  CHECK(slots == 2);
  pintle_point done = {.size = sizeof done};
  for (int i = 1; i <= 3; ++i) {
    const pintle_argument bindings[] = {scalar((float)i), of_buffer(dy)};
    OK(pintle_queue_replay(queue, recording, bindings, 2, NULL, &done, error));
  }
  const pintle_argument wrong[] = {of_buffer(dy), scalar(1)};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, wrong, 2, NULL, &done, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, wrong, 1, NULL, &done, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_download(list, y, sizeof y, &vy, error));
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  for (int i = 0; i < count; ++i) CHECK(y[i] == 1 + (1 + 2 + 3) * three);
  OK(pintle_recording_release(recording, error));
  FAILS(PINTLE_STALE, pintle_recording_slots(recording, &slots, error));
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_buffer_release(dx, error));
  OK(pintle_buffer_release(dy, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
