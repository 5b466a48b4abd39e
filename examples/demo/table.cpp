// The table as text.
#include <array>
#include <cstdio>

#include "examples/demo/demo.h"
#include "examples/demo/pipeline.h"

namespace demo {
namespace {

constexpr std::size_t device_width = 18, kernel_width = 6, time_width = 9, rate_width = 8, difference_width = 18;

std::string on_the_left(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string on_the_right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string number_or_dash(const char* format, const std::optional<double>& value) {
  return value ? number(format, *value) : "-";
}

std::string columns(const std::string& device, const std::string& kernel, const std::string& time,
                    const std::string& rate) {
  return on_the_left(device, device_width) + " " + on_the_left(kernel, kernel_width) + " " +
         on_the_right(time, time_width) + " " + on_the_right(rate, rate_width);
}

std::string comparison_columns(const std::string& difference, const std::string& tolerance) {
  return "  " + on_the_right(difference, difference_width) + "  " + on_the_right(tolerance, time_width);
}

std::string measured(const Row& row) {
  std::string text = columns(row.device, row.kernel, number_or_dash("%.3f", row.milliseconds),
                             number_or_dash("%.2f", row.gigabytes_per_second));
  if (!row.comparison) return text;
  text += comparison_columns(number("%.3g", row.comparison->largest), number("%.3g", row.comparison->tolerance));
  return row.comparison->holds() ? text : text + "  TOO LARGE";
}

}  // namespace

std::string heading(const Picture& picture) {
  return std::to_string(picture.width) + " x " + std::to_string(picture.height) + " pixels; median of up to " +
         std::to_string(timed_runs) + " runs\n" + columns("device", "kernel", "ms", "GB/s") +
         comparison_columns("largest difference", "tolerance");
}

std::string line(const Row& row) {
  switch (row.kind) {
    case Row::Kind::skipped: return on_the_left(row.device, device_width) + " skipped: " + row.reason;
    case Row::Kind::failed: return on_the_left(row.device, device_width) + " fails: " + row.reason;
    case Row::Kind::absent: return on_the_left(row.device, device_width) + " not there: " + row.reason;
    case Row::Kind::kernel:
    case Row::Kind::all: break;
  }
  return measured(row);
}

}  // namespace demo
