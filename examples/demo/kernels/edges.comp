// The three kernels of edges.c for one invocation, compiled once for each with PINTLE_ENTRY_<its name>. Pixels are bytes;
// they are read and written as words of four, which every device can.
#version 450
layout(local_size_x = PINTLE_GROUP_X, local_size_y = PINTLE_GROUP_Y, local_size_z = PINTLE_GROUP_Z) in;
layout(push_constant) uniform Scalars { uint width, height; };

// Index `at` - `back`, moved inside.
uint clamped(uint at, uint back, uint count) { return at < back ? 0 : min(at - back, count - 1); }

#ifdef PINTLE_ENTRY_draw
layout(set = 0, binding = 0) writeonly buffer Picture { uint picture[]; };

// Whole numbers only, so that every device draws the same bytes. At most 32767 pixels wide and high.
int squared(int value) { return value * value; }

uint shade(int x, int y) {
  const int w = int(width), h = int(height);
  const int from_rings = squared(x - w / 3) + squared(y - h * 3 / 8);
  const int from_diamond = abs(x - w * 3 / 4) + abs(y - h * 3 / 8);
  int value = 30 + (x >> 4);
  if (from_rings < squared(h * 5 / 16)) value = 230;
  if (from_rings < squared(h * 3 / 16)) value = 60;
  if (from_rings < squared(h / 16)) value = 250;
  if (from_diamond < h / 4) value = (((x >> 5) + (y >> 5)) & 1) != 0 ? 200 : 90;
  if (y >= h * 3 / 4) value = (((x * x) >> 14) & 1) != 0 ? 220 : 40;
  return uint(value);
}

// Nobody else writes this invocation's word: four pixels in the order of the memory, which may lie in two rows.
void main() {
  const uint word = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
  const uint first = 4 * word, pixels = width * height;
  if (first >= pixels) return;
  uint four = 0, x = first % width, y = first / width;
  for (uint k = 0; k < 4 && first + k < pixels; ++k) {
    four |= shade(int(x), int(y)) << (8 * k);
    y += x + 1 == width ? 1 : 0;
    x = x + 1 == width ? 0 : x + 1;
  }
  picture[word] = four;
}
#endif

#ifdef PINTLE_ENTRY_blur
layout(set = 0, binding = 0) readonly buffer Picture { uint picture[]; };
layout(set = 0, binding = 1) writeonly buffer Blurred { float blurred[]; };

float pixel(uint x, uint y) {
  const uint at = y * width + x;
  return float((picture[at >> 2] >> (8 * (at & 3))) & 255);
}

// 5 x 5, Gaussian with a standard deviation of 1 pixel, cut off and normalised; first down the columns, then along the
// row.
float weigh(float far_1, float near_1, float centre, float near_2, float far_2) {
  return 0.054488685 * (far_1 + far_2) + 0.24420135 * (near_1 + near_2) + 0.40261996 * centre;
}

float down_column(uint x, uint rows[5]) {
  return weigh(pixel(x, rows[0]), pixel(x, rows[1]), pixel(x, rows[2]), pixel(x, rows[3]), pixel(x, rows[4]));
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= width || y >= height) return;
  uint rows[5];
  float columns[5];
  for (uint k = 0; k < 5; ++k) rows[k] = clamped(y + k, 2, height);
  for (uint k = 0; k < 5; ++k) columns[k] = down_column(clamped(x + k, 2, width), rows);
  blurred[y * width + x] = weigh(columns[0], columns[1], columns[2], columns[3], columns[4]);
}
#endif

#ifdef PINTLE_ENTRY_sobel
layout(set = 0, binding = 0) readonly buffer Blurred { float blurred[]; };
layout(set = 0, binding = 1) writeonly buffer Edges { float edges[]; };

float value(uint x, uint y) { return blurred[y * width + x]; }

// The length of the gradient.
void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= width || y >= height) return;
  const uint left = clamped(x, 1, width), right = clamped(x + 1, 0, width);
  const uint above = clamped(y, 1, height), below = clamped(y + 1, 0, height);
  const float across = (value(right, above) - value(left, above)) + 2 * (value(right, y) - value(left, y)) +
                       (value(right, below) - value(left, below));
  const float down = (value(left, below) - value(left, above)) + 2 * (value(x, below) - value(x, above)) +
                     (value(right, below) - value(right, above));
  edges[y * width + x] = sqrt(across * across + down * down);
}
#endif
