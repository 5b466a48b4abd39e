#include "core/time/worklist.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/list/list_state.h"

namespace pintle::core {
namespace {

/// Writes a letter when the last copy goes.
std::shared_ptr<void> writes_when_gone(std::string& text, char letter) {
  return {nullptr, [&text, letter](void*) { text += letter; }};
}

/// The state of a list that owns something.
Buried& list_that_owns(std::shared_ptr<void> owned) {
  CommandList list = CommandList{}.call([owned = std::move(owned)] {}).label("call").call([] {});
  return *std::exchange(Inside::state(list), nullptr);
}

/// Runs a function when no lock is held.
class Later final : public Deferred {
 public:
  explicit Later(std::function<void(Worklist&)> action) : action_(std::move(action)) {}

 private:
  void run_deferred(Worklist& worklist) noexcept override { action_(worklist); }
  std::function<void(Worklist&)> action_;
};

void later(Worklist& worklist, std::function<void(Worklist&)> action) {
  worklist.add(std::make_shared<Later>(std::move(action)));
}

TEST(Worklist, WhatListsOwnGoesWhenItRuns) {
  std::string gone;
  Worklist worklist;
  worklist.bury(list_that_owns(writes_when_gone(gone, 'a')));
  worklist.bury(list_that_owns(writes_when_gone(gone, 'b')));
  EXPECT_EQ(gone, "");
  worklist.run();
  EXPECT_EQ(gone, "ab");
}

TEST(Worklist, RunsWhatIsLeftWhenItGoes) {
  std::string gone;
  {
    Worklist worklist;
    worklist.bury(list_that_owns(writes_when_gone(gone, 'a')));
    later(worklist, [&gone](Worklist&) { gone += '!'; });
  }
  EXPECT_EQ(gone, "a!");
}

TEST(Worklist, AnActionMayAddMore) {
  std::string gone;
  Worklist worklist;
  later(worklist, [&](Worklist& same) {
    gone += '1';
    same.bury(list_that_owns(writes_when_gone(gone, 'a')));
    later(same, [&gone](Worklist&) { gone += '2'; });
  });
  worklist.run();
  EXPECT_EQ(gone, "1a2");
}

TEST(Worklist, AnEmptyListIsNothing) {
  Worklist worklist, other;
  CommandList list = CommandList{}.barrier();
  worklist.take(other);
  worklist.bury(*std::exchange(Inside::state(list), nullptr));
  worklist.run();
  EXPECT_TRUE(worklist.empty());
  worklist.run();
}

}  // namespace
}  // namespace pintle::core
