// The operations that ranks fail in: the same few for kills, stops and stalls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/group/call.h"
#include "collective/run_options.h"
#include "pintle/group.h"

namespace pintle::collective {

struct FailureCase {
  Operation operation = Operation::all_reduce;
  Algorithm algorithm = Algorithm::automatic;
  std::uint64_t count = 16;  ///< Elements of f32.

  [[nodiscard]] std::string text() const {
    return std::string(name(operation)) + " " + std::string(pintle::name(algorithm)) + " " + std::to_string(count);
  }
};

/// More than a slot of a message holds for each of four ranks, hence several pieces.
inline constexpr std::uint64_t several_pieces = 100'000;

[[nodiscard]] inline std::vector<FailureCase> small_cases() {
  return {{Operation::all_reduce, Algorithm::direct},   {Operation::all_reduce, Algorithm::ring},
          {Operation::all_reduce, Algorithm::tree},     {Operation::all_reduce, Algorithm::halving_doubling},
          {Operation::broadcast, Algorithm::tree},      {Operation::all_gather, Algorithm::automatic},
          {Operation::barrier, Algorithm::automatic, 0}};
}

[[nodiscard]] inline std::vector<FailureCase> large_cases() {
  return {{Operation::all_reduce, Algorithm::direct, several_pieces},
          {Operation::all_reduce, Algorithm::ring, several_pieces},
          {Operation::broadcast, Algorithm::tree, several_pieces}};
}

/// The operation with memory of its own, checked where it succeeds.
inline Result<void> run_case(Group& group, const FailureCase& one, const RunOptions& options) {
  RunOptions with = options;
  with.algorithm = one.algorithm;
  const auto ranks = group.ranks();
  std::vector<float> from(one.count, static_cast<float>(group.rank() + 1)), to(one.count);
  float expected = static_cast<float>(ranks * (ranks + 1) / 2);
  Result<void> done;
  switch (one.operation) {
    case Operation::all_reduce: done = run(group, Collective::all_reduce(to, from, ReduceOp::sum), with); break;
    case Operation::broadcast:
      to = from;
      expected = 1;
      done = run(group, Collective::broadcast(to, 0), with);
      break;
    case Operation::all_gather:
      to.resize(ranks * one.count);
      done = run(group, Collective::all_gather(to, from), with);
      break;
    default: return run(group, Collective::barrier(), with);
  }
  if (!done) return done;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (one.operation == Operation::all_gather) expected = static_cast<float>(i / one.count + 1);
    if (to[i] != expected) return Error(Errc::internal, "An element is wrong.");
  }
  return {};
}

/// All ranks of `group` come, and the sum is right.
[[nodiscard]] inline Result<void> works(Group& group) {
  return run_case(group, {Operation::all_reduce, Algorithm::automatic, 1000}, {.timeout = std::chrono::seconds(10)});
}

/// Whether `text` says which operation: the case, or one of the barriers behind it.
[[nodiscard]] inline bool names_operation(std::string_view text, const FailureCase& one) {
  const std::string size = std::to_string(one.count) + " elements, " + std::to_string(4 * one.count) + " bytes";
  const bool is_case = one.operation == Operation::barrier
                           ? text.contains("barrier 1")
                           : text.contains(std::string(name(one.operation)) + " 1 (") && text.contains(size);
  return is_case || text.contains("barrier 2") || text.contains("barrier 3");
}

}  // namespace pintle::collective
