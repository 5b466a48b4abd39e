// The processes of a job: started together, watched, started again where asked, and waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "pintle/error.h"

namespace pintle::cli {

struct Job {
  std::vector<std::string> arguments;  ///< The program's path, then its arguments.
  std::uint32_t ranks = 1;
  std::uint32_t restarts = 0;  ///< How often a rank that failed is started again, of all together.
};

/// How a rank ended at last.
struct RankEnd {
  base::ProcessEnd end;
  std::uint32_t restarts = 0;
};

/// Starts the ranks and waits until all have ended; `tell` gets a sentence for each that is started again. SIGINT,
/// SIGTERM and SIGHUP are passed on to them. An error where one cannot be started: then none is left.
[[nodiscard]] Result<std::vector<RankEnd>> launch_ranks(const Job& job,
                                                        const std::function<void(const std::string& words)>& tell);

}  // namespace pintle::cli
