// A rank that writes anything anywhere into the windows of its group: the others end with an error or with wrong data,
// in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "collective/failure_cases.h"
#include "collective/job.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t ranks = 3;
constexpr std::uint32_t hostile = 2;
constexpr milliseconds deadline(60);
constexpr milliseconds margin(2000);  // of a machine that is busy

struct Area {
  std::string_view name;
  std::uint64_t begin = 0, end = 0;
};

[[nodiscard]] std::vector<Area> areas_of(const Layout& layout) {
  using Lane = Layout::Lane;
  return {{"doorbell", 0, Layout::status},
          {"status", Layout::status, Layout::decisions},
          {"decisions", Layout::decisions, Layout::proposals},
          {"proposals", Layout::proposals, layout.fault_of(0)},
          {"faults", layout.fault_of(0), layout.note_of(0, Lane::setup, 0)},
          {"notes", layout.note_of(0, Lane::setup, 0), layout.credit_of(0)},
          {"credits", layout.credit_of(0), layout.gate()},
          {"gate", layout.gate(), layout.gate() + line_bytes},
          {"heads", layout.slot_of(0, 0), layout.slot_of(ranks, 0)},
          {"slots", layout.slot_of(0, 0), layout.slot_of(ranks, 0)},
          {"everything", 0, layout.size()}};
}

TEST(Hostile, AreasAreTheWholePiece) {
  const Layout layout(ranks);
  std::uint64_t reached = 0;
  for (const Area& area : areas_of(layout)) {
    if (area.name == "slots") break;
    EXPECT_LT(area.begin, area.end) << area.name;
    EXPECT_LE(reached, area.begin) << area.name;
    EXPECT_LT(area.begin - reached, 4096u) << area.name;  // nothing but the gap before pages
    reached = area.end;
  }
  EXPECT_LE(layout.size() - reached, 4096u);
}

/// Writes words that may be taken for something: a little more than what is there, small, huge or anything.
class Scribbler {
 public:
  Scribbler(Group& group, Area area, std::uint32_t seed) : state_(GroupState::of(group)), area_(area), random_(seed) {}

  void scribble() {
    std::byte* const piece = state_.window().at(static_cast<std::uint32_t>(random_() % ranks));
    if (area_.name == "slots" || random_() % 16 == 0) return scribble_bytes(piece);
    const auto word = Window::word_in(piece, area_.name == "heads" ? head() : place());
    word.store(changed(word.load()));
  }

 private:
  [[nodiscard]] std::uint64_t place() { return area_.begin + random_() % ((area_.end - area_.begin) / 8) * 8; }
  [[nodiscard]] std::uint64_t head() {
    const auto rank = static_cast<std::uint32_t>(random_() % ranks);
    return state_.layout().slot_of(rank, random_() % Layout::slots) + random_() % (line_bytes / 8) * 8;
  }
  [[nodiscard]] std::uint64_t changed(std::uint64_t before) {
    switch (random_() % 6) {
      case 0: return before + 1;
      case 1: return before - 1;
      case 2: return random_() % 300;
      case 3: return ~std::uint64_t{0} - random_() % 4;
      case 4: return before ^ std::uint64_t{1} << random_() % 64;
      default: return std::uint64_t{random_()} << 32 | random_();
    }
  }
  void scribble_bytes(std::byte* piece) {
    const std::uint64_t from = place();
    const std::uint64_t bytes = std::min<std::uint64_t>(area_.end - from, 8 * (1 + random_() % 64));
    std::memset(piece + from, static_cast<int>(random_() % 256), bytes);
  }

  GroupState& state_;
  const Area area_;
  std::mt19937 random_;
};

/// One of the operations, within its time; whether the group goes on. Wrong data says nothing of the group.
[[nodiscard]] bool goes_on(Group& group, Report& report, const FailureCase& one) {
  const Deadline began = Clock::now();
  const auto done = run_case(group, one, {.timeout = deadline});
  if (Clock::now() - began > deadline + margin) report.wrong.set("late: " + one.text());
  if (done || done.error().text() == "An element is wrong.") return true;
  report.failure.set(done.error().text());
  return false;
}

/// A group of all made through the notes of this one, which works or not.
[[nodiscard]] bool splits(Group& group, Report& report) {
  auto part = group.split(0, group.rank(), {.timeout = deadline});
  if (part && *part) static_cast<void>(goes_on(**part, report, small_cases()[0]));
  return group.health().has_value();
}

/// What every rank does: operations up to a failure.
void operate(Group& group, Report& report, std::uint32_t seed) {
  std::vector<FailureCase> cases = small_cases();
  for (const FailureCase& one : large_cases()) cases.push_back(one);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const bool is_split = (seed + i) % 8 == 7;
    if (!(is_split ? splits(group, report) : goes_on(group, report, cases[(seed + i) % cases.size()]))) return;
    ++report.steps;
  }
}

/// What comes after a failure; the answers may be anything.
void recover(Group& group, Report& report) {
  const Deadline began = Clock::now();
  static_cast<void>(group.health());
  for (int i = 0; i < 2; ++i) {
    auto smaller = group.shrink(deadline);
    if (smaller) static_cast<void>(goes_on(*smaller, report, large_cases()[0]));
  }
  static_cast<void>(group.split(1, 0, {.timeout = deadline}));
  static_cast<void>(group.rebuild(deadline));
  if (Clock::now() - began > 8 * (deadline + margin)) report.wrong.set("the recovery is late");
}

/// Takes part, and writes where it should not at some of its steps; afterwards all the time.
void be_hostile(Group& group, const Area& area, std::uint32_t seed, const std::atomic<std::uint64_t>& finished) {
  Scribbler scribbler(group, area, seed);
  std::mt19937 random(seed);
  const std::uint64_t rarity = 1 + random() % 20;
  GroupState::of(group).observe([&](std::uint64_t) {
    if (random() % rarity == 0) scribbler.scribble();
  });
  for (std::uint64_t i = random() % 3; i > 0; --i) scribbler.scribble();
  Report own;
  operate(group, own, seed);
  while (finished < ranks - 1) scribbler.scribble();
}

[[nodiscard]] std::string run_trial(const Area& area, std::uint32_t seed, std::atomic<std::uint64_t>& failures) {
  Job job(ranks);
  auto& finished = job.report(hostile).words[0];
  job.start_all([&](Group& group, Report& report) {
    if (group.rank() == hostile) return be_hostile(group, area, seed, finished);
    operate(group, report, seed);
    recover(group, report);
    ++finished;
  });
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (rank == hostile) continue;
    if (auto wrong = job.wrong_with(rank); !wrong.empty()) {
      return std::string(area.name) + ", seed " + std::to_string(seed) + ": " + wrong;
    }
    if (!job.report(rank).failure.get().empty()) ++failures;
  }
  return {};
}

TEST(Hostile, WritesAnythingAnywhere) {
  constexpr std::size_t seeds = 12;
  const auto areas = areas_of(Layout(ranks));
  const Shared<std::atomic<std::uint64_t>> failures(areas.size());
  const auto wrong = run_trials(areas.size() * seeds, 4, [&](std::size_t index) {
    const std::size_t area = index % areas.size();
    return run_trial(areas[area], static_cast<std::uint32_t>(index), failures[area]);
  });
  for (const std::string& text : wrong) ADD_FAILURE() << text;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const bool is_vital = areas[i].name == "heads" || areas[i].name == "faults";
    EXPECT_TRUE(!is_vital || failures[i] > 0) << areas[i].name;
  }
}

}  // namespace
}  // namespace pintle::collective
