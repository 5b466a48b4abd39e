#include "kit/deputy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <vector>

#include "kit/kept_requests.h"
#include "pintle/must.h"

namespace pintle::test {
namespace {

using kit::Deputy;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

Deadline soon() { return Clock::now() + 1ms; }
void nothing() {}

/// Work that goes on until it is let go.
struct Stuck {
  std::latch begun{1}, let_go{1};
  std::atomic<int> undone{0};
};

/// A call that gives up while the thread is inside the work.
Error give_up(Deputy& deputy, const std::shared_ptr<Stuck>& stuck) {
  const auto work = [stuck] {
    stuck->begun.count_down();
    stuck->let_go.wait();
  };
  const auto late = [stuck] { ++stuck->undone; };
  for (;;) {  // a deadline may pass before the thread begins
    const auto ran = deputy.run("loading [saxpy]", Clock::now() + 50ms, work, late);
    if (!ran && stuck->begun.try_wait()) return ran.error();
  }
}

TEST(DeputyConcurrency, RunsWorkInOrder) {
  std::vector<int> order;
  {
    Deputy deputy("test:0");
    deputy.post([&] { order.push_back(1); });
    must(deputy.run("working", Deadline::max(), [&] { order.push_back(2); }, &nothing));
    deputy.post([&] { order.push_back(3); });
  }  // does what it has
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(DeputyConcurrency, TakesBackWhatNobodyWaitsFor) {
  const auto stuck = std::make_shared<Stuck>();
  Deputy deputy("test:0");
  const Error late = give_up(deputy, stuck);
  EXPECT_EQ(late.code(), Errc::timeout);
  EXPECT_THAT(std::string(late.message()), AllOf(HasSubstr("[test:0] is still loading [saxpy] after ("),
                                                 HasSubstr("may wait for a kernel that runs")));
  EXPECT_EQ(stuck->undone.load(), 0);
  stuck->let_go.count_down();
  must(deputy.run("working", Deadline::max(), &nothing, &nothing));
  EXPECT_EQ(stuck->undone.load(), 1);
}

TEST(DeputyConcurrency, DoesNotBeginWhatNobodyWaitsFor) {
  const auto stuck = std::make_shared<Stuck>();
  bool has_begun = false;
  {
    Deputy deputy("test:0");
    static_cast<void>(give_up(deputy, stuck));
    const auto behind = deputy.run("allocating", soon(), [&] { has_begun = true; }, &nothing);
    ASSERT_FALSE(behind);
    EXPECT_THAT(std::string(behind.error().message()), HasSubstr("is not begun"));
    stuck->let_go.count_down();
  }
  EXPECT_FALSE(has_begun);
}

TEST(DeputyConcurrency, LeavesAThreadBehindThatDoesNotComeBack) {
  const auto stuck = std::make_shared<Stuck>();
  const auto released = std::make_shared<std::latch>(1);
  {
    Deputy deputy("test:0");
    static_cast<void>(give_up(deputy, stuck));
    deputy.post([released] { released->count_down(); });
  }
  EXPECT_FALSE(released->try_wait());
  stuck->let_go.count_down();
  released->wait();  // it goes on with what it has
}

TEST(KeptProgramImage, OutlivesWhatItIsMadeOf) {
  std::vector<backend::LeftOut> left_out;
  std::optional<kit::KeptProgramImage> kept;
  {
    const std::vector<std::byte> code(3, std::byte{7});
    const std::vector<Entry> entries{must(Entry::parse("run(x: read f32[])"))};
    const std::string names[] = {"width", "MACRO", "text", "CL2.0", "name", "format"};
    const std::vector constants{backend::Constant{.name = names[0], .dtype = DType::u32, .value = {}}};
    const std::vector macros{backend::Macro{names[1], names[2]}};
    const std::vector<std::string> folders{"include"};
    const backend::ProgramImage image{.name = names[4],
                                      .format = names[5],
                                      .code = code,
                                      .entries = entries,
                                      .constants = constants,
                                      .left_out = &left_out,
                                      .source = {macros, folders, names[3]}};
    kept.emplace(image);
    kept->image().left_out->push_back({"run", "has no place"});
    EXPECT_TRUE(left_out.empty());
    kept->tell(image);
  }
  const backend::ProgramImage& image = kept->image();
  EXPECT_EQ(image.name, "name");
  EXPECT_EQ(image.format, "format");
  EXPECT_EQ(image.code.size(), 3U);
  EXPECT_EQ(image.entries.front().name, "run");
  EXPECT_EQ(image.constants.front().name, "width");
  EXPECT_EQ(image.source.macros.front().name, "MACRO");
  EXPECT_EQ(image.source.macros.front().text, "text");
  EXPECT_EQ(image.source.include_folders.front(), "include");
  EXPECT_EQ(image.source.language, "CL2.0");
  EXPECT_EQ(image.alignments, nullptr);
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out.front().reason, "has no place");
}

}  // namespace
}  // namespace pintle::test
