// Objects behind handles of the C interface.
#include "capi/handle_table.h"

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace {

using pintle::capi::Cell;
using pintle::capi::HandleId;
using pintle::capi::HandleTable;

// Counts how many live.
struct Counted {
  explicit Counted(std::atomic<int>& live, int number = 0) noexcept : live_(&live), value(number) { live.fetch_add(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { live_->fetch_sub(1); }

 private:
  std::atomic<int>* live_;

 public:
  int value;
};

using Table = HandleTable<Counted, 5>;

// A table lives as long as its process, so the tests share one.
Table& only_table() {
  static Table& table = *new Table;
  return table;
}

class HandleTableTest : public testing::Test {
 protected:
  std::atomic<int> live_{0};
  Table& table_ = only_table();
};

TEST_F(HandleTableTest, AnObjectIsFoundUntilItIsReleased) {
  const std::uint64_t id = table_.make(live_, 7);
  EXPECT_EQ(table_.find(id)->value, 7);
  EXPECT_TRUE(table_.release(id));
  EXPECT_EQ(live_, 0);
  EXPECT_FALSE(table_.find(id));
  EXPECT_FALSE(table_.release(id));
  EXPECT_TRUE(table_.was_made(id));
}

TEST_F(HandleTableTest, AUseKeepsAReleasedObject) {
  const std::uint64_t id = table_.make(live_, 7);
  {
    const Table::Use use = table_.find(id);
    EXPECT_TRUE(table_.release(id));
    EXPECT_FALSE(table_.find(id));
    EXPECT_EQ(use->value, 7);
    EXPECT_EQ(live_, 1);
  }
  EXPECT_EQ(live_, 0);
}

TEST_F(HandleTableTest, WhatIsTakenIsFoundNoMoreAndEndsWithItsLastUse) {
  const std::uint64_t id = table_.make(live_, 7);
  const Table::Use before = table_.find(id);
  {
    const Table::LastUse taken = table_.take(id);
    EXPECT_EQ(taken->value, 7);
    EXPECT_FALSE(table_.find(id));
    EXPECT_FALSE(table_.take(id));
    EXPECT_FALSE(table_.release(id));
  }
  EXPECT_EQ(live_, 1);
  EXPECT_EQ(before->value, 7);
}

TEST_F(HandleTableTest, WhatIsTakenAloneEndsWithThatUse) {
  const std::uint64_t id = table_.make(live_, 7);
  {
    const Table::LastUse taken = table_.take(id);
    EXPECT_EQ(taken->value, 7);
    EXPECT_FALSE(table_.find(id));  // comes and goes, and ends nothing
    EXPECT_EQ(live_, 1);
  }
  EXPECT_EQ(live_, 0);
  const std::uint64_t next = table_.make(live_, 8);
  EXPECT_EQ(HandleId::place(next), HandleId::place(id));
  EXPECT_FALSE(table_.take(id));
  EXPECT_TRUE(table_.release(next));
}

TEST_F(HandleTableTest, APlaceIsUsedAgainByAnotherHandle) {
  const std::uint64_t first = table_.make(live_, 1);
  EXPECT_TRUE(table_.release(first));
  const std::uint64_t second = table_.make(live_, 2);
  EXPECT_EQ(HandleId::place(first), HandleId::place(second));
  EXPECT_NE(first, second);
  EXPECT_FALSE(table_.find(first));
  EXPECT_EQ(table_.find(second)->value, 2);
  EXPECT_TRUE(table_.release(second));
}

TEST_F(HandleTableTest, MadeUpHandlesNameNothing) {
  static Table& table = *new Table;  // of whose other places no handle was made
  const std::uint64_t id = table.make(live_, 1);
  for (const std::uint64_t other :
       {std::uint64_t{0}, ~std::uint64_t{0}, id + 1, id ^ (std::uint64_t{1} << 60), id + HandleId::place_limit,
        HandleId::of(5, 0, 0), HandleId::of(5, 1, HandleId::place_limit - 1)}) {
    EXPECT_FALSE(table.find(other)) << other;
    EXPECT_FALSE(table.release(other)) << other;
    EXPECT_FALSE(table.was_made(other)) << other;
  }
  EXPECT_EQ(table.find(id)->value, 1);
  EXPECT_TRUE(table.release(id));
}

TEST_F(HandleTableTest, ObjectsDoNotMoveWhileTheTableGrows) {
  std::vector<std::uint64_t> ids{table_.make(live_, 0)};
  const Counted* const first = &*table_.find(ids[0]);
  for (int i = 1; i < 1000; ++i) ids.push_back(table_.make(live_, i));
  EXPECT_EQ(&*table_.find(ids[0]), first);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(table_.find(ids[static_cast<std::size_t>(i)])->value, i);
  for (const std::uint64_t id : ids) EXPECT_TRUE(table_.release(id));
  EXPECT_EQ(live_, 0);
}

TEST_F(HandleTableTest, TheLastEpochEndsAPlace) {
  constexpr std::uint64_t last = HandleId::epoch_limit - 1, id = HandleId::of(5, last, 0);
  Cell<Counted> cell;
  cell.begin(5, 0, last);
  EXPECT_FALSE(cell.is_worn());
  EXPECT_EQ(cell.fill(live_), last);
  EXPECT_TRUE(cell.enter(id));
  EXPECT_EQ(cell.take(id), Cell<Counted>::Taken::shared);
  EXPECT_EQ(cell.take(id), Cell<Counted>::Taken::none);
  EXPECT_FALSE(cell.leave());
  EXPECT_TRUE(cell.leave());
  EXPECT_TRUE(cell.is_worn());
  EXPECT_FALSE(cell.enter(id));
  EXPECT_FALSE(cell.leave());
}

// Bits that nobody was given, also such as a cell has that holds nothing.
TEST_F(HandleTableTest, NoBitsNameAnEmptyCell) {
  Cell<Counted> cell;
  for (const unsigned kind : {0U, 5U, 63U}) {
    for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{1}, HandleId::epoch_limit - 1}) {
      EXPECT_FALSE(cell.enter(HandleId::of(kind, epoch, 3))) << kind << " " << epoch;
      EXPECT_FALSE(cell.leave());
    }
  }
  cell.begin(5, 3, 1);
  for (const std::uint64_t epoch : {0U, 1U, 2U})
    EXPECT_EQ(cell.take(HandleId::of(5, epoch, 3)), Cell<Counted>::Taken::none);
}

TEST_F(HandleTableTest, ManyPlacesAreUsedAgain) {
  std::vector<std::uint64_t> first, second;
  for (int i = 0; i < 10; ++i) first.push_back(table_.make(live_, i));
  for (const std::uint64_t id : first) EXPECT_TRUE(table_.release(id));
  for (int i = 0; i < 10; ++i) second.push_back(table_.make(live_, i));
  std::set<std::uint64_t> before, after;
  for (const std::uint64_t id : first) before.insert(HandleId::place(id));
  for (const std::uint64_t id : second) after.insert(HandleId::place(id));
  EXPECT_EQ(before, after);
  for (const std::uint64_t id : second) EXPECT_TRUE(table_.release(id));
}

// Threads make, find and release objects of the same few places, with handles that others release meanwhile.
TEST(HandleTableConcurrency, FoundObjectsAreWholeAndEachEndsOnce) {
  static constexpr int threads = 4, rounds = 2000, shared = 4;
  std::atomic<int> live{0};
  Table& table = only_table();
  std::vector<std::atomic<std::uint64_t>> ids(shared);
  const auto work = [&](int seed) {
    for (int round = 0; round < rounds; ++round) {
      auto& place = ids[static_cast<std::size_t>((round * 7 + seed) % shared)];
      if (const Table::Use use = table.find(place.load()); use) {
        EXPECT_EQ(use->value, 42);
      }
      const std::uint64_t before = place.exchange(table.make(live, 42));
      (void)table.find(before);
      EXPECT_EQ(table.release(before), before != 0);
      EXPECT_FALSE(table.release(before));
    }
  };
  std::vector<std::jthread> all;
  for (int seed = 0; seed < threads; ++seed) all.emplace_back(work, seed);
  all.clear();
  for (auto& id : ids) EXPECT_TRUE(table.release(id));
  EXPECT_EQ(live, 0);
}

}  // namespace
