// The values that every native worker computes with, and their checks. A check throws where a value is wrong.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace peers {

constexpr float factor = 0.5F;                      // the a of saxpy
constexpr std::size_t transfer_floats = 16U << 20;  // 64 MiB
constexpr std::size_t first_elements = 1000;        // the saxpy of a cold start
constexpr long chain_length = 100;

/// A part of the run that is a saxpy of so many elements.
struct Size {
  const char* part;
  std::size_t elements;
};
constexpr std::array<Size, 3> sizes{{{"saxpy_4Ki", 4096}, {"saxpy_1Mi", 1U << 20}, {"saxpy_16Mi", 16U << 20}}};

/// 0, 1, 2, 3, 4, 5, 6, 0, 1, ...
[[nodiscard]] std::vector<float> make_x(std::size_t elements);
/// Ones. After k saxpys y[i] is 1 + k * factor * x[i], which is exact in f32 for every k of a run.
[[nodiscard]] std::vector<float> make_y(std::size_t elements);

void check_y(std::span<const float> y, long calls, const std::string& what);
void check_counter(float counter, long launches);
void check_transfer(const std::vector<float>& to, const std::vector<float>& from);

}  // namespace peers
