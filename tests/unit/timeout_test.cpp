// Timeouts: what is no number is refused by every call, and the default deadline says that it was the default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <limits>

#include "pintle/must.h"
#include "pintle/pintle.h"
#include "pintle/symmetric.h"

namespace pintle {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

const Timeout no_number = std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN());
constexpr std::string_view default_words = "waiting until the default deadline";

template <class T>
void expect_refused(const Result<T>& result) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::invalid_argument);
  EXPECT_THAT(result.error().text(), HasSubstr("The timeout is not a number (NaN)."));
}

TEST(Timeout, KnowsItsKind) {
  EXPECT_TRUE(Timeout().is_default());
  EXPECT_FALSE(Timeout(1s).is_default());
  EXPECT_FALSE(Timeout::infinite().is_default());
  EXPECT_TRUE(Timeout(1s).is_number());
  EXPECT_FALSE(no_number.is_number());
  EXPECT_LT(no_number.deadline(), Clock::now() + 1h);
  const std::chrono::duration<double> endless(std::numeric_limits<double>::infinity());
  EXPECT_EQ(Timeout(endless).deadline(), Deadline::max());
  EXPECT_LT(Timeout(-endless).deadline(), Clock::now() + 1h);
}

TEST(Timeout, NoNumberIsRefusedByWaits) {
  Signal signal = must(Signal::create(1));
  const std::array points{signal.at(1)};  // reached: nothing would have to wait
  expect_refused(points[0].wait(no_number));
  expect_refused(points[0].then([](const Result<void>&) {}, no_number));
  expect_refused(wait_all(points, no_number));
  expect_refused(wait_any(points, no_number));
}

TEST(Timeout, NoNumberIsRefusedByADevice) {
  const Device device = must(open("null"));
  Queue queue = must(device.create_queue());
  expect_refused(device.wait_idle(no_number));
  expect_refused(queue.submit(CommandList{}, {.timeout = no_number}));
  expect_refused(queue.submit_and_wait(CommandList{}, no_number));
  expect_refused(Pool::create(device, {.patience = no_number}));
  EXPECT_EQ(queue.last().value(), 0u);
}

TEST(Timeout, NoNumberIsRefusedByWhatTakesMemory) {
  const Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  const Pool pool = must(Pool::create(device));
  const auto pack = must(
      ProgramPack::source("c", "void nothing(const pintle_group* group, void* const* arguments) {}", {"nothing()"}));
  expect_refused(device.allocate(DType::u32, {1}, {.timeout = no_number}));
  expect_refused(queue.allocate(pool, DType::u32, {1}, {.timeout = no_number}));
  expect_refused(device.create_image({4, 4}, Texel::rgba8, {.timeout = no_number}));
  expect_refused(device.load(pack, LoadOptions{.timeout = no_number}));
}

TEST(Timeout, NoNumberIsRefusedByAGroup) {
  expect_refused(Group::threads(1, {.timeout = no_number}));
  auto groups = must(Group::threads(1));
  Group& group = groups.front();
  expect_refused(group.split(0u, 0, {.timeout = no_number}));
  expect_refused(group.run(Collective::barrier(), no_number));
  expect_refused(SymmetricHeap::create(group, 4096, {.timeout = no_number}));
  SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
  expect_refused(heap.allocate(DType::u32, {1}, no_number));
  expect_refused(heap.fence(no_number));
  expect_refused(heap.flush(no_number));
  expect_refused(heap.barrier(no_number));
  must(heap.barrier());
  must(group.run(Collective::barrier()));  // what was refused has changed nothing
}

// A process reads its default deadline once.
class TimeoutDeath : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void with_a_short_default(void (*body)()) {
  EXPECT_EXIT(
      {
        ::setenv("PINTLE_TIMEOUT_MS", "20", 1);
        body();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

void expect_default_words(const Result<void>& late) {
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timeout);
  ASSERT_EQ(late.error().context().size(), 1u) << late.error().text();
  EXPECT_EQ(late.error().context()[0],
            "waiting until the default deadline (20 ms); a timeout in the call or PINTLE_TIMEOUT_MS sets another");
}

TEST_F(TimeoutDeath, TheDefaultSaysSo) {
  with_a_short_default([] {
    const Signal signal = must(Signal::create());
    const std::array points{signal.at(1)};
    expect_default_words(points[0].wait());
    expect_default_words(wait_all(points));
    std::promise<Result<void>> called;
    must(points[0].then([&](const Result<void>& result) { called.set_value(result); }));
    expect_default_words(called.get_future().get());
    const Device device = must(open("null"));
    Queue queue = must(device.create_queue());
    must(queue.submit(CommandList{}, {.after = {points[0]}}));
    expect_default_words(queue.last().wait());
    expect_default_words(device.wait_idle());
  });
}

TEST_F(TimeoutDeath, OnlyTheDefaultSaysSo) {
  with_a_short_default([] {
    Signal signal = must(Signal::create());
    const auto given = signal.at(1).wait(1ms);
    EXPECT_THAT(given.error().text(), Not(HasSubstr(default_words)));
    // A failure with the same code is nobody's deadline, and every waiter gets the very same error.
    const Error cause(Errc::timeout, "The camera is late.");
    must(signal.fail(cause));
    const std::array points{signal.at(1)};
    EXPECT_TRUE(signal.at(1).wait().error().same_origin(cause));
    EXPECT_THAT(wait_all(points).error().text(), Not(HasSubstr(default_words)));
  });
}

}  // namespace
}  // namespace pintle
