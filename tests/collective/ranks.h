// Ranks of a group as threads of the test. `rank_processes.h` has those that are processes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"

namespace pintle::collective {

/// One for each rank.
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

}  // namespace pintle::collective
