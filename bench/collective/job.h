// The MPI job that the measurement runs in: ranks are processes, one on each processor where there are enough.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pintle/error.h"

namespace pintle::bench {

enum class ThreadLevel : unsigned char {
  funneled,  ///< What MPI is fastest with.
  multiple,  ///< What Pintle's transport over it needs.
};

/// Starts MPI, ends it.
class Job {
 public:
  Job(int* count, char*** arguments, ThreadLevel level);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }

  void barrier() const;
  /// The greatest of all ranks, element by element, on every rank.
  void greatest(std::span<double> values) const;
  /// Rank 0's, on every rank.
  [[nodiscard]] std::string from_first(std::string text) const;
  /// Success where every rank has it; else this rank's error or one that says that another rank has one.
  [[nodiscard]] Result<void> agree(const Result<void>& own) const;
  /// Rank 0 lets the others go on; they sleep in `await_first` until then and take no processor.
  void release_others() const;
  void await_first() const;

 private:
  std::uint32_t rank_ = 0;
  std::uint32_t ranks_ = 1;
};

/// Keeps the calling thread on the processor of its rank; on all of them where there are more ranks than those.
void take_place(std::uint32_t rank, std::uint32_t ranks);

}  // namespace pintle::bench
