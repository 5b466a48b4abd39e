/* Kernels that read and write images, and get samplers and texel buffers. */
#include "images.h"

/* Each texel tells where it is, and who wrote it. */
static const char paint_code[] =
    "void paint(const pintle_group* group, const pintle_cpu_image* out, uint32_t base) {\n"
    "  for (uint32_t x = 0; x < out->width; ++x) {\n"
    "    uint8_t* at = (uint8_t*)out->texels + group->id[0] * out->row_bytes + x * 4;\n"
    "    at[0] = (uint8_t)x; at[1] = (uint8_t)group->id[0]; at[2] = (uint8_t)base; at[3] = (uint8_t)out->texel;\n"
    "  }\n"
    "}\n";

static void kernels_read_and_write_images(pintle_device device, pintle_queue queue) {
  const pintle_kernel paint =
      kernel_of(device, paint_code, "paint(out: write image2d rgba8ui, base: u32) group 1", "paint");
  const pintle_kernel shift =
      kernel_of(device, shift_code, "shift(in: read image2d, out: write image2d rgba8ui) group 1", "shift");
  const pintle_image a = image_on(device, PINTLE_TEXEL_RGBA8UI), b = image_on(device, PINTLE_TEXEL_RGBA8UI);
  const pintle_argument painted[] = {of_image(a), of_number(77)}, shifted[] = {of_image(a), of_image(b)};
  const pintle_argument slotted[] = {of_image(a), of_slot(0)};
  pintle_list list;
  pintle_recording recording;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, paint, &rows_of_groups, painted, 2, error));
  OK(pintle_list_launch(list, shift, &rows_of_groups, shifted, 2, error));
  finish(queue, list);
  want_painted(77, 0);
  look_at(device, queue, a);
  CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  want_painted(77, 1);
  look_at(device, queue, b);
  CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, paint, &rows_of_groups, slotted, 2, error));
  OK(pintle_list_launch(list, shift, &rows_of_groups, shifted, 2, error));
  OK(pintle_recording_create(device, list, &recording, error));
  for (uint32_t base = 1; base <= 3; ++base) {
    const pintle_argument number = of_number(base);
    OK(pintle_queue_replay(queue, recording, &number, 1, NULL, NULL, error));
    want_painted(base, 1);
    look_at(device, queue, b);
    CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  }
  OK(pintle_recording_release(recording, error));
  OK(pintle_image_release(a, error));
  OK(pintle_image_release(b, error));
  OK(pintle_kernel_release(paint, error));
  OK(pintle_kernel_release(shift, error));
}

static void samplers_that_cannot_be_are_refused(pintle_kernel ask, pintle_argument out) {
  const pintle_extent one = {sizeof one, 1, 1, 1, 1};
  pintle_argument arguments[] = {{.size = sizeof arguments[0], .kind = PINTLE_ARGUMENT_SAMPLER}, out};
  size_t commands = 9;
  pintle_list list;
  OK(pintle_list_create(&list, error));
  arguments[0].value.sampler.filter = 3;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, ask, &one, arguments, 2, error));
  arguments[0].value.sampler.filter = 0;
  arguments[0].value.sampler.address = 5;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, ask, &one, arguments, 2, error));
  arguments[0].value.sampler.address = 0;
  arguments[0].value.sampler.coordinates = 3;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, ask, &one, arguments, 2, error));
  OK(pintle_list_size(list, &commands, error)); /* no such sampler has reached the list */
  CHECK(commands == 0);
  arguments[0].value.sampler.address = PINTLE_ADDRESS_REPEAT;
  arguments[0].value.sampler.coordinates = PINTLE_COORDINATES_TEXELS;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, ask, &one, arguments, 2, error));
  OK(pintle_list_release(list, error));
}

static void kernels_get_samplers(pintle_device device, pintle_queue queue) {
  static const char code[] =
      "void ask(const pintle_group* group, const pintle_cpu_sampler* s, uint32_t* out) {\n"
      "  (void)group;\n"
      "  out[0] = s->filter; out[1] = s->address; out[2] = s->coordinates;\n"
      "}\n";
  const pintle_kernel ask = kernel_of(device, code, "ask(s: sampler, out: write u32[]) group 1", "ask");
  const pintle_extent one = {sizeof one, 1, 1, 1, 1};
  const uint64_t dims = 3;
  pintle_buffer buffer;
  OK(pintle_buffer_allocate(device, PINTLE_U32, 1, &dims, NULL, &buffer, error));
  const pintle_view view = all_of(buffer);
  pintle_argument arguments[] = {{.size = sizeof arguments[0], .kind = PINTLE_ARGUMENT_SAMPLER}, of_buffer(buffer)};
  uint32_t numbers[3] = {0, 0, 0};
  pintle_list list;
  for (int turn = 0; turn < 2; ++turn) {
    OK(pintle_list_create(&list, error));
    OK(pintle_list_launch(list, ask, &one, arguments, 2, error));
    OK(pintle_list_download(list, numbers, sizeof numbers, &view, error));
    finish(queue, list);
    if (turn == 0) CHECK(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 1); /* all of them 0: the defaults */
    arguments[0].value.sampler.filter = PINTLE_FILTER_LINEAR;
    arguments[0].value.sampler.address = PINTLE_ADDRESS_BORDER;
    arguments[0].value.sampler.coordinates = PINTLE_COORDINATES_TEXELS;
  }
  CHECK(numbers[0] == 2 && numbers[1] == 2 && numbers[2] == 2);
  samplers_that_cannot_be_are_refused(ask, arguments[1]);
  OK(pintle_kernel_release(ask, error));
  OK(pintle_buffer_release(buffer, error));
}

static pintle_argument of_texels(pintle_buffer buffer, uint32_t texel, uint64_t offset, uint64_t bytes) {
  pintle_argument argument = {.size = sizeof argument, .kind = PINTLE_ARGUMENT_TEXEL_BUFFER, .buffer = buffer};
  argument.offset = offset;
  argument.bytes = bytes;
  argument.value.texel = texel;
  return argument;
}

static void texel_buffers_that_cannot_be_are_refused(pintle_kernel rise, pintle_buffer in, pintle_buffer out) {
  const pintle_extent one = {sizeof one, 1, 1, 1, 1};
  pintle_argument arguments[] = {of_texels(in, 0, 0, 0), of_texels(out, PINTLE_TEXEL_R32UI, 0, 0)};
  pintle_list list;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, rise, &one, arguments, 2, error));
  arguments[0].value.texel = 37;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, rise, &one, arguments, 2, error));
  arguments[0] = of_texels(in, PINTLE_TEXEL_R32UI, sizeof(float) * count, 4);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, rise, &one, arguments, 2, error));
  OK(pintle_list_barrier(list, error)); /* none of these has reached the list */
  arguments[0] = of_texels(in, PINTLE_TEXEL_R32UI, 0, 0);
  arguments[1].value.texel = PINTLE_TEXEL_R32F; /* the signature has another one */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, rise, &one, arguments, 2, error));
  OK(pintle_list_release(list, error));
}

static void kernels_get_texel_buffers(pintle_device device, pintle_queue queue) {
  static const char code[] =
      "void rise(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out) {\n"
      "  (void)group;\n"
      "  for (uint32_t i = 0; i < in->width; ++i)\n"
      "    ((uint32_t*)out->texels)[i] = ((const uint32_t*)in->texels)[i] + in->texel;\n"
      "}\n";
  const pintle_kernel rise =
      kernel_of(device, code, "rise(in: read texel_buffer, out: write texel_buffer r32ui) group 1", "rise");
  const pintle_buffer in = buffer_on(device), out = buffer_on(device);
  const pintle_view from = all_of(in), to = all_of(out);
  const pintle_extent one = {sizeof one, 1, 1, 1, 1};
  enum { offset = 1024, bytes = 2048 };
  pintle_argument arguments[] = {of_texels(in, PINTLE_TEXEL_R32UI, offset, bytes),
                                 of_texels(out, PINTLE_TEXEL_R32UI, 0, 0)};
  static uint32_t words[count];
  const float zero = 0;
  pintle_list list;
  for (uint32_t i = 0; i < count; ++i) words[i] = i;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &from, words, sizeof words, error));
  OK(pintle_list_fill(list, &to, &zero, error));
  OK(pintle_list_launch(list, rise, &one, arguments, 2, error));
  OK(pintle_list_download(list, words, sizeof words, &to, error));
  finish(queue, list);
  for (uint32_t i = 0; i < count; ++i) CHECK(words[i] == (i < bytes / 4 ? i + offset / 4 + PINTLE_TEXEL_R32UI : 0));
  texel_buffers_that_cannot_be_are_refused(rise, in, out);
  OK(pintle_kernel_release(rise, error));
  OK(pintle_buffer_release(in, error));
  OK(pintle_buffer_release(out, error));
}

int main(void) {
  const pintle_device device = opened();
  pintle_queue queue;
  OK(pintle_queue_create(device, NULL, &queue, error));
  kernels_read_and_write_images(device, queue);
  kernels_get_samplers(device, queue);
  kernels_get_texel_buffers(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
