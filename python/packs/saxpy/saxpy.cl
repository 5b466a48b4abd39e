/* y += a * x */
kernel void saxpy(const float a, const global float* x, global float* y, const uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
