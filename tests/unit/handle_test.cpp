// Handles: what the device is asked for, and what happens to a handle when something fails.
#include "pintle/handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "memory/handle_shadow.h"
#include "pintle/native/faulty.h"
#include "pintle/pintle.h"
#include "unit/device_over.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::uint32_t>;

template <class T>
std::string refusal(const Result<T>& result, Errc code) {
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), code) << result.error().text();
  return result.error().text();
}

Keep fill_with(std::function<Result<void>(std::span<std::byte>)> fill) { return Keep::refill(std::move(fill)); }

/// A device that runs what it is given in the test's own thread, behind a layer that fails when told.
class HandleTest : public testing::Test {
 protected:
  HandleTest() : device_(must(open("faulty(cpu?inline)?call=open&ordinal=1000000&code=unavailable"))) {
    queue_ = must(device_.create_queue());
  }

  Handle make(Keep keep, std::uint64_t count = 4, DType dtype = DType::u32) {
    return must(Handle::create(device_, "state", dtype, {count}, std::move(keep)));
  }
  void fail_next(std::string_view call, Errc code) {
    const auto control = must(device_.native<layers::FaultyControl>());
    must(control.arm(control.self, call, 1, code));
  }
  void lose_and_recover() {
    fail_next("submit", Errc::device_lost);
    EXPECT_FALSE(queue_.submit(CommandList{}));
    must(device_.recover());
    queue_ = must(device_.create_queue());
  }
  Words words_of(const Handle& handle) { return must(read<std::uint32_t>(queue_, handle.view())); }
  /// Whatever is submitted now waits until `gate` is set to 1.
  Signal hold() {
    Signal gate = must(Signal::create());
    must(queue_.submit(CommandList{}, {.after = {gate.at(1)}}));
    return gate;
  }

  Device device_;
  Queue queue_;
};

TEST_F(HandleTest, NamesThatNoFileCanHoldAreRefused) {
  const auto create = [&](std::string name) {
    return refusal(Handle::create(device_, std::move(name), DType::u8, {1}, Keep::lost()), Errc::invalid_argument);
  };
  EXPECT_THAT(create(""), HasSubstr("is empty"));
  EXPECT_THAT(create("__metadata__"), AllOf(HasSubstr("__metadata__"), HasSubstr("reserves")));
  EXPECT_THAT(create("caf\xe9"), HasSubstr("not UTF-8"));
  EXPECT_EQ(create("caf\xc3\xa9 / layer.0 \"x\""), "accepted");
}

TEST_F(HandleTest, WhatTheDeviceCannotAllocateIsRefusedByName) {
  const auto none = Handle::create(device_, "huge", DType::f64, {1ull << 61}, Keep::lost());
  EXPECT_THAT(refusal(none, Errc::invalid_argument),
              AllOf(HasSubstr("2305843009213693952"), HasSubstr("[Handle \"huge\"]")));
  const auto empty = Handle::create(device_, "none", DType::f64, {0}, Keep::lost());
  EXPECT_THAT(refusal(empty, Errc::invalid_argument), HasSubstr("[Handle \"none\"]"));
  fail_next("allocate", Errc::out_of_memory);
  const auto full = Handle::create(device_, "full", DType::f64, {1}, Keep::lost());
  EXPECT_THAT(refusal(full, Errc::out_of_memory), HasSubstr("[Handle \"full\"]"));
  EXPECT_FALSE(Handle::create(Device(), "nowhere", DType::f64, {1}, Keep::lost()));
}

TEST_F(HandleTest, ARefillMustSuitTheHandle) {
  const auto create = [&](Keep keep) {
    return refusal(Handle::create(device_, "state", DType::u32, {4}, std::move(keep)), Errc::invalid_argument);
  };
  EXPECT_THAT(create(Keep::refill(nullptr)), HasSubstr("no function"));
  EXPECT_THAT(create(Keep::refill<std::uint32_t>(nullptr)), HasSubstr("no function"));
  EXPECT_THAT(create(Keep::refill<float>([](std::span<float>) -> Result<void> { return {}; })),
              AllOf(HasSubstr("(f32)"), HasSubstr("(u32)"), HasSubstr("[Handle \"state\"]")));
}

TEST_F(HandleTest, KindsHaveNames) {
  EXPECT_EQ(name(Keep::lost().kind()), "lost");
  EXPECT_EQ(name(Keep::host_shadow().kind()), "host_shadow");
  EXPECT_EQ(name(Keep::refill(nullptr).kind()), "refill");
}

// For `next`: the state that was is the state that is.
TEST_F(HandleTest, ABackThatDoesNotFitChangesNothing) {
  Handle handle = make(Keep::lost());
  must(handle.write(queue_, Words{1, 2, 3, 4}));
  fail_next("allocate", Errc::out_of_memory);
  EXPECT_THAT(refusal(handle.next(), Errc::out_of_memory), HasSubstr("[Handle \"state\"]"));
  EXPECT_FALSE(handle.flip());
  EXPECT_TRUE(handle.next());
  EXPECT_EQ(words_of(handle), (Words{1, 2, 3, 4}));
}

TEST_F(HandleTest, FrontAndBackAreTwoAndStayTwo) {
  Handle handle = make(Keep::lost());
  must(handle.write(queue_, Words(4, 1)));
  must(queue_.submit(CommandList{}.fill(must(handle.next()), 2u)));
  EXPECT_EQ(words_of(handle), Words(4, 1));
  must(handle.flip());
  EXPECT_EQ(words_of(handle), Words(4, 2));
  EXPECT_EQ(must(read<std::uint32_t>(queue_, must(handle.next()))), Words(4, 1));
}

TEST_F(HandleTest, ASubmissionThatFailsLeavesTheHandleAsItWas) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  fail_next("submit", Errc::out_of_memory);
  EXPECT_EQ(refusal(handle.write(queue_, Words(4, 2)), Errc::out_of_memory).find("accepted"), std::string::npos);
  fail_next("submit", Errc::out_of_memory);
  EXPECT_FALSE(handle.checkpoint(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
  must(queue_.submit(CommandList{}.fill(handle.view(), 3u)));
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

TEST_F(HandleTest, ARestoreThatFailsLeavesItStaleAndCanBeRepeated) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  lose_and_recover();
  fail_next("allocate", Errc::out_of_memory);
  EXPECT_THAT(refusal(handle.restore(queue_), Errc::out_of_memory), HasSubstr("[Handle \"state\"]"));
  fail_next("submit", Errc::out_of_memory);
  EXPECT_FALSE(handle.restore(queue_));
  EXPECT_TRUE(handle.is_stale());
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

TEST_F(HandleTest, LossesInARow) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  lose_and_recover();
  lose_and_recover();
  const std::uint64_t generation = device_.generation();
  must(handle.restore(queue_));
  EXPECT_EQ(handle.generation(), generation);
  lose_and_recover();  // the restoring may not have been reached
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

TEST_F(HandleTest, WhatFillsMayFailAndThrow) {
  int calls = 0;
  const Keep keep = fill_with([&](std::span<std::byte> bytes) -> Result<void> {
    EXPECT_EQ(bytes.size(), 16u);
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; }));
    bytes[0] = std::byte{static_cast<unsigned char>(++calls)};
    if (calls == 1) return Error(Errc::io, "The weights are not there.");
    if (calls == 2) throw std::runtime_error("thrown away");
    return {};
  });
  Handle handle = make(keep);
  must(handle.write(queue_, Words(4, 9)));
  EXPECT_THAT(refusal(handle.restore(queue_), Errc::io),
              AllOf(HasSubstr("not there"), HasSubstr("While refilling [Handle \"state\"]")));
  EXPECT_THAT(refusal(handle.restore(queue_), Errc::internal), HasSubstr("thrown away"));
  EXPECT_EQ(words_of(handle), Words(4, 9));
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), (Words{3, 0, 0, 0}));
}

TEST_F(HandleTest, OneCheckpointIsOnItsWayAtATime) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  Signal gate = hold();
  const Point first = must(handle.checkpoint(queue_));
  EXPECT_THAT(refusal(handle.checkpoint(queue_, 1ms), Errc::timeout), HasSubstr("checkpoint of [Handle \"state\"]"));
  EXPECT_THAT(refusal(handle.write(queue_, Words(4), 1ms), Errc::timeout), HasSubstr("[Handle \"state\"]"));
  EXPECT_THAT(refusal(handle.restore(queue_, 1ms), Errc::timeout), HasSubstr("[Handle \"state\"]"));
  EXPECT_FALSE(must(first.is_reached()));
  must(gate.set(1));
  must(handle.checkpoint(queue_));
  EXPECT_TRUE(must(first.is_reached()));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

// A queue that fails takes its checkpoint along; the one before stays, and the handle goes on with another queue.
TEST_F(HandleTest, ACheckpointOnAFailedQueueIsDropped) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  Signal gate = hold();
  must(queue_.submit(CommandList{}.fill(handle.view(), 5u)));
  const Point failing = must(handle.checkpoint(queue_));
  must(gate.fail(Error(Errc::cancelled, "Given up.")));
  EXPECT_FALSE(failing.wait(1s));
  queue_ = must(device_.create_queue());
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
  must(handle.checkpoint(queue_));
}

TEST_F(HandleTest, RenewingAKeptOneLeavesItsShadow) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  must(handle.renew());  // not stale: nothing happens
  EXPECT_EQ(words_of(handle), Words(4, 1));
  lose_and_recover();
  must(handle.renew());
  must(queue_.submit(CommandList{}.fill(handle.view(), 2u)));
  EXPECT_EQ(words_of(handle), Words(4, 2));
  must(handle.restore(queue_));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

TEST_F(HandleTest, AnotherDevicesQueueIsRefusedAndNothingIsWritten) {
  Handle handle = make(Keep::host_shadow());
  must(must(handle.write(queue_, Words(4, 1))).wait());
  Device other = must(open("null"));
  Queue foreign = must(other.create_queue());
  EXPECT_FALSE(handle.write(foreign, Words(4, 2)));
  EXPECT_FALSE(handle.checkpoint(foreign));
  EXPECT_FALSE(handle.restore(foreign));
  EXPECT_EQ(words_of(handle), Words(4, 1));
}

TEST_F(HandleTest, MovesWithItsMemory) {
  Handle first = make(Keep::lost());
  must(first.write(queue_, Words(4, 6)));
  Handle second = std::move(first);
  Handle third;
  third = std::move(second);
  EXPECT_EQ(words_of(third), Words(4, 6));
  third = make(Keep::lost());
  EXPECT_FALSE(third.is_stale());
}

TEST_F(HandleTest, HostPlacementIsTheHandles) {
  HandleOptions options;
  options.placement = Placement::host;
  Handle handle = must(Handle::create(device_, "near", DType::u32, {4}, Keep::lost(), options));
  must(handle.write(queue_, Words(4, 6)));
  EXPECT_EQ(words_of(handle), Words(4, 6));
  options.alignment = 3;
  EXPECT_THAT(refusal(Handle::create(device_, "odd", DType::u32, {4}, Keep::lost(), options), Errc::invalid_argument),
              HasSubstr("(3)"));
}

// --- What the device is asked for, noted by the device itself ---

class HandleTraffic : public testing::Test {
 protected:
  std::size_t count(std::string_view word) const {
    std::size_t found = 0;
    for (std::size_t at = notes_.find(word); at != std::string::npos; at = notes_.find(word, at + 1)) ++found;
    return found;
  }

  std::string notes_;
  Device device_ = test::device_over("noting(null)", std::make_unique<test::Noting>(notes_));
  Queue queue_ = must(device_.create_queue());
  const Kernel kernel_ = must(
      must(device_.load(must(ProgramPack::source("c", "void step() {}", {"step(from: read u32[], to: write u32[])"}))))
          .kernel("step"));
};

// P1: two full host copies a run were the ancestors' price of state; here a step is its launch and nothing else.
TEST_F(HandleTraffic, FeedbackIssuesLaunchesOnly) {
  Handle handle = must(Handle::create(device_, "state", DType::u32, {64}, Keep::host_shadow()));
  must(handle.next());
  for (int i = 0; i < 100; ++i) {
    must(queue_.submit(CommandList{}.exec(kernel_, Grid{1}, handle.view(), must(handle.next()))));
    must(handle.flip());
  }
  EXPECT_EQ(count("\n"), 100u) << notes_;
  EXPECT_EQ(count("exec"), 100u) << notes_;
}

// The front of one step is the back of the next.
TEST_F(HandleTraffic, FlipExchangesTheTwoBuffers) {
  Handle handle = must(Handle::create(device_, "state", DType::u32, {4}, Keep::lost()));
  for (int i = 0; i < 4; ++i) {
    must(queue_.submit(CommandList{}.exec(kernel_, Grid{1}, handle.view(), must(handle.next()))));
    must(handle.flip());
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < notes_.size(); at = notes_.find('\n', at) + 1)
    lines.push_back(notes_.substr(notes_.find("read", at), notes_.find('\n', at) - notes_.find("read", at)));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[0], lines[1]);
  EXPECT_EQ(lines[0], lines[2]);
  EXPECT_EQ(lines[1], lines[3]);
}

TEST_F(HandleTraffic, AWriteIsOneUploadAndACheckpointOneDownload) {
  for (const Keep& keep : {Keep::lost(), Keep::host_shadow()}) {
    notes_.clear();
    Handle handle = must(Handle::create(device_, "state", DType::u8, {5}, keep));
    must(handle.write(queue_, std::vector<std::uint8_t>{'h', 'e', 'l', 'l', 'o'}));
    EXPECT_EQ(count("upload"), 1u) << notes_;
    EXPECT_EQ(count("from \"hello\""), 1u) << notes_;
    if (keep.kind() != Keep::Kind::host_shadow) continue;
    must(must(handle.checkpoint(queue_)).wait());
    EXPECT_EQ(count("download"), 1u) << notes_;
    EXPECT_EQ(count("\n"), 2u) << notes_;
  }
}

TEST_F(HandleTraffic, ASetIsOneSubmission) {
  HandleSet set;
  for (const char* name : {"a", "b", "c"})
    must(set.add(must(Handle::create(device_, name, DType::u8, {2}, Keep::host_shadow()))));
  for (const std::string& name : set.names()) must(must(set.find(name))->write(queue_, std::vector<std::uint8_t>(2)));
  const std::uint64_t before = queue_.last().value();
  must(must(set.checkpoint(queue_)).wait());
  EXPECT_EQ(queue_.last().value(), before + 1);
  must(set.restore(queue_));
  EXPECT_EQ(queue_.last().value(), before + 2);
  EXPECT_EQ(count("download"), 3u);
  EXPECT_EQ(count("upload"), 6u);
}

// --- The host copies alone, with points that the test reaches ---

class HandleShadowTest : public testing::Test {
 protected:
  memory::HostBytes expect_at(std::uint64_t value) {
    memory::HostBytes bytes = shadow_.memory(8);
    shadow_.expect(bytes, signal_.at(value));
    return bytes;
  }

  Signal signal_ = must(Signal::create());
  memory::HandleShadow shadow_;
};

TEST_F(HandleShadowTest, ACopyCountsWhenItsPointIsReached) {
  EXPECT_FALSE(shadow_.is_there());
  EXPECT_EQ(shadow_.last(), nullptr);
  const auto copy = expect_at(1);
  EXPECT_FALSE(shadow_.is_there());
  EXPECT_THAT(refusal(shadow_.settle(Clock::now()), Errc::timeout), Not(HasSubstr("accepted")));
  must(signal_.set(1));
  EXPECT_TRUE(shadow_.is_there());
  EXPECT_EQ(shadow_.last(), copy);
}

TEST_F(HandleShadowTest, AFailedCopyLeavesTheOneBefore) {
  const auto good = expect_at(1);
  must(signal_.set(1));
  must(shadow_.settle(Clock::now()));
  const auto bad = expect_at(2);
  EXPECT_NE(good, bad);
  must(signal_.fail(Error(Errc::device_lost, "Gone.")));
  must(shadow_.settle(Clock::now()));
  EXPECT_EQ(shadow_.last(), good);
}

TEST_F(HandleShadowTest, TwoCopiesTakeTurns) {
  std::vector<memory::HostBytes> copies;
  for (std::uint64_t value = 1; value <= 6; ++value) {
    must(shadow_.settle(Clock::now()));
    copies.push_back(expect_at(value));
    must(signal_.set(value));
  }
  EXPECT_NE(copies[1], copies[0]);
  for (std::size_t i = 2; i < copies.size(); ++i) EXPECT_EQ(copies[i], copies[i - 2]) << i;
}

// An upload may still read what was lent: nobody writes over it.
TEST_F(HandleShadowTest, ALentCopyIsNotUsedAgain) {
  const auto first = expect_at(1);
  must(signal_.set(1));
  must(shadow_.settle(Clock::now()));
  const auto lent = shadow_.last();
  EXPECT_EQ(lent, first);
  for (std::uint64_t value = 2; value <= 5; ++value) {
    EXPECT_NE(expect_at(value), lent);
    must(signal_.set(value));
    must(shadow_.settle(Clock::now()));
  }
}

}  // namespace
}  // namespace pintle
