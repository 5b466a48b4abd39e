// Images and samplers, as include/pintle/native/cpu_kernel.h has them. What is known of an argument comes from the
// functions pintle_image_* and pintle_sampler_*, which are the plug-in's: where the signature says which texel it is,
// every choice below is made when the kernel is compiled.
#define IMAGE const __global uchar*
#define SAMPLER const __constant uchar*
#define AT(x) __builtin_astype(x, IMAGE)
#define BY(x) __builtin_astype(x, SAMPLER)
__global uchar* __attribute__((const)) pintle_image_texels(IMAGE image);
uint __attribute__((const)) pintle_image_width(IMAGE image);
uint __attribute__((const)) pintle_image_height(IMAGE image);
uint __attribute__((const)) pintle_image_depth(IMAGE image);
uint __attribute__((const)) pintle_image_texel(IMAGE image);
ulong __attribute__((const)) pintle_image_row(IMAGE image);
ulong __attribute__((const)) pintle_image_slice(IMAGE image);
uint __attribute__((const)) pintle_sampler_filter(SAMPLER sampler);
uint __attribute__((const)) pintle_sampler_address(SAMPLER sampler);
uint __attribute__((const)) pintle_sampler_coordinates(SAMPLER sampler);

// The numbers of pintle::Filter, pintle::Address and pintle::Coordinates. No address is the edge: nothing is read
// outside.
#define FILTER_LINEAR 2
#define ADDRESS_BORDER 2
#define ADDRESS_REPEAT 3
#define ADDRESS_MIRROR 4
#define COORDINATES_NORMALIZED 1

// What clang makes of `const sampler_t s = CLK_...`: a place in the table of all samplers.
#define ONE_SAMPLER(bits) {(bits) >> 4 & 3, (bits) >> 1 & 7, (bits) & 1 ? 1 : 2, 0},
#define FOUR_SAMPLERS(bits) ONE_SAMPLER(bits) ONE_SAMPLER((bits) + 1) ONE_SAMPLER((bits) + 2) ONE_SAMPLER((bits) + 3)
#define SIXTEEN_SAMPLERS(bits) \
  FOUR_SAMPLERS(bits) FOUR_SAMPLERS((bits) + 4) FOUR_SAMPLERS((bits) + 8) FOUR_SAMPLERS((bits) + 12)
static __constant uchar pintle_samplers[64][4] = {SIXTEEN_SAMPLERS(0) SIXTEEN_SAMPLERS(16) SIXTEEN_SAMPLERS(32) SIXTEEN_SAMPLERS(48)};
SAMPLER __translate_sampler_initializer(uint bits) { return pintle_samplers[bits & 63]; }

// Texels of the kinds of channels, in the order of pintle::Channel; three texels of each: r, rg and rgba.
#define CHANNEL(texel) (((texel) - 1) / 3)
#define IS_RGBA(texel) (((texel) - 1) % 3 == 2)
#define HAS_GREEN(texel) (((texel) - 1) % 3 != 0)
#define UNORM8 0
#define SNORM8 1
#define UINT8 2
#define INT8 3
#define UNORM16 4
#define SNORM16 5
#define UINT16 6
#define INT16 7
#define UINT32 8
#define INT32 9
#define FLOAT16 10
#define FLOAT32 11

#define READ_AS(kind, T, of) \
  case kind: { \
    const __global T* const c = (const __global T*)p; \
    v.x = of(c[0]); \
    if (HAS_GREEN(texel)) v.y = of(c[1]); \
    if (IS_RGBA(texel)) { v.z = of(c[2]); v.w = of(c[3]); } \
    break; \
  }
#define WRITE_AS(kind, T, to) \
  case kind: { \
    __global T* const c = (__global T*)p; \
    c[0] = to(v.x); \
    if (HAS_GREEN(texel)) c[1] = to(v.y); \
    if (IS_RGBA(texel)) { c[2] = to(v.z); c[3] = to(v.w); } \
    break; \
  }
#define OF_UNORM8(c) ((float)(c) / 255.0f)
#define OF_SNORM8(c) fmax((float)(c) / 127.0f, -1.0f)
#define OF_UNORM16(c) ((float)(c) / 65535.0f)
#define OF_SNORM16(c) fmax((float)(c) / 32767.0f, -1.0f)
#define AS_FLOAT(c) ((float)(c))
#define AS_INT(c) ((int)(c))
#define AS_UINT(c) ((uint)(c))
// To the nearest; what is no number becomes the least.
#define NEAREST(v, least, most) rint(fmin(fmax((v) * (most), (least) * (most)), (most)))
#define TO_UNORM8(v) ((uchar)NEAREST(v, 0.0f, 255.0f))
#define TO_SNORM8(v) ((char)NEAREST(v, -1.0f, 127.0f))
#define TO_UNORM16(v) ((ushort)NEAREST(v, 0.0f, 65535.0f))
#define TO_SNORM16(v) ((short)NEAREST(v, -1.0f, 32767.0f))
#define AS_HALF(v) ((half)(v))

INLINE float4 pintle_read_float4(const __global uchar* p, uint texel) {
  float4 v = (float4)(0, 0, 0, 1);
  switch (CHANNEL(texel)) {
    READ_AS(UNORM8, uchar, OF_UNORM8)
    READ_AS(SNORM8, char, OF_SNORM8)
    READ_AS(UNORM16, ushort, OF_UNORM16)
    READ_AS(SNORM16, short, OF_SNORM16)
    READ_AS(FLOAT16, half, AS_FLOAT)
    READ_AS(FLOAT32, float, AS_FLOAT)
  }
  return v;
}
INLINE int4 pintle_read_int4(const __global uchar* p, uint texel) {
  int4 v = (int4)(0, 0, 0, 1);
  switch (CHANNEL(texel)) {
    READ_AS(INT8, char, AS_INT)
    READ_AS(INT16, short, AS_INT)
    READ_AS(INT32, int, AS_INT)
  }
  return v;
}
INLINE uint4 pintle_read_uint4(const __global uchar* p, uint texel) {
  uint4 v = (uint4)(0, 0, 0, 1);
  switch (CHANNEL(texel)) {
    READ_AS(UINT8, uchar, AS_UINT)
    READ_AS(UINT16, ushort, AS_UINT)
    READ_AS(UINT32, uint, AS_UINT)
  }
  return v;
}
INLINE void pintle_write_float4(__global uchar* p, uint texel, float4 v) {
  switch (CHANNEL(texel)) {
    WRITE_AS(UNORM8, uchar, TO_UNORM8)
    WRITE_AS(SNORM8, char, TO_SNORM8)
    WRITE_AS(UNORM16, ushort, TO_UNORM16)
    WRITE_AS(SNORM16, short, TO_SNORM16)
    WRITE_AS(FLOAT16, half, AS_HALF)
    WRITE_AS(FLOAT32, float, AS_FLOAT)
  }
}
INLINE void pintle_write_int4(__global uchar* p, uint texel, int4 v) {
  switch (CHANNEL(texel)) {
    WRITE_AS(INT8, char, convert_char_sat)
    WRITE_AS(INT16, short, convert_short_sat)
    WRITE_AS(INT32, int, AS_INT)
  }
}
INLINE void pintle_write_uint4(__global uchar* p, uint texel, uint4 v) {
  switch (CHANNEL(texel)) {
    WRITE_AS(UINT8, uchar, convert_uchar_sat)
    WRITE_AS(UINT16, ushort, convert_ushort_sat)
    WRITE_AS(UINT32, uint, AS_UINT)
  }
}

// How one coordinate falls on a side of the image: the texels before and behind it, and how far it is from the first to
// the second. A texel of the border is -1.
struct pintle_steps {
  int before, behind;
  float share;
};
INLINE int pintle_whole(float x, float least, float most) { return (int)fmin(fmax(x, least), most); }
INLINE int pintle_inside(int i, int side, uint address) {
  const int inside = clamp(i, 0, side - 1);
  return address == ADDRESS_BORDER && inside != i ? -1 : inside;
}
INLINE float pintle_mirrored(float s) { return fabs(s - 2.0f * rint(0.5f * s)); }
INLINE int pintle_nearest(float s, int side, SAMPLER sampler) {
  const uint address = pintle_sampler_address(sampler);
  const float w = side;
  if (address == ADDRESS_REPEAT) {
    const int i = pintle_whole((s - floor(s)) * w, 0, w);
    return i == side ? 0 : i;
  }
  if (address == ADDRESS_MIRROR) return pintle_whole(pintle_mirrored(s) * w, 0, w - 1);
  const float u = pintle_sampler_coordinates(sampler) == COORDINATES_NORMALIZED ? s * w : s;
  return pintle_inside(pintle_whole(floor(u), -1, w), side, address);
}
INLINE struct pintle_steps pintle_around(float s, int side, SAMPLER sampler) {
  const uint address = pintle_sampler_address(sampler);
  const float w = side;
  const bool is_repeated = address == ADDRESS_REPEAT, is_mirrored = address == ADDRESS_MIRROR;
  const float scale = pintle_sampler_coordinates(sampler) == COORDINATES_NORMALIZED ? w : 1.0f;
  const float u = (is_repeated ? s - floor(s) : is_mirrored ? pintle_mirrored(s) : s) * scale - 0.5f;
  const int i = pintle_whole(floor(u), -2, w);
  struct pintle_steps steps = {i, i + 1, u - floor(u)};
  if (is_repeated) {
    if (i < 0) steps.before = i + side;
    if (i + 1 >= side) steps.behind = i + 1 - side;
  }
  steps.before = pintle_inside(steps.before, side, address);
  steps.behind = pintle_inside(steps.behind, side, address);
  return steps;
}

INLINE __global uchar* pintle_place(IMAGE image, int x, int y, int z) {
  const uint texel = pintle_image_texel(image), channel = CHANNEL(texel);
  const uint bytes = channel <= INT8 ? 1 : channel <= INT16 || channel == FLOAT16 ? 2 : 4;
  return pintle_image_texels(image) + (ulong)(uint)z * pintle_image_slice(image) + (ulong)(uint)y * pintle_image_row(image) +
         (ulong)(uint)x * (bytes << (texel - 1) % 3);
}

// A coordinate is a texel's, or -1 for the border: zeros, and an alpha of 1 where the texel has none.
#define READ_AT(R) \
  INLINE R pintle_##R##_at(IMAGE image, int x, int y, int z) { \
    const uint texel = pintle_image_texel(image); \
    const R v = pintle_read_##R(pintle_place(image, max(x, 0), max(y, 0), max(z, 0)), texel); \
    return (x | y | z) >= 0 ? v : (R)(0, 0, 0, IS_RGBA(texel) ? 0 : 1); \
  }
READ_AT(float4) READ_AT(int4) READ_AT(uint4)

INLINE int pintle_nearest_depth(float z, IMAGE image, SAMPLER sampler, uint dimensions) {
  return dimensions == 2 ? 0 : pintle_nearest(z, pintle_image_depth(image), sampler);
}
INLINE float4 pintle_line(IMAGE image, struct pintle_steps x, int y, int z) {
  return mix(pintle_float4_at(image, x.before, y, z), pintle_float4_at(image, x.behind, y, z), x.share);
}
INLINE float4 pintle_plane(IMAGE image, struct pintle_steps x, struct pintle_steps y, int z) {
  return mix(pintle_line(image, x, y.before, z), pintle_line(image, x, y.behind, z), y.share);
}
INLINE float4 pintle_linear(IMAGE image, SAMPLER sampler, float4 at, uint dimensions) {
  const struct pintle_steps x = pintle_around(at.x, pintle_image_width(image), sampler);
  const struct pintle_steps y = pintle_around(at.y, pintle_image_height(image), sampler);
  if (dimensions == 2) return pintle_plane(image, x, y, 0);
  const struct pintle_steps z = pintle_around(at.z, pintle_image_depth(image), sampler);
  return mix(pintle_plane(image, x, y, z.before), pintle_plane(image, x, y, z.behind), z.share);
}

// Read through a sampler, at a place between texels and at a texel, and without a sampler. Without one, and where a
// sampler does not say what is outside, nothing is read there either.
#define SAMPLED(R) \
  INLINE R pintle_nearest_##R(IMAGE image, SAMPLER sampler, float4 at, uint dimensions) { \
    return pintle_##R##_at(image, pintle_nearest(at.x, pintle_image_width(image), sampler), \
                           pintle_nearest(at.y, pintle_image_height(image), sampler), \
                           pintle_nearest_depth(at.z, image, sampler, dimensions)); \
  } \
  INLINE R pintle_whole_##R(IMAGE image, uint address, int4 at, uint dimensions) { \
    return pintle_##R##_at(image, pintle_inside(at.x, pintle_image_width(image), address), \
                           pintle_inside(at.y, pintle_image_height(image), address), \
                           dimensions == 2 ? 0 : pintle_inside(at.z, pintle_image_depth(image), address)); \
  }
SAMPLED(float4) SAMPLED(int4) SAMPLED(uint4)
INLINE float4 pintle_sampled_float4(IMAGE image, SAMPLER sampler, float4 at, uint dimensions) {
  if (pintle_sampler_filter(sampler) == FILTER_LINEAR) return pintle_linear(image, sampler, at, dimensions);
  return pintle_nearest_float4(image, sampler, at, dimensions);
}
INLINE int4 pintle_sampled_int4(IMAGE image, SAMPLER sampler, float4 at, uint dimensions) {
  return pintle_nearest_int4(image, sampler, at, dimensions);
}
INLINE uint4 pintle_sampled_uint4(IMAGE image, SAMPLER sampler, float4 at, uint dimensions) {
  return pintle_nearest_uint4(image, sampler, at, dimensions);
}

// What lies outside is not written.
#define WRITE_AT(V) \
  INLINE void pintle_put_##V(IMAGE image, int x, int y, int z, uint dimensions, V v) { \
    if ((uint)x >= pintle_image_width(image) || (uint)y >= pintle_image_height(image)) return; \
    if (dimensions == 3 && (uint)z >= pintle_image_depth(image)) return; \
    pintle_write_##V(pintle_place(image, x, y, z), pintle_image_texel(image), v); \
  }
WRITE_AT(float4) WRITE_AT(int4) WRITE_AT(uint4)

#define PLACE2(T, at) ((T)((at).x, (at).y, 0, 0))
#define PLACE3(T, at) (at)
#define READ_THROUGH(f, V, R, access, N, M) \
  OVERLOAD V f(access image##N##d_t image, sampler_t sampler, float##M at) { \
    return __builtin_convertvector(pintle_sampled_##R(AT(image), BY(sampler), PLACE##N(float4, at), N), V); \
  } \
  OVERLOAD V f(access image##N##d_t image, sampler_t sampler, int##M at) { \
    return __builtin_convertvector(pintle_whole_##R(AT(image), pintle_sampler_address(BY(sampler)), PLACE##N(int4, at), N), V); \
  }
#define READ_PLAIN(f, V, R, access, N, M) \
  OVERLOAD V f(access image##N##d_t image, int##M at) { \
    return __builtin_convertvector(pintle_whole_##R(AT(image), 0, PLACE##N(int4, at), N), V); \
  }
#define WRITE(f, V, R, access, N, M) \
  OVERLOAD void f(access image##N##d_t image, int##M at, V v) { \
    pintle_put_##R(AT(image), at.x, at.y, PLACE##N(int4, at).z, N, __builtin_convertvector(v, R)); \
  }
#define EACH_KIND(F, name, access, N, M) \
  F(name##f, float4, float4, access, N, M) F(name##i, int4, int4, access, N, M) \
  F(name##ui, uint4, uint4, access, N, M) F(name##h, half4, float4, access, N, M)
#define EACH_IMAGE(F, name, access) EACH_KIND(F, name, access, 2, 2) EACH_KIND(F, name, access, 3, 4)
EACH_IMAGE(READ_THROUGH, read_image, read_only)
EACH_IMAGE(READ_PLAIN, read_image, read_only)
EACH_IMAGE(READ_PLAIN, read_image, read_write)
EACH_IMAGE(WRITE, write_image, write_only)
EACH_IMAGE(WRITE, write_image, read_write)

// A texel buffer is one row.
#define READ_BUFFER(f, V, R, access) \
  OVERLOAD V f(access image1d_buffer_t image, int x) { \
    return __builtin_convertvector(pintle_whole_##R(AT(image), 0, (int4)(x, 0, 0, 0), 2), V); \
  }
#define WRITE_BUFFER(f, V, R, access) \
  OVERLOAD void f(access image1d_buffer_t image, int x, V v) { \
    pintle_put_##R(AT(image), x, 0, 0, 2, __builtin_convertvector(v, R)); \
  }
#define EACH_BUFFER(F, name, access) \
  F(name##f, float4, float4, access) F(name##i, int4, int4, access) \
  F(name##ui, uint4, uint4, access) F(name##h, half4, float4, access)
EACH_BUFFER(READ_BUFFER, read_image, read_only)
EACH_BUFFER(READ_BUFFER, read_image, read_write)
EACH_BUFFER(WRITE_BUFFER, write_image, write_only)
EACH_BUFFER(WRITE_BUFFER, write_image, read_write)

INLINE int pintle_order(uint texel) { return IS_RGBA(texel) ? CLK_RGBA : HAS_GREEN(texel) ? CLK_RG : CLK_R; }
INLINE int pintle_data_type(uint texel) {
  switch (CHANNEL(texel)) {
    case UNORM8: return CLK_UNORM_INT8;
    case SNORM8: return CLK_SNORM_INT8;
    case UINT8: return CLK_UNSIGNED_INT8;
    case INT8: return CLK_SIGNED_INT8;
    case UNORM16: return CLK_UNORM_INT16;
    case SNORM16: return CLK_SNORM_INT16;
    case UINT16: return CLK_UNSIGNED_INT16;
    case INT16: return CLK_SIGNED_INT16;
    case UINT32: return CLK_UNSIGNED_INT32;
    case INT32: return CLK_SIGNED_INT32;
    case FLOAT16: return CLK_HALF_FLOAT;
  }
  return CLK_FLOAT;
}
#define ASK(access, type) \
  OVERLOAD int get_image_width(access type image) { return pintle_image_width(AT(image)); } \
  OVERLOAD int get_image_channel_order(access type image) { return pintle_order(pintle_image_texel(AT(image))); } \
  OVERLOAD int get_image_channel_data_type(access type image) { return pintle_data_type(pintle_image_texel(AT(image))); }
#define ASK_HEIGHT(access, type) \
  OVERLOAD int get_image_height(access type image) { return pintle_image_height(AT(image)); }
#define ASK_EACH(access) \
  ASK(access, image1d_buffer_t) ASK(access, image2d_t) ASK(access, image3d_t) \
  ASK_HEIGHT(access, image2d_t) ASK_HEIGHT(access, image3d_t) \
  OVERLOAD int2 get_image_dim(access image2d_t image) { return (int2)(get_image_width(image), get_image_height(image)); } \
  OVERLOAD int get_image_depth(access image3d_t image) { return pintle_image_depth(AT(image)); } \
  OVERLOAD int4 get_image_dim(access image3d_t image) { \
    return (int4)(get_image_width(image), get_image_height(image), get_image_depth(image), 0); \
  }
ASK_EACH(read_only) ASK_EACH(write_only) ASK_EACH(read_write)
