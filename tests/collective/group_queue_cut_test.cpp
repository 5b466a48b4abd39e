// How enqueued operations are cut into chunks, without a device.
#include "collective/queue/group_queue_cut.h"
#include "collective/group/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace pintle::collective {
namespace {

constexpr std::uint64_t most = 1 << 20;

std::vector<Chunk> chunks(const Cut& cut) {
  std::vector<Chunk> all;
  for (std::uint64_t index = 0; index < cut.count(); ++index) all.push_back(cut.at(index));
  return all;
}

/// Each begins where the one before ends, and together they are the part.
void expect_cover(const std::vector<Chunk>& all, std::uint64_t part) {
  std::uint64_t end = 0;
  for (const Chunk& chunk : all) {
    EXPECT_EQ(chunk.offset, end);
    EXPECT_EQ(chunk.offset % 16, 0u);
    end += chunk.size;
  }
  EXPECT_EQ(end, part);
}

TEST(GroupQueueCut, NothingIsOneEmptyChunk) {
  for (const Operation operation : {Operation::all_reduce, Operation::all_gather, Operation::barrier}) {
    EXPECT_EQ(chunks(Cut(operation, 0, 4, most)), (std::vector<Chunk>{{0, 0}}));
  }
}

TEST(GroupQueueCut, WhatFitsIsOneChunk) {
  EXPECT_EQ(chunks(Cut(Operation::all_reduce, 1, 4, most)), (std::vector<Chunk>{{0, 1}}));
  EXPECT_EQ(chunks(Cut(Operation::all_reduce, most, 4, most)), (std::vector<Chunk>{{0, most}}));
  EXPECT_EQ(chunks(Cut(Operation::all_to_all, most / 4, 4, most)), (std::vector<Chunk>{{0, most / 4}}));
}

TEST(GroupQueueCut, OneByteMoreIsOneChunkMore) {
  EXPECT_EQ(chunks(Cut(Operation::broadcast, most + 1, 4, most)), (std::vector<Chunk>{{0, most}, {most, 1}}));
  EXPECT_EQ(chunks(Cut(Operation::gather, most / 4 + 1, 4, most)), (std::vector<Chunk>{{0, most / 4}, {most / 4, 1}}));
}

TEST(GroupQueueCut, CoversThePartAndStaysWithinTheLimit) {
  const std::uint64_t sizes[] = {1, 15, 16, 17, 4095, 349'520, 349'521, most - 1, most, most + 1, 5 * most + 3};
  for (const Operation operation :
       {Operation::all_reduce, Operation::reduce, Operation::broadcast, Operation::send_recv, Operation::reduce_scatter,
        Operation::all_gather, Operation::gather, Operation::scatter, Operation::all_to_all}) {
    for (const std::uint32_t ranks : {1u, 2u, 3u, 5u, 8u, 1000u, 1024u}) {
      for (const std::uint64_t part : sizes) {
        const auto all = chunks(Cut(operation, part, ranks, most));
        expect_cover(all, part);
        const PartCounts parts = parts_of(operation, 0, ranks, 0);
        for (const Chunk& chunk : all) EXPECT_LE(chunk.size * std::max(parts.from, parts.to), most);
      }
    }
  }
}

TEST(GroupQueueCut, ManyRanksStillGetWholeElements) {
  // A limit below 16 bytes a part is passed rather than never reaching the end.
  EXPECT_EQ(Cut(Operation::all_gather, 64, 1024, 1024).count(), 4u);
  EXPECT_EQ(Cut(Operation::all_gather, 64, 1024, 1024).at(3), (Chunk{48, 16}));
}

TEST(GroupQueueCut, SizesNearTheEndOf64BitsDoNotWrap) {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const Cut cut(Operation::all_reduce, huge, 2, most);
  EXPECT_EQ(cut.count(), (huge >> 20) + 1);
  EXPECT_EQ(cut.at(cut.count() - 1), (Chunk{huge - (most - 1), most - 1}));
}

TEST(GroupQueueParts, RootsHaveWhatOthersHaveNot) {
  EXPECT_EQ(parts_of(Operation::reduce, 2, 4, 2), (PartCounts{1, 1}));
  EXPECT_EQ(parts_of(Operation::reduce, 1, 4, 2), (PartCounts{1, 0}));
  EXPECT_EQ(parts_of(Operation::gather, 2, 4, 2), (PartCounts{1, 4}));
  EXPECT_EQ(parts_of(Operation::gather, 1, 4, 2), (PartCounts{1, 0}));
  EXPECT_EQ(parts_of(Operation::scatter, 2, 4, 2), (PartCounts{4, 1}));
  EXPECT_EQ(parts_of(Operation::scatter, 1, 4, 2), (PartCounts{0, 1}));
  EXPECT_EQ(parts_of(Operation::broadcast, 2, 4, 2), (PartCounts{1, 0}));
  EXPECT_EQ(parts_of(Operation::broadcast, 1, 4, 2), (PartCounts{0, 1}));
}

TEST(GroupQueueParts, EverybodyElseHasTheSame) {
  EXPECT_EQ(parts_of(Operation::all_reduce, 1, 4, 0), (PartCounts{1, 1}));
  EXPECT_EQ(parts_of(Operation::reduce_scatter, 1, 4, 0), (PartCounts{4, 1}));
  EXPECT_EQ(parts_of(Operation::all_gather, 1, 4, 0), (PartCounts{1, 4}));
  EXPECT_EQ(parts_of(Operation::all_to_all, 1, 4, 0), (PartCounts{4, 4}));
  EXPECT_EQ(parts_of(Operation::barrier, 1, 4, 0), (PartCounts{0, 0}));
  EXPECT_EQ(parts_of(Operation::send_recv, 1, 4, 0, Side::sends), (PartCounts{1, 0}));
  EXPECT_EQ(parts_of(Operation::send_recv, 1, 4, 0, Side::receives), (PartCounts{0, 1}));
}

}  // namespace
}  // namespace pintle::collective
