// Symmetric heaps among processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"
#include "pintle/symmetric.h"
#include "rank_processes.h"
#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class SymmetricProcesses : public OverWires {};
INSTANTIATE_TEST_SUITE_P(Wires, SymmetricProcesses, wires(), name_of_wire);

// C2: the real thing through real processes.
TEST_P(SymmetricProcesses, PutGetAndSignals) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  EXPECT_EQ(group.transport(), transport());
  SymmetricHeap heap = must(SymmetricHeap::create(group, 1 << 20));
  const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {3, 1000}));
  const SymmetricSignals signals = must(heap.allocate_signals(3));
  const SymmetricBuffer row = must(buffer.slice(heap.rank() * 1000, 1000));
  for (std::uint32_t round = 1; round <= 50; ++round) {
    const std::vector<std::uint32_t> from(1000, round * 10 + heap.rank());
    for (std::uint32_t to = 0; to < 3; ++to) must(heap.put_signal(row.on(to), from, signals.at(heap.rank()), round));
    for (std::uint32_t of = 0; of < 3; ++of) {
      must(heap.wait_signal(signals.at(of), round, {}, of));
      const SymmetricBuffer theirs = must(buffer.slice(of * 1000, 1000));
      ASSERT_THAT(must(heap.local<std::uint32_t>(theirs)), Each(round * 10 + of));
    }
    must(heap.barrier());
    std::vector<std::uint32_t> values(3000);
    must(heap.get(values, must(buffer.slice(0, 3000)).on((heap.rank() + 1) % 3)));
    for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(values[i], round * 10 + i / 1000);
    must(heap.barrier());
  }
  const std::vector<std::uint32_t> last(1000, heap.rank());
  must(must(heap.put(row.on((heap.rank() + 1) % 3), last, SubmitOptions{})).wait());
  must(heap.barrier());
  EXPECT_THAT(must(heap.local<std::uint32_t>(must(buffer.slice((heap.rank() + 2) % 3 * 1000, 1000)))),
              Each((heap.rank() + 2) % 3));
  must(heap.free(buffer));
}

/// A rank that only looks lets others in as well.
TEST_P(SymmetricProcesses, AWordThatIsLookedAtAgainAndAgainRises) {
  if (!is_rank_process()) return run_ranks(2);
  Group group = must(Group::join());
  SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
  const SymmetricSignals signals = must(heap.allocate_signals(1));
  const Deadline end = Clock::now() + seconds(10);
  if (heap.rank() == 0) must(heap.raise(signals.at(0), 1, 5));
  else
    while (must(heap.value(signals.at(0))) < 5 && Clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(must(heap.value(signals.at(0))), heap.rank() * 5);
  must(heap.barrier());
}

TEST_P(SymmetricProcesses, CallsThatDifferAreTheSameErrorInEveryProcess) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  EXPECT_EQ(outcome(SymmetricHeap::create(group, group.rank() == 1 ? 4096 : 8192)),
            "invalid_argument: Rank 1 of the group makes a symmetric heap of 4096 bytes where rank 0 makes a symmetric "
            "heap of 8192 bytes.");
  SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
  EXPECT_THAT(outcome(heap.allocate(DType::u8, {heap.rank() == 2 ? 1u : 2u})),
              AllOf(StartsWith("invalid_argument: Rank 2 of the group allocates u8[1] in "), HasSubstr("u8[2] in ")));
  must(heap.barrier());
}

// C3: a rank that dies is named, long before the deadline.
TEST(SymmetricProcess, ARankThatIsKilledIsNamedInABarrierAndInAWait) {
  if (!is_rank_process()) {
    RankProcesses ranks(3);
    EXPECT_EQ(ranks.end_of(2).signal, SIGKILL);
    return ranks.expect_success();
  }
  Group group = must(Group::join());
  SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
  const SymmetricSignals signals = must(heap.allocate_signals(1));
  must(heap.barrier());
  if (heap.rank() == 2) std::raise(SIGKILL);
  const std::string words =
      heap.rank() == 0 ? outcome(heap.barrier(seconds(20))) : outcome(heap.wait_signal(signals.at(0), 1, seconds(20)));
  EXPECT_THAT(words, AllOf(StartsWith("peer_lost: Rank 2 of [Group "), HasSubstr("is lost")));
  EXPECT_EQ(outcome(heap.barrier()).substr(0, 9), "peer_lost");
}

TEST(SymmetricProcess, ARankThatIsStoppedIsNamedByTheDeadline) {
  if (!is_rank_process()) {
    RankProcesses ranks(2);
    EXPECT_TRUE(ranks.end_of(0).is_success());
    return;  // the other one is killed
  }
  Group group = must(Group::join());
  SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
  if (heap.rank() == 1) std::raise(SIGSTOP);
  EXPECT_THAT(outcome(heap.allocate(DType::u8, {1}, milliseconds(300))),
              AllOf(StartsWith("timeout: Rank 1 of [Group "), HasSubstr("is late")));
}

}  // namespace
}  // namespace pintle::collective
