// Ours and theirs by turns, and what came of it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/collective/side.h"

namespace pintle::bench {

/// How the ratio is formed and what it should be.
struct Goal {
  enum class Kind : unsigned char {
    speed,   ///< Theirs / ours in time, at least.
    time,    ///< Ours / theirs in time, at most.
    volume,  ///< Ours / theirs in bytes, at most.
  };
  Kind kind = Kind::speed;
  double limit = 1;
};

/// One line of the table. Times are microseconds of the slowest rank.
struct DuelRow {
  std::string figure;
  std::string reference;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
  Goal goal;
  double ours_p50 = 0, ours_p99 = 0;
  double theirs_p50 = 0, theirs_p99 = 0;
  Ratio ratio;
  std::size_t pairs = 0;
  std::string skipped;

  [[nodiscard]] bool is_reached() const noexcept;
};

/// Whether both sides leave the same values, which are compared then.
enum class Comparison : unsigned char { same_results, times_only };
/// Collective: `pairs` pairs of blocks, the order changing from pair to pair; a block's value is its samples' median.
[[nodiscard]] Result<DuelRow> duel(const Job& job, Side& ours, Side& theirs, const BlockPlan& plan, std::size_t pairs,
                                   const Goal& goal, Comparison comparison);

[[nodiscard]] nlohmann::ordered_json to_json(const DuelRow& row);
[[nodiscard]] std::string table(std::span<const DuelRow> rows);

}  // namespace pintle::bench
