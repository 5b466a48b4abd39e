#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "pintle/collective.h"

namespace pintle {
namespace {

constexpr std::array op_names{"sum",    "prod",    "min",         "max",        "mean",       "bit_and",
                              "bit_or", "bit_xor", "logical_and", "logical_or", "logical_xor"};
constexpr std::array algorithm_names{"automatic", "direct", "ring", "halving_doubling", "tree", "native"};

TEST(ReduceOpNames, ReadBackAndKeepTheirNumbers) {
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < op_names.size(); ++index) {
    const auto op = static_cast<ReduceOp>(index + 1);
    EXPECT_EQ(name(op), op_names[index]);
    EXPECT_EQ(parse_reduce_op(op_names[index]), op);
    names.insert(name(op));
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(name(ReduceOp::sum), "sum");
  EXPECT_EQ(name(ReduceOp::mean), "mean");
  EXPECT_EQ(name(ReduceOp::bit_and), "bit_and");
  EXPECT_EQ(name(ReduceOp::logical_xor), "logical_xor");
}

TEST(AlgorithmNames, ReadBackAndKeepTheirNumbers) {
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < algorithm_names.size(); ++index) {
    const auto algorithm = static_cast<Algorithm>(index + 1);
    EXPECT_EQ(name(algorithm), algorithm_names[index]);
    EXPECT_EQ(parse_algorithm(algorithm_names[index]), algorithm);
    names.insert(name(algorithm));
  }
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(name(Algorithm::automatic), "automatic");
  EXPECT_EQ(name(Algorithm::halving_doubling), "halving_doubling");
  EXPECT_EQ(name(Algorithm::native), "native");
}

/// What almost is a name: other letters, more or less of them, and those of the other kind.
TEST(ReduceOpNames, OthersAreNone) {
  for (const char* text : {"", "Sum", "sum ", " sum", "su", "sums", "add", "unknown", "ring", "bit-and", "1"}) {
    EXPECT_EQ(parse_reduce_op(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(parse_reduce_op(std::string_view("sum\0", 4)), std::nullopt);
}

TEST(AlgorithmNames, OthersAreNone) {
  for (const char* text : {"", "Ring", "ring ", " ring", "rin", "rings", "auto", "unknown", "sum", "halving", "3"}) {
    EXPECT_EQ(parse_algorithm(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(parse_algorithm(std::string_view("tree\0", 5)), std::nullopt);
}

TEST(ReduceOpNames, NumbersThatOnlyACastMakesAreUnknown) {
  for (const int number : {0, 12, 255}) EXPECT_EQ(name(static_cast<ReduceOp>(number)), "unknown");
}

TEST(AlgorithmNames, NumbersThatOnlyACastMakesAreUnknown) {
  for (const int number : {0, 7, 255}) EXPECT_EQ(name(static_cast<Algorithm>(number)), "unknown");
}

}  // namespace
}  // namespace pintle
