// Three kernels on pictures of width * height pixels, row by row. A work-group is a tile of 512 x 32 pixels; a pixel
// outside the picture has the value of the nearest one inside. Indices are size_t: those never wrap, so loops over them
// vectorise.
#include <math.h>
#include <stddef.h>

typedef struct {
  size_t x, y, end_x, end_y;
} tile;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static tile tile_of(const pintle_group* group, size_t width, size_t height) {
  const size_t x = (size_t)group->id[0] * group->size[0], y = (size_t)group->id[1] * group->size[1];
  return (tile){x, y, least(x + group->size[0], width), least(y + group->size[1], height)};
}

// Index `at` - `back`, moved inside.
static size_t clamped(size_t at, size_t back, size_t count) { return at < back ? 0 : least(at - back, count - 1); }

static int32_t squared(int32_t value) { return value * value; }
static int32_t distance(int32_t a, int32_t b) { return a < b ? b - a : a - b; }

// draw(width: u32, height: u32, picture: write u8[]): rings, a chequered diamond and stripes on a gradient; whole
// numbers only, so that every device draws the same bytes. At most 32767 pixels wide and high.
static uint8_t shade(int32_t x, int32_t y, int32_t width, int32_t height) {
  const int32_t from_rings = squared(x - width / 3) + squared(y - height * 3 / 8);
  const int32_t from_diamond = distance(x, width * 3 / 4) + distance(y, height * 3 / 8);
  int32_t value = 30 + (x >> 4);
  value = from_rings < squared(height * 5 / 16) ? 230 : value;
  value = from_rings < squared(height * 3 / 16) ? 60 : value;
  value = from_rings < squared(height / 16) ? 250 : value;
  value = from_diamond < height / 4 ? (((x >> 5) + (y >> 5)) & 1 ? 200 : 90) : value;
  value = y >= height * 3 / 4 ? (((x * x) >> 14) & 1 ? 220 : 40) : value;
  return (uint8_t)value;
}

void draw(const pintle_group* group, void* const* arguments) {
  const uint32_t width = *(const uint32_t*)arguments[0], height = *(const uint32_t*)arguments[1];
  const tile t = tile_of(group, width, height);
  for (size_t y = t.y; y < t.end_y; ++y) {
    uint8_t* restrict row = (uint8_t*)arguments[2] + y * width;
    for (size_t x = t.x; x < t.end_x; ++x) row[x] = shade((int32_t)x, (int32_t)y, (int32_t)width, (int32_t)height);
  }
}

// blur(width: u32, height: u32, picture: read u8[], blurred: write f32[]): 5 x 5, Gaussian with a standard deviation of
// 1 pixel, cut off and normalised; first down the columns into local memory, then along the row.
static float weigh(float far_1, float near_1, float centre, float near_2, float far_2) {
  return 0.054488685f * (far_1 + far_2) + 0.24420135f * (near_1 + near_2) + 0.40261996f * centre;
}

static float down_column(const uint8_t* const rows[5], size_t x) {
  return weigh(rows[0][x], rows[1][x], rows[2][x], rows[3][x], rows[4][x]);
}

void blur(const pintle_group* group, void* const* arguments) {
  const uint32_t width = *(const uint32_t*)arguments[0], height = *(const uint32_t*)arguments[1];
  const tile t = tile_of(group, width, height);
  float* restrict columns = group->local;  // of the tile, and two more on each side
  for (size_t y = t.y; y < t.end_y; ++y) {
    const uint8_t* rows[5];
    for (size_t k = 0; k < 5; ++k) rows[k] = (const uint8_t*)arguments[2] + clamped(y + k, 2, height) * width;
    for (size_t x = t.x; x < t.end_x; ++x) columns[x - t.x + 2] = down_column(rows, x);
    for (size_t k = 0; k < 2; ++k) {
      columns[k] = down_column(rows, clamped(t.x + k, 2, width));
      columns[t.end_x - t.x + 2 + k] = down_column(rows, clamped(t.end_x + k, 0, width));
    }
    float* restrict row = (float*)arguments[3] + y * width + t.x;
    for (size_t i = 0; i < t.end_x - t.x; ++i) {
      row[i] = weigh(columns[i], columns[i + 1], columns[i + 2], columns[i + 3], columns[i + 4]);
    }
  }
}

// sobel(width: u32, height: u32, blurred: read f32[], edges: write f32[]): the length of the gradient.
static float slope(const float* const rows[3], size_t left, size_t x, size_t right) {
  const float across =
      (rows[0][right] - rows[0][left]) + 2 * (rows[1][right] - rows[1][left]) + (rows[2][right] - rows[2][left]);
  const float down =
      (rows[2][left] - rows[0][left]) + 2 * (rows[2][x] - rows[0][x]) + (rows[2][right] - rows[0][right]);
  return sqrtf(across * across + down * down);
}

void sobel(const pintle_group* group, void* const* arguments) {
  const uint32_t width = *(const uint32_t*)arguments[0], height = *(const uint32_t*)arguments[1];
  const tile t = tile_of(group, width, height);
  const size_t last = width - 1, first_inside = t.x == 0 ? 1 : t.x, end_inside = least(t.end_x, last);
  for (size_t y = t.y; y < t.end_y; ++y) {
    const float* rows[3];
    for (size_t k = 0; k < 3; ++k) rows[k] = (const float*)arguments[2] + clamped(y + k, 1, height) * width;
    float* restrict row = (float*)arguments[3] + y * width;
    for (size_t x = first_inside; x < end_inside; ++x) row[x] = slope(rows, x - 1, x, x + 1);
    if (t.x == 0) row[0] = slope(rows, 0, 0, least(1, last));
    if (t.end_x == width) row[last] = slope(rows, clamped(last, 1, width), last, last);
  }
}
