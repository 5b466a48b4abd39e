// A plan as SVG: lifetimes from left to right, offsets from the bottom up, the chunks one above the other.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/contain.h"
#include "pintle/planner.h"
#include "plan/step_relation.h"

namespace pintle {
namespace {

constexpr double width = 1200, height = 700, margin = 40;
constexpr double most_with_names = 400;

/// The first step of a value, and one more than the last.
using Span = std::pair<std::uint64_t, std::uint64_t>;

bool is_drawn(const PlannedValue& value) { return value.assignment != Assignment::external && value.size != 0; }

Result<std::vector<Span>> spans_on_line(const PlanProblem& problem) {
  Span all{PlanProblem::no_limit, 0};
  for (const PlanValue& value : problem.values) {
    if (value.lifetime == Lifetime::persistent || value.lower >= value.upper) continue;
    all = {std::min(all.first, value.lower), std::max(all.second, value.upper)};
  }
  if (all.first >= all.second) all = {0, 1};
  std::vector<Span> spans;
  for (const PlanValue& value : problem.values)
    spans.push_back(value.lifetime == Lifetime::persistent ? all : Span{value.lower, value.upper});
  return spans;
}

Result<std::vector<Span>> spans_in_order(const PlanProblem& problem) {
  PINTLE_ASSIGN(relation, plan::StepRelation::create(*problem.order));
  std::vector<std::uint64_t> place(relation.steps());
  for (std::size_t i = 0; i < place.size(); ++i) place[relation.order()[i]] = i;
  std::vector<Span> spans;
  for (const PlanValue& value : problem.values) {
    Span span{place.size(), 0};
    for (const std::uint32_t use : value.uses) {
      if (use >= place.size())
        return Error(Errc::invalid_argument,
                     fmt::format("Step {} is not below the number of steps ({}).", use, place.size()));
      span = {std::min(span.first, place[use]), std::max(span.second, place[use] + 1)};
    }
    const Span whole{0, std::max<std::uint64_t>(1, place.size())};
    spans.push_back(value.lifetime == Lifetime::persistent || value.uses.empty() ? whole : span);
  }
  return spans;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (c == '&') result += "&amp;";
    else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) result += '?';
    else result += c;
  }
  return result;
}

/// Converts steps and bytes to places in the picture.
class Canvas {
 public:
  Canvas(const Plan& plan, const std::vector<Span>& spans) : plan_(plan) {
    for (const std::uint64_t chunk : plan.chunks()) {
      bases_.push_back(bytes_);
      bytes_ += static_cast<double>(chunk);
    }
    begin_ = spans.empty() ? 0 : static_cast<double>(std::ranges::min(spans, {}, &Span::first).first);
    const double end = spans.empty() ? 1 : static_cast<double>(std::ranges::max(spans, {}, &Span::second).second);
    steps_ = std::max(1.0, end - begin_);
    bytes_ = std::max(1.0, bytes_);
    fmt::format_to(out(),
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
                   "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                   width + 2 * margin, height + 2 * margin);
    caption();
  }

  void value(std::size_t index, const PlannedValue& value, const Span& span) {
    const double left = x(static_cast<double>(span.first)), right = x(static_cast<double>(span.second));
    const double base = bases_[value.chunk] + static_cast<double>(value.offset);
    const double top = y(base + static_cast<double>(value.size)), bottom = y(base);
    fmt::format_to(out(),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"hsl({},60%,75%)\" "
                   "stroke=\"#333\" stroke-width=\"0.5\"><title>{}: chunk {}, offset {}, size {}, steps {} to "
                   "{}</title></rect>\n",
                   left, top, right - left, bottom - top, index * 137 % 360, escaped(value.name), value.chunk,
                   value.offset, value.size, span.first, span.second);
    if (static_cast<double>(plan_.values().size()) > most_with_names || bottom - top < 12 || right - left < 24) return;
    fmt::format_to(out(), "<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left + 3, (top + bottom) / 2 + 4,
                   escaped(value.name.substr(0, static_cast<std::size_t>((right - left) / 8))));
  }

  [[nodiscard]] std::string end() {
    for (std::size_t i = 1; i < bases_.size(); ++i) line(y(bases_[i]), "#c00");
    if (plan_.chunks().size() == 1) line(y(static_cast<double>(plan_.lower_bound())), "#06c");
    fmt::format_to(out(), "</svg>\n");
    return fmt::to_string(text_);
  }

 private:
  [[nodiscard]] std::back_insert_iterator<fmt::memory_buffer> out() { return std::back_inserter(text_); }
  [[nodiscard]] double x(double step) const { return margin + (step - begin_) * width / steps_; }
  [[nodiscard]] double y(double byte) const { return margin + height - byte * height / bytes_; }
  void line(double at, std::string_view colour) {
    fmt::format_to(out(), "<line x1=\"{}\" x2=\"{}\" y1=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n", margin,
                   margin + width, at, at, colour);
  }
  void caption() {
    fmt::format_to(out(), "<text x=\"{}\" y=\"{}\">total {} bytes, lower bound {}, {} values</text>\n", margin,
                   margin - 12, plan_.total(), plan_.lower_bound(), plan_.values().size());
  }

  const Plan& plan_;
  fmt::memory_buffer text_;
  std::vector<double> bases_;
  double bytes_ = 0, begin_ = 0, steps_ = 1;
};

}  // namespace

Result<std::string> picture(const PlanProblem& problem, const Plan& plan) {
  return base::contain("drawing a plan", [&]() -> Result<std::string> {
    PINTLE_TRY(check(problem, plan));
    PINTLE_ASSIGN(spans, problem.order ? spans_in_order(problem) : spans_on_line(problem));
    Canvas canvas(plan, spans);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (is_drawn(plan.values()[i])) canvas.value(i, plan.values()[i], spans[i]);
    }
    return canvas.end();
  });
}

}  // namespace pintle
