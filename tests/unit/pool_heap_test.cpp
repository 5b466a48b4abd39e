// Chunks of a pool's blocks: classes, splitting, merging, stamps. Without a device.
#include "kit/pool_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace pintle::kit {
namespace {

using Stamps = std::vector<std::uint64_t>;
using Heap = PoolHeap<Stamps>;

constexpr std::uint64_t kib = 1024, mib = kib * kib;

backend::MemoryId memory(std::uint64_t number) { return backend::MemoryId{number}; }
const auto anybody = [](const Stamps&) { return true; };
const auto nobody = [](const Stamps& stamps) { return stamps.empty(); };

std::vector<std::pair<backend::MemoryId, std::uint64_t>> drop_blocks(Heap& heap, std::uint64_t keep) {
  std::vector<std::pair<backend::MemoryId, std::uint64_t>> dropped;
  while (const auto block = heap.drop_block(keep)) dropped.push_back(*block);
  return dropped;
}

TEST(PoolHeap, ClassesAreAtMostAnEighthLarger) {
  const Heap heap;
  std::mt19937_64 random(3);
  std::uint64_t last = 0;
  for (std::uint64_t size = 1; size < 64 * kib; size += 1 + size / 300) {
    const std::uint64_t rounded = heap.rounded(size).value();
    EXPECT_GE(rounded, size);
    EXPECT_GE(rounded, last);
    EXPECT_EQ(rounded % heap.granule(), 0u);
    EXPECT_LE(rounded - size, std::max<std::uint64_t>(size / 8, heap.granule() - 1));
    EXPECT_EQ(heap.rounded(rounded), rounded);
    last = rounded;
  }
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t size = (random() >> (random() % 55)) / 4 + 1;
    const auto rounded = heap.rounded(size);
    if (size > 1ull << 63) continue;
    ASSERT_TRUE(rounded);
    EXPECT_GE(*rounded, size);
    EXPECT_LE(*rounded - size, std::max<std::uint64_t>(size / 8, heap.granule() - 1));
  }
  EXPECT_EQ(heap.rounded(64 * mib), 64 * mib);
  EXPECT_EQ(heap.rounded((1ull << 63) + 1), std::nullopt);
}

TEST(PoolHeap, GranulesOfADevice) {
  const Heap heap(512);
  EXPECT_EQ(heap.rounded(1), 512u);
  EXPECT_EQ(heap.rounded(513), kib);
  EXPECT_EQ(heap.rounded(16 * kib), 16 * kib);
}

TEST(PoolHeap, SplitsAndMerges) {
  Heap heap;
  EXPECT_EQ(heap.take_free(256), nullptr);
  heap.add_block(memory(1), mib);
  EXPECT_EQ(heap.largest_free(), mib);
  auto* const a = heap.take_free(256 * kib);
  auto* const b = heap.take_free(256 * kib);
  auto* const c = heap.take_free(512 * kib);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(heap.take_free(256), nullptr);
  EXPECT_EQ(heap.used(), mib);
  EXPECT_EQ((std::set<std::uint64_t>{a->offset, b->offset, c->offset}),
            (std::set<std::uint64_t>{0, 256 * kib, 512 * kib}));
  heap.give(*a, {});
  heap.give(*c, {});
  heap.settle(nobody);
  EXPECT_EQ(heap.largest_free(), 512 * kib);
  heap.give(*b, {});
  heap.settle(nobody);
  EXPECT_EQ(heap.largest_free(), mib);
  EXPECT_EQ(heap.used(), 0u);
}

TEST(PoolHeap, WaitingChunksKeepTheirStampsAndDoNotMerge) {
  Heap heap;
  heap.add_block(memory(1), 4 * kib);
  auto* const a = heap.take_free(2 * kib);
  auto* const b = heap.take_free(2 * kib);
  heap.give(*a, {5});
  heap.give(*b, {});
  heap.settle(nobody);
  EXPECT_EQ(heap.waiting(), 2 * kib);
  EXPECT_EQ(heap.largest_free(), 2 * kib);
  EXPECT_EQ(heap.reuse(2 * kib, nobody), nullptr);
  EXPECT_EQ(heap.reuse(kib, anybody), nullptr) << "another class";
  auto* const again = heap.reuse(2 * kib, anybody);
  ASSERT_EQ(again, a);
  EXPECT_EQ(again->stamps, Stamps{5});
  EXPECT_EQ(heap.waiting(), 0u);
}

TEST(PoolHeap, LastInIsFirstOut) {
  Heap heap;
  heap.add_block(memory(1), 64 * kib);
  std::vector<Heap::Chunk*> chunks;
  for (int i = 0; i < 8; ++i) chunks.push_back(heap.take_free(8 * kib));
  for (Heap::Chunk* chunk : chunks) heap.give(*chunk, {});
  std::ranges::reverse(chunks);
  for (Heap::Chunk* chunk : chunks) EXPECT_EQ(heap.reuse(8 * kib, anybody), chunk);
}

TEST(PoolHeap, DropsWhatIsWhollyFreeLargestFirst) {
  Heap heap;
  heap.add_block(memory(1), 4 * kib);
  heap.add_block(memory(2), 16 * kib);
  heap.add_block(memory(3), 8 * kib);
  auto* const used = heap.take_free(256);
  EXPECT_EQ(used->block->memory, memory(1)) << "the smallest that fits";
  const auto dropped = drop_blocks(heap, 10 * kib);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].first, memory(2));
  EXPECT_EQ(heap.held(), 12 * kib);
  EXPECT_EQ(drop_blocks(heap, 0).size(), 1u);
  EXPECT_EQ(heap.blocks(), 1u);
  heap.give(*used, {});
  EXPECT_TRUE(drop_blocks(heap, 0).empty()) << "it still waits";
  heap.settle(nobody);
  EXPECT_EQ(drop_blocks(heap, 0).size(), 1u);
  EXPECT_EQ(heap.held(), 0u);
}

// Against a simple model: live chunks never overlap, and the sums are right.
TEST(PoolHeap, RandomUseKeepsItsInvariants) {
  Heap heap;
  std::mt19937_64 random(11);
  std::vector<Heap::Chunk*> live;
  std::uint64_t blocks = 0, used = 0;
  for (int step = 0; step < 30000; ++step) {
    const auto what = random() % 100;
    if (what < 50) {
      const std::uint64_t size = *heap.rounded(1 + (random() >> (44 + random() % 12)));
      auto* chunk = heap.reuse(size, nobody);
      if (chunk == nullptr) chunk = heap.take_free(size);
      if (chunk == nullptr) {
        heap.add_block(memory(++blocks), std::max(size, 4 * mib));
        chunk = heap.take_free(size);
      }
      ASSERT_NE(chunk, nullptr);
      ASSERT_EQ(chunk->size, size);
      ASSERT_LE(chunk->offset + chunk->size, chunk->block->size);
      live.push_back(chunk);
      used += size;
    } else if (what < 96 && !live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      used -= live.back()->size;
      heap.give(*live.back(), random() % 3 == 0 ? Stamps{random() % 3} : Stamps());
      live.pop_back();
    } else {
      heap.settle(what == 99 ? decltype(+anybody)(anybody) : decltype(+nobody)(nobody));
      if (what == 98) static_cast<void>(drop_blocks(heap, 8 * mib));
    }
    ASSERT_EQ(heap.used(), used);
    ASSERT_LE(heap.used() + heap.waiting() + heap.largest_free(), heap.held());
    if (step % 500 != 0) continue;
    std::map<std::pair<const void*, std::uint64_t>, std::uint64_t> places;
    for (const auto* chunk : live) places[{chunk->block, chunk->offset}] = chunk->size;
    ASSERT_EQ(places.size(), live.size());
    const std::pair<const void*, std::uint64_t>* last = nullptr;
    for (const auto& [place, size] : places) {
      if (last != nullptr && last->first == place.first) {
        ASSERT_LE(last->second + places[*last], place.second);
      }
      last = &place;
    }
  }
  for (Heap::Chunk* chunk : live) heap.give(*chunk, {});
  heap.settle(anybody);
  static_cast<void>(drop_blocks(heap, 0));
  EXPECT_EQ(heap.held(), 0u);
  EXPECT_EQ(heap.waiting(), 0u);
}

}  // namespace
}  // namespace pintle::kit
