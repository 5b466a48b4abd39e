// What the command says when a signal ends it: which signal, in words, and what was running.
#pragma once

#include <string>

#include "cli/output.h"

namespace pintle::cli {

/// From now on the command reports a fault, an abort or a request to end on standard error, and with --json as
/// {"error": ...} on standard output. The process then ends as it would have. A stack that is used up is reported on
/// the calling thread only: a handler needs a stack of its own, which other threads do not have.
void say_last_words(Style style);

/// What the command is doing while this lives: "running [Kernel "blur"] on [cpu]". One at a time.
class Doing {
 public:
  explicit Doing(std::string text);
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  ~Doing();

 private:
  std::string text_;
  std::string escaped_;  // as a JSON string has it
};

}  // namespace pintle::cli
