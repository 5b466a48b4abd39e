// The real code through every schedule of every scenario; under a sanitizer, which is there for the memory, through
// MOST_SCHEDULES of each.
#include <gtest/gtest.h>

#include <cstdio>

#include "interleaving/model/explorer.h"

namespace pintle::interleaving {
namespace {

constexpr bool must_finish = MOST_SCHEDULES >= 1'000'000;

class Interleaving : public testing::TestWithParam<Scenario> {};

TEST_P(Interleaving, holds_in_every_schedule) {
  const Report report = explore(GetParam(), Reduction::sleep_sets, MOST_SCHEDULES);
  std::printf("%s\n", report.summary().c_str());
  EXPECT_FALSE(report.violation) << report.story();
  EXPECT_TRUE(report.exhaustive || !must_finish) << report.summary();
  EXPECT_GT(report.schedules, 1U) << "Nothing in the scenario interleaves.";
}

std::string name_of(const testing::TestParamInfo<Scenario>& info) { return std::string(info.param.name); }

INSTANTIATE_TEST_SUITE_P(RealCode, Interleaving, testing::ValuesIn(scenarios()), name_of);

}  // namespace
}  // namespace pintle::interleaving
