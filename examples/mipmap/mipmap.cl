// Each texel becomes the mean of four: the sampler reads between them.
kernel void halve(read_only image2d_t in, sampler_t s, write_only image2d_t out) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(out);
  if (at.x < size.x && at.y < size.y)
    write_imagef(out, at, read_imagef(in, s, (convert_float2(at) + 0.5f) / convert_float2(size)));
}
