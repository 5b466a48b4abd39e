// A driver takes its time over memory, and nobody takes that memory from under it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "hanging/gate.h"
#include "unit/cpu_support.h"
#include "unit/device_over.h"

namespace pintle::hanging {
namespace {

using kit::Call;

/// One that takes its time to unmap, and counts what is released.
class Lender final : public kit::Forwarding {
 public:
  Lender(Gate& unmapping, std::atomic<int>& releases)
      : Forwarding("lender", must(test::try_open_cpu({}))), unmapping_(unmapping), releases_(releases) {}

 private:
  Result<void> before(Call call) override {
    if (call == Call::unmap) unmapping_.pass();
    if (call == Call::release) ++releases_;
    return {};
  }

  Gate& unmapping_;
  std::atomic<int>& releases_;
};

/// One that takes its time to submit, counts what is released, and is lost when it is asked. Once it is lost it runs
/// nothing, as the seam has it.
class SlowToSubmit final : public kit::Forwarding {
 public:
  SlowToSubmit(Gate& submitting, std::atomic<int>& releases, bool refuses = false)
      : Forwarding("slow", must(test::try_open_cpu({}))),
        submitting_(submitting),
        releases_(releases),
        refuses_(refuses) {}

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    first_serial_ = request.first_serial;
    return Forwarding::create_queue(request);
  }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    submitting_.pass();
    if (refuses_) return Error(Errc::out_of_memory, "There is no room.");
    if (is_lost_) return first_serial_ + 1;  // it was accepted just before the loss
    return Forwarding::submit(queue, waits, commands);
  }
  Result<void> probe() override {
    is_lost_ = true;
    return Error(Errc::device_lost, "It is gone.");
  }

 private:
  Result<void> before(Call call) override {
    if (call == Call::release) ++releases_;
    return {};
  }

  Gate& submitting_;
  std::atomic<int>& releases_;
  const bool refuses_;
  std::uint64_t first_serial_ = 0;
  std::atomic<bool> is_lost_{false};
};

template <class Condition>
bool comes(Condition condition) {
  const Deadline end = Clock::now() + bound;
  while (!condition() && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

/// Drops a buffer while its work is being started, which the driver refuses or not. Nobody asks the queue.
void drop_while_it_starts(bool refuses) {
  Gate submitting;
  std::atomic<int> releases{0};
  const Device device = test::device_over("slow", std::make_unique<SlowToSubmit>(submitting, releases, refuses));
  Queue queue = must(device.create_queue());
  Buffer buffer = must(device.allocate(DType::u32, {64}));
  submitting.arm();
  std::thread starting([&] { EXPECT_NE(queue.submit(CommandList{}.fill(buffer, 1u)).has_value(), refuses); });
  EXPECT_TRUE(submitting.wait_for_someone());
  {
    const Buffer gone = std::move(buffer);
  }
  submitting.open();
  starting.join();
  EXPECT_TRUE(comes([&] { return releases == 1; }));
}

TEST(HangingMemoryConcurrency, WhatIsDroppedWhileItsWorkIsBeingStartedGoesByItself) { drop_while_it_starts(false); }

TEST(HangingMemoryConcurrency, WhatIsDroppedWhileItsWorkIsRefusedGoesByItself) { drop_while_it_starts(true); }

TEST(HangingMemoryConcurrency, WhatAListOwnsGoesWhereTheDeviceIsLostWhileItStarts) {
  Gate submitting;
  std::atomic<int> releases{0};
  const Device device = test::device_over("slow", std::make_unique<SlowToSubmit>(submitting, releases));
  Queue queue = must(device.create_queue());
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  auto owner = std::make_shared<std::vector<std::byte>>(buffer.size_bytes());
  const std::weak_ptr<std::vector<std::byte>> held = owner;
  submitting.arm();
  std::thread waiting([&] {
    const std::span<const std::byte> bytes(*owner);
    EXPECT_FALSE(queue.submit_and_wait(CommandList{}.upload_retained(buffer, std::move(owner), bytes)));
  });
  EXPECT_TRUE(submitting.wait_for_someone());
  EXPECT_FALSE(device.health());
  submitting.open();
  waiting.join();
  EXPECT_TRUE(comes([&] { return held.expired(); }));  // the queue is still there
}

TEST(HangingMemoryConcurrency, WhatIsBeingUnmappedAfterALoanIsNotReleased) {
  Gate unmapping;
  std::atomic<int> releases{0};
  const Device lender = test::device_over("lender", std::make_unique<Lender>(unmapping, releases));
  const Device borrower = test::device_over("borrower", must(test::try_open_cpu({})));
  Queue queue = must(borrower.create_queue());
  const Buffer mine = must(borrower.allocate(DType::u32, {64}));
  Buffer theirs = must(lender.allocate(DType::u32, {64}));
  unmapping.arm();
  std::thread copying([&] { must(queue.submit_and_wait(CommandList{}.copy(mine, theirs))); });
  EXPECT_TRUE(unmapping.wait_for_someone());
  {
    const Buffer gone = std::move(theirs);
  }
  must(lender.poll());
  EXPECT_EQ(releases, 0);
  unmapping.open();
  copying.join();
  must(lender.poll());
  EXPECT_EQ(releases, 1);
}

}  // namespace
}  // namespace pintle::hanging
