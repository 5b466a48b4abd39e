#include "cli/collective_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

namespace pintle::cli {
namespace {

constexpr double width = 760, height = 420, left = 70, top = 50, right = 270, bottom = 60;
constexpr std::size_t ticks = 5;

/// One line of the picture.
struct Series {
  std::string name;
  std::vector<const CollectiveRow*> rows;
};

std::string series_name(const CollectiveRow& row) {
  std::string text(name(row.operation));
  if (row.dtype) text += fmt::format(" {}", name(*row.dtype));
  if (row.reduction) text += fmt::format(" {}", name(*row.reduction));
  return text;
}

std::vector<Series> series_of(std::span<const CollectiveRow> rows) {
  std::vector<Series> all;
  for (const CollectiveRow& row : rows) {
    if (row.bytes == 0) continue;
    const std::string name = series_name(row);
    if (all.empty() || all.back().name != name) all.push_back({name, {}});
    all.back().rows.push_back(&row);
  }
  return all;
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

/// The least step out of 1, 2, 5, 10, 20 ... with which `ticks` steps reach `most`.
double tick_step(double most) {
  const double least = most / static_cast<double>(ticks);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= least) return digit * power;
  }
  return 10 * power;
}

class Chart {
 public:
  Chart(const CollectiveSubject& subject, const std::vector<Series>& all) {
    double most = 0, least_size = 0x1p63, most_size = 1;
    for (const Series& series : all) {
      for (const CollectiveRow* row : series.rows) {
        most = std::max(most, row->bus_bandwidth);
        least_size = std::min(least_size, static_cast<double>(row->bytes));
        most_size = std::max(most_size, static_cast<double>(row->bytes));
      }
    }
    step_ = most > 0 ? tick_step(most) : 1;
    first_ = std::floor(std::log2(std::min(least_size, most_size)));
    powers_ = std::max(1.0, std::ceil(std::log2(most_size)) - first_);
    begin(subject, all.size());
    size_axis();
    bandwidth_axis();
  }

  void series(std::size_t index, const Series& series) {
    const auto hue = index * 137 % 360;
    add("<polyline fill=\"none\" stroke=\"hsl({},70%,40%)\" stroke-width=\"2\" points=\"", hue);
    for (const CollectiveRow* row : series.rows) add("{:.1f},{:.1f} ", x(*row), y(row->bus_bandwidth));
    add("\"/>\n");
    for (const CollectiveRow* row : series.rows)
      add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"hsl({},70%,40%)\"><title>{}, {} bytes: {:.4g} GB/s, "
          "{:.4g} us</title></circle>\n",
          x(*row), y(row->bus_bandwidth), hue, series.name, row->bytes, row->bus_bandwidth, row->p50_us);
    const double at = top + 10 + 20 * static_cast<double>(index);
    add("<rect x=\"{}\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"hsl({},70%,40%)\"/>\n", left + width + 20, at,
        hue);
    text(left + width + 40, at + 6, "start", series.name);
  }

  [[nodiscard]] std::string end() {
    add("</svg>\n");
    return fmt::to_string(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void text(double at_x, double at_y, std::string_view anchor, std::string_view words) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at_x, at_y, anchor, words);
  }
  void line(double x1, double y1, double x2, double y2) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ccc\"/>\n", x1, y1, x2, y2);
  }

  /// Begins a picture as high as the axes and the names beside them need.
  void begin(const CollectiveSubject& subject, std::size_t names) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        left + width + right, std::max(top + height + bottom, top + 20 * static_cast<double>(names + 1)));
    text(left, top - 24, "start",
         fmt::format("Bus bandwidth over size: {} ranks, transport {}", subject.ranks, subject.transport));
  }

  /// Powers of two, at most about ten of them.
  void size_axis() {
    const double stride = std::ceil(powers_ / 10);
    for (double power = 0; power <= powers_; power += stride) {
      const double at = left + power * width / powers_;
      line(at, top, at, top + height);
      text(at, top + height + 18, "middle", size_text(std::exp2(first_ + power)));
    }
    text(left + width / 2, top + height + 42, "middle", "size of the larger buffer");
  }

  void bandwidth_axis() {
    for (std::size_t i = 0; i <= ticks; ++i) {
      const double value = step_ * static_cast<double>(i);
      line(left, y(value), left + width, y(value));
      text(left - 8, y(value) + 4, "end", fmt::format("{:.4g}", value));
    }
    text(left - 8, top - 8, "end", "GB/s");
  }

  [[nodiscard]] double x(const CollectiveRow& row) const {
    return left + (std::log2(static_cast<double>(row.bytes)) - first_) * width / powers_;
  }
  [[nodiscard]] double y(double bandwidth) const {
    return top + height - bandwidth * height / (step_ * static_cast<double>(ticks));
  }

  fmt::memory_buffer text_;
  double step_ = 1, first_ = 0, powers_ = 1;
};

}  // namespace

std::string picture(const CollectiveSubject& subject, std::span<const CollectiveRow> rows) {
  const auto all = series_of(rows);
  Chart chart(subject, all);
  for (std::size_t i = 0; i < all.size(); ++i) chart.series(i, all[i]);
  return chart.end();
}

}  // namespace pintle::cli
