#include "kit/object_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

namespace pintle::kit {
namespace {

TEST(ObjectTable, IdsAreNeverZeroAndNeverUsedTwice) {
  ObjectTable<int> table(0);
  std::set<std::uint64_t> seen{0};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = table.insert(i);
    EXPECT_TRUE(seen.insert(id).second);
    ASSERT_NE(table.find(id), nullptr);
    EXPECT_EQ(*table.find(id), i);
    table.drop(id);
  }
}

TEST(ObjectTable, StaleIdsFindNothing) {
  ObjectTable<int> table(1);
  const std::uint64_t first = table.insert(1);
  table.drop(first);
  const std::uint64_t second = table.insert(2);
  EXPECT_EQ(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second));
  EXPECT_EQ(table.find(first), nullptr);
  ASSERT_NE(table.find(second), nullptr);
  EXPECT_EQ(*table.find(second), 2);
  EXPECT_EQ(table.find(second + 1), nullptr);
  EXPECT_EQ(table.find(~std::uint64_t{0}), nullptr);
}

TEST(ObjectTable, PlaceWhoseEpochsAreUsedUpIsNotGivenAgain) {
  ObjectTable<int> table(0xffffffff);
  const std::uint64_t last = table.insert(1);
  EXPECT_EQ(last, 0xffffffff'00000000);
  table.drop(last);
  EXPECT_EQ(table.find(last), nullptr);
  const std::uint64_t next = table.insert(2);
  EXPECT_EQ(static_cast<std::uint32_t>(next), 1u);
}

TEST(ObjectTable, ObjectsMayBeMoveOnly) {
  ObjectTable<std::unique_ptr<int>> table(1);
  const std::uint64_t id = table.insert(std::make_unique<int>(5));
  ASSERT_NE(table.find(id), nullptr);
  const auto taken = std::move(*table.find(id));
  table.drop(id);
  EXPECT_EQ(*taken, 5);
  EXPECT_EQ(table.find(id), nullptr);
}

TEST(ObjectTable, AgreesWithAMapOnRandomWork) {
  ObjectTable<int> table(7);
  std::map<std::uint64_t, int> oracle;
  std::mt19937 random(20260101);
  for (int i = 0; i < 20000; ++i) {
    if (oracle.empty() || random() % 3 != 0) {
      oracle.emplace(table.insert(i), i);
    } else {
      const auto victim = std::next(oracle.begin(), static_cast<std::ptrdiff_t>(random() % oracle.size()));
      const int* const found = table.find(victim->first);
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(*found, victim->second);
      table.drop(victim->first);
      oracle.erase(victim);
    }
    if (oracle.size() > 64) oracle.erase(oracle.begin());
    ASSERT_EQ(table.find(0), nullptr);
  }
  std::map<std::uint64_t, int> all;
  table.for_each([&](std::uint64_t id, int value) { all.emplace(id, value); });
  for (const auto& [id, value] : oracle) EXPECT_EQ(all.at(id), value);
}

}  // namespace
}  // namespace pintle::kit
