/* The kernels of the conformance suite for OpenCL: the same functions as kernels.c, an item each. */

#pragma OPENCL FP_CONTRACT OFF
#define KERNEL kernel void

KERNEL conform_saxpy(float a, global const float* x, global float* y, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL conform_fill_index(global uint* out, uint width, uint height, uint depth) {
  const uint x = (uint)get_global_id(0);
  const uint y = (uint)get_global_id(1);
  const uint z = (uint)get_global_id(2);
  if (x < width && y < height && z < depth) out[(z * height + y) * width + x] = (z * 1000 + y) * 1000 + x;
}

KERNEL conform_record_groups(global uint* out) {
  if (get_local_id(0) != 0 || get_local_id(1) != 0 || get_local_id(2) != 0) return;
  const size_t index = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  for (uint axis = 0; axis < 3; ++axis) {
    out[index * 9 + axis] = (uint)get_group_id(axis);
    out[index * 9 + 3 + axis] = (uint)get_num_groups(axis);
    out[index * 9 + 6 + axis] = (uint)get_local_size(axis);
  }
}

KERNEL conform_reduce(global const uint* in, global uint* out, uint n) {
  local uint sums[64];
  const uint item = (uint)get_local_id(0);
  const size_t at = get_global_id(0);
  sums[item] = at < n ? in[at] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 32; half_size > 0; half_size /= 2) {
    if (item < half_size) sums[item] += sums[item + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) out[get_group_id(0)] = sums[0];
}

KERNEL conform_affine(global uint* x, uint m, uint a, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) x[i] = x[i] * m + a;
}

KERNEL conform_add_to(global const uint* from, global uint* to, uint add, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) to[i] = from[i] + add;
}

KERNEL conform_count_groups(global uint* out) {
  out[(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] += 1;
}

/* Writes to memory that no argument names. Launched only where the suite learns an address. */
KERNEL conform_store_at(ulong address, uint value, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) ((global uint*)address)[i] = value;
}

KERNEL conform_nothing(void) {}

/* Bytes of a dtype are moved, not understood. */
#define DTYPE_KERNELS(name, type)                                           \
  KERNEL conform_put_##name(type value, global type* out, uint n) {         \
    const size_t i = get_global_id(0);                                      \
    if (i < n) out[i] = value;                                              \
  }                                                                         \
  KERNEL conform_copy_##name(global const type* from, global type* to, uint n) { \
    const size_t i = get_global_id(0);                                      \
    if (i < n) to[i] = from[i];                                             \
  }

DTYPE_KERNELS(bool, uchar)
DTYPE_KERNELS(i8, char)
DTYPE_KERNELS(i16, short)
DTYPE_KERNELS(i32, int)
DTYPE_KERNELS(i64, long)
DTYPE_KERNELS(u8, uchar)
DTYPE_KERNELS(u16, ushort)
DTYPE_KERNELS(u32, uint)
DTYPE_KERNELS(u64, ulong)
DTYPE_KERNELS(f16, ushort)
DTYPE_KERNELS(bf16, ushort)
DTYPE_KERNELS(f32, float)
DTYPE_KERNELS(f64, ulong)
DTYPE_KERNELS(f8_e4m3fn, uchar)
DTYPE_KERNELS(f8_e5m2, uchar)
DTYPE_KERNELS(complex64, float2)
