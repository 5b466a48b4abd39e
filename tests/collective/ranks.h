// Ranks of a group: as threads of the test, or as processes that run the same test again.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "collective/rendezvous.h"
#include "pintle/collective.h"

namespace pintle::collective {

/// Of each rank.
using Outcomes = std::vector<Result<void>>;

/// Runs `body(group)`, which answers a Result<void>, on a thread for each rank. No rank leaves before all have ended.
template <class Body>
[[nodiscard]] Outcomes on_each(std::vector<Group>& groups, const Body& body) {
  Outcomes outcomes(groups.size());
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < groups.size(); ++rank) {
    threads.emplace_back([&body, &group = groups[rank], &outcome = outcomes[rank]] {
      try {
        outcome = body(group);
      } catch (const Exception& exception) {
        outcome = exception.error();
      }
    });
  }
  threads.clear();
  return outcomes;
}

template <class Body>
[[nodiscard]] Outcomes on_each_of(std::uint32_t ranks, const Body& body) {
  std::vector<Group> groups = must(Group::threads(ranks));
  return on_each(groups, body);
}

inline void expect_success(const Outcomes& outcomes) {
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    if (!outcomes[rank]) ADD_FAILURE() << "rank " << rank << ": " << outcomes[rank].error().text();
  }
}

/// Whether this process is a rank that `RankProcesses` has started.
[[nodiscard]] inline bool is_rank_process() { return std::getenv("PINTLE_RANK") != nullptr; }

/// The test that runs, once more in a process for each rank, with what `pintle launch` sets.
class RankProcesses {
 public:
  explicit RankProcesses(std::uint32_t ranks) : rendezvous_(must(Rendezvous::shared(ranks))) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) start(rank);
  }

  /// Each ran the test without a failure.
  void expect_success() {
    for (std::size_t rank = 0; rank < children_.size(); ++rank) {
      EXPECT_TRUE(children_[rank].wait().is_success()) << "rank " << rank;
    }
  }

 private:
  void start(std::uint32_t rank) {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    base::ChildStart start;
    start.arguments = {"/proc/self/exe", "--gtest_brief=1",
                       std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name()};
    start.environment = {"PINTLE_RANK=" + std::to_string(rank), "PINTLE_RANKS=" + std::to_string(rendezvous_->ranks()),
                         "PINTLE_GROUP_MEMORY=" + std::to_string(rendezvous_->descriptor())};
    start.inherited = rendezvous_->descriptor();
    children_.push_back(must(base::ChildProcess::start(start)));
  }

  std::shared_ptr<Rendezvous> rendezvous_;
  std::vector<base::ChildProcess> children_;
};

}  // namespace pintle::collective
