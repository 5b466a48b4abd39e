// The suite itself: what it reports when a case fails, is skipped, throws, leaves work behind, or is a gap.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <stdexcept>

#include "conformance/conformance.h"
#include "conformance/rig.h"

namespace pintle::conformance {
namespace {

Rig rig_with(std::vector<Gap> gaps = {}) { return {need(open("null")), std::move(gaps)}; }

ConformRow run_body(void (*body)(Context&), std::vector<Gap> gaps = {}, Missing missing = Missing::skipped) {
  Rig rig = rig_with(std::move(gaps));
  return rig.run({"Fake", "Case", body}, missing);
}

bool says(const ConformRow& row, std::string_view words) { return row.message.find(words) != std::string::npos; }

TEST(ConformanceFramework, PassingCaseHasNoMessage) {
  const ConformRow row = run_body([](Context&) { CHECK(true); });
  EXPECT_EQ(row.name, "Fake.Case");
  EXPECT_EQ(row.result, Outcome::passed);
  EXPECT_EQ(row.message, "");
}

TEST(ConformanceFramework, FailedChecksAreAllReportedWithPlaceAndValues) {
  const ConformRow row = run_body([](Context&) {
    CHECK(1 > 2);
    CHECK_EQ(2 + 2, 5);
    CHECK_EQ((std::vector<int>{1, 2, 3}), (std::vector<int>{1, 9, 3}));
    CHECK_EQ((std::vector<int>{1}), (std::vector<int>{1, 2}));
    check_error(Result<void>(Error(Errc::io, "Something.")), Errc::timeout, {"nothing"});
    check_error(Result<void>(), Errc::timeout);
    check_ok(Result<void>(Error(Errc::io, "Something.")));
  });
  EXPECT_EQ(row.result, Outcome::failed);
  for (const std::string_view words : {"framework_test.cpp:", "1 > 2 does not hold", "2 + 2 is 4, not 5", "2 at 1",
                                       "9 at 1", "1 elements", "fails with io, not timeout", "does not say \"nothing\"",
                                       "succeeds where timeout is expected", "fails: Something."}) {
    EXPECT_TRUE(says(row, words)) << words << "\n" << row.message;
  }
}

TEST(ConformanceFramework, NeedAndRequireEndTheCase) {
  const ConformRow needed = run_body([](Context&) {
    need(Result<int>(Error(Errc::io, "The first.")));
    CHECK_EQ(1, 2);
  });
  EXPECT_EQ(needed.result, Outcome::failed);
  EXPECT_TRUE(says(needed, "The first."));
  EXPECT_FALSE(says(needed, "1 is 1"));
  const ConformRow required = run_body([](Context&) {
    REQUIRE(false);
    CHECK_EQ(1, 2);
  });
  EXPECT_EQ(required.result, Outcome::failed);
  EXPECT_FALSE(says(required, "1 is 1"));
}

TEST(ConformanceFramework, ManyFailuresAreCounted) {
  const ConformRow row = run_body([](Context&) {
    for (int i = 0; i < 100; ++i) CHECK_EQ(i, -1);
  });
  EXPECT_TRUE(says(row, "and 80 more"));
}

TEST(ConformanceFramework, ExceptionsAreFailures) {
  const ConformRow row = run_body([](Context&) { throw std::runtime_error("out of nowhere"); });
  EXPECT_EQ(row.result, Outcome::failed);
  EXPECT_TRUE(says(row, "out of nowhere"));
}

// S5: what did not run is not green.
TEST(ConformanceFramework, SkipsHaveTheirReasonAndAreNotPasses) {
  const ConformRow row = run_body([](Context& test) { test.not_applicable("no such unit"); }, {}, Missing::failed);
  EXPECT_EQ(row.result, Outcome::skipped);
  EXPECT_EQ(row.message, "no such unit");
  EXPECT_EQ(run_body([](Context& test) { test.require_bytes(); }).message, "not applicable: executes nothing");
}

TEST(ConformanceFramework, MissingThingsFailWhereTheDeviceIsRequired) {
  const auto body = [](Context& test) { test.missing("no compiler"); };
  EXPECT_EQ(run_body(body).result, Outcome::skipped);
  const ConformRow row = run_body(body, {}, Missing::failed);
  EXPECT_EQ(row.result, Outcome::failed);
  EXPECT_TRUE(says(row, "no compiler"));
}

TEST(ConformanceFramework, SkipAfterAFailureIsAFailure) {
  const ConformRow row = run_body([](Context& test) {
    CHECK(false);
    test.not_applicable("too late");
  });
  EXPECT_EQ(row.result, Outcome::failed);
}

constexpr std::string_view passing_probe = "Device.HasOneRowForEachFeature";
constexpr std::string_view skipped_probe = "Copy.MovesBytesBetweenBuffers";

std::vector<Gap> gap(std::string_view probe) { return {{"Fake.Case", std::string(probe), "the driver says no"}}; }

TEST(ConformanceFramework, GapIsAFailureWhoseProbePasses) {
  const ConformRow row = run_body([](Context&) { CHECK(false); }, gap(passing_probe));
  EXPECT_EQ(row.result, Outcome::gap);
  EXPECT_EQ(row.message, "the driver says no");
}

TEST(ConformanceFramework, GapThatPassesFails) {
  const ConformRow row = run_body([](Context&) {}, gap(passing_probe));
  EXPECT_EQ(row.result, Outcome::failed);
  EXPECT_TRUE(says(row, "passes although"));
}

TEST(ConformanceFramework, GapWithoutAProbeThatPassesFails) {
  for (const std::string_view probe : {skipped_probe, std::string_view("No.Such")}) {
    const ConformRow row = run_body([](Context&) { CHECK(false); }, gap(probe));
    EXPECT_EQ(row.result, Outcome::failed) << probe;
  }
}

std::string gap_error(std::string_view text) {
  const auto parsed = parse_gaps("toy", text);
  return parsed ? "parsed" : parsed.error().text();
}

TEST(ConformanceFramework, GapRowsAreChecked) {
  const std::string row = "Buffer.MapIsHonest " + std::string(passing_probe);
  const auto gaps = need(parse_gaps("toy", "# nothing\n\n" + row + " the driver maps nothing # aside\n"));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].name, "Buffer.MapIsHonest");
  EXPECT_EQ(gaps[0].probe, passing_probe);
  EXPECT_EQ(gaps[0].reason.find("the driver maps nothing"), 0u);
  EXPECT_NE(gap_error(row).find("no reason"), std::string::npos);
  EXPECT_NE(gap_error("\n" + row).find("line 2 of gaps/toy.txt"), std::string::npos);
  EXPECT_NE(gap_error("Buffer.NoSuch " + std::string(passing_probe) + " because").find("does not exist"),
            std::string::npos);
  EXPECT_NE(gap_error("Buffer.MapIsHonest Buffer.MapIsHonest because").find("its probe"), std::string::npos);
  EXPECT_NE(gap_error("Signal.NeverGoesBack " + std::string(passing_probe) + " because").find("no gap"),
            std::string::npos);
}

TEST(ConformanceFramework, EveryGapFileIsValid) {
  for (const GapFile& file : gap_files()) EXPECT_EQ(gap_error(file.text), "parsed") << file.backend;
}

TEST(ConformanceFramework, WorkLeftBehindFailsTheCaseAndNotTheNext) {
  Rig rig = rig_with();
  const ConformRow row = rig.run({"Fake", "Messy", [](Context& test) {
                                    static auto& queue = *new std::optional<Queue>;
                                    queue = test.queue("forgotten");
                                    const Signal never = test.signal();
                                    need(queue->submit(CommandList{}, {.after = {test.at(never, 1)}}));
                                    queue.reset();
                                  }});
  EXPECT_EQ(row.result, Outcome::failed);
  EXPECT_TRUE(says(row, "come to rest")) << row.message;
  const ConformRow next = rig.run({"Fake", "Next", [](Context& test) {
                                     Queue queue = test.queue();
                                     test.finish(need(queue.submit(CommandList{})));
                                   }});
  EXPECT_EQ(next.result, Outcome::passed) << next.message;
}

TEST(ConformanceFramework, PatternsMatchWholeNames) {
  EXPECT_TRUE(matches("", "Anything.AtAll"));
  EXPECT_TRUE(matches("Signal.*", "Signal.NeverGoesBack"));
  EXPECT_TRUE(matches("*.Never*Back", "Signal.NeverGoesBack"));
  EXPECT_TRUE(matches("*a*b*", "xxaxxbxx"));
  EXPECT_TRUE(matches("S?gnal.*", "Signal.X"));
  EXPECT_FALSE(matches("Signal", "Signal.X"));
  EXPECT_FALSE(matches("Signal.?", "Signal."));
  EXPECT_FALSE(matches("*c", "ab"));
}

TEST(ConformanceFramework, CaseNamesAreUnique) {
  const auto names = conformance_cases();
  EXPECT_GT(names.size(), 150u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(ConformanceFramework, RunCountsAndTellsEachRow) {
  std::vector<std::string> told;
  const ConformReport report = run_conformance(
      {.device = "null", .filter = "Copy.*", .on_row = [&](const ConformRow& row) { told.push_back(row.name); }});
  EXPECT_EQ(report.device, "null");
  EXPECT_FALSE(report.error);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_GT(report.passed, 0u);
  EXPECT_GT(report.skipped, 0u);
  EXPECT_EQ(report.rows.size(), report.passed + report.skipped + report.gaps);
  EXPECT_EQ(told.size(), report.rows.size());
}

TEST(ConformanceFramework, RunWithoutADeviceOrACaseIsAnError) {
  const ConformReport device = run_conformance({.device = "no_such_device"});
  EXPECT_EQ(device.failed, 1u);
  ASSERT_TRUE(device.error);
  EXPECT_EQ(device.error->code(), Errc::unavailable);
  const ConformReport filter = run_conformance({.device = "null", .filter = "No.Such"});
  EXPECT_EQ(filter.failed, 1u);
  ASSERT_TRUE(filter.error);
  EXPECT_EQ(filter.error->code(), Errc::not_found);
}

}  // namespace
}  // namespace pintle::conformance
