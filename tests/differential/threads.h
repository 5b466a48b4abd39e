// Several programs at once on the same devices, a thread for each: what the queues of one program do beside another's.
#pragma once

#include <cstdint>
#include <optional>

#include "generator.h"
#include "run.h"

namespace pintle::differential {

struct ThreadsOptions {
  int threads = 3;
  std::size_t stack = 0;  ///< Bytes of each thread's; 0: as the system has it.
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  double seconds = 20;
  GeneratorOptions generator{};
};

struct ThreadsResult {
  std::uint64_t programs = 0;
  std::uint64_t seed = 0;  ///< The failure's.
  std::optional<Failure> failure{};
};

/// Until the first failure.
ThreadsResult run_in_threads(World& world, const ThreadsOptions& options);

}  // namespace pintle::differential
