/* y += a * x, a work-group at a time. */
void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0];
  const float* x = arguments[1];
  float* y = arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  const uint32_t first = group->id[0] * 256;
  if (first >= n) return;
  const uint32_t end = n - first < 256 ? n : first + 256;
  for (uint32_t i = first; i < end; ++i) y[i] += a * x[i];
}
