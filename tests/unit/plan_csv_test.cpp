#include "io/plan_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "pintle/must.h"
#include "unit/plan_support.h"
#include "unit/scratch_folder.h"

namespace pintle::io {
namespace {

std::string refusal(std::string_view text) {
  const auto problem = parse_plan_csv(text);
  if (problem) return "accepted";
  EXPECT_EQ(problem.error().code(), Errc::invalid_argument);
  return std::string(problem.error().message());
}

TEST(PlanCsv, ReadsColumnsInAnyOrder) {
  const PlanProblem problem = must(parse_plan_csv("size,id,upper,lower\r\n16, b1 ,4,2\n\n8,b2,9,0\n"));
  ASSERT_EQ(problem.values.size(), 2u);
  EXPECT_EQ(problem.values[0], test::value("b1", 2, 4, 16));
  EXPECT_EQ(problem.values[1], test::value("b2", 0, 9, 8));
  EXPECT_EQ(must(parse_plan_csv("id,lower,upper,size,alignment\na,0,1,2,64")).values[0], test::value("a", 0, 1, 2, 64));
}

TEST(PlanCsv, WhatIsWrittenReadsEqual) {
  const PlanProblem problem = test::random_problem(1, 20, 16);
  EXPECT_EQ(must(parse_plan_csv(must(serialize_plan_csv(problem)))), problem);
  EXPECT_EQ(serialize_plan_csv({.values = {test::value("a,b", 0, 1, 1)}}).error().code(), Errc::unsupported);
}

TEST(PlanCsv, RefusalsNameLineAndColumn) {
  EXPECT_EQ(refusal(""), "Line 1, column 1: There is no header; it names the columns id, lower, upper and size.");
  EXPECT_EQ(refusal("id,lower,upper\n"), "Line 1, column 15: The header has no column \"size\".");
  EXPECT_EQ(refusal("id,lower,upper,size,colour\n"),
            "Line 1, column 21: \"colour\" is none of the columns id, lower, upper, size, alignment.");
  EXPECT_EQ(refusal("id,lower,id,size\n"), "Line 1, column 10: Column \"id\" is there twice.");
  const std::string head = "id,lower,upper,size,alignment\n";
  EXPECT_EQ(refusal(head + "a,0,1,8,1\nb,0,1,8\n"), "Line 3, column 8: The line has 4 fields; the header has 5.");
  EXPECT_EQ(refusal(head + "a,0,1,8,1,9\n"), "Line 2, column 11: The line has 6 fields; the header has 5.");
  EXPECT_EQ(refusal(head + "a,0,1,8x,1\n"),
            "Line 2, column 7: \"size\" \"8x\" is no whole number from 0 to 18446744073709551615.");
  EXPECT_TRUE(refusal(head + "a,-1,1,8,1\n").starts_with("Line 2, column 3: "));
  EXPECT_TRUE(refusal(head + "a,0,18446744073709551616,8,1\n").starts_with("Line 2, column 5: "));
  EXPECT_EQ(refusal(head + "a,4,4,8,1\n"), "Line 2, column 5: Upper (4) is not above lower (4); it is exclusive.");
  EXPECT_EQ(refusal(head + "a,0,1,8,3\n"), "Line 2, column 9: The alignment (3) is no power of two.");
  EXPECT_EQ(refusal(head + ",0,1,8,1\n"), "Line 2, column 1: The id is empty.");
  EXPECT_EQ(refusal(head + "\"a\",0,1,8,1\n"),
            "Line 2, column 1: The id has a quote or an end of line, which are not read here.");
  EXPECT_EQ(refusal(head + "a,0,1,8,1\n\na,0,1,8,1\n"), "Line 4, column 1: The id \"a\" is that of line 2 already.");
}

TEST(PlanCsv, AByteOrderMarkIsNoColumn) {
  const PlanProblem problem = must(parse_plan_csv("\xef\xbb\xbfid,lower,upper,size\na,0,1,4\n"));
  EXPECT_EQ(problem.values.at(0).name, "a");
  EXPECT_FALSE(parse_plan_csv("\xef\xbb\xbf\xef\xbb\xbfid,lower,upper,size\n"));
}

TEST(PlanCsv, AFileThatIsNotThereIsIo) {
  EXPECT_EQ(read_plan_csv(test::ScratchFolder().path() / "x.csv").error().code(), Errc::io);
}

}  // namespace
}  // namespace pintle::io
