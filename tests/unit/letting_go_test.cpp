// What was lent goes by itself: memory, recordings, pools, owners, against destruction and against threads that wait.
#include "core/time/letting_go.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "core/device/incarnation.h"
#include "core/time/rounds.h"
#include "fake_device.h"
#include "pintle/pintle.h"

namespace pintle::core {
namespace {

using namespace std::chrono_literals;

class LettingGoConcurrency : public testing::Test {
 protected:
  LettingGoConcurrency() {
    auto device = std::make_unique<fake::Device>();
    device_ = device.get();
    incarnation_ = must(Incarnation::open("fake", 1, std::move(device)));
    queue_ = must(incarnation_->queues().create({}));
    kept_ = buffer();
  }

  Buffer buffer() { return must(incarnation_->buffers().allocate(DType::u32, {4}, {})); }
  Point submit(CommandList list, SubmitOptions options = {}) {
    return SignalState::point(queue_->timeline(), must(queue_->submit(std::move(list), &options)));
  }
  /// A list that owns `owner`.
  CommandList upload(std::shared_ptr<const void> owner) {
    return CommandList{}.upload_retained(kept_, std::move(owner), std::as_bytes(std::span(words_)));
  }
  /// Without a call of Pintle's.
  void await_released(std::size_t count) {
    while (device_->released() != count) std::this_thread::yield();
  }

  std::array<std::uint32_t, 4> words_{};
  fake::Device* device_;
  std::shared_ptr<Incarnation> incarnation_;
  std::shared_ptr<QueueState> queue_;
  Buffer kept_;
};

TEST_F(LettingGoConcurrency, OwnersGo) {
  std::weak_ptr<int> left;
  {
    const auto owner = std::make_shared<int>(1);
    left = owner;
    submit(upload(owner));
  }
  EXPECT_FALSE(left.expired());
  device_->finish(1);
  while (!left.expired()) std::this_thread::yield();
}

TEST_F(LettingGoConcurrency, MemoryOfABufferThatWasDroppedInFlightGoes) {
  {
    const Buffer dropped = buffer();
    submit(CommandList{}.fill(dropped, 1u));
  }
  EXPECT_EQ(device_->released(), 0u);
  device_->finish(1);
  await_released(1);
}

TEST_F(LettingGoConcurrency, MemoryOfABufferThatHeldWorkUsedGoes) {
  Signal gate = must(Signal::create());
  {
    const Buffer dropped = buffer();
    submit(CommandList{}.fill(dropped, 1u), {.after = {gate.at(1)}});
  }
  must(gate.set(1));
  EXPECT_EQ(device_->released(), 0u);
  device_->finish(1);
  await_released(1);
}

TEST_F(LettingGoConcurrency, MemoryGoesWithHeldWorkThatFails) {
  Signal gate = must(Signal::create());
  {
    const Buffer dropped = buffer();
    submit(CommandList{}.fill(dropped, 1u), {.after = {gate.at(1)}});
  }
  must(gate.fail(Error(Errc::cancelled, "The caller gives up.")));
  EXPECT_EQ(device_->released(), 1u);
}

TEST_F(LettingGoConcurrency, MemoryBehindWorkOfTwoQueuesGoesWithTheLast) {
  const auto other = must(incarnation_->queues().create({}));
  {
    const Buffer dropped = buffer();
    submit(CommandList{}.fill(dropped, 1u));
    SubmitOptions options;
    must(other->submit(CommandList{}.fill(dropped, 2u), &options));
    must(other->submit(CommandList{}.fill(dropped, 3u), &options));
  }
  device_->finish(1);
  while (!must(queue_->last().is_reached())) std::this_thread::yield();
  EXPECT_EQ(device_->released(), 0u);
  device_->finish(2);
  await_released(1);
}

TEST_F(LettingGoConcurrency, ADroppedRecordingGoes) {
  std::weak_ptr<int> left;
  {
    const auto owner = std::make_shared<int>(1);
    left = owner;
    const auto recording = must(incarnation_->recordings().create(upload(owner)));
    must(queue_->replay(*recording, {}, nullptr));
  }
  EXPECT_FALSE(left.expired());
  device_->finish(1);
  while (!left.expired()) std::this_thread::yield();
}

TEST_F(LettingGoConcurrency, MemoryOfADroppedPoolGoes) {
  {
    const auto pool = must(incarnation_->pools().create({}));
    const Buffer dropped = must(pool->allocate(queue_->number(), DType::u32, {4}, {}));
    submit(CommandList{}.fill(dropped, 1u));
  }
  EXPECT_EQ(device_->released(), 0u);
  device_->finish(1);
  while (device_->released() == 0) std::this_thread::yield();
}

TEST_F(LettingGoConcurrency, MemoryOfADroppedPoolGoesWithItsLastBuffer) {
  Buffer last;
  {
    const auto pool = must(incarnation_->pools().create({}));
    last = must(pool->allocate(queue_->number(), DType::u32, {4}, {}));
  }
  EXPECT_EQ(device_->released(), 0u);
  last = {};
  EXPECT_GT(device_->released(), 0u);
}

TEST_F(LettingGoConcurrency, AQueueThatFailsBeforeItsStartGoesWithItsHandle) {
  Signal gate = must(Signal::create());
  submit(CommandList{}, {.after = {gate.at(1)}});
  queue_.reset();
  EXPECT_EQ(device_->queues(), 1u);
  must(gate.fail(Error(Errc::cancelled, "The caller gives up.")));
  EXPECT_EQ(device_->queues(), 0u);
}

// The core thread has raised the timeline and is inside the destructor. The point is reached, as `Signal::value()` and
// work behind the point say; only a wait waits for the owner, too.
TEST_F(LettingGoConcurrency, AWaitReturnsWhenTheOwnerHasGone) {
  std::promise<void> begun, may_end;
  const Point point = submit(upload(std::shared_ptr<void>(&words_, [&](void*) {
    begun.set_value();
    may_end.get_future().wait();
  })));
  device_->finish(1);
  begun.get_future().wait();
  std::atomic<bool> has_returned{false};
  std::thread waiter([&] {
    must(point.wait(20s));
    has_returned = true;
  });
  for (int i = 0; i < 200; ++i) std::this_thread::yield();
  EXPECT_FALSE(has_returned);
  EXPECT_TRUE(must(point.is_reached()));
  may_end.set_value();
  waiter.join();
}

// What waits for the thread that waits for it does not wait for ever.
TEST_F(LettingGoConcurrency, AnOwnerMayAskForItsOwnPoint) {
  std::promise<bool> answer;
  Point point;
  std::promise<void> is_known;
  auto known = is_known.get_future();
  point = submit(upload(std::shared_ptr<void>(&words_, [&](void*) {
    known.wait();
    answer.set_value(point.wait(20s).has_value() && must(point.is_reached()));
  })));
  is_known.set_value();
  device_->finish(1);
  EXPECT_TRUE(answer.get_future().get());
}

// Work that has ended just now, its queue and its device go while the core thread lets go of what was lent.
TEST(LettingGoDeviceConcurrency, AgainstDestruction) {
  constexpr int rounds = 40;
  std::atomic<int> gone{0};
  const std::vector<std::uint32_t> words(64, 3);
  for (int round = 0; round < rounds; ++round) {
    const Device device = must(open("cpu?threads=2"));
    Queue queue = must(device.create_queue());
    const Buffer buffer = must(device.allocate(DType::u32, {64}));
    std::shared_ptr<const void> owner(words.data(), [&](const void*) { ++gone; });
    must(queue.submit(CommandList{}.upload_retained(buffer, std::move(owner), std::as_bytes(std::span(words)))));
    if (round % 3 == 0) must(queue.last().wait());
    for (int i = 0; i < 50 * (round % 10); ++i) std::this_thread::yield();  // at another moment each time
  }
  while (gone < rounds) std::this_thread::yield();
  EXPECT_EQ(gone, rounds);
}

struct Queued final : Polled {
  ~Queued() override = default;
};

TEST(Rounds, AnyQueueLeaves) {
  const std::array all{std::make_shared<Queued>(), std::make_shared<Queued>(), std::make_shared<Queued>()};
  for (std::size_t leaving = 0; leaving < all.size(); ++leaving) {
    Rounds rounds;
    EXPECT_TRUE(rounds.empty());
    for (const auto& queue : all) {
      rounds.add(std::shared_ptr(queue));
      rounds.add(std::shared_ptr(queue));
    }
    EXPECT_EQ(rounds.remove(*all[leaving]), all[leaving]);
    EXPECT_EQ(rounds.remove(*all[leaving]), nullptr);
    std::size_t taken = 0;
    while (const auto next = rounds.take()) {
      EXPECT_NE(next, all[leaving]);
      ++taken;
    }
    EXPECT_EQ(taken, 2u);
    EXPECT_TRUE(rounds.empty());
  }
  for (const auto& queue : all) EXPECT_EQ(queue.use_count(), 1);
}

}  // namespace
}  // namespace pintle::core
