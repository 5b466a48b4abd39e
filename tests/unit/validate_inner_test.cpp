#include <array>
#include <future>
#include <map>
#include <new>
#include <optional>
#include <thread>

#include "pintle/log.h"
#include "pintle/must.h"
#include "validate_fixture.h"

namespace pintle::test {
namespace {

TEST_F(ValidateLayer, AnInnerDeviceThatMiscounts) {
  Scripted::Answers answers;
  std::uint64_t serial = 5, reached = 0;
  answers.submit = [&](QueueId, const Commands&) -> Result<std::uint64_t> { return serial; };
  answers.reached = [&](QueueId) -> Result<std::uint64_t> { return reached; };
  open(answers);
  expect_breach(device_->submit(queue_, {}, {}), "Serial (5) follows (0) on queue (1).");
  serial = 1;
  must(device_->submit(queue_, {}, {}));
  reached = 2;
  expect_breach(device_->reached(queue_), "Serial (2) reached by queue (1) is not from (0) to (1).");
  reached = 1;
  EXPECT_EQ(must(device_->reached(queue_)), 1u);
  reached = 0;
  expect_breach(device_->reached(queue_), "Serial (0) reached by queue (1) is not from (1) to (1).");
}

TEST_F(ValidateLayer, AnInnerDeviceThatIgnoresWaits) {
  Scripted::Answers answers;
  std::map<QueueId, std::uint64_t> reached;
  answers.reached = [&](QueueId queue) -> Result<std::uint64_t> { return reached[queue]; };
  open(answers);
  const QueueId other = must(device_->create_queue({}));
  must(device_->submit(queue_, {}, {}));
  const QueuePoint point{queue_, 1};
  must(device_->submit(other, {&point, 1}, {}));
  reached[other] = 1;  // though the point that it waits for is not reached
  EXPECT_EQ(must(device_->reached(other)), 1u);
  expect_breach(device_->reached(queue_), "Serial (0) reached by queue (1) is not from (1) to (1).");
}

TEST_F(ValidateLayer, AnInnerDeviceThatWaitsBadly) {
  Scripted::Answers answers;
  answers.reached = [](QueueId) -> Result<std::uint64_t> { return std::uint64_t{0}; };
  answers.wait = [](QueueId, std::uint64_t, Deadline deadline) -> Result<void> {
    if (deadline == Deadline::max()) return Error(Errc::timeout, "Too early.");
    return {};
  };
  open(answers);
  must(device_->submit(queue_, {}, {}));
  expect_breach(device_->wait(queue_, 1, Deadline::max()), "A wait times out before its deadline.");
  EXPECT_TRUE(device_->wait(queue_, 1, soon()));
  expect_breach(device_->reached(queue_), "Serial (0) reached by queue (1) is not from (1) to (1).");
}

TEST_F(ValidateLayer, AnInnerDeviceThatRepeatsIdsOrMapsTooLittle) {
  Scripted::Answers answers;
  std::array<std::byte, 16> bytes{};
  answers.map = [&](MemoryId) -> Result<std::span<std::byte>> { return std::span<std::byte>(bytes); };
  open(answers);
  expect_breach(device_->map(a_), "(16) of the (256) bytes of memory (1) are mapped.");
  answers.allocate = [](const MemoryRequest&) -> Result<MemoryId> { return MemoryId{7}; };
  device_ = must(layers::create_validate_layer()->wrap(std::make_unique<Scripted>(answers), {}));
  must(device_->allocate(sized(1)));
  expect_breach(device_->allocate(sized(1)), "Id (7) is given again.");
  answers.allocate = [](const MemoryRequest&) -> Result<MemoryId> { return MemoryId::none; };
  device_ = must(layers::create_validate_layer()->wrap(std::make_unique<Scripted>(answers), {}));
  expect_breach(device_->allocate(sized(1)), "Id (0) is given again.");
}

TEST_F(ValidateLayer, AnInnerDeviceThatThrows) {
  Scripted::Answers answers;
  answers.calibrate = [] { return Result<ClockPair>(ClockPair{}); };
  answers.reached = [](QueueId) -> Result<std::uint64_t> { throw std::bad_alloc(); };
  open(answers);
  EXPECT_EQ(device_->reached(queue_).error().code(), Errc::out_of_memory);
}

class ValidateNotification : public ValidateLayer {
 protected:
  void open_teller() {
    Scripted::Answers answers;
    answers.notify = [this](QueueId, std::uint64_t, Notification notification) -> Result<void> {
      given_.push_back(notification);
      if (refuses_) return Error(Errc::unsupported, "No.");
      return {};
    };
    answers.reached = [this](QueueId) -> Result<std::uint64_t> { return reached_; };
    open(answers);
    must(device_->submit(queue_, {}, {}));
  }
  Result<void> ask() {
    return device_->notify(queue_, 1, {[](void* state) { ++*static_cast<int*>(state); }, &told_});
  }
  void tell(std::size_t index) { given_[index].call(given_[index].state); }

  std::vector<Notification> given_;
  bool refuses_ = false;
  std::uint64_t reached_ = 0;
  int told_ = 0;
};

TEST_F(ValidateNotification, Twice) {
  open_teller();
  must(ask());
  tell(0);
  EXPECT_EQ(told_, 1);
  tell(0);
  EXPECT_EQ(told_, 1);
  expect_owed("A notification is told twice, or after it was refused.");
}

TEST_F(ValidateNotification, AfterARefusal) {
  open_teller();
  refuses_ = true;
  EXPECT_EQ(ask().error().code(), Errc::unsupported);
  tell(0);
  EXPECT_EQ(told_, 0);
  expect_owed("after it was refused");
}

TEST_F(ValidateNotification, BeforeTheSerialIsReached) {
  open_teller();
  must(ask());
  tell(0);
  expect_breach(device_->reached(queue_), "Serial (0) reached by queue (1) is not from (1) to (1).");
}

TEST_F(ValidateNotification, NeverIsLogged) {
  std::vector<std::string> logged;
  set_log_callback([&](LogLevel, std::string_view category, std::string_view message) {
    if (category == "validate") logged.emplace_back(message);
  });
  open_teller();
  must(ask());
  must(ask());
  tell(0);
  reached_ = 1;
  EXPECT_EQ(must(device_->reached(queue_)), 1u);
  device_.reset();
  set_log_callback({});
  ASSERT_EQ(logged.size(), 1u) << "one of the two was told";
  EXPECT_THAT(logged[0], HasSubstr("A notification is never told."));
}

TEST_F(ValidateLayer, BreachesAreLogged) {
  std::vector<std::string> logged;
  set_log_callback([&](LogLevel, std::string_view category, std::string_view message) {
    if (category == "validate") logged.emplace_back(message);
  });
  open();
  refuse(HostCall{}, "A host call has no function.");
  set_log_callback({});
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_THAT(logged[0], HasSubstr("A host call has no function."));
  EXPECT_THAT(logged[0], HasSubstr("While checking command (0), host_call"));
}

TEST_F(ValidateLayer, ACallAfterTheLossIsABreachOfTheThreadThatKnew) {
  Scripted::Answers answers;
  int asked = 0;
  answers.reached = [&](QueueId) -> Result<std::uint64_t> {
    ++asked;
    return Error(Errc::device_lost, "It is gone.");
  };
  open(answers);
  const auto lost = device_->reached(queue_);
  EXPECT_EQ(lost.error().code(), Errc::device_lost);
  expect_breach(device_->reached(queue_), "A call follows the loss that its thread was told of.");
  // Another thread may not have heard of it yet: it gets the first cause, and the device inside is left alone.
  std::optional<Error> innocent;
  std::thread([&] { innocent = device_->wait(queue_, 0, soon()).error(); }).join();
  EXPECT_TRUE(innocent->same_origin(lost.error()));
  EXPECT_EQ(asked, 1);
  device_->release(a_);  // on the thread that knew
  expect_breach(device_->wait(queue_, 0, soon()), "checking the contract of (release)");
}

TEST_F(ValidateLayer, TwoCallsAtOnceThatCoreMakesOneAtATime) {
  Scripted::Answers answers;
  std::promise<void> entered, leave;
  answers.submit = [&](QueueId, const Commands&) -> Result<std::uint64_t> {
    entered.set_value();
    leave.get_future().wait();
    return std::uint64_t{1};
  };
  open(answers);
  std::thread submitting([&] { must(device_->submit(queue_, {}, {})); });
  entered.get_future().wait();
  expect_breach(device_->create_queue({}), "Two calls run at once that core makes one at a time.");
  EXPECT_TRUE(device_->allocate(sized(1))) << "this may be called at any time";
  leave.set_value();
  submitting.join();
  EXPECT_TRUE(device_->create_queue({}));
}

}  // namespace
}  // namespace pintle::test
