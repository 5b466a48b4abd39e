/* Images: texels in a layout that the device chooses, with copies from and to buffers. Kernels take them as
 * PINTLE_ARGUMENT_IMAGE. */
#ifndef PINTLE_C_IMAGE_H
#define PINTLE_C_IMAGE_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/list.h"
#include "pintle/c/status.h"
#include "pintle/c/texel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an image is made. */
typedef struct pintle_image_options {
  uint32_t size;
  uint32_t access;   /* What kernels will do with it: PINTLE_ACCESS_...; 0: PINTLE_ACCESS_READ_WRITE. */
  const char* label; /* In messages; NULL: none. */
  int64_t timeout;   /* As in pintle_buffer_options. */
} pintle_image_options;

/* What an image is. */
typedef struct pintle_image_info {
  uint32_t size;
  uint32_t texel; /* PINTLE_TEXEL_... */
  uint32_t width; /* Texels. */
  uint32_t height;
  uint32_t depth;  /* 0: the image has two dimensions. */
  uint32_t access; /* PINTLE_ACCESS_... */
  uint64_t bytes;  /* The size of its texels, one behind another. */
} pintle_image_info;

/* A part of an image, and how its rows lie in a buffer. `{sizeof p, 0}` is the whole image without gaps. */
typedef struct pintle_image_part {
  uint32_t size;
  uint32_t x; /* The first texel. */
  uint32_t y;
  uint32_t z;
  uint32_t width; /* Texels. Where width, height and depth are 0, the part reaches to the end of the image. */
  uint32_t height;
  uint32_t depth; /* 0, beside a width: one slice. */
  uint32_t reserved;
  uint64_t row_bytes;   /* From one row in the buffer to the next: a multiple of the texel's bytes. 0: no gaps. */
  uint64_t slice_bytes; /* From one slice in the buffer to the next: a multiple of the row's bytes. 0: no gaps. */
} pintle_image_part;

/* What a device can do with one texel. */
typedef struct pintle_texel_support {
  uint32_t size;
  uint32_t image_access;  /* What kernels may do with an image of it: PINTLE_ACCESS_...; 0: there are no such images. */
  uint32_t is_filtered;   /* 1: PINTLE_FILTER_LINEAR may read such an image. */
  uint32_t buffer_access; /* What kernels may do with a texel buffer of it; 0: there are no such texel buffers. */
} pintle_texel_support;

/* The limits of a device on images and texel buffers. */
typedef struct pintle_image_limits {
  uint32_t size;
  uint32_t max_image_2d;     /* Texels of a side of an image of two dimensions; 0: there are no images. */
  uint32_t max_image_3d;     /* Texels of a side of an image of three dimensions; 0: there are none. */
  uint32_t max_texel_buffer; /* Texels of a texel buffer; 0: there are none. */
  uint32_t texel_alignment;  /* Bytes: the offset of a texel buffer is a multiple of it. */
  uint32_t reserved;
} pintle_image_limits;

/* What the device can do with a texel (PINTLE_TEXEL_...). Any thread. */
PINTLE_C_API pintle_status pintle_device_texel_support(pintle_device device, uint32_t texel,
                                                       pintle_texel_support* support, pintle_error* error);
/* The device's limits on images and texel buffers. Any thread. */
PINTLE_C_API pintle_status pintle_device_image_limits(pintle_device device, pintle_image_limits* limits,
                                                      pintle_error* error);

/* Makes an image with undefined contents; a `depth` of 0 makes one of two dimensions. `options` may be NULL.
 * PINTLE_UNSUPPORTED where the device has no images, or not of this texel for this access; the text has those that it
 * has. PINTLE_INVALID_ARGUMENT for a width or a height of 0 and for a side beyond the limit. PINTLE_OUT_OF_MEMORY,
 * which poisons nothing. Any thread. */
PINTLE_C_API pintle_status pintle_image_create(pintle_device device, uint32_t texel, uint32_t width, uint32_t height,
                                               uint32_t depth, const pintle_image_options* options, pintle_image* image,
                                               pintle_error* error);
/* What the image is. Any thread. */
PINTLE_C_API pintle_status pintle_image_get_info(pintle_image image, pintle_image_info* info, pintle_error* error);
/* Frees the image, when the last submission that uses it has ended. Never blocks. A list that uses it and is submitted
 * afterwards is PINTLE_STALE. Any thread. */
PINTLE_C_API pintle_status pintle_image_release(pintle_image image, pintle_error* error);

/* Copies texels of a buffer to an image, or to a part of it; `part` may be NULL. The rows begin at the view's first
 * byte, and the view has at least their bytes. Its offset is a multiple of the texel's bytes. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_copy_to_image(pintle_list list, pintle_image to, const pintle_view* from,
                                                     const pintle_image_part* part, pintle_error* error);
/* Copies texels of an image, or of a part of it, to a buffer: as above. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_copy_from_image(pintle_list list, const pintle_view* to, pintle_image from,
                                                       const pintle_image_part* part, pintle_error* error);
/* As pintle_list_copy_to_image, from the buffer that each replay binds to slot `from`, below 1024. One thread at a
 * time. */
PINTLE_C_API pintle_status pintle_list_copy_slot_to_image(pintle_list list, pintle_image to, uint32_t from,
                                                          const pintle_image_part* part, pintle_error* error);
/* As pintle_list_copy_from_image, to the buffer that each replay binds to slot `to`, below 1024. One thread at a time.
 */
PINTLE_C_API pintle_status pintle_list_copy_image_to_slot(pintle_list list, uint32_t to, pintle_image from,
                                                          const pintle_image_part* part, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
