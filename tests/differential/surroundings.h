// The same programs where the process itself does something: it ends, it forks, its threads get signals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator.h"

namespace pintle::differential {

struct SurroundingsOptions {
  std::vector<std::string> devices{};
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  double seconds = 5;
  GeneratorOptions generator{};
};

/// Each program in a process of its own, which ends at some step with work in flight; exit handlers own what the
/// program has made, or nobody does. Has to end by itself, without an error. True when all do.
bool end_at_exit(const SurroundingsOptions& options);

/// Programs in a child of a process that has not used Pintle; and in a process that forks at some step: the child is
/// refused everything and hangs nowhere, and the program goes on in the parent. True when all is well.
bool run_in_children(const SurroundingsOptions& options);

/// Sends SIGUSR1, whose handler lets calls of the system fail with EINTR, to every thread of the process at a high
/// rate.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

 private:
  struct Sender;
  Sender* sender_;
};

}  // namespace pintle::differential
