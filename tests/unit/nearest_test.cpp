#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace pintle::base {
namespace {

const std::vector<std::string> verbs{"devices", "doctor", "info", "plan", "run", "--output", "--json"};

TEST(Nearest, OneLetterAwayIsMeant) {
  for (const char* const text : {"device", "devicess", "devixes", "deivces", "DEVICES", "devoces"})
    EXPECT_EQ(nearest(text, verbs), "devices") << text;
  EXPECT_EQ(nearest("rnu", verbs), "run");
  EXPECT_EQ(nearest("pln", verbs), "plan");
  EXPECT_EQ(nearest("--jsno", verbs), "--json");
}

TEST(Nearest, APartIsMeant) {
  EXPECT_EQ(nearest("--out", verbs), "--output");
  EXPECT_EQ(nearest("runs", verbs), "run");
  EXPECT_EQ(nearest("dev", verbs), "devices");
}

TEST(Nearest, WhatIsFarMeansNothing) {
  for (const std::string text : {"", "x", "no", "xyzzy", "serve", "divide"})
    EXPECT_EQ(nearest(text, verbs), "") << text;
  EXPECT_EQ(nearest(std::string(1 << 20, 'd'), verbs), "");
  EXPECT_EQ(nearest("run", {}), "");
}

TEST(Nearest, AsASentence) {
  EXPECT_EQ(did_you_mean("plna", verbs), " Did you mean \"plan\"?");
  EXPECT_EQ(did_you_mean("xyzzy", verbs), "");
}

}  // namespace
}  // namespace pintle::base
