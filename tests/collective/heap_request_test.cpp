#include "collective/heap/heap_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// What a word of the note means, by its place.
enum Word : std::size_t { call, heap, bytes, serial, offset, dtype, dimensions, dims, code = 16, name_of, alignment };

void write(Note& note, std::size_t word, std::uint64_t value) {
  std::memcpy(note.data() + word * sizeof value, &value, sizeof value);
}

[[nodiscard]] HeapRequest allocation() {
  HeapRequest request;
  request.call = HeapCall::allocate;
  request.heap = 7;
  request.dtype = DType::f32;
  request.shape = Shape{2, 3};
  return request;
}

/// Meets a neighbour, rank 1, which says in the first round what `lie` makes of this rank's words.
[[nodiscard]] Result<std::vector<HeapOffer>> meet_liar(const std::function<void(Note&)>& lie,
                                                       const Result<void>& own = {}) {
  bool is_first = true;
  const Exchange exchange = [&](const Note& note, Deadline) -> Result<std::vector<Note>> {
    std::vector<Note> notes{note, note};
    if (std::exchange(is_first, false)) lie(notes[1]);
    return notes;
  };
  return meet(exchange, allocation(), {42, 256}, own, Deadline::max());
}

TEST(HeapRequest, IsReadAsASentence) {
  HeapRequest request = allocation();
  EXPECT_EQ(text(request), "allocates f32[2,3] in [SymmetricHeap 7]");
  request.call = HeapCall::allocate_signals;
  EXPECT_EQ(text(request), "allocates signals [2,3] in [SymmetricHeap 7]");
  request.call = HeapCall::free;
  request.serial = 9;
  request.offset = 128;
  EXPECT_EQ(text(request), "frees f32[2,3] at 128 (allocation 9) of [SymmetricHeap 7]");
  request.call = HeapCall::barrier;
  EXPECT_EQ(text(request), "comes to a barrier of [SymmetricHeap 7]");
  request.call = HeapCall::create;
  request.bytes = 4096;
  EXPECT_EQ(text(request), "makes a symmetric heap of 4096 bytes");
  request.call = static_cast<HeapCall>(77);
  EXPECT_EQ(text(request), "makes a call that has no name (77)");
  EXPECT_EQ(heap_text(0xabc'0000'0003, "a\"b"), "[SymmetricHeap 3 \"a\\\"b\"]");
}

TEST(HeapRequest, OfAllRanksAlikeGivesTheirOffers) {
  const auto offers = must(meet_liar([](Note&) {}));
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[1].name, 42u);
  EXPECT_EQ(offers[1].alignment, 256u);
}

TEST(HeapRequest, ThatDiffersInAnyWordIsRefusedWithBothSides) {
  for (const std::size_t word : {call, heap, bytes, serial, offset, dtype, dimensions, dims}) {
    const auto met = meet_liar([&](Note& note) { write(note, word, 5); });
    EXPECT_THAT(outcome(met), AllOf(StartsWith("invalid_argument: Rank 1 of the group "),
                                    HasSubstr(" where rank 0 allocates f32[2,3] in [SymmetricHeap 7].")))
        << word;
  }
}

TEST(HeapRequest, OfAHostileNeighbourIsRead) {
  const auto lie = [](std::size_t word, std::uint64_t value) {
    return outcome(meet_liar([&](Note& note) { write(note, word, value); }));
  };
  EXPECT_THAT(lie(dimensions, ~0ull), HasSubstr("allocates f32 of no shape in"));
  EXPECT_THAT(lie(dimensions, 9), HasSubstr("allocates f32 of no shape in"));
  EXPECT_THAT(lie(dtype, 255), HasSubstr("allocates elements of no dtype [2,3] in"));
  EXPECT_THAT(lie(dtype, 256 + static_cast<std::uint64_t>(DType::f32)), StartsWith("invalid_argument: Rank 1"));
  EXPECT_THAT(lie(call, 0), HasSubstr("makes a call that has no name (0)"));
  EXPECT_THAT(lie(code, 3), StartsWith("internal: "));  // it fails, and has nothing to say for it
}

TEST(HeapRequest, ThatOneRankCannotHaveIsEverybodysError) {
  const Error full(Errc::out_of_memory, "There is no room.");
  EXPECT_EQ(outcome(meet_liar([](Note&) {}, full)), "out_of_memory: There is no room.");
  EXPECT_EQ(outcome(meet_liar([](Note& note) { write(note, code, 0); }, full)),
            "out_of_memory: On rank 0: There is no room.");
}

TEST(HeapRequest, OfRandomWordsIsAnError) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto met = meet_liar([&](Note& note) {
      for (std::size_t word = 0; word < sizeof(Note) / 8; ++word) {
        if (random() % 3 == 0) write(note, word, random() % 4 == 0 ? random() : random() % 20);
      }
      write(note, heap, 8);
    });
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().code(), Errc::invalid_argument);
  }
}

TEST(HeapRequest, EndsWithTheExchange) {
  const Exchange nobody = [](const Note&, Deadline) -> Result<std::vector<Note>> {
    return Error(Errc::peer_lost, "Rank 1 is lost.");
  };
  EXPECT_EQ(outcome(meet(nobody, allocation(), {}, {}, Deadline::max())), "peer_lost: Rank 1 is lost.");
}

}  // namespace
}  // namespace pintle::collective
