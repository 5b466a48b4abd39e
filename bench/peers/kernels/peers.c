// The counter and saxpy for `cpu`. The text is also what the pack holds: Pintle compiles it on the machine that runs
// it.
void inc(const pintle_group* group, void* const* arguments) {
  (void)group;
  *(float*)arguments[0] += 1.0f;
}

void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0];
  const float* restrict x = arguments[1];
  float* restrict y = arguments[2];
  const uint32_t count = *(const uint32_t*)arguments[3];
  const uint32_t first = group->id[0] * group->size[0];
  const uint32_t last = count - first < group->size[0] ? count : first + group->size[0];
  for (uint32_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}
