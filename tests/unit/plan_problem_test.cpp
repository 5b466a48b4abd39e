#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using test::text_of;
using test::value;

std::string refusal(const PlanProblem& problem) {
  const auto plan = lay_out(problem);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code(), Errc::invalid_argument);
  return std::string(plan.error().message());
}

std::string refusal(PlanValue one) { return refusal(PlanProblem{.values = {std::move(one)}}); }

TEST(PlanProblem, NamesAreThereAndUnlike) {
  EXPECT_EQ(refusal(value("", 0, 1, 1)), "Value 0 has no name.");
  EXPECT_EQ(refusal({.values = {value("a", 0, 1, 1), value("b", 0, 1, 1), value("a", 0, 1, 1)}}),
            "Values 0 and 2 have the same name \"a\".");
}

TEST(PlanProblem, LifetimesHaveSteps) {
  EXPECT_EQ(refusal(value("a", 3, 3, 1)),
            "The lower end (3) of the lifetime of [Value \"a\"] is not below its upper end (3).");
  PlanValue one = value("a", 0, 1, 1);
  one.uses = {0};
  EXPECT_EQ(refusal(one), "[Value \"a\"] has uses (1), but the problem has no relation of steps.");
}

TEST(PlanProblem, AlignmentsArePowersOfTwo) {
  EXPECT_EQ(refusal(value("a", 0, 1, 1, 0)), "The alignment (0) of [Value \"a\"] is no power of two.");
  EXPECT_EQ(refusal(value("a", 0, 1, 1, 12)), "The alignment (12) of [Value \"a\"] is no power of two.");
}

TEST(PlanProblem, SizesThatOverflowAreRefused) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(refusal(value("a", 0, 1, most)).starts_with("The sizes overflow: with the size"));
  EXPECT_TRUE(refusal(value("a", 0, 1, most, 64)).starts_with("The sizes overflow"));
  const std::uint64_t half = std::uint64_t{1} << 61;
  EXPECT_EQ(refusal({.values = {value("a", 0, 1, half), value("b", 1, 2, half), value("c", 2, 3, half)}}),
            "The sizes overflow: with the size (2305843009213693952) of [Value \"c\"] they exceed the limit "
            "(4611686018427387904).");
  PlanProblem chunks{.values = {value("a", 0, 1, half / 2), value("b", 0, 1, half / 2)}, .largest_chunk = half - 1};
  EXPECT_TRUE(refusal(chunks).starts_with("The sizes overflow: ")) << refusal(chunks);
}

TEST(PlanProblem, TheLargestSizesThatFitAreLaidOut) {
  const std::uint64_t half = std::uint64_t{1} << 61;
  EXPECT_EQ(must(lay_out({.values = {value("a", 0, 1, half), value("b", 0, 1, half)}})).total(), 2 * half);
}

TEST(PlanProblem, ChunksHoldTheirValues) {
  EXPECT_EQ(refusal({.values = {value("a", 0, 1, 9)}, .largest_chunk = 8}),
            "The size (9) of [Value \"a\"] exceeds the largest chunk (8).");
  EXPECT_EQ(refusal({.largest_chunk = 0}), "The largest chunk (0) is less than one byte.");
}

TEST(PlanProblem, FixedPlacesAreAlignedAndInside) {
  PlanValue one = value("a", 0, 1, 8, 8);
  one.assignment = Assignment::fixed;
  one.offset = 4;
  EXPECT_EQ(refusal(one), "The fixed offset (4) of [Value \"a\"] is no multiple of its alignment (8).");
  one.offset = std::numeric_limits<std::uint64_t>::max() - 7;
  EXPECT_TRUE(refusal(one).find("exceeds the largest chunk") != std::string::npos);
  one.offset = 0;
  one.chunk = 1;
  EXPECT_EQ(refusal(one), "[Value \"a\"] is fixed in chunk 1, but without a largest chunk there is one only.");
  EXPECT_EQ(refusal(PlanProblem{.values = {one}, .largest_chunk = 8}), "accepted");
}

TEST(PlanProblem, PairsAreOfTwoValues) {
  PlanProblem problem{.values = {value("a", 0, 2, 8), value("b", 1, 3, 8)}, .in_place = {{0, 2}}};
  EXPECT_EQ(refusal(problem), "Value 2 of an in-place pair is not below the number of values (2).");
  problem.in_place = {{1, 1}};
  EXPECT_EQ(refusal(problem), "[Value \"b\"] is both values of an in-place pair.");
}

// Text.

std::string reading(const std::string& text) { return text_of(Plan::parse(text)); }

TEST(PlanText, WhatIsWrittenReadsEqual) {
  PlanProblem problem{.values = {value("a b%\n\xff", 0, 1, 8, 4), value("x", 0, 1, 8), value("y", 0, 2, 0)}};
  problem.values[1].assignment = Assignment::external;
  problem.largest_chunk = 16;
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(must(Plan::parse(plan.text())), plan);
  EXPECT_EQ(must(Plan::parse(Plan().text())), Plan());
  const Plan chunks = must(lay_out({.values = {value("a", 0, 1, 8), value("b", 0, 1, 8)}, .largest_chunk = 8}));
  EXPECT_EQ(chunks.chunks().size(), 2u);
  EXPECT_EQ(must(Plan::parse(chunks.text())), chunks);
}

TEST(PlanText, BadTextNamesTheLine) {
  const std::string head = "pintle-plan 1\ntotal 8\nlower_bound 8\nchunks 1\nchunk 8\n";
  EXPECT_EQ(reading(head + "planned 0 0 8 1 a\n"), "accepted");
  EXPECT_EQ(reading(""), "Line 1 of the plan is \"\"; \"pintle-plan 1\" and an end of line is expected.");
  EXPECT_TRUE(reading("pintle-plan 2\n").starts_with("Line 1 of the plan"));
  EXPECT_TRUE(reading(head + "planned 0 0 8 1 a").starts_with("Line 6 of the plan"));
  EXPECT_TRUE(reading(head + "planned 0 -1 8 1 a\n").starts_with("Line 6 of the plan"));
  EXPECT_TRUE(reading(head + "placed 0 0 8 1 a\n").starts_with("Line 6 of the plan"));
  EXPECT_TRUE(reading(head + "planned 0 0 8 1 %zz\n").starts_with("Line 6 of the plan"));
  EXPECT_NE(reading(head + "planned 0 0 4 1 a\nplanned 0 6 4 1 b\n").find("While reading line 7"), std::string::npos);
  EXPECT_EQ(reading(head + "planned 0 0 4 1 a\nplanned 0 4 4 1 a\n"), "[Value \"a\"] is there twice.");
  EXPECT_NE(reading("pintle-plan 1\ntotal 9\nlower_bound 8\nchunks 1\nchunk 8\n").find("not the sum"),
            std::string::npos);
  EXPECT_NE(reading("pintle-plan 1\ntotal 8\nlower_bound 9\nchunks 1\nchunk 8\n").find("exceeds the total"),
            std::string::npos);
  EXPECT_TRUE(reading("pintle-plan 1\ntotal 8\nlower_bound 8\nchunks 99999999999\n").starts_with("Line 5"));
}

TEST(PlanPicture, EachValueIsDrawnOnce) {
  PlanProblem problem{.values = {value("a<b", 0, 2, 8), value("c", 1, 3, 8), value("x", 0, 1, 9)}};
  problem.values[2].assignment = Assignment::external;
  const Plan plan = must(lay_out(problem));
  const std::string svg = must(picture(problem, plan));
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("<title>a&lt;b: chunk 0, offset 0, size 8, steps 0 to 2</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>c: "), std::string::npos);
  EXPECT_EQ(svg.find("<title>x: "), std::string::npos);
  problem.values[0].upper = 1;
  problem.values[1].size = 7;
  EXPECT_FALSE(picture(problem, plan));
}

}  // namespace
}  // namespace pintle
