// The queues on which another device carries the bytes of a crossing.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pintle/pintle.h"
#include "unit/device_over.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;

struct Counts {
  std::atomic<int> created{0};
  std::atomic<bool> is_to_refuse{false};

  void count_destroyed() {
    const std::lock_guard lock(mutex_);
    ++destroyed_;
    changed_.notify_all();
  }
  /// Waits until so many queues have been destroyed: another thread may be doing it.
  bool await_destroyed(int number) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return destroyed_ == number; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int destroyed_ = 0;
};

/// A device whose memory has no address, so that a crossing needs moves on it.
class Counting final : public kit::Forwarding {
 public:
  explicit Counting(std::shared_ptr<Counts> counts)
      : Forwarding("counting", test::open_null()), counts_(std::move(counts)) {}

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    ++counts_->created;
    return Forwarding::create_queue(request);
  }
  void destroy_queue(backend::QueueId queue) noexcept override {
    Forwarding::destroy_queue(queue);
    counts_->count_destroyed();
  }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    if (counts_->is_to_refuse.exchange(false)) return Error(Errc::internal, "This device refuses once.");
    return Forwarding::submit(queue, waits, commands);
  }

 private:
  std::shared_ptr<Counts> counts_;
};

class Movers : public testing::Test {
 protected:
  Result<void> cross(Queue& queue) { return queue.submit_and_wait(CommandList{}.copy(theirs_, mine_), 10s); }

  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  Device here_ = must(open("cpu"));
  Device other_ = test::device_over("counting", std::make_unique<Counting>(counts_));
  Queue queue_ = must(here_.create_queue());
  Buffer mine_ = must(here_.allocate(DType::u32, {16}));
  Buffer theirs_ = must(other_.allocate(DType::u32, {16}));
};

TEST_F(Movers, AreUsedAgain) {
  for (int round = 0; round < 10; ++round) must(cross(queue_));
  EXPECT_EQ(counts_->created, 1);
}

TEST_F(Movers, AreSharedByTheCopiesOfAList) {
  must(queue_.submit_and_wait(CommandList{}.copy(theirs_, mine_).copy(mine_, theirs_).copy(theirs_, mine_), 10s));
  EXPECT_EQ(counts_->created, 1);
}

// A move of one list must not wait for another list's, which may wait for what the first list holds up.
TEST_F(Movers, AreNotSharedByLists) {
  const Signal gate = must(Signal::create());
  Queue last = must(here_.create_queue());
  const Point held = must(queue_.submit(CommandList{}.copy(theirs_, mine_), {.after = {gate.at(1)}}));
  must(cross(last));
  EXPECT_EQ(counts_->created, 2);
  must(Signal(gate).set(1));
  must(held.wait(10s));
}

TEST_F(Movers, AreKeptInSmallNumber) {
  Signal gate = must(Signal::create());
  std::vector<Queue> queues;
  std::vector<Point> held;
  for (int i = 0; i < 5; ++i) {
    queues.push_back(must(here_.create_queue()));
    held.push_back(must(queues.back().submit(CommandList{}.copy(theirs_, mine_), {.after = {gate.at(1)}})));
  }
  EXPECT_EQ(counts_->created, 5);
  must(gate.set(1));
  must(wait_all(held, 10s));
  EXPECT_TRUE(counts_->await_destroyed(3));
  must(cross(queue_));
  EXPECT_EQ(counts_->created, 5);
}

TEST_F(Movers, AreNotUsedAgainWhenTheyHaveFailed) {
  counts_->is_to_refuse = true;
  EXPECT_FALSE(cross(queue_));
  Queue another = must(here_.create_queue());
  must(cross(another));
  EXPECT_EQ(counts_->created, 2);
}

TEST_F(Movers, GoWithTheirDevice) {
  must(cross(queue_));
  theirs_ = Buffer();
  other_ = Device();
  EXPECT_TRUE(counts_->await_destroyed(1));
}

}  // namespace
}  // namespace pintle
