// What each rank of a job under mpirun has for its tests: every rank runs the same tests in the same order.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "collective/mpi/mpi_transport.h"
#include "pintle/must.h"

namespace pintle::collective::ranks {

/// What this rank has joined.
[[nodiscard]] Transport& transport();
[[nodiscard]] Reach reach();

[[nodiscard]] inline Deadline soon() { return Clock::now() + std::chrono::seconds(20); }

/// Over mpi no exchange is needed.
inline std::unique_ptr<Window> window_of(Transport& among, std::uint64_t bytes) {
  return must(among.create_window(bytes, {}, soon()));
}

/// Looks until the word of the own piece is at least `least`. Answers whether it is, by the deadline.
inline bool wait_for_word(Window& window, std::uint64_t offset, std::uint64_t least) {
  const Deadline deadline = soon();
  while (window.word(offset).load(std::memory_order_acquire) < least) {
    if (Clock::now() > deadline) return false;
    window.progress();
    std::this_thread::yield();
  }
  return true;
}

/// A barrier of windows: a token goes round twice, by the word at `offset` of each rank. What was put before is there.
inline void meet(Transport& among, Window& window, std::uint64_t offset, std::uint64_t round) {
  must(window.flush());
  const std::uint32_t rank = among.rank(), next = (rank + 1) % among.ranks();
  for (std::uint64_t turn = 1; turn <= 2; ++turn) {
    const std::uint64_t token = 10 * round + turn;
    ASSERT_TRUE(rank == 0 || wait_for_word(window, offset, token));
    must(window.raise(next, offset, token));
    ASSERT_TRUE(rank != 0 || wait_for_word(window, offset, token));
  }
}

template <class T>
std::span<const std::byte> bytes_of_all(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

template <class T>
std::span<std::byte> writable_bytes_of_all(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

}  // namespace pintle::collective::ranks
