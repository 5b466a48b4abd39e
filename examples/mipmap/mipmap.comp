#version 450
// Each texel becomes the mean of four: the sampler reads between them.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform texture2D from;
layout(set = 0, binding = 1) uniform sampler smoothly;
layout(set = 0, binding = 2, rgba8) uniform writeonly image2D to;
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
  if (all(lessThan(at, size)))
    imageStore(to, at, textureLod(sampler2D(from, smoothly), (vec2(at) + 0.5) / vec2(size), 0));
}
