// The kernels of the conformance suite for Vulkan: the same functions as kernels.c, an item each. Compiled once for each
// entry. Buffers are arrays of 32-bit words, so that devices without smaller or larger types run all of them.
#version 450

layout(local_size_x = PINTLE_GROUP_X, local_size_y = PINTLE_GROUP_Y, local_size_z = PINTLE_GROUP_Z) in;

#define WORDS(index, access, name) \
  layout(set = 0, binding = index, std430) access buffer Buffer##index { uint name[]; }

uint group_index() {
  return (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

#if defined(PINTLE_ENTRY_conform_saxpy)
layout(push_constant) uniform Scalars { float a; uint n; };
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) buffer Y { float y[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) {
    precise const float product = a * x[i];  // as without contraction
    precise const float sum = product + y[i];
    y[i] = sum;
  }
}

#elif defined(PINTLE_ENTRY_conform_fill_index)
layout(push_constant) uniform Scalars { uint width; uint height; uint depth; };
WORDS(0, writeonly, result);
void main() {
  const uvec3 at = gl_GlobalInvocationID;
  if (at.x < width && at.y < height && at.z < depth)
    result[(at.z * height + at.y) * width + at.x] = (at.z * 1000 + at.y) * 1000 + at.x;
}

#elif defined(PINTLE_ENTRY_conform_record_groups)
WORDS(0, writeonly, result);
void main() {
  if (gl_LocalInvocationID != uvec3(0)) return;
  for (uint axis = 0; axis < 3; ++axis) {
    result[group_index() * 9 + axis] = gl_WorkGroupID[axis];
    result[group_index() * 9 + 3 + axis] = gl_NumWorkGroups[axis];
    result[group_index() * 9 + 6 + axis] = gl_WorkGroupSize[axis];
  }
}

#elif defined(PINTLE_ENTRY_conform_reduce)
layout(push_constant) uniform Scalars { uint n; };
WORDS(0, readonly, values);
WORDS(1, writeonly, result);
shared uint sums[64];
void main() {
  const uint item = gl_LocalInvocationID.x;
  const uint at = gl_GlobalInvocationID.x;
  sums[item] = at < n ? values[at] : 0;
  barrier();
  for (uint half_size = 32; half_size > 0; half_size /= 2) {
    if (item < half_size) sums[item] += sums[item + half_size];
    barrier();
  }
  if (item == 0) result[gl_WorkGroupID.x] = sums[0];
}

#elif defined(PINTLE_ENTRY_conform_affine)
layout(push_constant) uniform Scalars { uint m; uint a; uint n; };
WORDS(0, , x);
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) x[i] = x[i] * m + a;
}

#elif defined(PINTLE_ENTRY_conform_add_to)
layout(push_constant) uniform Scalars { uint add; uint n; };
WORDS(0, readonly, from);
WORDS(1, writeonly, to);
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) to[i] = from[i] + add;
}

#elif defined(PINTLE_ENTRY_conform_count_groups)
WORDS(0, , result);
void main() { result[group_index()] += 1; }

#elif defined(PINTLE_ENTRY_conform_store_at)
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Target { uint word; };
layout(push_constant) uniform Scalars { uvec2 address; uint value; uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint carry;
  const uint low = uaddCarry(address.x, i * 4, carry);
  if (i < n) Target(uvec2(low, address.y + carry)).word = value;
}

#elif defined(PINTLE_ENTRY_conform_nothing)
void main() {}

// Bytes of a dtype that not every device has are moved as words. ITEM_BYTES is its size.
#else
#if defined(PINTLE_ENTRY_conform_put_bool) || defined(PINTLE_ENTRY_conform_put_i8) ||      \
    defined(PINTLE_ENTRY_conform_put_u8) || defined(PINTLE_ENTRY_conform_put_f8_e4m3fn) || \
    defined(PINTLE_ENTRY_conform_put_f8_e5m2)
#define PUTS
#define ITEM_BYTES 1
#elif defined(PINTLE_ENTRY_conform_put_i16) || defined(PINTLE_ENTRY_conform_put_u16) || \
    defined(PINTLE_ENTRY_conform_put_f16) || defined(PINTLE_ENTRY_conform_put_bf16)
#define PUTS
#define ITEM_BYTES 2
#elif defined(PINTLE_ENTRY_conform_put_i32)
#define PUTS
#define ITEM int
#elif defined(PINTLE_ENTRY_conform_put_u32)
#define PUTS
#define ITEM uint
#elif defined(PINTLE_ENTRY_conform_put_f32)
#define PUTS
#define ITEM float
#elif defined(PINTLE_ENTRY_conform_put_i64) || defined(PINTLE_ENTRY_conform_put_u64) || \
    defined(PINTLE_ENTRY_conform_put_f64) || defined(PINTLE_ENTRY_conform_put_complex64)
#define PUTS
#define ITEM_BYTES 8
#elif defined(PINTLE_ENTRY_conform_copy_bool) || defined(PINTLE_ENTRY_conform_copy_i8) ||      \
    defined(PINTLE_ENTRY_conform_copy_u8) || defined(PINTLE_ENTRY_conform_copy_f8_e4m3fn) ||   \
    defined(PINTLE_ENTRY_conform_copy_f8_e5m2)
#define ITEM_BYTES 1
#elif defined(PINTLE_ENTRY_conform_copy_i16) || defined(PINTLE_ENTRY_conform_copy_u16) || \
    defined(PINTLE_ENTRY_conform_copy_f16) || defined(PINTLE_ENTRY_conform_copy_bf16)
#define ITEM_BYTES 2
#elif defined(PINTLE_ENTRY_conform_copy_i32)
#define ITEM int
#elif defined(PINTLE_ENTRY_conform_copy_u32)
#define ITEM uint
#elif defined(PINTLE_ENTRY_conform_copy_f32)
#define ITEM float
#elif defined(PINTLE_ENTRY_conform_copy_i64) || defined(PINTLE_ENTRY_conform_copy_u64) || \
    defined(PINTLE_ENTRY_conform_copy_f64) || defined(PINTLE_ENTRY_conform_copy_complex64)
#define ITEM_BYTES 8
#endif

#ifdef ITEM
#define ITEM_BYTES 4
#elif ITEM_BYTES == 8
#define ITEM uvec2
#else
#define ITEM uint
#endif

#ifdef PUTS
layout(push_constant) uniform Scalars { ITEM value; uint n; };
layout(set = 0, binding = 0, std430) buffer To { ITEM to[]; };
ITEM item(uint i) { return value; }
#else
layout(push_constant) uniform Scalars { uint n; };
layout(set = 0, binding = 0, std430) readonly buffer From { ITEM from[]; };
layout(set = 0, binding = 1, std430) buffer To { ITEM to[]; };
#if ITEM_BYTES < 4
ITEM item(uint i) { return from[i * ITEM_BYTES / 4] >> (i * ITEM_BYTES % 4 * 8); }
#else
ITEM item(uint i) { return from[i]; }
#endif
#endif

#if ITEM_BYTES < 4
// The first item of a word writes all of its items, and keeps what is behind the last one.
void main() {
  const uint first = gl_GlobalInvocationID.x;
  const uint items = 4 / ITEM_BYTES;
  const uint ones = (1u << (8 * ITEM_BYTES)) - 1;
  if (first >= n || first % items != 0) return;
  uint word = to[first / items];
  for (uint k = 0; k < items && first + k < n; ++k) {
    const uint shift = k * 8 * ITEM_BYTES;
    word = (word & ~(ones << shift)) | ((item(first + k) & ones) << shift);
  }
  to[first / items] = word;
}
#else
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) to[i] = item(i);
}
#endif
#endif
