// A rank that is a process is killed or stopped at each step of an operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "collective/failure_cases.h"
#include "collective/job.h"
#include "collective/run_options.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t ranks = 4;
constexpr std::size_t at_a_time = 16;
/// A rank that died is heard of long before this; one that is stopped, at this.
constexpr milliseconds kill_deadline = seconds(10);
constexpr milliseconds stop_deadline = milliseconds(400);
constexpr milliseconds shrink_timeout = seconds(1);  // half of it waits for the rank that is stopped
constexpr milliseconds kill_margin = seconds(5);     // the machine may be loaded: the median is held to less
constexpr milliseconds stop_margin = seconds(3);

struct Strike {
  FailureCase one;
  std::uint32_t victim = 0;
  std::uint64_t step = 0;  ///< 0: before the operation.
  int signal = SIGKILL;

  [[nodiscard]] milliseconds deadline() const { return signal == SIGKILL ? kill_deadline : stop_deadline; }
  [[nodiscard]] std::string text() const {
    return one.text() + ", rank " + std::to_string(victim) + " at step " + std::to_string(step) + ": ";
  }
};

void strike_self(Report& report, int signal) {
  report.struck_at = now_ns();
  ::raise(signal);
}

/// The case and a barrier, at each step of which the victim may be struck, and one more, for which it is needed.
Result<void> run_observed(Group& group, Report& report, const Strike& strike) {
  const RunOptions options{.timeout = strike.deadline()};
  const bool is_victim = group.rank() == strike.victim;
  if (is_victim && strike.step == 0) strike_self(report, strike.signal);
  GroupState::of(group).observe([&](std::uint64_t step) {
    report.steps = step;
    if (is_victim && step == strike.step) strike_self(report, strike.signal);
  });
  const FailureCase barrier{Operation::barrier, Algorithm::automatic, 0};
  Result<void> done;
  for (int i = 0; i < 3 && done; ++i) {
    if (i == 2) GroupState::of(group).observe({});
    report.began_at = now_ns();
    done = run_case(group, i == 0 ? strike.one : barrier, options);
  }
  return done;
}

void note_failure(Report& report, const Error& error) {
  report.code = error.code();
  report.failure.set(error.text());
  report.failed_at = now_ns();
}

/// A victim that comes back may find all that its last operation needs; the group has failed all the same.
void come_back(Group& group, Report& report) {
  if (group.health()) return report.wrong.set("the victim is told nothing");
  const auto smaller = group.shrink(shrink_timeout);
  const bool is_refused = !smaller && smaller.error().code() == Errc::peer_lost;
  if (!is_refused || !smaller.error().text().contains("came too late")) report.wrong.set("the victim is not refused");
}

/// A survivor goes on in a smaller group.
void go_on(Group& group, Report& report, const Error& error) {
  note_failure(report, error);
  if (const auto again = group.run(Collective::barrier()); again || !again.error().same_origin(error)) {
    return report.wrong.set("the group forgets its failure");
  }
  auto smaller = group.shrink(shrink_timeout);
  if (!smaller) return report.wrong.set(smaller.error().text());
  if (smaller->ranks() != ranks - 1 || smaller->generation() != 2) return report.wrong.set("not the smaller group");
  if (const auto worked = works(*smaller); !worked) report.wrong.set(worked.error().text());
}

void take_part(Group& group, Report& report, const Strike& strike) {
  const auto done = run_observed(group, report, strike);
  if (report.struck_at != 0) return come_back(group, report);
  if (!done) go_on(group, report, done.error());
}

/// How long after the strike a survivor heard of it, or after the deadline where the victim is stopped.
[[nodiscard]] std::int64_t delay_of(Job& job, const Strike& strike, std::uint32_t rank) {
  const Report& report = job.report(rank);
  if (strike.signal == SIGKILL) return report.failed_at - job.report(strike.victim).struck_at;
  const std::int64_t deadline = std::chrono::nanoseconds(strike.deadline()).count();
  return report.failed_at - report.began_at - deadline;
}

[[nodiscard]] std::string judge(Job& job, const Strike& strike, std::uint32_t rank) {
  const Report& report = job.report(rank);
  const std::string text(report.failure.get());
  const std::string who = "Rank " + std::to_string(strike.victim) + " of [Group ";
  const bool is_killed = strike.signal == SIGKILL;
  if (text.empty()) return "rank " + std::to_string(rank) + " is told nothing";
  if (report.code != (is_killed ? Errc::peer_lost : Errc::timeout)) return "another code: " + text;
  if (!text.starts_with(who)) return "another rank: " + text;
  if (!names_operation(text, strike.one)) return "another operation: " + text;
  const auto margin = std::chrono::nanoseconds(is_killed ? kill_margin : stop_margin).count();
  const std::int64_t delay = delay_of(job, strike, rank);
  return delay <= margin ? "" : "told " + std::to_string(delay / 1'000'000) + " ms late: " + text;
}

/// Runs the strike; the delays of survivors are added to `delays` where it happened.
[[nodiscard]] std::string run_strike(const Strike& strike, std::atomic<std::int64_t>& worst) {
  Job job(ranks);
  job.start_all([&](Group& group, Report& report) { take_part(group, report, strike); });
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (rank == strike.victim) continue;
    if (auto wrong = job.wrong_with(rank); !wrong.empty()) return strike.text() + wrong;
  }
  if (job.report(strike.victim).struck_at == 0) {  // it has fewer steps
    const auto wrong = job.wrong_with(strike.victim);
    return wrong.empty() ? wrong : strike.text() + wrong;
  }
  if (strike.signal == SIGKILL) {
    job.reap(strike.victim);
  } else {
    job.send(strike.victim, SIGCONT);
    if (auto wrong = job.wrong_with(strike.victim); !wrong.empty()) return strike.text() + wrong;
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (rank == strike.victim) continue;
    if (auto wrong = judge(job, strike, rank); !wrong.empty()) return strike.text() + wrong;
    worst = std::max(worst.load(), delay_of(job, strike, rank));
  }
  return {};
}

/// The most steps that each rank goes, of some runs.
[[nodiscard]] std::vector<std::uint64_t> count_steps(const FailureCase& one) {
  std::vector<std::uint64_t> steps(ranks);
  for (int run = 0; run < 2; ++run) {
    Job job(ranks);
    job.start_all([&](Group& group, Report& report) {
      if (auto done = run_observed(group, report, {one, ranks, 0, SIGKILL}); !done)
        report.wrong.set(done.error().text());
    });
    EXPECT_EQ(job.wrong_with_all(), "") << one.text();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      steps[rank] = std::max(steps[rank], job.report(rank).steps.load());
    }
  }
  return steps;
}

struct Sweep {
  std::vector<Strike> strikes;
  std::vector<std::int64_t> delays;  ///< The slowest survivor's, for each strike that happened.
};

[[nodiscard]] Sweep sweep(const std::vector<FailureCase>& cases, int signal) {
  Sweep all;
  for (const FailureCase& one : cases) {
    const auto steps = count_steps(one);
    for (std::uint32_t victim = 0; victim < ranks; ++victim) {
      for (std::uint64_t step = 0; step <= steps[victim]; ++step) all.strikes.push_back({one, victim, step, signal});
    }
  }
  const Shared<std::atomic<std::int64_t>> worst(all.strikes.size());
  for (std::size_t i = 0; i < all.strikes.size(); ++i) worst[i] = INT64_MIN;
  const auto wrong = run_trials(all.strikes.size(), at_a_time,
                                [&](std::size_t index) { return run_strike(all.strikes[index], worst[index]); });
  for (const std::string& text : wrong) ADD_FAILURE() << text;
  for (std::size_t i = 0; i < all.strikes.size(); ++i) {
    if (worst[i] != INT64_MIN) all.delays.push_back(worst[i]);
  }
  // How many steps there are depends on what comes first: those at the end may not be there twice.
  EXPECT_GT(all.delays.size(), all.strikes.size() / 2);
  return all;
}

void expect_soon(Sweep all, milliseconds limit) {
  if (all.delays.empty()) return;
  std::ranges::sort(all.delays);
  const std::int64_t median = all.delays[all.delays.size() / 2];
  EXPECT_LE(median, std::chrono::nanoseconds(limit).count());
  std::printf("%zu of %zu strikes; the slowest survivor after %.1f ms (median), %.1f ms (most)\n", all.delays.size(),
              all.strikes.size(), static_cast<double>(median) / 1e6, static_cast<double>(all.delays.back()) / 1e6);
}

TEST(FailureProcess, KilledAtAnyStep) { expect_soon(sweep(small_cases(), SIGKILL), milliseconds(300)); }
TEST(FailureProcess, KilledAtAnyPiece) { expect_soon(sweep(large_cases(), SIGKILL), milliseconds(300)); }
TEST(FailureProcess, StoppedAtAnyStep) { expect_soon(sweep(small_cases(), SIGSTOP), milliseconds(300)); }
TEST(FailureProcess, StoppedAtAnyPiece) { expect_soon(sweep(large_cases(), SIGSTOP), milliseconds(300)); }

}  // namespace
}  // namespace pintle::collective
