#include "examples/demo/oracle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace demo {
namespace {

/// Pixels by row and column; beyond the border lies the nearest pixel.
template <class T>
class Grid {
 public:
  Grid(const std::vector<T>& values, std::uint32_t width, std::uint32_t height)
      : values_(values), width_(width), height_(height) {}

  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const {
    const auto y = std::clamp<std::int64_t>(row, 0, height_ - 1), x = std::clamp<std::int64_t>(column, 0, width_ - 1);
    return static_cast<double>(values_[static_cast<std::size_t>(y * width_ + x)]);
  }

 private:
  const std::vector<T>& values_;
  std::int64_t width_, height_;
};

template <std::size_t n>
using Weights = std::array<std::array<double, n>, n>;

/// Sum of the neighbours of a pixel, each times its weight.
template <std::size_t n, class T>
double weighted(const Grid<T>& grid, const Weights<n>& weights, std::int64_t row, std::int64_t column) {
  constexpr auto reach = static_cast<std::int64_t>(n / 2);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      sum += weights[i][j] *
             grid.at(row + static_cast<std::int64_t>(i) - reach, column + static_cast<std::int64_t>(j) - reach);
    }
  }
  return sum;
}

Weights<5> gaussian() {
  Weights<5> weights;
  double total = 0;
  for (int i = -2; i <= 2; ++i) {
    for (int j = -2; j <= 2; ++j) {
      const double weight = std::exp(-(i * i + j * j) / 2.0);
      weights[static_cast<std::size_t>(i + 2)][static_cast<std::size_t>(j + 2)] = weight;
      total += weight;
    }
  }
  for (auto& row : weights) {
    for (double& weight : row) weight /= total;
  }
  return weights;
}

std::uint8_t drawn_pixel(double x, double y, double width, double height) {
  if (y >= std::floor(height * 3 / 4)) return std::fmod(std::floor(x * x / 16384), 2) == 1 ? 220 : 40;
  const double diamond = std::abs(x - std::floor(width * 3 / 4)) + std::abs(y - std::floor(height * 3 / 8));
  if (diamond < std::floor(height / 4)) return std::fmod(std::floor(x / 32) + std::floor(y / 32), 2) == 1 ? 200 : 90;
  const double radius = std::hypot(x - std::floor(width / 3), y - std::floor(height * 3 / 8));
  if (radius < std::floor(height / 16)) return 250;
  if (radius < std::floor(height * 3 / 16)) return 60;
  if (radius < std::floor(height * 5 / 16)) return 230;
  return static_cast<std::uint8_t>(30 + std::floor(x / 16));
}

}  // namespace

Picture drawn_picture(std::uint32_t width, std::uint32_t height) {
  Picture picture{width, height, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) picture.gray.push_back(drawn_pixel(x, y, width, height));
  }
  return picture;
}

std::vector<double> blurred(const Picture& picture) {
  const Grid grid(picture.gray, picture.width, picture.height);
  const auto weights = gaussian();
  std::vector<double> values;
  values.reserve(picture.gray.size());
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) values.push_back(weighted(grid, weights, y, x));
  }
  return values;
}

std::vector<double> sobel_edges(const std::vector<double>& values, std::uint32_t width, std::uint32_t height) {
  constexpr Weights<3> across{{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}};
  constexpr Weights<3> down{{{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};
  const Grid grid(values, width, height);
  std::vector<double> edges;
  edges.reserve(values.size());
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x)
      edges.push_back(std::hypot(weighted(grid, across, y, x), weighted(grid, down, y, x)));
  }
  return edges;
}

}  // namespace demo
