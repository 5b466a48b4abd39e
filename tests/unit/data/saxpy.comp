#version 450
layout(local_size_x_id = 7, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 3) const uint SCALE = 2;
layout(constant_id = 4) const float SHIFT = 0.5;
layout(constant_id = 5) const bool NEGATE = false;
layout(push_constant) uniform Scalars { float a; uint n; };
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) buffer Y { float y[]; };
float twice(float value) { return NEGATE ? -value : value * float(SCALE) + SHIFT; }
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] = a * twice(x[i]) + y[i];
}
