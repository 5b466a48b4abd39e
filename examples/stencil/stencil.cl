// Each inner cell becomes the mean of its four neighbours.
kernel void relax(global const float* from, global float* to, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  if (x >= width || y >= height) return;
  const bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  to[i] = edge ? from[i] : 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}
