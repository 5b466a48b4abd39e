// The counter and saxpy in OpenCL C, for Pintle, pyopencl and OpenCL by hand.
kernel void inc(global float* y) { y[0] += 1.0f; }

kernel void saxpy(float a, global const float* restrict x, global float* restrict y, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}
