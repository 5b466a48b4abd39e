#include "bench/peers/native/values.h"

#include <stdexcept>

namespace peers {
namespace {

float x_at(std::size_t index) { return static_cast<float>(index % 7); }

}  // namespace

std::vector<float> make_x(std::size_t elements) {
  std::vector<float> x(elements);
  for (std::size_t i = 0; i < elements; ++i) x[i] = x_at(i);
  return x;
}

std::vector<float> make_y(std::size_t elements) { return std::vector<float>(elements, 1.0F); }

void check_y(std::span<const float> y, long calls, const std::string& what) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float right = 1.0F + static_cast<float>(calls) * factor * x_at(i);
    if (y[i] != right)
      throw std::runtime_error(what + ": element " + std::to_string(i) + " is " + std::to_string(y[i]) + ", not " +
                               std::to_string(right) + ", after " + std::to_string(calls) + " calls");
  }
}

void check_counter(float counter, long launches) {
  if (counter != static_cast<float>(launches))
    throw std::runtime_error("the counter is " + std::to_string(counter) + ", not " + std::to_string(launches));
}

void check_transfer(const std::vector<float>& to, const std::vector<float>& from) {
  if (to != from) throw std::runtime_error("transfer: other bytes came back");
}

}  // namespace peers
