// The three kernels of edges.c for one work-item: a pixel. Items beyond the picture do nothing; a pixel outside it has
// the value of the nearest one inside.

// draw: whole numbers only, so that every device draws the same bytes. At most 32767 pixels wide and high.
int squared(int value) { return value * value; }
int distance_of(int a, int b) { return a < b ? b - a : a - b; }

uchar shade(int x, int y, int width, int height) {
  const int from_rings = squared(x - width / 3) + squared(y - height * 3 / 8);
  const int from_diamond = distance_of(x, width * 3 / 4) + distance_of(y, height * 3 / 8);
  int value = 30 + (x >> 4);
  value = from_rings < squared(height * 5 / 16) ? 230 : value;
  value = from_rings < squared(height * 3 / 16) ? 60 : value;
  value = from_rings < squared(height / 16) ? 250 : value;
  value = from_diamond < height / 4 ? (((x >> 5) + (y >> 5)) & 1 ? 200 : 90) : value;
  value = y >= height * 3 / 4 ? (((x * x) >> 14) & 1 ? 220 : 40) : value;
  return (uchar)value;
}

kernel void draw(uint width, uint height, global uchar* picture) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  picture[(size_t)y * width + x] = shade((int)x, (int)y, (int)width, (int)height);
}

// Index `at` - `back`, moved inside.
uint clamped(uint at, uint back, uint count) { return at < back ? 0 : min(at - back, count - 1); }

// blur: 5 x 5, Gaussian with a standard deviation of 1 pixel, cut off and normalised; first down the columns, then along
// the row. Every item computes its five columns itself.
float weigh(float far_1, float near_1, float centre, float near_2, float far_2) {
  return 0.054488685f * (far_1 + far_2) + 0.24420135f * (near_1 + near_2) + 0.40261996f * centre;
}

float down_column(global const uchar* picture, const size_t* rows, uint x) {
  return weigh(picture[rows[0] + x], picture[rows[1] + x], picture[rows[2] + x], picture[rows[3] + x], picture[rows[4] + x]);
}

kernel void blur(uint width, uint height, global const uchar* restrict picture, global float* restrict blurred) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  size_t rows[5];
  float columns[5];
  for (uint k = 0; k < 5; ++k) rows[k] = (size_t)clamped(y + k, 2, height) * width;
  for (uint k = 0; k < 5; ++k) columns[k] = down_column(picture, rows, clamped(x + k, 2, width));
  blurred[(size_t)y * width + x] = weigh(columns[0], columns[1], columns[2], columns[3], columns[4]);
}

// sobel: the length of the gradient.
kernel void sobel(uint width, uint height, global const float* restrict blurred, global float* restrict edges) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const uint left = clamped(x, 1, width), right = clamped(x + 1, 0, width);
  global const float* above = blurred + (size_t)clamped(y, 1, height) * width;
  global const float* here = blurred + (size_t)y * width;
  global const float* below = blurred + (size_t)clamped(y + 1, 0, height) * width;
  const float across = (above[right] - above[left]) + 2 * (here[right] - here[left]) + (below[right] - below[left]);
  const float down = (below[left] - above[left]) + 2 * (below[x] - above[x]) + (below[right] - above[right]);
  edges[(size_t)y * width + x] = sqrt(across * across + down * down);
}
