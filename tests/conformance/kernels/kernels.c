/* The kernels of the conformance suite. Compiled by the device when the suite loads it, and built into the suite as
 * well. */

#define KERNEL(name) void conform_##name(const pintle_group* group, void* const* arguments)

/* Items of the group in one dimension, cut at `end`. */
#define FOR_ITEMS(name, axis, end)                                                                           \
  for (uint64_t name = (uint64_t)group->id[axis] * group->size[axis], name##_end = name + group->size[axis]; \
       name < name##_end && name < (end); ++name)

KERNEL(saxpy) {
  const float a = *(const float*)arguments[0];
  const float* x = arguments[1];
  float* y = arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  FOR_ITEMS(i, 0, n) y[i] = a * x[i] + y[i];
}

/* out[z][y][x] = its own index, and nothing outside. */
KERNEL(fill_index) {
  uint32_t* out = arguments[0];
  const uint32_t width = *(const uint32_t*)arguments[1];
  const uint32_t height = *(const uint32_t*)arguments[2];
  const uint32_t depth = *(const uint32_t*)arguments[3];
  FOR_ITEMS(z, 2, depth) {
    FOR_ITEMS(y, 1, height) {
      FOR_ITEMS(x, 0, width) out[(z * height + y) * width + x] = (uint32_t)((z * 1000 + y) * 1000 + x);
    }
  }
}

/* Nine numbers of each group: its id, the counts, the sizes. */
KERNEL(record_groups) {
  uint32_t* out = arguments[0];
  const uint64_t index = ((uint64_t)group->id[2] * group->count[1] + group->id[1]) * group->count[0] + group->id[0];
  for (int axis = 0; axis < 3; ++axis) {
    out[index * 9 + (uint64_t)axis] = group->id[axis];
    out[index * 9 + 3 + (uint64_t)axis] = group->count[axis];
    out[index * 9 + 6 + (uint64_t)axis] = group->size[axis];
  }
}

/* out[g] = the sum of the 64 items of group g, halved again and again in local memory. */
KERNEL(reduce) {
  const uint32_t* in = arguments[0];
  uint32_t* out = arguments[1];
  const uint32_t n = *(const uint32_t*)arguments[2];
  uint32_t* local = group->local;
  for (uint32_t i = 0; i < group->size[0]; ++i) {
    const uint64_t at = (uint64_t)group->id[0] * group->size[0] + i;
    local[i] = at < n ? in[at] : 0;
  }
  for (uint32_t half = group->size[0] / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; ++i) local[i] += local[i + half];
  }
  out[group->id[0]] = local[0];
}

/* x = x * m + a: no two of these commute. */
KERNEL(affine) {
  uint32_t* x = arguments[0];
  const uint32_t m = *(const uint32_t*)arguments[1];
  const uint32_t a = *(const uint32_t*)arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  FOR_ITEMS(i, 0, n) x[i] = x[i] * m + a;
}

/* to = from + add. */
KERNEL(add_to) {
  const uint32_t* from = arguments[0];
  uint32_t* to = arguments[1];
  const uint32_t add = *(const uint32_t*)arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  FOR_ITEMS(i, 0, n) to[i] = from[i] + add;
}

/* Counts the groups that ran: group g adds one to out[g]. */
KERNEL(count_groups) {
  uint32_t* out = arguments[0];
  const uint64_t index = ((uint64_t)group->id[2] * group->count[1] + group->id[1]) * group->count[0] + group->id[0];
  out[index] += 1;
}

/* Writes to memory that no argument names. */
KERNEL(store_at) {
  const uint64_t address = *(const uint64_t*)arguments[0];
  const uint32_t value = *(const uint32_t*)arguments[1];
  const uint32_t n = *(const uint32_t*)arguments[2];
  FOR_ITEMS(i, 0, n)((uint32_t*)(uintptr_t)address)[i] = value;
}

KERNEL(nothing) {
  (void)group;
  (void)arguments;
}

/* Bytes of a dtype are moved, not understood: one pair of kernels for each size, under the name of each dtype. */
#define DTYPE_KERNELS(name, type)                      \
  KERNEL(put_##name) {                                 \
    const type value = *(const type*)arguments[0];     \
    type* out = arguments[1];                          \
    const uint32_t n = *(const uint32_t*)arguments[2]; \
    FOR_ITEMS(i, 0, n) out[i] = value;                 \
  }                                                    \
  KERNEL(copy_##name) {                                \
    const type* from = arguments[0];                   \
    type* to = arguments[1];                           \
    const uint32_t n = *(const uint32_t*)arguments[2]; \
    FOR_ITEMS(i, 0, n) to[i] = from[i];                \
  }

DTYPE_KERNELS(bool, uint8_t)
DTYPE_KERNELS(i8, int8_t)
DTYPE_KERNELS(i16, int16_t)
DTYPE_KERNELS(i32, int32_t)
DTYPE_KERNELS(i64, int64_t)
DTYPE_KERNELS(u8, uint8_t)
DTYPE_KERNELS(u16, uint16_t)
DTYPE_KERNELS(u32, uint32_t)
DTYPE_KERNELS(u64, uint64_t)
DTYPE_KERNELS(f16, uint16_t)
DTYPE_KERNELS(bf16, uint16_t)
DTYPE_KERNELS(f32, uint32_t)
DTYPE_KERNELS(f64, uint64_t)
DTYPE_KERNELS(f8_e4m3fn, uint8_t)
DTYPE_KERNELS(f8_e5m2, uint8_t)
DTYPE_KERNELS(complex64, uint64_t)
