/* Structs of programs that were compiled with an earlier or a later version of the interface. */
#include <string.h>

#include "check.h"
#include "pintle/c/native.h"
#include "pintle/c/reflection.h"

enum { canary = 0xab };

/* A struct, and what lies behind it in the program's memory. */
#define ROOM(type)            \
  union {                     \
    type its;                 \
    unsigned char bytes[512]; \
  }

/* Whether nothing was written from this byte on. */
static int is_untouched(const unsigned char* bytes, size_t from) {
  for (size_t i = from; i < 512; ++i)
    if (bytes[i] != canary) return 0;
  return 1;
}

static void a_shorter_struct_is_filled_as_far_as_it_goes(pintle_kernel kernel) {
  const size_t earlier = offsetof(pintle_parameter_info, is_optional);
  ROOM(pintle_parameter_info) room;
  memset(&room, canary, sizeof room);
  room.its.size = (uint32_t)earlier;
  OK(pintle_kernel_parameter(kernel, 2, &room.its, error));
  CHECK(room.its.size == earlier && room.its.kind == PINTLE_PARAMETER_BUFFER && strcmp(room.its.name, "y") == 0);
  CHECK(room.its.dtype == PINTLE_F32 && room.its.access == PINTLE_ACCESS_READ_WRITE);
  CHECK(room.its.side_scalars[7] == NULL); /* the last member that it has */
  CHECK(is_untouched(room.bytes, earlier));
}

static void a_size_between_two_versions_is_refused(pintle_kernel kernel) {
  ROOM(pintle_parameter_info) room;
  for (size_t size = 4; size < sizeof(pintle_parameter_info); size += 4) {
    if (size == offsetof(pintle_parameter_info, is_optional)) continue;
    memset(&room, canary, sizeof room);
    room.its.size = (uint32_t)size;
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_kernel_parameter(kernel, 0, &room.its, error));
    CHECK(is_untouched(room.bytes, 4));
  }
}

static void a_longer_struct_keeps_its_rest(pintle_kernel kernel) {
  ROOM(pintle_parameter_info) room;
  memset(&room, canary, sizeof room);
  room.its.size = sizeof room;
  OK(pintle_kernel_parameter(kernel, 0, &room.its, error));
  CHECK(room.its.size == sizeof room && strcmp(room.its.name, "a") == 0 && room.its.is_optional == 0);
  CHECK(is_untouched(room.bytes, sizeof(pintle_parameter_info)));
}

/* The cpu has no such objects: what it answers is not about the size. */
static void expect_unsupported(pintle_status status, pintle_error* refusal) {
  if (status != PINTLE_UNSUPPORTED) fprintf(stderr, "%s\n", refusal->text == NULL ? "" : refusal->text);
  CHECK(status == PINTLE_UNSUPPORTED && strstr(refusal->text, "The size (") == NULL);
  OK(pintle_error_free(refusal, error));
}

static void native(pintle_device device, pintle_buffer buffer, uint32_t kind, size_t earlier, size_t now) {
  const uint64_t dims = 1;
  const size_t taken[] = {earlier, now, now + 64};
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_buffer wrapped;
  ROOM(pintle_native) room;
  for (size_t i = 0; i < 3; ++i) {
    memset(&room, canary, sizeof room);
    room.its = (pintle_native){(uint32_t)taken[i], kind};
    expect_unsupported(pintle_buffer_get_native(buffer, &room.its, &refusal), &refusal);
    CHECK(is_untouched(room.bytes, sizeof room.its));
    memset(&room, 0, sizeof room);
    room.its = (pintle_native){(uint32_t)taken[i], kind};
    expect_unsupported(pintle_buffer_wrap(device, &room.its, PINTLE_F32, 1, &dims, NULL, &wrapped, &refusal), &refusal);
  }
  room.its.size = (uint32_t)earlier + 4;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_get_native(buffer, &room.its, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_wrap(device, &room.its, PINTLE_F32, 1, &dims, NULL, &wrapped, error));
}

/* A struct that a call reads, whose last member `timeout` an earlier version lacked: in the room it is wrong, and not
 * looked at. A size between the two is refused. `CALL` is the call with `&room.its`. */
#define READS_AS_FAR_AS_IT_GOES(type, CALL)            \
  do {                                                 \
    ROOM(type) room;                                   \
    memset(&room, 0, sizeof room);                     \
    room.its.timeout = -5;                             \
    room.its.size = (uint32_t)offsetof(type, timeout); \
    OK(CALL);                                          \
    room.its.size += 4;                                \
    FAILS(PINTLE_INVALID_ARGUMENT, CALL);              \
    room.its.size = sizeof(type);                      \
    FAILS(PINTLE_INVALID_ARGUMENT, CALL);              \
    room.its.timeout = PINTLE_TIMEOUT_INFINITE;        \
    room.its.size = sizeof room;                       \
    OK(CALL);                                          \
  } while (0)

static pintle_status allocate_and_free(pintle_device device, const pintle_buffer_options* options,
                                       pintle_error* error) {
  const uint64_t dims = 4;
  pintle_buffer buffer;
  const pintle_status status = pintle_buffer_allocate(device, PINTLE_F32, 1, &dims, options, &buffer, error);
  return status == PINTLE_OK ? pintle_buffer_release(buffer, error) : status;
}

static pintle_status create_and_free(pintle_device device, const pintle_image_options* options, pintle_error* error) {
  pintle_image image;
  const pintle_status status = pintle_image_create(device, PINTLE_TEXEL_R8UI, 4, 4, 0, options, &image, error);
  return status == PINTLE_OK ? pintle_image_release(image, error) : status;
}

static pintle_status load_and_free(pintle_device device, pintle_pack pack, const pintle_load_options* options,
                                   pintle_error* error) {
  pintle_program program;
  const pintle_status status = pintle_program_load_with(device, pack, options, &program, error);
  return status == PINTLE_OK ? pintle_program_release(program, error) : status;
}

static void a_shorter_struct_is_read_as_far_as_it_goes(pintle_device device) {
  static const char code[] = "void nothing(const pintle_group* g, void* const* a) { (void)g; (void)a; }";
  const char* const signature = "nothing() group 1";
  pintle_pack pack;
  OK(pintle_pack_source("c", code, sizeof code - 1, &signature, 1, &pack, error));
  READS_AS_FAR_AS_IT_GOES(pintle_buffer_options, allocate_and_free(device, &room.its, error));
  READS_AS_FAR_AS_IT_GOES(pintle_image_options, create_and_free(device, &room.its, error));
  READS_AS_FAR_AS_IT_GOES(pintle_load_options, load_and_free(device, pack, &room.its, error));
  OK(pintle_pack_release(pack, error));
}

/* The program's elements are longer than the library's; one of them is not. */
static void elements_of_an_array_have_the_first_ones_size(void) {
  struct {
    pintle_point its;
    uint64_t later;
  } points[2];
  pintle_signal signal;
  pintle_error refusal = PINTLE_ERROR_INIT;
  OK(pintle_signal_create(1, NULL, &signal, error));
  memset(points, 0, sizeof points);
  for (int i = 0; i < 2; ++i) points[i].its = (pintle_point){.size = sizeof points[i], .signal = signal, .value = 1};
  OK(pintle_points_wait_all(&points[0].its, 2, 0, error));
  points[1].its.size = sizeof points[1].its;
  CHECK(pintle_points_wait_all(&points[0].its, 2, 0, &refusal) == PINTLE_INVALID_ARGUMENT);
  CHECK(strstr(refusal.text, "The size (24) of element (1)") != NULL && strstr(refusal.text, "(32)") != NULL);
  OK(pintle_error_free(&refusal, error));
  OK(pintle_signal_release(signal, error));
}

/* Those that are inside of others, or in every call, have one size for ever. */
static void three_structs_never_grow(pintle_device device, pintle_buffer buffer) {
  uint64_t generation = 0;
  pintle_view view = all_of(buffer);
  pintle_point point = {.size = sizeof point - 8};
  pintle_error small = PINTLE_ERROR_INIT;
  CHECK(sizeof(pintle_error) == 88 && sizeof(pintle_point) == 24 && sizeof(pintle_view) == 32);
  small.size -= 8;
  CHECK(pintle_device_generation(device, &generation, &small) == PINTLE_INVALID_ARGUMENT);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_point_wait(&point, 0, error));
  pintle_list list;
  OK(pintle_list_create(&list, error));
  view.size -= 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_timestamp(list, &view, error));
  OK(pintle_list_release(list, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_buffer buffer = buffer_on(device);
  const pintle_kernel kernel = saxpy_on(device);
  a_shorter_struct_is_filled_as_far_as_it_goes(kernel);
  a_size_between_two_versions_is_refused(kernel);
  a_longer_struct_keeps_its_rest(kernel);
  native(device, buffer, PINTLE_NATIVE_CUDA_MEMORY, offsetof(pintle_cuda_memory, device), sizeof(pintle_cuda_memory));
  native(device, buffer, PINTLE_NATIVE_HIP_MEMORY, offsetof(pintle_hip_memory, device), sizeof(pintle_hip_memory));
  a_shorter_struct_is_read_as_far_as_it_goes(device);
  elements_of_an_array_have_the_first_ones_size();
  three_structs_never_grow(device, buffer);
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_device_release(device, error));
  return 0;
}
