/* Images of one size, kernels that write them, and what is in them. */
#ifndef PINTLE_TESTS_CAPI_IMAGES_H
#define PINTLE_TESTS_CAPI_IMAGES_H

#include <string.h>

#include "check.h"
#include "pintle/c/image.h"

enum { width = 21, height = 13, texels = width * height };

static uint8_t seen[4 * texels], wanted[4 * texels];

static inline pintle_image image_on(pintle_device device, uint32_t texel) {
  pintle_image image;
  OK(pintle_image_create(device, texel, width, height, 0, NULL, &image, error));
  return image;
}

static inline pintle_argument of_image(pintle_image image) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_IMAGE, .image = image};
  return argument;
}

static inline pintle_argument of_number(uint32_t value) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_SCALAR, .dtype = PINTLE_U32};
  argument.value.u = value;
  return argument;
}

/* The kernel `name` of code in C. */
static inline pintle_kernel kernel_of(pintle_device device, const char* code, const char* signature, const char* name) {
  pintle_pack pack;
  pintle_program program;
  pintle_kernel kernel;
  OK(pintle_pack_source("c", code, strlen(code), &signature, 1, &pack, error));
  OK(pintle_program_load(device, pack, &program, error));
  OK(pintle_program_kernel(program, name, &kernel, error));
  OK(pintle_program_release(program, error));
  OK(pintle_pack_release(pack, error));
  return kernel;
}

static inline void finish(pintle_queue queue, pintle_list list) {
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
}

/* All texels of an image, by way of a buffer, into `seen`. */
static inline void look_at(pintle_device device, pintle_queue queue, pintle_image image) {
  const uint64_t dims = sizeof seen;
  pintle_image_info info = {.size = sizeof info};
  pintle_buffer buffer;
  pintle_list list;
  OK(pintle_image_get_info(image, &info, error));
  OK(pintle_buffer_allocate(device, PINTLE_U8, 1, &dims, NULL, &buffer, error));
  pintle_view view = all_of(buffer);
  view.bytes = info.bytes;
  memset(seen, 0, sizeof seen);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_copy_from_image(list, &view, image, NULL, error));
  OK(pintle_list_download(list, seen, info.bytes, &view, error));
  finish(queue, list);
  OK(pintle_buffer_release(buffer, error));
}

/* Each texel is its neighbour's, with 1 added. One group for each row. */
static const char shift_code[] =
    "void shift(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out) {\n"
    "  for (uint32_t x = 0; x < out->width; ++x) {\n"
    "    const uint8_t* from = (const uint8_t*)in->texels + group->id[0] * in->row_bytes + (x + 1) % in->width * 4;\n"
    "    uint8_t* to = (uint8_t*)out->texels + group->id[0] * out->row_bytes + x * 4;\n"
    "    for (int c = 0; c < 4; ++c) to[c] = (uint8_t)(from[c] + 1);\n"
    "  }\n"
    "}\n";
static const pintle_extent rows_of_groups = {sizeof rows_of_groups, 1, height, 1, 1};

/* Each texel tells where it is, and who wrote it; then `shifts` times `shift`. */
static inline void want_painted(uint32_t base, uint32_t shifts) {
  for (uint32_t i = 0; i < texels; ++i) {
    const uint32_t values[] = {(i % width + shifts) % width, i / width, base, PINTLE_TEXEL_RGBA8UI};
    for (int c = 0; c < 4; ++c) wanted[4 * i + (uint32_t)c] = (uint8_t)(values[c] + shifts);
  }
}

#endif
