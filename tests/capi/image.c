/* Images: texels, copies of parts, replays, refusals. */
#include "images.h"

static void texels_say_what_they_are(pintle_device device) {
  pintle_texel_info info = {.size = sizeof info};
  pintle_texel_support support = {.size = sizeof support};
  pintle_image_limits limits = {.size = sizeof limits};
  for (uint32_t texel = PINTLE_TEXEL_R8; texel <= PINTLE_TEXEL_RGBA32F; ++texel) {
    uint32_t again = 0;
    OK(pintle_texel_get_info(texel, &info, error));
    OK(pintle_texel_parse(info.name, &again, error));
    CHECK(again == texel);
  }
  CHECK(strcmp(info.name, "rgba32f") == 0 && info.bytes == 16 && info.channels == 4 && info.is_integer == 0);
  CHECK(info.channel == PINTLE_CHANNEL_F32);
  OK(pintle_texel_get_info(PINTLE_TEXEL_RG16I, &info, error));
  CHECK(info.bytes == 4 && info.channels == 2 && info.is_integer == 1 && info.channel == PINTLE_CHANNEL_I16);
  OK(pintle_device_texel_support(device, PINTLE_TEXEL_R32UI, &support, error));
  CHECK(support.image_access == PINTLE_ACCESS_READ_WRITE && support.buffer_access == PINTLE_ACCESS_READ_WRITE);
  CHECK(support.is_filtered == 0);
  OK(pintle_device_texel_support(device, PINTLE_TEXEL_RGBA8, &support, error));
  CHECK(support.is_filtered == 1);
  OK(pintle_device_image_limits(device, &limits, error));
  CHECK(limits.max_image_2d >= 4096 && limits.max_image_3d >= 256 && limits.max_texel_buffer >= 65536);
  CHECK(limits.texel_alignment >= 1);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_texel_get_info(0, &info, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_texel_get_info(37, &info, error));
  uint32_t texel = 77;
  FAILS(PINTLE_NOT_FOUND, pintle_texel_parse("rgb8", &texel, error));
  CHECK(texel == 77);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_texel_support(device, 37, &support, error));
}

/* A part of rows with gaps goes into an image of zeros, and another part comes back. */
static void parts_are_copied(pintle_device device, pintle_queue queue) {
  enum { x = 3, y = 5, wide = 4, high = 2, row = 24, first = 8 };
  const pintle_image image = image_on(device, PINTLE_TEXEL_RGBA8UI);
  const pintle_buffer zeros = buffer_on(device), rows = buffer_on(device), back = buffer_on(device);
  const pintle_view whole = all_of(zeros), all_rows = all_of(rows), all_back = all_of(back);
  pintle_view from = all_of(rows);
  const pintle_image_part part = {.size = sizeof part, .x = x, .y = y, .width = wide, .height = high, .row_bytes = row};
  const pintle_image_part corner = {.size = sizeof corner, .x = x + 1, .y = y + 1};
  static uint8_t bytes[sizeof(float) * count], corner_bytes[sizeof bytes];
  const float zero = 0;
  pintle_list list;
  from.offset = first;
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (uint8_t)(i * 7 + 1);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &whole, &zero, error));
  OK(pintle_list_fill(list, &all_back, &zero, error));
  OK(pintle_list_upload(list, &all_rows, bytes, sizeof bytes, error));
  OK(pintle_list_copy_to_image(list, image, &whole, NULL, error));
  OK(pintle_list_copy_to_image(list, image, &from, &part, error));
  OK(pintle_list_copy_from_image(list, &all_back, image, &corner, error));
  OK(pintle_list_download(list, corner_bytes, sizeof corner_bytes, &all_back, error));
  finish(queue, list);
  memset(wanted, 0, sizeof wanted);
  for (int j = 0; j < high; ++j) memcpy(wanted + 4 * ((y + j) * width + x), bytes + first + j * row, 4 * wide);
  look_at(device, queue, image);
  CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  for (int j = y + 1; j < height; ++j) {
    enum { bytes_of_row = 4 * (width - x - 1) };
    CHECK(memcmp(corner_bytes + (j - y - 1) * bytes_of_row, wanted + 4 * (j * width + x + 1), bytes_of_row) == 0);
  }
  OK(pintle_buffer_release(zeros, error));
  OK(pintle_buffer_release(rows, error));
  OK(pintle_buffer_release(back, error));
  OK(pintle_image_release(image, error));
}

static void slices_are_copied(pintle_device device, pintle_queue queue) {
  const uint16_t given_texels[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  uint16_t slice[6] = {0};
  const pintle_buffer buffer = buffer_on(device);
  pintle_view bytes = {.size = sizeof bytes, .dtype = PINTLE_U16, .buffer = buffer, .bytes = sizeof given_texels};
  pintle_view to = bytes;
  const pintle_image_part second = {.size = sizeof second, .z = 1, .width = 3, .height = 2, .depth = 1};
  pintle_image_info info = {.size = sizeof info};
  pintle_image image;
  pintle_list list;
  OK(pintle_image_create(device, PINTLE_TEXEL_R16UI, 3, 2, 2, NULL, &image, error));
  OK(pintle_image_get_info(image, &info, error));
  CHECK(info.width == 3 && info.height == 2 && info.depth == 2 && info.bytes == sizeof given_texels);
  to.offset = 64;
  to.bytes = sizeof slice;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_upload(list, &bytes, given_texels, sizeof given_texels, error));
  OK(pintle_list_copy_to_image(list, image, &bytes, NULL, error));
  OK(pintle_list_copy_from_image(list, &to, image, &second, error));
  OK(pintle_list_download(list, slice, sizeof slice, &to, error));
  finish(queue, list);
  CHECK(memcmp(slice, given_texels + 6, sizeof slice) == 0);
  OK(pintle_image_release(image, error));
  OK(pintle_buffer_release(buffer, error));
}

static void slots_bring_the_rows(pintle_device device, pintle_queue queue) {
  const uint64_t dims = 4 * texels;
  const pintle_image image = image_on(device, PINTLE_TEXEL_RGBA8UI);
  pintle_buffer from, to;
  pintle_list list;
  pintle_recording recording;
  OK(pintle_buffer_allocate(device, PINTLE_U8, 1, &dims, NULL, &from, error));
  OK(pintle_buffer_allocate(device, PINTLE_U8, 1, &dims, NULL, &to, error));
  const pintle_view upload = all_of(from), download = all_of(to);
  const pintle_argument bindings[] = {of_buffer(from), of_buffer(to)};
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_slot_to_image(list, image, 1024, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_image_to_slot(list, 1024, image, NULL, error));
  OK(pintle_list_copy_slot_to_image(list, image, 0, NULL, error));
  OK(pintle_list_copy_image_to_slot(list, 1, image, NULL, error));
  OK(pintle_recording_create(device, list, &recording, error));
  for (uint32_t turn = 1; turn <= 3; ++turn) {
    want_painted(turn, turn);
    OK(pintle_list_create(&list, error));
    OK(pintle_list_upload(list, &upload, wanted, sizeof wanted, error));
    finish(queue, list);
    OK(pintle_queue_replay(queue, recording, bindings, 2, NULL, NULL, error));
    OK(pintle_list_create(&list, error));
    OK(pintle_list_download(list, seen, sizeof seen, &download, error));
    finish(queue, list);
    CHECK(memcmp(seen, wanted, sizeof wanted) == 0);
  }
  const pintle_argument wrong[] = {of_image(image), of_buffer(to)};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_replay(queue, recording, wrong, 2, NULL, NULL, error));
  OK(pintle_recording_release(recording, error));
  OK(pintle_image_release(image, error));
  OK(pintle_buffer_release(from, error));
  OK(pintle_buffer_release(to, error));
}

static void images_that_cannot_be_are_refused(pintle_device device) {
  pintle_image_options options = {.size = sizeof options, .access = PINTLE_ACCESS_READ, .label = "frame"};
  pintle_image_info info = {.size = sizeof info};
  pintle_image image = {7};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, 0, 8, 8, 0, NULL, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, 37, 8, 8, 0, NULL, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, 0, 8, 0, NULL, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, 8, 0, 0, NULL, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, UINT32_MAX, 8, 0, NULL, &image, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, 8, 8, 0, NULL, NULL, error));
  options.access = 4;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, 8, 8, 0, &options, &image, error));
  options.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_create(device, PINTLE_TEXEL_R8, 8, 8, 0, &options, &image, error));
  CHECK(image.id == 7);
  options.size = sizeof options;
  options.access = PINTLE_ACCESS_READ;
  OK(pintle_image_create(device, PINTLE_TEXEL_RGBA8, 8, 4, 0, &options, &image, error));
  OK(pintle_image_get_info(image, &info, error));
  CHECK(info.texel == PINTLE_TEXEL_RGBA8 && info.access == PINTLE_ACCESS_READ && info.width == 8 && info.height == 4);
  CHECK(info.depth == 0 && info.bytes == 128);
  info.size = 8;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_image_get_info(image, &info, error));
  OK(pintle_image_release(image, error));
  info.size = sizeof info;
  FAILS(PINTLE_STALE, pintle_image_get_info(image, &info, error));
  FAILS(PINTLE_STALE, pintle_image_release(image, error));
}

static void a_list_is_refused(pintle_list list, const char* word) {
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(pintle_list_barrier(list, &refusal) == PINTLE_INVALID_ARGUMENT); /* the list keeps its mistake */
  CHECK(strstr(refusal.text, word) != NULL);
  OK(pintle_error_free(&refusal, error));
  OK(pintle_list_release(list, error));
}

static void copies_that_cannot_be_are_refused(pintle_device device) {
  const pintle_image image = image_on(device, PINTLE_TEXEL_RGBA8UI);
  const pintle_buffer buffer = buffer_on(device);
  const pintle_view view = all_of(buffer);
  const pintle_image foreign = {buffer.id}, empty = {0};
  pintle_image_part outside = {.size = 12, .x = width, .width = 1, .height = 1};
  pintle_list list;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_to_image(list, foreign, &view, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_from_image(list, &view, empty, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_to_image(list, image, NULL, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_to_image(list, image, &view, &outside, error));
  OK(pintle_list_barrier(list, error)); /* none of these has reached the list */
  outside.size = sizeof outside;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_copy_to_image(list, image, &view, &outside, error));
  a_list_is_refused(list, "along x");
  OK(pintle_image_release(image, error));
  OK(pintle_buffer_release(buffer, error));
}

static void images_that_do_not_suit_a_kernel_are_refused(pintle_device device) {
  const pintle_kernel shift =
      kernel_of(device, shift_code, "shift(in: read image2d rgba8ui, out: write image2d rgba8ui) group 1", "shift");
  const pintle_image image = image_on(device, PINTLE_TEXEL_RGBA8UI), other = image_on(device, PINTLE_TEXEL_RGBA8);
  pintle_argument arguments[] = {of_image(image), of_image(other)};
  pintle_list list;
  OK(pintle_list_create(&list, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, shift, &rows_of_groups, arguments, 2, error));
  a_list_is_refused(list, "image2d rgba8 ");
  OK(pintle_list_create(&list, error));
  arguments[1].image.id = device.id;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, shift, &rows_of_groups, arguments, 2, error));
  OK(pintle_list_barrier(list, error)); /* what is no image has not reached the list */
  arguments[1].image = image;
  arguments[1].kind = PINTLE_ARGUMENT_SAMPLED_IMAGE;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_list_launch(list, shift, &rows_of_groups, arguments, 2, error));
  a_list_is_refused(list, "an image with a sampler");
  OK(pintle_image_release(image, error));
  OK(pintle_image_release(other, error));
  OK(pintle_kernel_release(shift, error));
}

static void a_released_image_is_stale(pintle_device device, pintle_queue queue) {
  const pintle_image image = image_on(device, PINTLE_TEXEL_RGBA8UI);
  const pintle_buffer buffer = buffer_on(device);
  const pintle_view view = all_of(buffer);
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_list list;
  OK(pintle_list_create(&list, error));
  OK(pintle_list_copy_from_image(list, &view, image, NULL, error));
  OK(pintle_image_release(image, error));
  FAILS(PINTLE_STALE, pintle_list_copy_from_image(list, &view, image, NULL, error));
  CHECK(pintle_queue_submit(queue, list, NULL, NULL, &refusal) == PINTLE_STALE);
  OK(pintle_error_free(&refusal, error));
  OK(pintle_buffer_release(buffer, error));
}

int main(void) {
  const pintle_device device = opened();
  pintle_queue queue;
  OK(pintle_queue_create(device, NULL, &queue, error));
  texels_say_what_they_are(device);
  parts_are_copied(device, queue);
  slices_are_copied(device, queue);
  slots_bring_the_rows(device, queue);
  images_that_cannot_be_are_refused(device);
  copies_that_cannot_be_are_refused(device);
  images_that_do_not_suit_a_kernel_are_refused(device);
  a_released_image_is_stale(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
