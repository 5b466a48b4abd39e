/* What the arguments of kernels know of images: texels, samplers, and the handle of an image. */
#ifndef PINTLE_C_TEXEL_H
#define PINTLE_C_TEXEL_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pintle_image {
  uint64_t id;
} pintle_image; /* Texels in a layout that the device chooses. */

/* One texel: its channels, and how each is stored. The names are those of GLSL. */
enum {
  PINTLE_TEXEL_R8 = 1, /* Bytes that kernels read as [0, 1]. */
  PINTLE_TEXEL_RG8 = 2,
  PINTLE_TEXEL_RGBA8 = 3,
  PINTLE_TEXEL_R8_SNORM = 4, /* Bytes that kernels read as [-1, 1]. */
  PINTLE_TEXEL_RG8_SNORM = 5,
  PINTLE_TEXEL_RGBA8_SNORM = 6,
  PINTLE_TEXEL_R8UI = 7,
  PINTLE_TEXEL_RG8UI = 8,
  PINTLE_TEXEL_RGBA8UI = 9,
  PINTLE_TEXEL_R8I = 10,
  PINTLE_TEXEL_RG8I = 11,
  PINTLE_TEXEL_RGBA8I = 12,
  PINTLE_TEXEL_R16 = 13,
  PINTLE_TEXEL_RG16 = 14,
  PINTLE_TEXEL_RGBA16 = 15,
  PINTLE_TEXEL_R16_SNORM = 16,
  PINTLE_TEXEL_RG16_SNORM = 17,
  PINTLE_TEXEL_RGBA16_SNORM = 18,
  PINTLE_TEXEL_R16UI = 19,
  PINTLE_TEXEL_RG16UI = 20,
  PINTLE_TEXEL_RGBA16UI = 21,
  PINTLE_TEXEL_R16I = 22,
  PINTLE_TEXEL_RG16I = 23,
  PINTLE_TEXEL_RGBA16I = 24,
  PINTLE_TEXEL_R32UI = 25,
  PINTLE_TEXEL_RG32UI = 26,
  PINTLE_TEXEL_RGBA32UI = 27,
  PINTLE_TEXEL_R32I = 28,
  PINTLE_TEXEL_RG32I = 29,
  PINTLE_TEXEL_RGBA32I = 30,
  PINTLE_TEXEL_R16F = 31,
  PINTLE_TEXEL_RG16F = 32,
  PINTLE_TEXEL_RGBA16F = 33,
  PINTLE_TEXEL_R32F = 34,
  PINTLE_TEXEL_RG32F = 35,
  PINTLE_TEXEL_RGBA32F = 36
};

/* What one channel is. */
enum {
  PINTLE_CHANNEL_UNORM8 = 0,
  PINTLE_CHANNEL_SNORM8 = 1,
  PINTLE_CHANNEL_U8 = 2,
  PINTLE_CHANNEL_I8 = 3,
  PINTLE_CHANNEL_UNORM16 = 4,
  PINTLE_CHANNEL_SNORM16 = 5,
  PINTLE_CHANNEL_U16 = 6,
  PINTLE_CHANNEL_I16 = 7,
  PINTLE_CHANNEL_U32 = 8,
  PINTLE_CHANNEL_I32 = 9,
  PINTLE_CHANNEL_F16 = 10,
  PINTLE_CHANNEL_F32 = 11
};

/* What a sampler reads between texels. */
enum {
  PINTLE_FILTER_NEAREST = 1,
  PINTLE_FILTER_LINEAR = 2 /* The texels around, weighted; not for texels of integers. */
};
/* What a sampler reads outside of an image. */
enum {
  PINTLE_ADDRESS_EDGE = 1,   /* The nearest texel. */
  PINTLE_ADDRESS_BORDER = 2, /* Zeros; where a texel has no alpha, OpenCL's kernels read 1 there. */
  PINTLE_ADDRESS_REPEAT = 3,
  PINTLE_ADDRESS_MIRROR = 4 /* Repeated, each second time reversed. */
};
/* What a sampler's coordinates count. */
enum {
  PINTLE_COORDINATES_NORMALIZED = 1, /* From 0 to 1 over each side. */
  PINTLE_COORDINATES_TEXELS = 2      /* Texels; with PINTLE_ADDRESS_EDGE or PINTLE_ADDRESS_BORDER only. */
};

/* What a texel is. The name lives for ever. */
typedef struct pintle_texel_info {
  uint32_t size;
  uint32_t channel;    /* PINTLE_CHANNEL_... */
  uint32_t channels;   /* 1, 2 or 4. */
  uint32_t bytes;      /* The size of one texel. */
  uint32_t is_integer; /* 1: kernels read and write integers, and no sampler filters it. */
  uint32_t reserved;
  const char* name; /* "rgba8" */
} pintle_texel_info;

/* What a texel is. PINTLE_INVALID_ARGUMENT for a number that is none. Any thread. */
PINTLE_C_API pintle_status pintle_texel_get_info(uint32_t texel, pintle_texel_info* info, pintle_error* error);
/* The texel of a name, for example "rgba8". PINTLE_NOT_FOUND lists the names. Any thread. */
PINTLE_C_API pintle_status pintle_texel_parse(const char* name, uint32_t* texel, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
