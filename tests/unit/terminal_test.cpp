#include "base/terminal.h"

#include <gtest/gtest.h>

namespace pintle::base {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const char* const text :
       {"", "plain \"text\" \\", "two\nlines\tand a tab", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa9"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatSteersATerminalIsEscaped) {
  EXPECT_EQ(printable("\x1b[2J\x07\r\x7f"), "\\x1b[2J\\x07\\x0d\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0z", 3)), "a\\x00z");
  EXPECT_EQ(printable("\xc2\x9b[J"), "\\xc2\\x9b[J") << "the same as ESC [ in one character";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "what follows would be shown from right to left";
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
}

TEST(Printable, WhatIsNoTextIsEscaped) {
  for (const auto& [text, shown] : std::initializer_list<std::pair<const char*, const char*>>{
           {"\x9b", "\\x9b"},                             // a control character of 8 bits
           {"\xc3", "\\xc3"},                             // cut short
           {"\xc0\x9b", "\\xc0\\x9b"},                    // longer than it need be
           {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},           // the same
           {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half of a pair
           {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // behind the last character
           {"\xff\xc3\xa9", "\\xff\xc3\xa9"}})
    EXPECT_EQ(printable(text), shown);
}

}  // namespace
}  // namespace pintle::base
