#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer From { int from[]; };
layout(set = 0, binding = 1, std430) buffer To { int to[]; };
void main() { atomicAdd(to[gl_LocalInvocationID.x], from[0]); }
