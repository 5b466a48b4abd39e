#include "kit/before_exit.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "kit/forwarding.h"
#include "kit/wake_compiler.h"
#include "unit/seam_support.h"

namespace pintle::kit {
namespace {

using backend::QueueId;

/// Says what it is waited for.
class Speaking final : public Forwarding {
 public:
  Speaking() : Forwarding("speaking", test::open_null()) {}

  Result<void> wait(QueueId, std::uint64_t serial, Deadline) override {
    std::fprintf(stderr, "waited for %d\n", static_cast<int>(serial));
    return {};
  }
};

/// A queue that starts everything at once.
class Quick final : public StepQueue::Native {
 public:
  bool is_step(const backend::Command&) const noexcept override { return false; }
  Result<void> start(const StepQueue::Piece&) override { return {}; }
  Result<void> finish(Deadline) override { return {}; }
  Result<void> step(const backend::Command&, const backend::Commands&) override { return {}; }
  void fail(Error) noexcept override {}
};

struct Started {
  Speaking device;
  StepQueues queues;
  Quick native;
  StepQueue queue{queues, QueueId{1}, 41, native};

  Started() { must(queue.submit({}, {})); }
};

class BeforeExitDeath : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

struct YoungStatic {
  ~YoungStatic() { std::fprintf(stderr, "statics go\n"); }
};

TEST_F(BeforeExitDeath, WorkIsWaitedForBeforeTheYoungestStaticGoes) {
  const auto leave = [] {
    auto& started = *new Started;
    new BeforeExit(started.device, started.queues);
    static YoungStatic young;
    std::exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "waited for 42\nstatics go");
}

TEST_F(BeforeExitDeath, ADeviceThatHasGoneIsNotWaitedFor) {
  const auto leave = [] {
    Started started;
    {
      const BeforeExit registered(started.device, started.queues);
    }
    static YoungStatic young;
    std::exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "^statics go");
}

// Only the end of the process concerns devices that others use.
TEST_F(BeforeExitDeath, TheEndOfAThreadWaitsForNothing) {
  const auto leave = [] {
    auto& started = *new Started;
    std::thread([&] { new BeforeExit(started.device, started.queues); }).join();
    static YoungStatic young;
    std::exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "^statics go");
}

/// Counts what it is asked to load, as a backend of its own.
class Counting final : public Forwarding {
 public:
  explicit Counting(std::string backend) : Forwarding("counting", test::open_null()) {
    info_.backend = std::move(backend);
  }

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    ++loaded;
    EXPECT_EQ(image.entries[0].name, "trial");
    return Forwarding::load(image);
  }
  int loaded = 0;
};

TEST(WakeCompiler, LaunchesOnceForABackend) {
  Counting first("woken"), second("woken"), other("woken too");
  for (Counting* const device : {&first, &second, &other, &other}) wake_compiler(*device, "text", {});
  EXPECT_EQ(first.loaded, 1);
  EXPECT_EQ(second.loaded, 0);
  EXPECT_EQ(other.loaded, 1);
}

}  // namespace
}  // namespace pintle::kit
