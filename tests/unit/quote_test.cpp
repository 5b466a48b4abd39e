#include "base/quote.h"

#include <gtest/gtest.h>

#include "base/parse.h"

namespace pintle::base {
namespace {

TEST(Quote, EscapesWhatWouldConfuse) {
  EXPECT_EQ(quote("plain text"), "\"plain text\"");
  EXPECT_EQ(quote(""), "\"\"");
  EXPECT_EQ(quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quote(std::string_view("\0\n\x7f\xff", 4)), R"("\x00\x0a\x7f\xff")");
}

TEST(Quote, CutsWhatIsLong) {
  EXPECT_EQ(quote("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(quote("abcdefg", 6), "\"abcdef...\"");
}

TEST(Quote, KnowsIdentifiers) {
  for (const char* const text : {"a", "_", "blur_2", "A9"}) EXPECT_TRUE(is_identifier(text)) << text;
  for (const char* const text : {"", "9a", "a-b", "a b", "a.b", "\xc3\xa4"}) EXPECT_FALSE(is_identifier(text)) << text;
}

TEST(Parse, NumbersAreStrict) {
  EXPECT_EQ(parse_number<std::uint32_t>("4294967295"), 4294967295u);
  EXPECT_EQ(parse_number<std::uint32_t>("007"), 7u);
  for (const char* const text : {"", "4294967296", "-1", "+1", " 1", "1 ", "1.0", "0x10", "one"}) {
    EXPECT_EQ(parse_number<std::uint32_t>(text), std::nullopt) << text;
  }
}

TEST(Parse, NumbersHaveLimits) {
  EXPECT_EQ(parse_number<std::uint32_t>("5", 5, 6), 5u);
  EXPECT_EQ(parse_number<std::uint32_t>("4", 5, 6), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("7", 5, 6), std::nullopt);
}

}  // namespace
}  // namespace pintle::base
