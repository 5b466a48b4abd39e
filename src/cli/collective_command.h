// `pintle bench collective`: a command below `bench`.
#pragma once

#include "cli/command.h"

namespace pintle::cli {

CLI::App& add_bench_collective(CLI::App& bench, Chosen& chosen);

}  // namespace pintle::cli
