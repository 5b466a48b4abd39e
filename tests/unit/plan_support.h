// Problems for the tests of the planner, and the least total by trying everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "pintle/planner.h"

namespace pintle::test {

inline PlanValue value(std::string name, std::uint64_t lower, std::uint64_t upper, std::uint64_t size,
                       std::uint64_t alignment = 1) {
  PlanValue one;
  one.name = std::move(name);
  one.lower = lower;
  one.upper = upper;
  one.size = size;
  one.alignment = alignment;
  return one;
}

inline PlanValue used(std::string name, std::vector<std::uint32_t> uses, std::uint64_t size) {
  PlanValue one = value(std::move(name), 0, 0, size);
  one.uses = std::move(uses);
  return one;
}

inline PlanProblem random_problem(std::uint64_t seed, std::uint32_t count, std::uint64_t most_alignment = 1) {
  std::mt19937_64 random(seed);
  PlanProblem problem;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t lower = random() % 8, upper = lower + 1 + random() % 5;
    std::uint64_t alignment = 1;
    while (alignment < most_alignment && random() % 2 == 0) alignment *= 2;
    problem.values.push_back(value("v" + std::to_string(i), lower, upper, 1 + random() % 9, alignment));
  }
  return problem;
}

/// A rectangle of `steps` by `bytes`, cut until there are `count` pieces: the least total is `bytes`.
inline PlanProblem tight_packing(std::uint64_t seed, std::size_t count, std::uint64_t steps, std::uint64_t bytes) {
  struct Piece {
    std::uint64_t lower, upper, bottom, top;
  };
  std::mt19937_64 random(seed);
  std::vector<Piece> pieces{{0, steps, 0, bytes}};
  while (pieces.size() < count) {
    Piece& piece = pieces[random() % pieces.size()];
    Piece other = piece;
    if (random() % 2 == 0) {
      if (piece.upper - piece.lower < 2) continue;
      other.lower = piece.upper = piece.lower + 1 + random() % (piece.upper - piece.lower - 1);
    } else {
      if (piece.top - piece.bottom < 2) continue;
      other.bottom = piece.top = piece.bottom + 1 + random() % (piece.top - piece.bottom - 1);
    }
    pieces.push_back(other);
  }
  PlanProblem problem;
  for (const Piece& piece : pieces) {
    problem.values.push_back(
        value("p" + std::to_string(problem.values.size()), piece.lower, piece.upper, piece.top - piece.bottom));
  }
  std::shuffle(problem.values.begin(), problem.values.end(), random);
  return problem;
}

/// Every order, each value at the lowest free place: one of them gives the least total on one line of time.
inline std::uint64_t least_total(const PlanProblem& problem) {
  const auto& values = problem.values;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t least = PlanProblem::no_limit;
  do {
    std::vector<std::uint64_t> offsets(values.size());
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PlanValue& one = values[order[i]];
      const auto hit = [&](std::uint64_t offset) {
        for (std::size_t j = 0; j < i; ++j) {
          const PlanValue& two = values[order[j]];
          const bool together = one.lower < two.upper && two.lower < one.upper;
          const std::uint64_t other = offsets[order[j]];
          if (together && offset < other + two.size && other < offset + one.size) return true;
        }
        return false;
      };
      std::uint64_t& offset = offsets[order[i]];
      while (hit(offset)) offset += one.alignment;
      total = std::max(total, offset + one.size);
    }
    least = std::min(least, total);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

inline std::string text_of(const Result<Plan>& plan) { return plan ? "accepted" : plan.error().text(); }
inline std::string text_of(const Result<void>& result) { return result ? "accepted" : result.error().text(); }

}  // namespace pintle::test
