// A driver takes its time over memory, and nobody takes that memory from under it.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

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
