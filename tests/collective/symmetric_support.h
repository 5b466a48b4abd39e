// Ranks that have a symmetric heap: as threads of the test, or as its children.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"
#include "pintle/symmetric.h"

namespace pintle::collective {

/// Runs `work(group)` on a thread for each rank, and waits for all. A rank whose work ends leaves the group.
template <class Work>
void on_threads(std::uint32_t ranks, const Work& work) {
  std::vector<Group> groups = must(Group::threads(ranks));
  std::vector<std::jthread> threads;
  for (Group& each : groups) {
    threads.emplace_back([&work, group = std::move(each)]() mutable {
      const std::uint32_t rank = group.rank();
      try {
        work(group);
      } catch (const std::exception& failure) {
        ADD_FAILURE() << "rank " << rank << ": " << failure.what();
      }
      group = Group();
    });
  }
}

/// The same with a heap of `bytes` on each rank: `work(heap)`. No rank leaves before all are done.
template <class Work>
void with_heaps(std::uint32_t ranks, std::uint64_t bytes, const Work& work) {
  on_threads(ranks, [&](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, bytes));
    work(heap);
    must(heap.barrier());
  });
}

/// Errors of all ranks, each written by its own.
using Errors = std::vector<std::string>;

/// "timeout: Rank 1 ...", or "success".
template <class T>
[[nodiscard]] std::string outcome(const Result<T>& result) {
  if (result) return "success";
  return std::string(name(result.error().code())) + ": " + std::string(result.error().message());
}

/// All ranks have the same outcome; it is the answer.
[[nodiscard]] inline std::string same(const Errors& errors) {
  for (const std::string& error : errors) EXPECT_EQ(error, errors.front());
  return errors.front();
}

}  // namespace pintle::collective
