// The processes of a job: started together, watched, started again where asked, and waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::cli {

struct Job {
  std::vector<std::string> arguments;  ///< The program's path, then its arguments.
  std::uint32_t ranks = 1;
  std::uint32_t restarts = 0;  ///< How often failed ranks are started again, all ranks counted together.
  Duration grace{};            ///< How long the ranks have to end when they are asked to.
};

using Tell = std::function<void(const std::string& words)>;

/// How a rank ended at last.
struct RankEnd {
  base::ProcessEnd end;
  std::uint32_t restarts = 0;
};

/// Starts the ranks and waits until all have ended; `tell` gets a sentence for each rank that is started again or
/// killed. SIGINT, SIGTERM and SIGHUP are passed on to the ranks, and wake stopped ranks; ranks that are still there
/// after `grace` are killed. Where a rank cannot be started, the result is an error and no rank is left.
[[nodiscard]] Result<std::vector<RankEnd>> launch_ranks(const Job& job, const Tell& tell);

}  // namespace pintle::cli
