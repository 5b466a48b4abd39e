#include "core/time/worklist.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace pintle::core {
namespace {

/// Writes a letter when the last copy goes.
std::shared_ptr<void> writes_when_gone(std::string& text, char letter) {
  return {nullptr, [&text, letter](void*) { text += letter; }};
}

CommandList list_that_owns(std::shared_ptr<void> owned) {
  return CommandList{}.call([owned = std::move(owned)] {}).label("call").call([] {});
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
    worklist.later([&gone] { gone += '!'; });
  }
  EXPECT_EQ(gone, "a!");
}

TEST(Worklist, AnActionMayAddMore) {
  std::string gone;
  Worklist worklist;
  worklist.later([&] {
    gone += '1';
    worklist.bury(list_that_owns(writes_when_gone(gone, 'a')));
    worklist.later([&gone] { gone += '2'; });
  });
  worklist.run();
  EXPECT_EQ(gone, "1a2");
}

TEST(Worklist, AnEmptyListIsNothing) {
  Worklist worklist;
  worklist.bury(CommandList{});
  worklist.run();
  worklist.run();
}

}  // namespace
}  // namespace pintle::core
