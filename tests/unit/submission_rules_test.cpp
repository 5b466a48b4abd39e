// What a submission changes, and when: each of these gave wrong bytes, hung or crashed once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "pintle/pintle.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t count = 1024;

Buffer words(const Device& device) { return must(device.allocate(DType::u32, {count})); }

/// Two devices that share no memory, where OpenCL is there.
class StagedCrossing : public testing::Test {
 protected:
  void SetUp() override {
    auto other = open("opencl:0");
    if (!other) GTEST_SKIP() << other.error().text();
    other_ = *std::move(other);
    mine_ = words(here_);
    back_ = words(here_);
    theirs_ = words(other_);
  }

  Device here_ = must(open("cpu"));
  Device other_;
  Queue queue_ = must(here_.create_queue());
  Buffer mine_, back_, theirs_;
};

TEST_F(StagedCrossing, ComesAfterWhatItsQueueHasGotBefore) {
  for (std::uint32_t round = 1; round <= 50; ++round) {
    must(queue_.submit(CommandList{}.fill(mine_, round).copy(theirs_, mine_)));
    must(queue_.submit(CommandList{}.copy(back_, theirs_)));
    ASSERT_EQ(must(read<std::uint32_t>(queue_, back_)), std::vector(count, round));
  }
}

TEST_F(StagedCrossing, WaitsBehindWhatIsHeld) {
  Queue theirs = must(other_.create_queue());
  Signal gate = must(Signal::create());
  must(theirs.submit_and_wait(CommandList{}.fill(theirs_, 1u)));
  must(queue_.submit(CommandList{}.fill(back_, 0u), {.after = {gate.at(1)}}));
  const Point copied = must(queue_.submit(CommandList{}.copy(back_, theirs_)));
  std::this_thread::sleep_for(20ms);
  must(theirs.submit_and_wait(CommandList{}.fill(theirs_, 2u)));
  must(gate.set(1));
  must(copied.wait(10s));
  EXPECT_EQ(must(read<std::uint32_t>(queue_, back_)), std::vector(count, 2u));
}

TEST_F(StagedCrossing, HasNotRunWhenItIsRefused) {
  Queue theirs = must(other_.create_queue());
  must(theirs.submit_and_wait(CommandList{}.fill(theirs_, 2u)));
  must(queue_.submit_and_wait(CommandList{}.fill(mine_, 1u)));
  BufferView gone;
  {
    const Buffer brief = words(here_);
    gone = brief.view();
  }
  int calls = 0;
  const std::uint64_t last = queue_.last().value();
  const auto refused = queue_.submit(CommandList{}.call([&] { ++calls; }).copy(theirs_, mine_).fill(gone, 7u));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::stale);
  must(here_.wait_idle());
  must(other_.wait_idle());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(queue_.last().value(), last);
  EXPECT_EQ(must(read<std::uint32_t>(theirs, theirs_)), std::vector(count, 2u));
}

TEST_F(StagedCrossing, KeepsBothDevicesOpen) {
  for (std::uint32_t round = 1; round < 10; ++round) {
    Device other = must(open("opencl:0"));
    Buffer theirs = words(other);
    const Point done = must(queue_.submit(CommandList{}.fill(mine_, round).copy(theirs, mine_).copy(back_, theirs)));
    theirs = Buffer();
    other = Device();
    must(done.wait(10s));
    ASSERT_EQ(must(read<std::uint32_t>(queue_, back_)), std::vector(count, round));
  }
}

TEST(ForkOfConstant, NeverWritesTheCallersMemory) {
  const Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  const std::vector<std::uint32_t> constant(count, 5);
  auto imported = device.import_host(constant);
  ASSERT_TRUE(imported) << imported.error().text();
  const Buffer child = must(queue.fork(*imported));
  *imported = Buffer();
  must(queue.submit_and_wait(CommandList{}.fill(child, 9u)));
  EXPECT_EQ(constant, std::vector(count, 5u));
  EXPECT_EQ(must(read<std::uint32_t>(queue, child)), std::vector(count, 9u));
}

TEST(SignalOfSeveral, TheFirstToBringAPointWins) {
  const Device device = must(open("cpu"));
  Queue slow = must(device.create_queue()), fast = must(device.create_queue());
  const Signal signal = must(Signal::create());
  std::atomic<bool> may_end = false;
  must(slow.submit(CommandList{}.call([&] {
    while (!may_end) std::this_thread::yield();
  }),
                   {.signal = {signal.at(5)}}));
  must(fast.submit(CommandList{}, {.signal = {signal.at(6)}}));
  const auto waited = signal.wait(5, 5s);
  const std::vector points{signal.at(5)};
  const auto any = wait_any(points, 5s);
  may_end = true;
  EXPECT_TRUE(waited) << waited.error().text();
  EXPECT_TRUE(any);
  must(device.wait_idle());
}

/// Host calls that run until they are let go.
class Latch {
 public:
  [[nodiscard]] CommandList closed() {
    return CommandList{}.call([this] {
      while (!is_open_) std::this_thread::yield();
    });
  }
  void open() noexcept { is_open_ = true; }

 private:
  std::atomic<bool> is_open_ = false;
};

// A submission that is still held has promised as well as one that runs.
TEST(SignalOfSeveral, WhatIsHeldMayBringAPointFirst) {
  const Device device = must(open("cpu"));
  Queue slow = must(device.create_queue()), held = must(device.create_queue()), waiting = must(device.create_queue());
  Signal signal = must(Signal::create()), gate = must(Signal::create());
  Latch latch;
  must(slow.submit(latch.closed(), {.signal = {signal.at(3)}}));
  must(held.submit(CommandList{}, {.after = {gate.at(1)}, .signal = {signal.at(4)}}));
  const Point after = must(waiting.submit(CommandList{}, {.after = {signal.at(2)}}));
  must(gate.set(1));
  const auto waited = after.wait(5s);
  latch.open();
  EXPECT_TRUE(waited) << waited.error().text();
  must(device.wait_idle());
}

// What was bound to one submission starts behind that one, even where another has promised as much meanwhile.
TEST(SignalOfSeveral, AnotherDeviceMayPromiseAsMuchLater) {
  const Device device = must(open("cpu")), other = must(open("faulty(cpu)"));
  Queue first = must(device.create_queue()), waiting = must(device.create_queue()),
        elsewhere = must(other.create_queue());
  Signal signal = must(Signal::create()), gate = must(Signal::create());
  Latch latch, far;
  must(first.submit(latch.closed(), {.signal = {signal.at(6)}}));
  must(waiting.submit(CommandList{}, {.after = {gate.at(1)}}));
  const Point after = must(waiting.submit(CommandList{}, {.after = {signal.at(5)}}));
  must(elsewhere.submit(far.closed(), {.signal = {signal.at(6)}}));
  must(gate.set(1));
  latch.open();
  const auto waited = after.wait(5s);
  EXPECT_TRUE(waited) << waited.error().text();
  far.open();
  must(device.wait_idle());
  must(other.wait_idle());
}

TEST(SignalOfSeveral, TheHostMayFailItMeanwhile) {
  const Device device = must(open("cpu"));
  Queue slow = must(device.create_queue());
  Signal signal = must(Signal::create());
  std::atomic<bool> may_end = false;
  must(slow.submit(CommandList{}.call([&] {
    while (!may_end) std::this_thread::yield();
  }),
                   {.signal = {signal.at(5)}}));
  std::thread host([&] {
    std::this_thread::sleep_for(20ms);
    must(signal.fail(Error(Errc::cancelled, "given up")));
  });
  const auto waited = signal.wait(5, 5s);
  host.join();
  may_end = true;
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::cancelled);
  must(device.wait_idle());
}

TEST(RefusedByTheBackend, LeavesNoOrderThatAPoolReliesOn) {
  const Device device = must(open("faulty(cpu)?call=submit&ordinal=3&code=out_of_memory"));
  Pool pool = must(Pool::create(device, {.block = count * 4}));
  Queue first = must(device.create_queue()), second = must(device.create_queue());
  Buffer before = must(first.allocate(pool, DType::u32, {count}));
  must(first.submit(CommandList{}.call([] { std::this_thread::sleep_for(100ms); }).fill(before, 1u)));
  must(second.submit(CommandList{}));
  ASSERT_FALSE(second.submit(CommandList{}, {.after = {first.last()}}));
  must(second.submit(CommandList{}));
  must(first.free(std::move(before)));
  const Buffer after = must(second.allocate(pool, DType::u32, {count}));
  must(second.submit_and_wait(CommandList{}.fill(after, 2u)));
  must(device.wait_idle());
  EXPECT_EQ(must(read<std::uint32_t>(second, after)), std::vector(count, 2u));
}

TEST(HeldOfADroppedQueue, LetsGoWhenItHasRun) {
  const Device device = must(open("cpu"));
  Signal gate = must(Signal::create());
  const Buffer buffer = words(device);
  auto memory = std::make_shared<std::vector<std::uint32_t>>(count, 3u);
  const std::weak_ptr<const void> owner = memory;
  {
    Queue queue = must(device.create_queue());
    must(queue.submit(CommandList{}.upload_retained(buffer, memory, std::as_bytes(std::span(*memory))),
                      {.after = {gate.at(1)}}));
  }
  memory.reset();
  EXPECT_FALSE(owner.expired());
  must(gate.set(1));
  for (int i = 0; i < 500 && !owner.expired(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(owner.expired());
}

TEST(Bad, EnumeratorsAndAddressesAreRefused) {
  const Device device = must(open("cpu"));
  EXPECT_EQ(device.create_queue({.kind = QueueKind(7)}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(device.allocate(DType::u8, {4}, {.placement = Placement(9)}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(device.allocate(DType::u8, {4}, {.allocation = Allocation(9)}).error().code(), Errc::invalid_argument);
  const std::span<const std::byte> nowhere(static_cast<const std::byte*>(nullptr), 64);
  EXPECT_EQ(device.import_host(nowhere, Access::read, DType::u8, {64}).error().code(), Errc::invalid_argument);
}

TEST(Bad, HostMemoryAtAnAddressThatItsElementsCannotHaveIsRefused) {
  const Device device = must(open("cpu"));
  alignas(64) static std::byte memory[128];
  for (const DType dtype : {DType::u16, DType::f32, DType::f64, DType::complex64}) {
    const std::span<const std::byte> odd(memory + 2 + (dtype == DType::u16 ? 1 : 0), 64);
    const auto refused = device.import_host(odd, Access::read, dtype, {2});
    ASSERT_FALSE(refused) << name(dtype);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_NE(std::string(refused.error().message()).find("is no multiple of the size ("), std::string::npos);
  }
  EXPECT_TRUE(device.import_host(std::span<const std::byte>(memory + 4, 64), Access::read, DType::complex64, {2}));
  EXPECT_TRUE(device.import_host(std::span<const std::byte>(memory + 3, 64), Access::read, DType::u8, {64}));
}

}  // namespace
}  // namespace pintle
