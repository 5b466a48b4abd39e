// The validator. It deliberately shares no code with the solvers: it has its own sweep and reads the relation itself.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"
#include "pintle/planner.h"

namespace pintle {
namespace {

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

std::string named(const PlannedValue& value) { return fmt::format("[Value {}]", base::quote(value.name)); }

bool is_laid_out(const PlanValue& value) { return value.size != 0 && value.assignment != Assignment::external; }

Error overlap(const PlannedValue& a, const PlannedValue& b) {
  return wrong(
      fmt::format("{} (chunk {}, bytes {} to {}) and {} (chunk {}, bytes {} to {}) overlap while both are alive.",
                  named(a), a.chunk, a.offset, a.offset + a.size, named(b), b.chunk, b.offset, b.offset + b.size));
}

bool is_same(const PlanValue& wanted, const PlannedValue& planned) {
  return wanted.name == planned.name && wanted.size == planned.size && wanted.alignment == planned.alignment &&
         wanted.assignment == planned.assignment;
}

/// Checks each value alone: it is the problem's, aligned, inside its chunk, and at its fixed place if it has one.
Result<void> check_one(const PlanValue& wanted, const PlannedValue& planned, const Plan& plan) {
  if (!is_same(wanted, planned)) {
    return wrong(fmt::format("{} of the plan is not [Value {}] of the problem, with its size ({}) and alignment ({}).",
                             named(planned), base::quote(wanted.name), wanted.size, wanted.alignment));
  }
  if (!is_laid_out(wanted)) return {};
  if (wanted.alignment == 0 || planned.offset % wanted.alignment != 0) {
    return wrong(fmt::format("{} is misaligned: its offset ({}) is no multiple of its alignment ({}).", named(planned),
                             planned.offset, wanted.alignment));
  }
  const auto chunks = plan.chunks();
  const std::uint64_t bytes = planned.chunk < chunks.size() ? chunks[planned.chunk] : 0;
  if (wanted.size > bytes || planned.offset > bytes - wanted.size) {
    return wrong(fmt::format("{} (offset {}, size {}) leaves its chunk {} of {} bytes.", named(planned), planned.offset,
                             wanted.size, planned.chunk, bytes));
  }
  if (wanted.assignment == Assignment::fixed && (planned.chunk != wanted.chunk || planned.offset != wanted.offset)) {
    return wrong(fmt::format("{} lies at chunk {}, offset {}, but is fixed at chunk {}, offset {}.", named(planned),
                             planned.chunk, planned.offset, wanted.chunk, wanted.offset));
  }
  return {};
}

Result<void> check_each(const PlanProblem& problem, const Plan& plan) {
  if (plan.values().size() != problem.values.size()) {
    return wrong(
        fmt::format("The plan has {} values, the problem has {}.", plan.values().size(), problem.values.size()));
  }
  for (std::size_t i = 0; i < problem.values.size(); ++i)
    PINTLE_TRY(check_one(problem.values[i], plan.values()[i], plan));
  if (problem.largest_chunk == PlanProblem::no_limit && plan.chunks().size() > 1) {
    return wrong(
        fmt::format("The plan has {} chunks, but without a largest chunk there is one only.", plan.chunks().size()));
  }
  for (std::size_t i = 0; i < plan.chunks().size(); ++i) {
    if (plan.chunks()[i] <= problem.largest_chunk) continue;
    return wrong(
        fmt::format("Chunk {} ({} bytes) exceeds the largest chunk ({}).", i, plan.chunks()[i], problem.largest_chunk));
  }
  return {};
}

/// Pairs of values of which one may take the bytes of the other, found from either side.
class Pairs {
 public:
  explicit Pairs(const PlanProblem& problem) : problem_(problem) {
    for (const InPlace& pair : problem.in_place) pairs_.emplace(pair.from, pair.to);
  }

  /// Whether the pair was declared, has one offset, and its second value is not larger. The caller checks that the two
  /// meet in one step only.
  [[nodiscard]] bool allow(std::uint32_t from, std::uint32_t to, const Plan& plan) const {
    const PlannedValue &a = plan.values()[from], &b = plan.values()[to];
    return pairs_.contains({from, to}) && a.offset == b.offset && a.chunk == b.chunk && b.size <= a.size &&
           is_plain(problem_.values[from]) && is_plain(problem_.values[to]);
  }

 private:
  static bool is_plain(const PlanValue& value) {
    return value.assignment == Assignment::planned && value.lifetime == Lifetime::steps;
  }

  const PlanProblem& problem_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

/// Goes through the values from the earliest begin to the last end. Values that are alive are sorted by their place.
class LineSweep {
 public:
  LineSweep(const PlanProblem& problem, const Plan& plan) : problem_(problem), plan_(plan), pairs_(problem) {}

  [[nodiscard]] Result<void> run() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < problem_.values.size(); ++i) {
      if (is_laid_out(problem_.values[i])) order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(begin_of(i), i); });
    for (const std::uint32_t value : order) {
      while (!ends_.empty() && ends_.begin()->first <= begin_of(value)) remove_first();
      PINTLE_TRY(add(value));
    }
    return {};
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint64_t>;

  [[nodiscard]] bool is_persistent(std::uint32_t i) const {
    return problem_.values[i].lifetime == Lifetime::persistent;
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint32_t i) const {
    return is_persistent(i) ? 0 : problem_.values[i].lower;
  }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t i) const {
    return is_persistent(i) ? PlanProblem::no_limit : problem_.values[i].upper;
  }
  [[nodiscard]] Place place_of(std::uint32_t i) const { return {plan_.values()[i].chunk, plan_.values()[i].offset}; }

  void remove_first() {
    const std::uint32_t value = ends_.begin()->second;
    auto [place, end] = alive_.equal_range(place_of(value));
    while (place != end && place->second != value) ++place;
    alive_.erase(place);
    ends_.erase(ends_.begin());
  }

  [[nodiscard]] bool may_share(std::uint32_t a, std::uint32_t b) const {
    return (pairs_.allow(a, b, plan_) && end_of(a) - 1 == begin_of(b)) ||
           (pairs_.allow(b, a, plan_) && end_of(b) - 1 == begin_of(a));
  }

  [[nodiscard]] Result<void> add(std::uint32_t value) {
    const PlannedValue& one = plan_.values()[value];
    const auto meets = [&](std::uint32_t other) {
      const PlannedValue& two = plan_.values()[other];
      return one.chunk == two.chunk && one.offset < two.offset + two.size && two.offset < one.offset + one.size;
    };
    // Values that are alive do not overlap, except for pairs at one offset. So the values before this place end where
    // the group before ends.
    auto from = alive_.lower_bound(place_of(value));
    if (from != alive_.begin()) from = alive_.lower_bound(std::prev(from)->first);
    const auto to = alive_.lower_bound({one.chunk, one.offset + one.size});
    for (; from != to; ++from) {
      if (meets(from->second) && !may_share(from->second, value)) return overlap(plan_.values()[from->second], one);
    }
    alive_.emplace(place_of(value), value);
    ends_.emplace(end_of(value), value);
    return {};
  }

  const PlanProblem& problem_;
  const Plan& plan_;
  Pairs pairs_;
  std::multimap<Place, std::uint32_t> alive_;
  std::multimap<std::uint64_t, std::uint32_t> ends_;
};

/// The steps after each step, read anew from the relation.
class Order {
 public:
  /// The steps in an order that the relation allows; not all of them where some happen before themselves.
  explicit Order(const StepOrder& order) : later_(order.steps), place_(order.steps) {
    std::vector<std::uint32_t> waits(order.steps);
    for (const auto& [earlier, later] : order.before) {
      later_[earlier].push_back(later);
      ++waits[later];
    }
    for (std::uint32_t step = 0; step < order.steps; ++step) {
      if (waits[step] == 0) sorted_.push_back(step);
    }
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      place_[sorted_[i]] = static_cast<std::uint32_t>(i);
      for (const std::uint32_t later : later_[sorted_[i]]) {
        if (--waits[later] == 0) sorted_.push_back(later);
      }
    }
  }

  [[nodiscard]] std::size_t sorted() const { return sorted_.size(); }
  [[nodiscard]] std::uint32_t place(std::uint32_t step) const { return place_[step]; }
  [[nodiscard]] bool is_before(std::uint32_t step, std::uint32_t later) const { return after_[step][later]; }

  void close() {
    after_.assign(later_.size(), Row());
    for (auto step = sorted_.rbegin(); step != sorted_.rend(); ++step) {
      for (const std::uint32_t later : later_[*step]) {
        after_[*step] |= after_[later];
        after_[*step].set(later);
      }
    }
  }

 private:
  using Row = std::bitset<StepOrder::max_steps>;
  std::vector<std::vector<std::uint32_t>> later_;
  std::vector<std::uint32_t> sorted_, place_;
  std::vector<Row> after_;
};

/// Goes through the values by first use, and keeps for all bytes the last user. A value that shares with the last user
/// of bytes comes after it, and so after all users before it. Where two values meet in place, both are kept.
class RelationSweep {
 public:
  RelationSweep(const PlanProblem& problem, const Plan& plan)
      : problem_(problem), plan_(plan), pairs_(problem), order_(*problem.order) {}

  [[nodiscard]] Result<void> run() {
    if (order_.sorted() != problem_.order->steps) return wrong("Some steps of the relation happen before themselves.");
    order_.close();
    std::vector<std::uint32_t> values;
    for (std::uint32_t i = 0; i < problem_.values.size(); ++i) {
      if (is_laid_out(problem_.values[i])) values.push_back(i);
    }
    // A value comes before the value that takes its bytes in place, though both may begin at one step.
    std::ranges::sort(values, {}, [&](std::uint32_t i) {
      const auto [begin, end] = places_of(i);
      return std::tuple(begin, end, ~plan_.values()[i].size, i);
    });
    for (const std::uint32_t value : values) PINTLE_TRY(add(value));
    return {};
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint64_t>;
  struct Span {
    std::uint64_t end;
    std::vector<std::uint32_t> users;
  };
  using Spans = std::map<Place, Span>;
  enum class Meeting : std::uint8_t { forbidden, allowed };

  [[nodiscard]] bool is_persistent(std::uint32_t i) const {
    return problem_.values[i].lifetime == Lifetime::persistent;
  }
  /// The places of the first and the last use.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> places_of(std::uint32_t i) const {
    const auto& uses = problem_.values[i].uses;
    if (is_persistent(i) || uses.empty()) return {0, 0};
    const auto [first, last] = std::ranges::minmax(uses, {}, [&](std::uint32_t use) { return order_.place(use); });
    return {order_.place(first), order_.place(last)};
  }

  [[nodiscard]] bool is_before(std::uint32_t a, std::uint32_t b, Meeting meeting) const {
    std::optional<std::uint32_t> shared;
    for (const std::uint32_t use : problem_.values[a].uses) {
      for (const std::uint32_t other : problem_.values[b].uses) {
        const bool is_one = use == other && meeting == Meeting::allowed && shared.value_or(use) == use;
        if (is_one) shared = use;
        else if (!order_.is_before(use, other)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool may_share(std::uint32_t a, std::uint32_t b) const {
    if (is_persistent(a) || is_persistent(b)) return false;
    if (is_before(a, b, Meeting::forbidden) || is_before(b, a, Meeting::forbidden)) return true;
    return (pairs_.allow(a, b, plan_) && is_before(a, b, Meeting::allowed)) ||
           (pairs_.allow(b, a, plan_) && is_before(b, a, Meeting::allowed));
  }

  [[nodiscard]] Result<void> add(std::uint32_t value) {
    const PlannedValue& one = plan_.values()[value];
    const Place begin{one.chunk, one.offset}, end{one.chunk, one.offset + one.size};
    split(begin);
    split(end);
    std::vector<std::uint32_t> users{value};
    const auto from = spans_.lower_bound(begin), to = spans_.lower_bound(end);
    for (auto span = from; span != to; ++span) {
      for (const std::uint32_t user : span->second.users) {
        if (!may_share(user, value)) return overlap(plan_.values()[user], one);
        const bool is_known = std::ranges::find(users, user) != users.end();
        if (!is_known && !is_before(user, value, Meeting::forbidden)) users.push_back(user);
      }
    }
    spans_.erase(from, to);
    spans_.emplace(begin, Span{end.second, std::move(users)});
    return {};
  }

  /// Cuts a span that begins before the place and ends after it in two.
  void split(Place place) {
    auto span = spans_.lower_bound(place);
    if (span == spans_.begin()) return;
    --span;
    if (span->first.first != place.first || span->second.end <= place.second) return;
    spans_.emplace(place, span->second);
    span->second.end = place.second;
  }

  const PlanProblem& problem_;
  const Plan& plan_;
  Pairs pairs_;
  Order order_;
  Spans spans_;
};

Result<void> check_steps(const PlanProblem& problem) {
  const std::uint32_t steps = problem.order->steps;
  if (steps > StepOrder::max_steps) {
    return Error(Errc::unsupported, fmt::format("The number of steps ({}) of the relation exceeds the limit ({}).",
                                                steps, StepOrder::max_steps));
  }
  for (const auto& [earlier, later] : problem.order->before) {
    if (std::max(earlier, later) >= steps)
      return wrong(fmt::format("Step {} is not below the number of steps ({}).", std::max(earlier, later), steps));
  }
  for (const PlanValue& value : problem.values) {
    for (const std::uint32_t use : value.uses) {
      if (use < steps) continue;
      return wrong(fmt::format("Step {} of [Value {}] is not below the number of steps ({}).", use,
                               base::quote(value.name), steps));
    }
  }
  return {};
}

}  // namespace

Result<void> check(const PlanProblem& problem, const Plan& plan) {
  return base::contain("checking a plan", [&]() -> Result<void> {
    PINTLE_TRY(check_each(problem, plan));
    if (!problem.order) return LineSweep(problem, plan).run();
    PINTLE_TRY(check_steps(problem));
    return RelationSweep(problem, plan).run();
  });
}

}  // namespace pintle
