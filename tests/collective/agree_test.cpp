#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collective/outcome.h"
#include "collective/transport.h"

namespace pintle::collective {
namespace {

using Outcomes = std::vector<Result<void>>;

Error failure(Errc code, std::string message) { return {code, std::move(message)}; }

/// What `rank` hears when the ranks end with `outcomes`.
Result<void> agreed(const Outcomes& outcomes, std::size_t rank) {
  return agree(
      outcomes[rank],
      [&](const Note& own, Deadline) -> Result<std::vector<Note>> {
        std::vector<Note> notes(outcomes.size());
        for (std::size_t other = 0; other < outcomes.size(); ++other) {
          write_outcome(notes[other], outcomes[other]);
        }
        EXPECT_EQ(own, notes[rank]);
        return notes;
      },
      Deadline::max());
}

Result<void> heard(const Note& note) { return read_outcomes({&note, 1}); }

TEST(Agree, AllSucceedWhenEveryRankDoes) {
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_TRUE(agreed(Outcomes(3), rank));
}

TEST(Agree, EveryRankHearsTheLowestFailure) {
  Outcomes outcomes(4);
  outcomes[3] = failure(Errc::io, "The disk is full.");
  outcomes[2] = failure(Errc::out_of_memory, "Memory ran out.");
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const auto result = agreed(outcomes, rank);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::out_of_memory);
    EXPECT_EQ(result.error().message(), "On rank 2: Memory ran out.");
  }
}

TEST(Agree, AnExchangeThatFailsIsTheResult) {
  const auto result = agree(
      {}, [](const Note&, Deadline) -> Result<std::vector<Note>> { return failure(Errc::timeout, "Too late."); },
      Deadline::max());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::timeout);
}

TEST(Agree, EveryCodeArrives) {
  for (int code = 1; code <= 14; ++code) {
    Note note{};
    write_outcome(note, failure(static_cast<Errc>(code), "No."));
    EXPECT_EQ(heard(note).error().code(), static_cast<Errc>(code));
  }
}

TEST(Agree, LongMessagesAreCutVisibly) {
  Note note{};
  note.fill(std::byte{0x55});
  write_outcome(note, failure(Errc::io, std::string(1000, 'x')));
  const std::string text(heard(note).error().message());
  EXPECT_LT(text.size(), 240u);
  EXPECT_TRUE(text.ends_with("xxx...")) << text;
  for (std::size_t i = outcome_size; i < note.size(); ++i) EXPECT_EQ(note[i], std::byte{0x55}) << i;

  const std::string fits(outcome_size - 2, 'y');
  write_outcome(note, failure(Errc::io, fits));
  EXPECT_EQ(heard(note).error().message(), "On rank 0: " + fits);
}

TEST(Agree, ASuccessLeavesNothingOfAnEarlierFailure) {
  Note note{};
  write_outcome(note, failure(Errc::io, "No."));
  write_outcome(note, {});
  EXPECT_EQ(note, Note{});
}

TEST(Agree, NotesOfAHostileRankAreErrorsThatCanBePrinted) {
  Note note;
  note.fill(std::byte{0xff});
  const auto nonsense = heard(note);
  ASSERT_FALSE(nonsense);
  EXPECT_EQ(nonsense.error().code(), Errc::internal);
  EXPECT_EQ(nonsense.error().message(), "On rank 0: " + std::string(outcome_size - 2, '?'));

  for (int code = 0; code < 256; ++code) {
    for (int length = 0; length < 256; ++length) {
      note.fill(std::byte{'\n'});
      note[0] = static_cast<std::byte>(code);
      note[1] = static_cast<std::byte>(length);
      const auto result = heard(note);
      EXPECT_EQ(result.has_value(), code == 0);
      if (result) continue;
      EXPECT_EQ(result.error().message().find('\n'), std::string_view::npos);
      EXPECT_EQ(result.error().code(), code > 14 ? Errc::internal : static_cast<Errc>(code));
    }
  }
}

}  // namespace
}  // namespace pintle::collective
