// The order in which objects of a driver go.
#include "kit/newest_first.h"

#include <gtest/gtest.h>

#include <vector>

namespace pintle::kit {
namespace {

struct Noted {
  ~Noted() { ended->push_back(number); }
  int number;
  std::vector<int>* ended;
};

TEST(NewestFirst, WhatCameLastGoesFirst) {
  std::vector<int> ended;
  {
    NewestFirst<Noted> all;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(all.add(std::make_unique<Noted>(i, &ended)).number, i);
    EXPECT_EQ(all.size(), 4u);
    EXPECT_TRUE(ended.empty());
  }
  EXPECT_EQ(ended, (std::vector{3, 2, 1, 0}));
}

}  // namespace
}  // namespace pintle::kit
