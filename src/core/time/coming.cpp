#include "core/time/coming.h"

#include <algorithm>
#include <map>
#include <span>
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
    while (!news_.empty()) {
      const std::size_t place = news_.back();
      news_.pop_back();
      for (const std::size_t way : questions_[place].needed_by) pass(ways_[way]);
    }
  }

  [[nodiscard]] bool comes(std::size_t place) const noexcept { return questions_[place].comes; }
  [[nodiscard]] bool come(const std::vector<Point>& points) {
    return std::ranges::all_of(points, [&](const Point& point) { return comes(ask(point)); });
  }

 private:
  /// A submission that brings the point of a question. It needs points itself; `missing` of them are not known to come.
  struct Way {
    std::size_t question = 0;
    std::size_t missing = 0;
  };
  struct Question {
    Point point;
    std::vector<std::size_t> needed_by;  // ways
    bool comes = false;
  };

  // A point that fails counts as coming: nothing waits for it any more.
  void look_into(std::size_t place) {
    const Point point = questions_[place].point;
    const auto signal = Inside::signal(point);
    for (const NativePoint& promised : signal->promised(point.value())) {
      std::vector<Point> waits;
      if (promised.queue->add_waits(promised.serial, waits)) add_way(place, waits);
    }
    // After the promises were read, since a point that is over has none.
    if (signal->timeline().status(point.value()) != PointStatus::pending) note(place);
  }

  void add_way(std::size_t place, const std::vector<Point>& waits) {
    const std::size_t way = ways_.size();
    ways_.push_back({place, waits.size()});
    for (const Point& wait : waits) questions_[ask(wait)].needed_by.push_back(way);
    if (waits.empty()) note(place);
  }

  void pass(Way& way) {
    if (--way.missing == 0) note(way.question);
  }

  void note(std::size_t place) {
    if (!std::exchange(questions_[place].comes, true)) news_.push_back(place);
  }

  std::vector<Question> questions_;
  std::vector<Way> ways_;
  std::vector<std::size_t> news_;  // questions of which it is newly known that their points come
  std::map<std::pair<const SignalState*, std::uint64_t>, std::size_t> places_;
};

}  // namespace

std::vector<bool> which_come(std::span<const std::vector<Point>> lists) {
  Coming coming;
  for (const auto& points : lists) {
    for (const Point& point : points) coming.ask(point);
  }
  coming.look_into_all();
  std::vector<bool> comes;
  comes.reserve(lists.size());
  for (const auto& points : lists) comes.push_back(coming.come(points));
  return comes;
}

}  // namespace pintle::core
