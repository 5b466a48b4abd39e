#include "collective/group/mailbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "pintle/must.h"

namespace pintle::collective {
namespace {

/// Two pieces of one memory; another rank's is either in reach or behind `put` and `store`.
class TwoPieces {
 public:
  enum class Reach : std::uint8_t { near, far };

  explicit TwoPieces(std::uint64_t size) : memory_{Piece(size / 8), Piece(size / 8)} {}

  [[nodiscard]] std::byte* at(std::uint32_t rank) noexcept {
    return std::as_writable_bytes(std::span(memory_[rank])).data();
  }
  [[nodiscard]] std::vector<std::byte*> seen_by(std::uint32_t rank, Reach reach) noexcept {
    std::vector<std::byte*> pieces{at(0), at(1)};
    if (reach == Reach::far) pieces[1 - rank] = nullptr;
    return pieces;
  }

 private:
  using Piece = std::vector<std::uint64_t>;
  std::array<Piece, 2> memory_;
};

class TestWindow final : public Window {
 public:
  TestWindow(TwoPieces& pieces, std::uint32_t rank, std::uint64_t size, TwoPieces::Reach reach)
      : Window(rank, size, pieces.seen_by(rank, reach)), all_(pieces) {}

  Result<void> put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from) override {
    ++puts;
    std::ranges::copy(from, all_.at(rank) + offset);
    return {};
  }
  Result<void> store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) override {
    word_in(all_.at(rank), offset).store(value);
    return {};
  }

  int puts = 0;

 private:
  TwoPieces& all_;
};

class MailboxOf : public testing::TestWithParam<TwoPieces::Reach> {
 protected:
  const Layout layout_{2};
  TwoPieces pieces_{layout_.size()};
  TestWindow left_{pieces_, 0, layout_.size(), GetParam()}, right_{pieces_, 1, layout_.size(), GetParam()};
  Mailbox sender_{left_, layout_, 0, 2}, receiver_{right_, layout_, 1, 2};

  static Call call(std::uint64_t number) {
    return {.number = number, .count = 3 * number, .operation = Operation::broadcast, .root = 7};
  }
  static std::vector<std::byte> bytes(std::uint64_t size, std::uint64_t seed) {
    std::vector<std::byte> bytes(size);
    for (std::uint64_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed);
    return bytes;
  }
};

TEST_P(MailboxOf, MessagesOfEverySizeInTheirOrder) {
  const std::vector<std::uint64_t> sizes{0, 1, 23, 24, 25, 64, 4097, layout_.payload() - 1, layout_.payload()};
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const auto sent = bytes(sizes[i % sizes.size()], i);
    EXPECT_FALSE(receiver_.has_come(0));
    ASSERT_TRUE(sender_.has_room(1)) << i;
    must(sender_.send(1, call(i), sent));
    ASSERT_TRUE(receiver_.has_come(0)) << i;
    const Message message = receiver_.take(0);
    EXPECT_EQ(message.call, call(i));
    EXPECT_TRUE(std::ranges::equal(message.payload, sent)) << i;
    must(receiver_.release(0));
  }
  EXPECT_EQ(left_.puts > 0, GetParam() == TwoPieces::Reach::far);
}

TEST_P(MailboxOf, RoomEndsAndComesBack) {
  std::uint64_t sent = 0, taken = 0;
  for (int round = 0; round < 20; ++round) {
    for (; sender_.has_room(1); ++sent) must(sender_.send(1, call(sent + 1), bytes(sent % 100, sent)));
    EXPECT_LE(sent - taken, Layout::slots);
    EXPECT_GE(sent - taken, Layout::slots / 2 + 1);
    bool is_due = false;  // to ring the sender
    while (!is_due) {
      ASSERT_TRUE(receiver_.has_come(0));
      EXPECT_EQ(receiver_.take(0).call.number, ++taken);
      is_due = must(receiver_.release(0));
    }
    EXPECT_TRUE(sender_.has_room(1));
  }
}

TEST_P(MailboxOf, BothDirectionsAreApart) {
  must(sender_.send(1, call(1), bytes(10, 1)));
  must(receiver_.send(0, call(2), bytes(20, 2)));
  EXPECT_EQ(receiver_.take(0).payload.size(), 10u);
  EXPECT_EQ(sender_.take(1).payload.size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Windows, MailboxOf, testing::Values(TwoPieces::Reach::near, TwoPieces::Reach::far),
                         [](const auto& info) { return info.param == TwoPieces::Reach::near ? "Near" : "Far"; });

/// What a hostile neighbour writes may be anything: it corrupts data, never memory.
class HostileMailbox : public testing::Test {
 protected:
  const Layout layout_{2};
  TwoPieces pieces_{layout_.size()};
  TestWindow left_{pieces_, 0, layout_.size(), TwoPieces::Reach::near};
  TestWindow right_{pieces_, 1, layout_.size(), TwoPieces::Reach::near};
  Mailbox sender_{left_, layout_, 0, 2}, receiver_{right_, layout_, 1, 2};
};

TEST_F(HostileMailbox, ASizeBeyondTheSlotIsCut) {
  for (const std::uint64_t size : {layout_.payload() + 1, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const MessageHead head{.stamp = 1, .number = 1, .count = 1, .rest = 1, .bytes = size};
    std::memcpy(pieces_.at(1) + layout_.slot_of(0, 0), static_cast<const void*>(&head), sizeof head);
    ASSERT_TRUE(receiver_.has_come(0));
    const Message message = receiver_.take(0);
    EXPECT_EQ(message.payload.size(), layout_.payload());
    EXPECT_LE(message.payload.data() + message.payload.size(), pieces_.at(1) + layout_.size());
  }
}

TEST_F(HostileMailbox, AStampThatIsNotDueIsNoMessage) {
  for (const std::uint64_t stamp : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}}) {
    Window::word_in(pieces_.at(1), layout_.slot_of(0, 0)).store(stamp);
    EXPECT_FALSE(receiver_.has_come(0));
  }
}

TEST_F(HostileMailbox, ACreditThatWasNeverEarnedIsNone) {
  for (std::uint64_t i = 0; i < Layout::slots; ++i) must(sender_.send(1, {}, {}));
  for (const std::uint64_t credit : {Layout::slots + 1, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    Window::word_in(pieces_.at(0), layout_.credit_of(1)).store(credit);
    EXPECT_FALSE(sender_.has_room(1));
  }
  Window::word_in(pieces_.at(0), layout_.credit_of(1)).store(Layout::slots / 2);
  EXPECT_TRUE(sender_.has_room(1));
  Window::word_in(pieces_.at(0), layout_.credit_of(1)).store(0);  // nor is one taken back
  EXPECT_TRUE(sender_.has_room(1));
}

TEST(Layout, PlacesAreApartAndInside) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 7u, 64u, 1024u}) {
    const Layout layout(ranks);
    EXPECT_GE(layout.payload(), 2048u);
    EXPECT_EQ(layout.payload() % line_bytes, 0u);
    std::uint64_t end = Layout::proposals + Layout::most_shrinks * Layout::proposal_bytes;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_GE(layout.fault_of(rank), end);
      end = layout.fault_of(rank) + posted_note_bytes;
    }
    for (const auto lane : {Layout::Lane::setup, Layout::Lane::rescue}) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const std::uint64_t parity : {0u, 1u}) {
          EXPECT_GE(layout.note_of(rank, lane, parity), end);
          end = layout.note_of(rank, lane, parity) + posted_note_bytes;
        }
      }
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_GE(layout.credit_of(rank), end);
      end = layout.credit_of(rank) + line_bytes;
    }
    EXPECT_GE(layout.gate(), end);
    end = layout.gate() + line_bytes;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (std::uint64_t slot = 0; slot < Layout::slots; ++slot) {
        EXPECT_GE(layout.slot_of(rank, slot), end);
        EXPECT_EQ(layout.slot_of(rank, slot) % line_bytes, 0u);
        EXPECT_EQ(layout.slot_of(rank, slot), layout.slot_of(rank, slot + Layout::slots));
        end = layout.slot_of(rank, slot) + layout.slot_bytes();
      }
    }
    EXPECT_GE(layout.size(), end);
  }
}

}  // namespace
}  // namespace pintle::collective
