// Where threads run, and whether any other of this process does.
#pragma once

#include <sched.h>

#include <array>
#include <optional>

#include "pintle/error.h"

namespace pintle::bench {

/// Two processors that this thread may run on; empty where there is only one.
[[nodiscard]] std::optional<std::array<int, 2>> two_processors();

/// Keeps the calling thread on one processor, and lets it go again.
class Pinned {
 public:
  explicit Pinned(int processor) noexcept;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();

 private:
  cpu_set_t before_;
};

/// Returns when every other thread of this process sleeps: workers have given up spinning, ours as well as OpenMP's,
/// which by default spin for milliseconds. `timeout` names one that runs on.
Result<void> wait_until_alone();

}  // namespace pintle::bench
