#include "kit/bound.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace pintle::kit {
namespace {

using backend::Binding;
using backend::Command;
using backend::MemoryId;
using backend::Range;

std::vector<Range> ranges_of(const Command& command, const backend::Commands& recorded) {
  std::vector<Range> all;
  for_each_bound_range(
      command, {std::span(&command, 1), {}}, [&](const backend::Replay&) { return recorded; },
      [&](const Range& range, Access) { all.push_back(range); });
  return all;
}

TEST(BoundRanges, AreThoseOfACommand) {
  const Range to{MemoryId{1}, 0, 0, 8}, from{MemoryId{2}, 0, 16, 8};
  EXPECT_EQ(ranges_of({backend::Copy{to, from}, nullptr, false}, {}), (std::vector{from, to}));
}

TEST(BoundRanges, AreThoseOfWhatIsReplayed) {
  const Range fixed{MemoryId{1}, 0, 0, 8};
  Range in_slot{MemoryId::none, 0, 0, 8};
  in_slot.slot = 0;
  const std::array recorded{Command{backend::Fill{fixed, {}, 4, DType::u32}, nullptr, false},
                            Command{backend::Timestamp{in_slot}, nullptr, false}};
  const std::array<Binding, 1> bindings{Range{MemoryId{3}, 0, 32, 64}};
  const Command replay{backend::Replay{backend::RecordingId{1}, bindings}, nullptr, false};
  EXPECT_EQ(ranges_of(replay, {recorded, {}}), (std::vector{fixed, Range{MemoryId{3}, 0, 32, 8}}));
}

}  // namespace
}  // namespace pintle::kit
