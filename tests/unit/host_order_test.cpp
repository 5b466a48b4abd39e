#include "kit/host_order.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace pintle::kit {
namespace {

using backend::Command;
using backend::no_slot;

constexpr auto first = backend::QueueId{1}, second = backend::QueueId{2};

class HostOrderTest : public testing::Test {
 protected:
  Command upload(std::size_t begin, std::size_t size) const {
    return {backend::Upload{{}, {memory_.data() + begin, size, no_slot}}, nullptr, false};
  }
  Command download(std::size_t begin, std::size_t size) {
    return {backend::Download{{memory_.data() + begin, size, no_slot}, {}}, nullptr, false};
  }
  static void note(HostOrder& order, std::span<const Command> commands, std::uint64_t serial) {
    order.note({commands, {}}, serial, [](const backend::Replay&) { return backend::Commands{}; });
  }
  /// A letter for each command: "L" for a late one.
  static std::string late(const HostOrder& order, std::span<const Command> commands) {
    std::string text;
    for (const Command& command : commands) text += order.is_late(command) ? 'L' : '-';
    return text;
  }

  std::array<std::byte, 100> memory_{};
  HostRanges written_;
};

TEST_F(HostOrderTest, AnUploadIsLateBehindADownloadOfItsSource) {
  HostOrder order(written_, first, HostCopies::uploads);
  const std::array commands{upload(0, 10), download(0, 10), upload(9, 5), upload(10, 5), download(5, 1), upload(0, 0)};
  note(order, commands, 1);
  EXPECT_EQ(late(order, commands), "--L---");
  order.start(commands[2]);
  EXPECT_EQ(late(order, commands), "------");
}

TEST_F(HostOrderTest, TellsWhatTheListHas) {
  HostOrder order(written_, first, HostCopies::uploads);
  const std::array list{upload(0, 8), Command{backend::Fill{}, nullptr, false}};
  const Kinds kinds = order.note({list, {}}, 1, [](const backend::Replay&) { return backend::Commands{}; });
  EXPECT_EQ(kinds, (kinds_of<backend::Upload, backend::Fill>));
  EXPECT_TRUE(are_only(kinds, kinds_of<backend::Exec, backend::Upload, backend::Fill>));
  EXPECT_FALSE(are_only(kinds, kinds_of<backend::Exec, backend::Fill>));
  EXPECT_EQ(order.note({}, 2, [](const backend::Replay&) { return backend::Commands{}; }), 0u);
}

TEST_F(HostOrderTest, ADownloadIsLateWhereTheHostCopies) {
  HostOrder order(written_, first, HostCopies::all);
  const std::array commands{download(0, 10), download(5, 10), download(20, 5)};
  note(order, commands, 1);
  EXPECT_EQ(late(order, commands), "-L-");
}

TEST_F(HostOrderTest, QueuesSeeEachOthersDownloadsUntilTheyAreReached) {
  HostOrder order(written_, first, HostCopies::uploads), other(written_, second, HostCopies::uploads);
  const std::array down{download(0, 10), download(10, 10)};
  note(order, std::span(down).first(1), 7);
  note(order, std::span(down).last(1), 8);
  const std::array before{upload(0, 10), upload(10, 10)}, behind{upload(0, 10), upload(10, 10)};
  note(other, before, 1);
  EXPECT_EQ(late(other, before), "LL");
  order.reach(7);
  note(other, behind, 2);
  EXPECT_EQ(late(other, behind), "-L");
}

TEST_F(HostOrderTest, AQueueThatGoesWritesNothingMore) {
  HostOrder other(written_, second, HostCopies::uploads);
  {
    HostOrder order(written_, first, HostCopies::uploads);
    const std::array down{download(0, 10)};
    note(order, down, 1);
  }
  const std::array up{upload(0, 10)};
  note(other, up, 1);
  EXPECT_EQ(late(other, up), "-");
}

TEST_F(HostOrderTest, ARefusedListLeavesNothing) {
  HostOrder order(written_, first, HostCopies::uploads);
  const std::array refused{download(0, 10), upload(0, 10)};
  const std::array next{upload(0, 10)};
  note(order, refused, 1);
  order.forget({refused, {}}, 1);
  EXPECT_EQ(late(order, refused), "--");
  note(order, next, 1);
  EXPECT_EQ(late(order, next), "-");
}

TEST_F(HostOrderTest, AReplayTakesTheMemoryOfItsSlots) {
  HostOrder order(written_, first, HostCopies::uploads);
  const std::array recorded{Command{backend::Download{{nullptr, 0, 0}, {}}, nullptr, false},
                            Command{backend::Upload{{}, {nullptr, 0, 1}}, nullptr, false}};
  const auto list = [&](const backend::Replay&) { return backend::Commands{recorded, {}}; };
  const std::array<backend::Binding, 2> there{backend::HostTarget{memory_.data(), 10, no_slot},
                                              backend::HostSource{memory_.data() + 20, 10, no_slot}};
  const std::array<backend::Binding, 2> back{backend::HostTarget{memory_.data() + 40, 10, no_slot},
                                             backend::HostSource{memory_.data() + 9, 10, no_slot}};
  const std::array replays{Command{backend::Replay{{}, there}, nullptr, false},
                           Command{backend::Replay{{}, back}, nullptr, false}};
  order.note({replays, {}}, 1, list);
  EXPECT_EQ(late(order, replays), "-L");
}

// Where the host writes a download's target, two downloads to it have an order of their own.
TEST_F(HostOrderTest, AReplayIsLateForATargetThatIsStillWritten) {
  const std::array recorded{download(0, 10)};
  const auto list = [&](const backend::Replay&) { return backend::Commands{recorded, {}}; };
  const std::array replays{Command{backend::Replay{}, nullptr, false}, Command{backend::Replay{}, nullptr, false}};
  HostOrder all(written_, first, HostCopies::all), uploads(written_, second, HostCopies::uploads);
  all.note({replays, {}}, 1, list);
  EXPECT_EQ(late(all, replays), "-L");
  uploads.note({replays, {}}, 1, list);
  EXPECT_EQ(late(uploads, replays), "--");
}

TEST_F(HostOrderTest, AListThatReadsItsDownloadsIsNoReplay) {
  const auto reads = [](std::vector<Command> commands) { return reads_own_downloads({commands, {}}); };
  EXPECT_TRUE(reads({download(0, 10), upload(9, 1)}));
  EXPECT_FALSE(reads({upload(9, 1), download(0, 10)}));
  EXPECT_FALSE(reads({download(0, 10), upload(10, 1)}));
  EXPECT_TRUE(reads({download(0, 10), {backend::Upload{{}, {nullptr, 0, 0}}, nullptr, false}}));
}

}  // namespace
}  // namespace pintle::kit
