// What the command says when a signal ends it: which one, in words, and what was running.
#pragma once

#include <string>

#include "cli/output.h"

namespace pintle::cli {

/// From now on a fault, an abort or a request to end is said on standard error, and with --json as {"error": ...} on
/// standard output, before it ends the process as it would have. A stack that is used up is said on the calling thread
/// only: a handler needs a stack, and others have none to spare.
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
