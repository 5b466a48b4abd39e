#version 450
layout(local_size_x = 8) in;
layout(push_constant) uniform Scalars { float x; vec3 a; float b; };
layout(set = 0, binding = 0, std430) buffer Y { float y[]; };
shared vec3 tile[1000];
shared uint count;
void main() {
  tile[gl_LocalInvocationID.x] = a;
  count = 1;
  barrier();
  y[gl_GlobalInvocationID.x] = x + tile[count].y + b;
}
