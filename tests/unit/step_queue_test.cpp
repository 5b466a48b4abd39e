#include "kit/step_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace pintle::kit {
namespace {

using backend::Command;
using backend::QueueId;
using backend::QueuePoint;
using std::chrono::milliseconds;

Command step() { return {backend::HostCall{}, nullptr, false}; }
Command work() { return {backend::Fill{}, nullptr, false}; }
Command mark() { return {backend::Timestamp{}, nullptr, false}; }
Command use() { return {backend::Copy{}, nullptr, false}; }

/// Writes down what it is told: "w" for each command started, "s" for a step, "|serial" for the end of a submission.
class Fake final : public StepQueue::Native {
 public:
  bool is_step(const Command& command) const noexcept override {
    ++looked;
    return std::holds_alternative<backend::HostCall>(command.operation) || begins_in_place(command);
  }
  bool begins_in_place(const Command& command) const noexcept override {
    return std::holds_alternative<backend::Timestamp>(command.operation);
  }
  bool needs_end_of(std::span<const Command* const> begun, const Command& command,
                    const backend::Commands&) const noexcept override {
    return !begun.empty() && std::holds_alternative<backend::Copy>(command.operation);
  }
  Result<void> start(const StepQueue::Piece& piece) override {
    const std::lock_guard lock(mutex_);
    if (refusal_) return Error(*refusal_);
    if (!piece.waits.empty()) said_ += "(" + std::to_string(piece.waits.front().serial) + ")";
    said_.append(piece.commands.commands.size(), 'w');
    if (piece.serial) said_ += "|" + std::to_string(*piece.serial);
    starter_ = std::this_thread::get_id();
    changed_.notify_all();
    return {};
  }
  bool has_room(const backend::Commands& list, Kinds) override { return list.commands.size() <= room_; }
  Result<void> finish(Deadline deadline) override {
    std::unique_lock lock(mutex_);
    ++finishing_;
    changed_.notify_all();
    if (changed_.wait_until(lock, deadline, [&] { return !blocked_; })) return {};
    return Error(Errc::timeout, "The fake is not finished.");
  }
  Result<void> step(const Command&, const backend::Commands&) override {
    const std::lock_guard lock(mutex_);
    said_ += "s";
    return {};
  }
  void fail(Error error) noexcept override {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(error);
    changed_.notify_all();
  }

  void block() {
    set([&] { blocked_ = true; });
  }
  void unblock() {
    set([&] { blocked_ = false; });
  }
  void refuse(std::optional<Error> error) {
    set([&] { refusal_ = std::move(error); });
  }

  void set_room(std::size_t room) {
    set([&] { room_ = room; });
  }
  /// The thread that started the last piece.
  std::thread::id starter() {
    const std::lock_guard lock(mutex_);
    return starter_;
  }

  /// What was said, once it ends so.
  std::string said(std::string_view end) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, milliseconds(5000), [&] { return said_.ends_with(end); });
    return said_;
  }
  std::string said() { return said(""); }
  bool await_finishing() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, milliseconds(5000), [&] { return finishing_ > 0; });
  }
  std::string await_failure() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, milliseconds(5000), [&] { return failure_.has_value(); });
    return failure_ ? failure_->text() : "";
  }

  mutable std::atomic<int> looked{0};  ///< How often somebody asked for a step.

 private:
  template <class Change>
  void set(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string said_;
  int finishing_ = 0;
  bool blocked_ = false;
  std::size_t room_ = 100;
  std::thread::id starter_;
  std::optional<Error> refusal_;
  std::optional<Error> failure_;
};

struct StepQueueTest : testing::Test {
  static Result<std::uint64_t> submit(StepQueue& queue, std::span<const Command> commands,
                                      std::span<const QueuePoint> waits = {}) {
    return queue.submit(waits, {commands, {}});
  }

  StepQueues all;
  Fake fake;
};

TEST_F(StepQueueTest, WithoutStepsTheSubmittingThreadStarts) {
  StepQueue queue(all, QueueId{1}, 10, fake);
  const std::array commands{work(), work()};
  EXPECT_EQ(submit(queue, commands).value_or(0), 11u);
  EXPECT_EQ(fake.said(), "ww|11");
}

TEST_F(StepQueueTest, NobodyLooksForStepsAmongWhatIsNeverOne) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array commands{work(), use(), Command{backend::Exec{}, nullptr, false}};
  EXPECT_EQ(submit(queue, commands).value_or(0), 1u);
  EXPECT_EQ(fake.looked, 0);
  const std::array uploads{Command{backend::Upload{}, nullptr, false}};
  EXPECT_EQ(submit(queue, uploads).value_or(0), 2u);
  EXPECT_EQ(fake.looked, 1);
  EXPECT_EQ(fake.said(), "www|1w|2");
}

TEST_F(StepQueueTest, WhatDoesNotFitIsStartedByTheCourier) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  fake.set_room(1);
  const std::array commands{work(), work()};
  EXPECT_EQ(submit(queue, std::span(commands).first(1)).value_or(0), 1u);
  EXPECT_EQ(fake.starter(), std::this_thread::get_id());
  EXPECT_EQ(submit(queue, commands).value_or(0), 2u);
  EXPECT_EQ(fake.said("|2"), "w|1ww|2");
  EXPECT_NE(fake.starter(), std::this_thread::get_id());
}

TEST_F(StepQueueTest, StepsAreTakenBetweenWhatStandsAroundThem) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array commands{work(), step(), work(), work(), step(), step(), work()};
  EXPECT_EQ(submit(queue, commands).value_or(0), 1u);
  EXPECT_EQ(fake.said("|1"), "wswwssw|1");
}

TEST_F(StepQueueTest, WhatBeginsInItsPlaceEndsBehindThePiece) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array marks{work(), mark(), use(), mark(), work()};
  EXPECT_EQ(submit(queue, marks).value_or(0), 1u);
  EXPECT_EQ(fake.said("|1"), "wwswwws|1") << "what uses it comes behind its end, and one end is that of several";
  const std::array others{mark(), mark(), step(), use(), mark()};
  EXPECT_EQ(submit(queue, others).value_or(0), 2u);
  EXPECT_EQ(fake.said("|2"), "wwswwws|1wwsswws|2");
}

// What a driver reads when it is enqueued has to be there by then.
TEST_F(StepQueueTest, AnUploadOfWhatIsDownloadedIsAStep) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  std::array<std::byte, 8> memory{};
  const Command download{backend::Download{{memory.data(), 8, backend::no_slot}, {}}, nullptr, false};
  const Command upload{backend::Upload{{}, {memory.data(), 8, backend::no_slot}}, nullptr, false};
  const std::array there{work(), download};
  const std::array back{work(), upload, work()};
  EXPECT_EQ(submit(queue, there).value_or(0), 1u);
  EXPECT_EQ(submit(queue, back).value_or(0), 2u);
  EXPECT_EQ(fake.said("|2"), "ww|1wsw|2");
  queue.reach(1);
  EXPECT_EQ(submit(queue, back).value_or(0), 3u);
  EXPECT_EQ(fake.said("|3"), "ww|1wsw|2www|3");
}

TEST_F(StepQueueTest, AStepAtTheEndIsBeforeTheSerial) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array commands{work(), step()};
  EXPECT_EQ(submit(queue, commands).value_or(0), 1u);
  EXPECT_EQ(fake.said("|1"), "ws|1");
}

TEST_F(StepQueueTest, WhatComesLaterIsHeldBehindAStep) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array steps{step()};
  const std::array works{work()};
  fake.block();
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  EXPECT_EQ(submit(queue, works).value_or(0), 2u);
  ASSERT_TRUE(fake.await_finishing());
  EXPECT_EQ(fake.said(), "");
  fake.unblock();
  EXPECT_EQ(fake.said("|2"), "s|1w|2");
}

TEST_F(StepQueueTest, AnotherQueueThatWaitsForWhatIsHeldIsHeldToo) {
  Fake other_fake;
  StepQueue queue(all, QueueId{1}, 0, fake);
  StepQueue other(all, QueueId{2}, 0, other_fake);
  const std::array steps{step()};
  const std::array works{work()};
  fake.block();
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  const std::array waits{QueuePoint{QueueId{1}, 1}};
  EXPECT_EQ(submit(other, works, waits).value_or(0), 1u);
  ASSERT_TRUE(fake.await_finishing());
  EXPECT_EQ(other_fake.said(), "");
  fake.unblock();
  EXPECT_EQ(other_fake.said("|1"), "(1)w|1");
}

TEST_F(StepQueueTest, AQueueThatIsGoneHadFinished) {
  const std::array works{work()};
  {
    const StepQueue gone(all, QueueId{7}, 0, fake);
  }
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array waits{QueuePoint{QueueId{7}, 5}};
  EXPECT_EQ(submit(queue, works, waits).value_or(0), 1u);
  EXPECT_EQ(fake.said(), "(5)w|1");
}

TEST_F(StepQueueTest, ARefusedStartOfTheSubmittingThreadUsesUpNoSerial) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array works{work()};
  fake.refuse(Error(Errc::out_of_memory, "The fake is full."));
  EXPECT_EQ(submit(queue, works).error().code(), Errc::out_of_memory);
  EXPECT_EQ(fake.said(), "");
}

TEST_F(StepQueueTest, ARefusedStartOfTheCourierIsToldAsAFailure) {
  StepQueue queue(all, QueueId{1}, 0, fake);
  const std::array steps{step()};
  fake.refuse(Error(Errc::out_of_memory, "The fake is full."));
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  EXPECT_TRUE(fake.await_failure().contains("The fake is full."));
}

TEST_F(StepQueueTest, GoesWhileADeviceNeverFinishes) {
  const std::array steps{step()};
  fake.block();
  {
    StepQueue queue(all, QueueId{1}, 0, fake);
    EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
    ASSERT_TRUE(fake.await_finishing());
  }
  EXPECT_EQ(fake.said(), "");
}

TEST_F(StepQueueTest, GoesWhileItWaitsForAnother) {
  const std::array steps{step()};
  const std::array works{work()};
  Fake other_fake;
  fake.block();
  StepQueue queue(all, QueueId{1}, 0, fake);
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  {
    StepQueue other(all, QueueId{2}, 0, other_fake);
    const std::array waits{QueuePoint{QueueId{1}, 1}};
    EXPECT_EQ(submit(other, works, waits).value_or(0), 1u);
  }
  EXPECT_EQ(other_fake.said(), "");
  fake.unblock();
}

TEST_F(StepQueueTest, WithoutACourierTheCallerTakesTheSteps) {
  StepQueue queue(all, QueueId{1}, 0, fake, HostCopies::uploads, Stepping::caller);
  const std::array commands{work(), step(), work(), step()};
  const std::array works{work()};
  EXPECT_EQ(submit(queue, commands).value_or(0), 1u);
  EXPECT_EQ(submit(queue, works).value_or(0), 2u);
  EXPECT_EQ(fake.said(), "");
  fake.block();
  queue.drive();
  queue.drive();
  EXPECT_EQ(fake.said(), "w") << "what is in front of a step is started once, and waited for by nobody";
  fake.unblock();
  queue.drive();
  EXPECT_EQ(fake.said(), "wsws|1w|2");
  EXPECT_EQ(fake.starter(), std::this_thread::get_id());
  EXPECT_EQ(submit(queue, works).value_or(0), 3u);
  EXPECT_EQ(fake.said(), "wsws|1w|2w|3") << "nothing is held any more";
}

TEST_F(StepQueueTest, WithoutACourierAQueueBehindAnotherWaitsForNobody) {
  Fake other_fake;
  StepQueue queue(all, QueueId{1}, 0, fake, HostCopies::uploads, Stepping::caller);
  StepQueue other(all, QueueId{2}, 0, other_fake, HostCopies::uploads, Stepping::caller);
  const std::array steps{step()};
  const std::array works{work()};
  const std::array waits{QueuePoint{QueueId{1}, 1}};
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  EXPECT_EQ(submit(other, works, waits).value_or(0), 1u);
  other.drive();
  EXPECT_EQ(other_fake.said(), "");
  queue.drive();
  other.drive();
  EXPECT_EQ(other_fake.said(), "(1)w|1");
}

TEST_F(StepQueueTest, ARefusedStartOfTheCallerIsToldAsAFailureAndNothingMoreIsCalled) {
  StepQueue queue(all, QueueId{1}, 0, fake, HostCopies::uploads, Stepping::caller);
  const std::array steps{step()};
  EXPECT_EQ(submit(queue, steps).value_or(0), 1u);
  fake.refuse(Error(Errc::out_of_memory, "The fake is full."));
  queue.drive();
  EXPECT_TRUE(fake.await_failure().contains("The fake is full."));
  fake.refuse({});
  queue.drive();
  EXPECT_EQ(fake.said(), "");
}

}  // namespace
}  // namespace pintle::kit
