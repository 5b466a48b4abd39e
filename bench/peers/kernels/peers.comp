#version 450
// The counter and saxpy in GLSL. The grid of saxpy has two dimensions: a device promises 65,535 groups in a row.
layout(local_size_x = PINTLE_GROUP_X) in;

#ifdef PINTLE_ENTRY_inc
layout(set = 0, binding = 0) buffer Y { float y[]; };

void main() { y[0] += 1.0; }
#else
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Scalars { float a; uint n; };

void main() {
  const uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * 256u;
  if (i < n) y[i] = a * x[i] + y[i];
}
#endif
