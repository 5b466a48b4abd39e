// MiniMalloc's public challenging problems, each at the capacity in its name.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "foreign/corpora.h"
#include "io/plan_csv.h"
#include "pintle/must.h"
#include "pintle/planner.h"

namespace pintle {
namespace {

constexpr std::string_view repository = "google/minimalloc";
constexpr std::uint64_t most_nodes = 2'000'000;

/// benchmarks/challenging/A.1048576.csv: 1048576.
std::uint64_t capacity_of(const std::string& file) {
  return std::stoull(std::filesystem::path(file).stem().extension().string().substr(1));
}

class MiniMalloc : public testing::TestWithParam<std::string> {};

TEST_P(MiniMalloc, IsSolvedAtItsCapacity) {
  std::string reason;
  const auto path = test::foreign_path(repository, GetParam(), reason);
  if (path.empty()) GTEST_SKIP() << reason;
  const PlanProblem problem = must(io::read_plan_csv(path));
  const std::uint64_t capacity = capacity_of(GetParam());
  const auto start = std::chrono::steady_clock::now();
  const Plan plan = must(lay_out(problem, {.nodes = most_nodes, .enough = capacity}));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LE(plan.total(), capacity);
  EXPECT_TRUE(check(problem, plan));
  RecordProperty("seconds", std::to_string(seconds.count()));
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().stem().string();
}

INSTANTIATE_TEST_SUITE_P(Challenging, MiniMalloc, testing::ValuesIn(test::foreign_files(repository)), name_of);

}  // namespace
}  // namespace pintle
