/* Handles that are empty, released, foreign or made up, structs of another size, numbers that name nothing: a status,
 * never a crash. */
#include <string.h>

#include "check.h"

static void handles(pintle_device device, pintle_buffer buffer) {
  const uint64_t made_up[] = {0, 1, UINT64_MAX, buffer.id, device.id + 1, device.id ^ (UINT64_C(1) << 63)};
  pintle_device_info info = {.size = sizeof info};
  uint64_t generation;
  for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; ++i) {
    pintle_device foreign;
    pintle_queue queue;
    foreign.id = made_up[i];
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_info(foreign, &info, error));
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_generation(foreign, &generation, error));
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_create(foreign, NULL, &queue, error));
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_release(foreign, error));
  }
}

static void nulls(pintle_device device, pintle_buffer buffer) {
  pintle_list list;
  const uint64_t dims = 1;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_open(NULL, &device, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_open("cpu", NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_info(device, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, NULL, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_create(NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy(list, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_point_wait(NULL, 0, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_points_wait_all(NULL, 1, 0, error));
  pintle_pack pack;
  FAILS(PINTLE_IO, pintle_pack_open("there/is/none", &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_parse("no pack", 7, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source("c", NULL, 0, NULL, 0, NULL, error));
  OK(pintle_list_release(list, error));
}

static void sizes(pintle_device device) {
  struct {
    pintle_buffer_options known;
    uint64_t later;
  } longer = {{.size = sizeof longer}, 0};
  const uint64_t dims = 4;
  pintle_buffer buffer;
  pintle_device_info info = {.size = sizeof info - 8};
  pintle_error small = {.size = 8};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_info(device, &info, error));
  info.size = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_info(device, &info, error));
  CHECK(pintle_device_get_info(device, &info, &small) == PINTLE_INVALID_ARGUMENT);
  OK(pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &longer.known, &buffer, error));
  OK(pintle_buffer_release(buffer, error));
  longer.later = 1;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &longer.known, &buffer, error));
  longer.known.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &longer.known, &buffer, error));
  longer.known.size = UINT32_MAX;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &longer.known, &buffer, error));
}

static void numbers(pintle_device device) {
  const uint64_t dims[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, huge = UINT64_MAX;
  pintle_buffer_options options = {.size = sizeof options, .placement = 3};
  pintle_queue_options queues = {.size = sizeof queues, .kind = 9};
  pintle_capability capability = {.size = sizeof capability};
  pintle_buffer buffer;
  pintle_queue queue;
  const char* name;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, 0, 1, dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, 17, 1, dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 9, dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &huge, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, dims, &options, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_create(device, &queues, &queue, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_capability(device, 0, &capability, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_capability(device, 99, &capability, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_wait_idle(device, -2, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_status_name(-1, &name, error));
  OK(pintle_status_name(PINTLE_STALE, &name, error));
  CHECK(strcmp(name, "stale") == 0);
  OK(pintle_version(&name, error));
  CHECK(name[0] != 0);
}

/* A negative timeout is a constant or a mistake, with the number. */
static void timeouts(pintle_device device) {
  const uint64_t dims = 1;
  const pintle_buffer_options buffers = {.size = sizeof buffers, .timeout = -5};
  const pintle_image_options images = {.size = sizeof images, .timeout = -5};
  const pintle_load_options loads = {.size = sizeof loads, .timeout = -5};
  const pintle_buffer_options whole = {.size = sizeof whole, .timeout = PINTLE_TIMEOUT_DEFAULT};
  const char* const signature = "nothing() group 1";
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_buffer buffer;
  pintle_image image;
  pintle_pack pack;
  pintle_program program;
  OK(pintle_pack_source("c", "x", 1, &signature, 1, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &buffers, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8UI, 4, 4, 0, &images, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_load_with(device, pack, &loads, &program, error));
  CHECK(pintle_program_load_with(device, pack, &loads, &program, &refusal) == PINTLE_INVALID_ARGUMENT);
  CHECK(strstr(refusal.text, "(-5 ns)") != NULL);
  OK(pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, &whole, &buffer, error));
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_error_free(&refusal, error));
  OK(pintle_pack_release(pack, error));
}

static void a_list_keeps_its_mistake(pintle_device device, pintle_buffer buffer) {
  const pintle_kernel kernel = saxpy_on(device);
  const pintle_extent extent = {sizeof extent, 0, count, 0, 0};
  pintle_argument arguments[] = {scalar(2), of_buffer(buffer), of_buffer(buffer)};
  pintle_list list;
  pintle_queue queue;
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, kernel, &extent, arguments, 300, error));
  arguments[1].kind = 77;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, kernel, &extent, arguments, 3, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_list_launch(list, kernel, &extent, arguments, 1, error)); /* the list's own mistake */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_barrier(list, error));
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(pintle_queue_submit(queue, list, NULL, NULL, &refusal) == PINTLE_INVALID_ARGUMENT);
  CHECK(strstr(refusal.text, "saxpy") != NULL);
  OK(pintle_error_free(&refusal, error));
  FAILS(PINTLE_STALE, pintle_list_release(list, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_kernel_release(kernel, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_buffer buffer = buffer_on(device);
  handles(device, buffer);
  nulls(device, buffer);
  sizes(device);
  numbers(device);
  timeouts(device);
  a_list_keeps_its_mistake(device, buffer);
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_device_release(device, error));
  return 0;
}
