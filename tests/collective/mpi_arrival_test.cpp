#include "collective/mpi/mpi_arrival.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace pintle::collective {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MpiArrival wants(std::uint64_t bytes) { return {.subject = bytes, .room = 1 << 20}; }

MpiArrival lets_go(std::initializer_list<std::uint64_t> ids) {
  MpiArrival arrival{.retired = static_cast<std::uint32_t>(ids.size())};
  std::ranges::copy(ids, arrival.ids.begin());
  return arrival;
}

MpiWindowRecord record(std::uint64_t id, std::vector<std::uint32_t> members) {
  return {.id = id, .members = std::move(members)};
}

TEST(MpiArrival, TravelsInANote) {
  const MpiArrival sent{.subject = 1, .room = 2, .serial = 3, .has_memory = 0, .retired = 2, .ids = {7, 8}};
  const MpiArrival read = arrival_of(note_of(sent));
  EXPECT_EQ(read.subject, 1u);
  EXPECT_EQ(read.room, 2u);
  EXPECT_EQ(read.serial, 3u);
  EXPECT_EQ(read.has_memory, 0u);
  EXPECT_EQ(read.retired, 2u);
  EXPECT_EQ(read.ids, sent.ids);
}

TEST(MpiArrival, OfAnythingIsWithinItsBounds) {
  Note note;
  note.fill(std::byte{0xff});
  const MpiArrival read = arrival_of(note);
  EXPECT_EQ(read.retired, MpiArrival::most_retired);
  const std::uint32_t members[] = {0};
  EXPECT_THAT(freed_by_all(std::vector{record(1, {0})}, members, std::vector{read}), IsEmpty());
}

TEST(MpiArrival, SizesThatDifferNameTheLowestRankAndBothSizes) {
  EXPECT_TRUE(check_sizes(std::vector{wants(8), wants(8)}));
  const auto checked = check_sizes(std::vector{wants(8), wants(8), wants(0), wants(16)});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Errc::invalid_argument);
  EXPECT_EQ(checked.error().message(), "Size of a window on rank 2 (0) differs from that on rank 0 (8).");
}

TEST(MpiArrival, RankWithoutMemoryIsNamed) {
  std::vector<MpiArrival> arrivals{wants(8), wants(8), wants(8)};
  arrivals[1].has_memory = 0;
  const auto checked = check_sizes(arrivals);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Errc::out_of_memory);
  EXPECT_EQ(checked.error().message(), "On rank 1: There is no memory for a window's (8) bytes.");
}

TEST(MpiArrival, MembersAreComparedInOrder) {
  const std::uint32_t forth[] = {1, 2}, back[] = {2, 1}, more[] = {1, 2, 3};
  EXPECT_NE(digest_of(forth), digest_of(back));
  EXPECT_NE(digest_of(forth), digest_of(more));
  EXPECT_TRUE(check_members(std::vector{wants(digest_of(forth)), wants(digest_of(forth))}));
  const auto checked = check_members(std::vector{wants(digest_of(forth)), wants(digest_of(back))});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Errc::invalid_argument);
}

TEST(MpiArrival, WindowIsFreedWhenAllOfItsRanksLetGo) {
  const std::uint32_t world[] = {2, 5, 7};
  const std::vector arrivals{lets_go({30, 10, 20}), lets_go({10, 20}), lets_go({20})};
  const std::vector records{record(30, {2}), record(10, {2, 5}), record(20, {2, 5, 7}), record(40, {2})};
  EXPECT_THAT(freed_by_all(records, world, arrivals), ElementsAre(10, 20, 30));
}

TEST(MpiArrival, WindowIsKeptWhileOneOfItsRanksHasItOrIsNotThere) {
  const std::uint32_t world[] = {2, 5};
  const std::vector arrivals{lets_go({10, 20}), lets_go({20})};
  EXPECT_THAT(freed_by_all(std::vector{record(10, {2, 5})}, world, arrivals), IsEmpty());
  EXPECT_THAT(freed_by_all(std::vector{record(20, {2, 5, 9})}, world, arrivals), IsEmpty());
}

TEST(MpiArrival, SharedNeedsRoomForAllPiecesOnEveryRank) {
  const std::vector<MpiArrival> arrivals{{.room = 1000}, {.room = 800}};
  EXPECT_TRUE(fits_shared(400, arrivals));
  EXPECT_FALSE(fits_shared(401, arrivals));
  EXPECT_FALSE(fits_shared(std::numeric_limits<std::uint64_t>::max(), arrivals));
}

TEST(MpiRetired, LeaseRetiresAtItsEndAndOnce) {
  const std::uint32_t others[] = {1, 2}, all[] = {0, 1, 2};
  {
    MpiLease first(record(900, {0, 1}));
    const MpiLease moved(std::move(first));
    EXPECT_THAT(retired_windows(all, 10), testing::Not(testing::Contains(testing::Field(&MpiWindowRecord::id, 900u))));
  }
  EXPECT_THAT(retired_windows(all, 1000), testing::Contains(testing::Field(&MpiWindowRecord::id, 900u)).Times(1));
  EXPECT_THAT(retired_windows(others, 1000),
              testing::Not(testing::Contains(testing::Field(&MpiWindowRecord::id, 900u))))
      << "not all of its ranks are there";
}

TEST(MpiRetired, OldestComeFirstAndNotTooMany) {
  const std::uint32_t all[] = {60};
  for (const std::uint64_t id : {803u, 801u, 802u}) const MpiLease lease(record(id, {60}));
  const auto found = retired_windows(all, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, 801u);
  EXPECT_EQ(found[1].id, 802u);
}

}  // namespace
}  // namespace pintle::collective
