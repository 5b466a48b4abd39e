#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 1) in;
struct Item { mat3 turn; vec2 at[3]; };
layout(set = 0, binding = 2, std140) uniform Scalars { uint n; Item item; };
layout(set = 0, binding = 0, std430) readonly buffer In { uint from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint to[4]; uint more[]; };
void main() { to[0] = from[0] + n + uint(item.at[1].x) + uint(item.turn[1][2]); more[0] = 1; }
