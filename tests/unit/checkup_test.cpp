// A device that does not answer is found: by recovery, and after a wait that was given up.
#include "core/life/life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "core/device/device_state.h"
#include "core/queue/queue_state.h"
#include "fake_device.h"
#include "pintle/must.h"
#include "pintle/queue.h"
#include "pintle/signal.h"

namespace pintle::core {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Error late(Errc::timeout, "The fake does nothing.");

class CheckupConcurrency : public testing::Test {
 protected:
  /// Generation n is the n-th fake, which the test has made.
  CheckupConcurrency() {
    for (int i = 0; i < 3; ++i) devices_.push_back(std::make_unique<fake::Device>());
    for (const auto& each : devices_) fakes_.push_back(each.get());
    state_ = must(DeviceState::open(
        {"fake", [this]() -> Result<std::unique_ptr<backend::Device>> { return std::move(devices_.at(next_++)); }}));
  }

  [[nodiscard]] std::shared_ptr<QueueState> queue() const { return must(state_->current()->queues().create({})); }
  static Point submit(QueueState& queue, SubmitOptions* options = nullptr) {
    return SignalState::point(queue.timeline(), must(queue.submit(CommandList{}, options)));
  }

  std::vector<std::unique_ptr<fake::Device>> devices_;
  std::vector<fake::Device*> fakes_;
  std::size_t next_ = 0;
  std::shared_ptr<DeviceState> state_;
};

TEST_F(CheckupConcurrency, RecoveryOfADeviceThatAnswersDoesNothing) {
  must(state_->recover());
  EXPECT_EQ(state_->generation(), 1u);
  EXPECT_EQ(fakes_[0]->probes(), 1u);
}

TEST_F(CheckupConcurrency, RecoveryReplacesADeviceThatDoesNotAnswer) {
  const auto work = queue();
  const Point pending = submit(*work);
  fakes_[0]->answer_probes(late);
  std::thread waiting([&] { EXPECT_EQ(pending.wait(60s).error().code(), Errc::device_lost); });
  must(state_->recover());
  waiting.join();
  EXPECT_EQ(state_->generation(), 2u);
  EXPECT_THAT(pending.wait(1ms).error().text(), HasSubstr("[fake] does not answer"));
}

TEST_F(CheckupConcurrency, AProbeThatTheDriverKeepsIsLeftBehind) {
  const auto first = state_->current();
  fakes_[0]->keep_probes(true);
  EXPECT_EQ(check_up(first->life().keep(first->life()), 1ms).error().code(), Errc::device_lost);
  must(state_->recover());
  EXPECT_EQ(state_->generation(), 2u);
  fakes_[0]->keep_probes(false);
  first->life().checkups().await_asking(Deadline::max());
}

TEST_F(CheckupConcurrency, ASuccessorThatDoesNotAnswerMeansAPoisonedProcess) {
  fakes_[0]->answer_probes(late);
  fakes_[1]->answer_probes(late);
  const auto recovered = state_->recover();
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code(), Errc::process_poisoned);
  EXPECT_EQ(state_->generation(), 1u);
  must(state_->recover());  // the third one answers
  EXPECT_EQ(state_->generation(), 2u);
}

TEST_F(CheckupConcurrency, ADeviceThatCannotBeAskedIsBelieved) {
  fakes_[0]->answer_probes(Error(Errc::unsupported, "The fake has no probe."));
  must(state_->recover());
  fakes_[0]->answer_probes(Error(Errc::out_of_memory, "The fake is full."));
  EXPECT_EQ(state_->recover().error().code(), Errc::out_of_memory);
  EXPECT_EQ(state_->generation(), 1u);
}

TEST_F(CheckupConcurrency, AWaitThatIsGivenUpHasTheDeviceLookedAt) {
  const auto work = queue();
  const Point pending = submit(*work);
  fakes_[0]->answer_probes(late);
  work->suspect_after(1ms);
  EXPECT_EQ(pending.wait(60s).error().code(), Errc::device_lost);
  EXPECT_TRUE(state_->current()->life().is_lost());
}

TEST_F(CheckupConcurrency, AWaitThatTimesOutRaisesASuspicion) {
  const auto work = queue();
  core::Life& life = state_->current()->life();
  const Point pending = submit(*work);
  EXPECT_EQ(pending.wait(1ms).error().code(), Errc::timeout);
  EXPECT_FALSE(life.checkups().begin_suspicion());
  fakes_[0]->finish(1);
}

TEST_F(CheckupConcurrency, AHeldSubmissionRaisesNone) {
  const auto work = queue();
  core::Life& life = state_->current()->life();
  const Signal gate = must(Signal::create());
  SubmitOptions options{.after = {gate.at(1)}};
  const Point held = submit(*work, &options);
  EXPECT_EQ(held.wait(1ms).error().code(), Errc::timeout);
  EXPECT_TRUE(life.checkups().begin_suspicion());
}

TEST_F(CheckupConcurrency, WorkThatComesInTimeRaisesNoQuestion) {
  const auto work = queue();
  const Point pending = submit(*work);
  EXPECT_EQ(pending.wait(1ms).error().code(), Errc::timeout);
  fakes_[0]->finish(1);
  EXPECT_TRUE(pending.wait(60s));
  EXPECT_EQ(fakes_[0]->probes(), 0u);
}

}  // namespace
}  // namespace pintle::core
