#version 450

layout(local_size_x = PINTLE_GROUP_X) in;

#ifdef PINTLE_ENTRY_bench_turn
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Scalars { uint rounds; };

void main() {
  uint value = values[gl_GlobalInvocationID.x];
  for (uint i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  values[gl_GlobalInvocationID.x] = value;
}
#else
void main() {}
#endif
