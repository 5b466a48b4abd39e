// The model itself: it finds what is there to find, counts right, and its reduction loses nothing.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interleaving/model/explorer.h"
#include "interleaving/model/model_sync.h"

namespace pintle::interleaving {
namespace {

using Counter = ModelSync::Atomic<int>;

void two_writers_of_one(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  for (const int value : {1, 2, 3}) stage.thread("writes", [&counter, value] { counter.store(value); });
}

void writers_of_their_own(Stage& stage) {
  for (int i = 0; i < 3; ++i) {
    auto& counter = stage.make<Counter>(0);
    stage.thread("writes", [&counter] { counter.store(1); });
  }
}

void readers_of_one(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  for (int i = 0; i < 3; ++i) stage.thread("reads", [&counter] { static_cast<void>(counter.load()); });
}

void lost_update(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  for (int i = 0; i < 2; ++i) stage.thread("adds", [&counter] { counter.store(counter.load() + 1); });
  stage.finally([&] { stage.check(counter.load() == 2, Fault::wrong_answer, "An update is lost."); });
}

void update_in_one_step(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  for (int i = 0; i < 2; ++i) stage.thread("adds", [&counter] { counter.fetch_add(1); });
  stage.finally([&] { stage.check(counter.load() == 2, Fault::wrong_answer, "An update is lost."); });
}

void update_under_a_mutex(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  auto& mutex = stage.make<ModelSync::Mutex>();
  const auto add = [&] {
    std::lock_guard lock(mutex);
    counter.store(counter.load() + 1);
  };
  for (int i = 0; i < 3; ++i) stage.thread("adds", add);
  stage.finally([&] { stage.check(counter.load() == 3, Fault::wrong_answer, "An update is lost."); });
}

void two_mutexes_in_two_orders(Stage& stage) {
  auto& left = stage.make<ModelSync::Mutex>();
  auto& right = stage.make<ModelSync::Mutex>();
  const auto take = [](ModelSync::Mutex& first, ModelSync::Mutex& second) {
    std::lock_guard outer(first);
    std::lock_guard inner(second);
  };
  stage.thread("left first", [&left, &right, take] { take(left, right); });
  stage.thread("right first", [&left, &right, take] { take(right, left); });
}

struct Door {
  ModelSync::Mutex mutex;
  ModelSync::Condition condition;
  bool is_open = false;
  Counter visible{0};
};

void wait_without_looking(Stage& stage) {
  auto& door = stage.make<Door>();
  stage.thread("waits", [&door] {
    std::unique_lock lock(door.mutex);
    door.condition.wait(lock);
  });
  stage.thread("notifies", [&door] { door.condition.notify_all(); });
}

void one_notify_for_two(Stage& stage) {
  auto& door = stage.make<Door>();
  for (int i = 0; i < 2; ++i) {
    stage.thread("waits", [&door] {
      std::unique_lock lock(door.mutex);
      while (!door.is_open) door.condition.wait(lock);
    });
  }
  stage.thread("opens", [&door] {
    std::lock_guard lock(door.mutex);
    door.is_open = true;
    door.condition.notify_one();
  });
}

void deadline_passes(Stage& stage) {
  auto& door = stage.make<Door>();
  stage.thread("waits", [&door] {
    std::unique_lock lock(door.mutex);
    static_cast<void>(door.condition.wait_until(lock, Deadline(std::chrono::hours(24) + std::chrono::seconds(1))));
  });
  stage.deadlines_pass();
}

void spinning(Stage& stage) {
  auto& flag = stage.make<Counter>(0);
  stage.thread("spins", [&flag] {
    while (flag.load() == 0) ModelSync::pause();
  });
  stage.thread("writes", [&flag] { flag.store(1); });
}

void spinning_for_ever(Stage& stage) {
  auto& flag = stage.make<Counter>(0);
  stage.thread("spins", [&flag] {
    while (flag.load() == 0) ModelSync::pause();
  });
}

void used_after_its_end(Stage& stage) {
  auto& counter = stage.make<Counter>(0);
  stage.thread("uses", [&counter] { counter.store(1); });
  stage.thread("destroys", [&stage, &counter] { stage.destroy(counter); });
}

std::optional<Fault> fault_of(void (*set_up)(Stage&), std::uint8_t spurious = 0) {
  const Report report = explore({"model", set_up, spurious});
  EXPECT_NE(report.violation.has_value(), report.exhaustive);
  return report.violation ? std::optional(report.violation->fault) : std::nullopt;
}

TEST(Model, counts_only_orders_that_matter) {
  EXPECT_EQ(explore({"", two_writers_of_one}).schedules, 6U);
  EXPECT_EQ(explore({"", writers_of_their_own}).schedules, 1U);
  EXPECT_EQ(explore({"", readers_of_one}).schedules, 1U);
  EXPECT_EQ(explore({"", update_under_a_mutex}).schedules, 6U);
}

TEST(Model, without_reduction_counts_every_order) {
  // Three threads of two steps each, "begin" and the access: 6! / (2! 2! 2!).
  EXPECT_EQ(explore({"", two_writers_of_one}, Reduction::none).schedules, 90U);
  EXPECT_EQ(explore({"", writers_of_their_own}, Reduction::none).schedules, 90U);
}

TEST(Model, finds_lost_updates) {
  EXPECT_EQ(fault_of(lost_update), Fault::wrong_answer);
  EXPECT_EQ(fault_of(update_in_one_step), std::nullopt);
  EXPECT_EQ(fault_of(update_under_a_mutex), std::nullopt);
}

TEST(Model, finds_deadlocks) {
  EXPECT_EQ(fault_of(two_mutexes_in_two_orders), Fault::deadlock);
  EXPECT_EQ(fault_of(wait_without_looking), Fault::deadlock);
  EXPECT_EQ(fault_of(one_notify_for_two), Fault::deadlock);
}

TEST(Model, spurious_wakes_hide_no_deadlock) { EXPECT_EQ(fault_of(one_notify_for_two, 1), Fault::deadlock); }

TEST(Model, deadlines_pass) { EXPECT_EQ(fault_of(deadline_passes), std::nullopt); }

TEST(Model, spinning_ends_when_somebody_writes) {
  EXPECT_EQ(fault_of(spinning), std::nullopt);
  EXPECT_EQ(fault_of(spinning_for_ever), Fault::deadlock);
}

TEST(Model, finds_use_after_the_end) { EXPECT_EQ(fault_of(used_after_its_end), Fault::reuse); }

TEST(Model, a_violation_can_be_replayed) {
  const Scenario scenario{"", lost_update};
  const Report found = explore(scenario);
  ASSERT_TRUE(found.violation);
  const auto again = replay(scenario, found.schedule);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->story(), found.story());
  EXPECT_FALSE(replay(scenario, "0 0 7"));
  EXPECT_FALSE(replay(scenario, found.schedule + " 0"));
}

// Every outcome of a program that locks, sleeps, is woken, gives up and polls, with and without the reduction.
std::set<std::string>* outcomes = nullptr;

void mixed(Stage& stage) {
  auto& door = stage.make<Door>();
  auto& log = stage.make<std::string>();
  stage.thread("waits", [&] {
    std::unique_lock lock(door.mutex);
    const bool late = !door.is_open && door.condition.wait_until(lock, Deadline{}) == std::cv_status::timeout;
    log += late ? "late " : "woken ";
  });
  stage.thread("opens", [&] {
    door.visible.store(1);
    std::lock_guard lock(door.mutex);
    door.is_open = true;
    door.condition.notify_one();
    log += "opened ";
  });
  stage.thread("polls", [&] { log += door.visible.load() == 1 ? "seen " : "unseen "; });
  stage.finally([&] { outcomes->insert(log); });
}

TEST(Model, the_reduction_loses_no_outcome) {
  std::set<std::string> reduced;
  std::set<std::string> all;
  outcomes = &reduced;
  const Report with = explore({"", mixed});
  outcomes = &all;
  const Report without = explore({"", mixed}, Reduction::none);
  ASSERT_TRUE(with.exhaustive && without.exhaustive);
  EXPECT_LT(with.schedules + with.redundant, without.schedules / 10) << with.summary() << "; " << without.summary();
  // The log is ordinary memory of all threads, so only its words are compared, not their order.
  const auto words = [](const std::set<std::string>& texts) {
    std::set<std::pair<bool, bool>> found;
    for (const std::string& text : texts)
      found.emplace(text.find("late") != text.npos, text.find("unseen") != text.npos);
    return found;
  };
  EXPECT_EQ(words(reduced), words(all));
  EXPECT_EQ(words(all).size(), 4U);
}

}  // namespace
}  // namespace pintle::interleaving
