// Each texel becomes the mean of four: the sampler reads between them.
kernel void halve(read_only image2d_t source, sampler_t smooth, write_only image2d_t result) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(result);
  if (at.x < size.x && at.y < size.y)
    write_imagef(result, at, read_imagef(source, smooth, (convert_float2(at) + 0.5f) / convert_float2(size)));
}
