#include "core/time/coming.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/inside.h"
#include "core/time/signal_state.h"

namespace pintle::core {
namespace {

/// A search for the points that come by themselves. Points that wait for each other never come: a point comes only if
/// it follows from points that do.
class Coming {
 public:
  /// The place of a question. It may have been asked before.
  std::size_t ask(const Point& point) {
    const auto [known, is_new] = places_.try_emplace({Inside::signal(point).get(), point.value()}, questions_.size());
    if (is_new) questions_.push_back({point, {}, false});
    return known->second;
  }

  void look_into_all() {
    for (std::size_t next = 0; next < questions_.size(); ++next) look_into(next);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t place = questions_.size(); place-- != 0;) {
        Question& question = questions_[place];
        if (question.comes || std::ranges::none_of(question.ways, [&](const Way& way) { return is_open(way); }))
          continue;
        again = question.comes = true;
      }
    }
  }

  [[nodiscard]] bool comes(std::size_t place) const noexcept { return questions_[place].comes; }

 private:
  using Way = std::vector<std::size_t>;  // all these points must come
  struct Question {
    Point point;
    std::vector<Way> ways;  // the point comes if one way is open
    bool comes = false;
  };

  // A point that fails counts as coming: nothing waits for it any more.
  void look_into(std::size_t place) {
    const Point point = questions_[place].point;
    const auto signal = Inside::signal(point);
    const auto is_over = [&] { return signal->timeline().status(point.value()) != PointStatus::pending; };
    std::vector<Way> ways;
    for (const NativePoint& promised : signal->promised(point.value())) {
      std::vector<Point> waits;
      if (!promised.queue->add_waits(promised.serial, waits)) continue;
      Way& way = ways.emplace_back();
      for (const Point& wait : waits) way.push_back(ask(wait));
    }
    questions_[place].ways = std::move(ways);
    questions_[place].comes = is_over();  // after the promises were read, since a point that is over has none
  }

  [[nodiscard]] bool is_open(const Way& way) const noexcept {
    return std::ranges::all_of(way, [&](std::size_t place) { return comes(place); });
  }

  std::vector<Question> questions_;
  std::map<std::pair<const SignalState*, std::uint64_t>, std::size_t> places_;
};

}  // namespace

bool come_by_themselves(const std::vector<Point>& points) {
  Coming coming;
  for (const Point& point : points) coming.ask(point);
  coming.look_into_all();
  return std::ranges::all_of(points, [&](const Point& point) { return coming.comes(coming.ask(point)); });
}

std::vector<Point> left_behind(const Point& first, const std::vector<Point>& others) {
  Coming coming;
  coming.ask(first);
  for (const Point& point : others) coming.ask(point);
  coming.look_into_all();
  std::vector<Point> left;
  if (!coming.comes(coming.ask(first))) return left;
  std::ranges::copy_if(others, std::back_inserter(left),
                       [&](const Point& point) { return !coming.comes(coming.ask(point)); });
  return left;
}

std::optional<NativePoint> may_run_on(const Point& point) {
  const SignalState& signal = *Inside::signal(point);
  const bool has_failed = signal.timeline().status(point.value()) == PointStatus::failed;
  return has_failed && signal.belongs_to_queue() ? signal.native_point(point.value()) : std::nullopt;
}

}  // namespace pintle::core
