// The options of `pintle bench collective`: the flags of nccl-tests, and flags of Pintle's own.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/collective_bench.h"
#include "pintle/error.h"

namespace pintle::cli {

struct CollectiveArguments {
  std::vector<std::string> operations{"all_reduce"};
  std::string least = "8";
  std::string most;
  std::string factor = "4";
  std::string step;
  std::uint32_t warmups = 5;
  std::uint32_t iterations = 20;
  std::uint32_t checking = 1;
  std::string dtype = "f32";
  std::string reduction = "sum";
  std::uint32_t root = 0;
  std::uint32_t ranks = 0;  ///< 0: not given.
  std::string transport;
  std::string algorithm = "automatic";
  bool is_reproducible = false;
  std::string timeout;
  bool is_csv = false;
  std::string svg;
};

void declare_collective(CLI::App& command, CollectiveArguments& arguments);
/// `invalid_argument` where the options do not fit together.
[[nodiscard]] Result<CollectiveRequest> request_of(const CollectiveArguments& arguments);

}  // namespace pintle::cli
