// A driver hangs while it looks, opens, opens again or closes, and everybody else goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/inside.h"
#include "core/device/device_state.h"
#include "hanging/hanging_device.h"
#include "hanging/others.h"
#include "registry/catalog.h"
#include "unit/device_over.h"

namespace pintle::hanging {
namespace {

using testing::IsEmpty;

/// Two devices.
class Driver final : public backend::Driver {
 public:
  explicit Driver(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  backend::Enumeration enumerate() override {
    enumerating.pass();
    return {std::vector<DeviceInfo>(2), {}};
  }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t, std::span<const backend::Option>) override {
    opening.pass();
    return test::open_null();
  }

  Gate enumerating, opening;

 private:
  std::string name_;
};

/// One that is lost when it is asked, where it is the first generation, and takes its time to close.
class Mortal final : public kit::Forwarding {
 public:
  explicit Mortal(Gate& closing, bool is_first = true)
      : Forwarding("mortal", must(test::try_open_cpu({}))), closing_(closing), is_first_(is_first) {}
  ~Mortal() override { closing_.pass(); }
  Result<void> probe() override {
    return is_first_ ? Result<void>(Error(Errc::device_lost, "It is gone.")) : Result<void>();
  }

 private:
  Gate& closing_;
  const bool is_first_;
};

/// One that is lost when the test says so, while a wait is inside it.
class Waiting final : public kit::Forwarding {
 public:
  explicit Waiting(Gate& waiting) : Forwarding("waiting", must(test::try_open_cpu({}))), waiting_(waiting) {}
  Result<std::uint64_t> reached(backend::QueueId) override { return std::uint64_t{0}; }
  Result<void> wait(backend::QueueId, std::uint64_t, Deadline) override {
    waiting_.pass();
    return Error(Errc::device_lost, "It is gone.");
  }
  Result<void> probe() override { return Error(Errc::device_lost, "It is gone."); }

 private:
  Gate& waiting_;
};

class HangingDeviceConcurrency : public testing::Test {
 protected:
  /// Runs `operation` until it is inside the gate, then all others, and lets it go.
  void expect_all_go_on(Gate& gate, std::function<void()> operation) {
    Signal signal = must(Signal::create());
    others_.add_other_device(signal);
    gate.arm();
    std::thread inside(std::move(operation));
    const bool hangs = gate.wait_for_someone();
    EXPECT_TRUE(hangs);
    if (hangs) {
      EXPECT_THAT(others_.run(), IsEmpty());
    }
    gate.open();
    inside.join();
    others_.join();
  }
  void open(std::string_view id) { must(core::open_once(must(catalog_.find(id)))); }

  Driver slow_{"slow"}, fast_{"fast"};
  std::vector<backend::Driver*> drivers_{&slow_, &fast_};
  registry::Catalog catalog_{drivers_, {}};
  Others others_;
};

TEST_F(HangingDeviceConcurrency, OpeningOneKeepsNobodyFromOthers) {
  others_.add("open the driver's other device", [&] { open("slow:1"); });
  others_.add("open another driver's device", [&] { open("fast:0"); });
  expect_all_go_on(slow_.opening, [&] { open("slow:0"); });
}

TEST_F(HangingDeviceConcurrency, LookingForDevicesKeepsNobodyFromOthers) {
  others_.add("look at the same time", [&] { open("slow:1"); });
  others_.add("open another driver's device", [&] { open("fast:1"); });
  expect_all_go_on(slow_.enumerating, [&] { must(catalog_.list()); });
}

TEST_F(HangingDeviceConcurrency, RecoveryKeepsNobodyFromTheOldGeneration) {
  Gate closing, opening;
  int opened = 0;
  Device device;
  Inside::state(device) = must(core::DeviceState::open({"mortal", [&]() -> Result<std::unique_ptr<backend::Device>> {
                                                          opening.pass();
                                                          return std::make_unique<Mortal>(closing, opened++ == 0);
                                                        }}));
  const Queue queue = must(device.create_queue());
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  EXPECT_EQ(device.health().error().code(), Errc::device_lost);
  others_.add("info", [device] { EXPECT_FALSE(device.info().id.empty()); });
  others_.add("generation", [device] { EXPECT_EQ(device.generation(), 1u); });
  others_.add("health", [device] { EXPECT_EQ(device.health().error().code(), Errc::device_lost); });
  others_.add("allocate", [device] { EXPECT_EQ(device.allocate(DType::u32, {64}).error().code(), Errc::device_lost); });
  others_.add("create a queue", [device] { EXPECT_EQ(device.create_queue().error().code(), Errc::device_lost); });
  others_.add("poll", [device] { EXPECT_EQ(device.poll().error().code(), Errc::device_lost); });
  others_.add("ask the queue", [&] { EXPECT_FALSE(queue.check(buffer, Access::read)); });
  expect_all_go_on(opening, [device] { must(device.recover()); });
  EXPECT_EQ(device.generation(), 2u);
}

TEST_F(HangingDeviceConcurrency, ClosingOneKeepsNobodyFromOthers) {
  Gate closing;
  const auto open_mortal = [&] {
    return must(core::open_once(
        {"mortal", [&]() -> Result<std::unique_ptr<backend::Device>> { return std::make_unique<Mortal>(closing); }}));
  };
  auto first = open_mortal();
  others_.add("open it again", [&] { open_mortal(); });
  expect_all_go_on(closing, [&] { first.reset(); });
}

// The queue cannot go while the call is inside the device. It goes with the call, and the device with it.
TEST_F(HangingDeviceConcurrency, ALostDeviceThatNobodyHasGoesWithTheLastCall) {
  Gate waiting;
  auto device = std::make_unique<Device>(test::device_over("waiting", std::make_unique<Waiting>(waiting)));
  const std::weak_ptr<const void> presence = Inside::state(*device)->current()->life().presence();
  auto queue = std::make_unique<Queue>(must(device->create_queue()));
  const Point done = must(queue->submit(CommandList{}));
  waiting.arm();
  std::thread inside([&] { EXPECT_EQ(done.wait().error().code(), Errc::device_lost); });
  ASSERT_TRUE(waiting.wait_for_someone());
  EXPECT_EQ(device->health().error().code(), Errc::device_lost);
  queue.reset();
  device.reset();
  EXPECT_FALSE(presence.expired());
  waiting.open();
  inside.join();
  const Deadline deadline = deadline_after(Clock::now(), bound);
  while (!presence.expired() && Clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(presence.expired());
}

}  // namespace
}  // namespace pintle::hanging
