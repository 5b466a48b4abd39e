// Where things lie in a rank's piece of its group's window.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/bytes.h"
#include "collective/transport.h"

namespace pintle::collective {

inline constexpr std::uint64_t line_bytes = 64;

/// A note with the word that says that it is there.
inline constexpr std::uint64_t posted_note_bytes = 256;
static_assert(sizeof(Note) + sizeof(std::uint64_t) <= posted_note_bytes);

/// Everything is a function of the number of ranks, so that all ranks have the same layout. Offsets are in bytes. A
/// function that ends in `_of` takes the rank that writes there, in another rank's piece.
class Layout {
 public:
  explicit Layout(std::uint32_t ranks) noexcept : ranks_(ranks), payload_(payload_for(ranks)) {}

  /// Two 32-bit words: the doorbell, and whether the owner sleeps on it.
  static constexpr std::uint64_t doorbell = 0;
  static constexpr std::uint64_t sleeping = 4;
  /// In rank 0's piece: the rank that failed first, plus 1, and the code of its error in the lowest byte.
  static constexpr std::uint64_t first_fault = 8;
  /// What the owner is doing, for others to look at: see `Status`.
  static constexpr std::uint64_t status = line_bytes;
  /// In rank 0's piece: the rank that decided which ranks stay, by shrink's number.
  static constexpr std::uint64_t decisions = 2 * line_bytes;
  static constexpr std::uint64_t most_shrinks = 8;
  /// In each piece: the ranks that the owner proposes to stay, one bit each, by shrink's number.
  static constexpr std::uint64_t proposals = decisions + line_bytes;
  static constexpr std::uint64_t proposal_bytes = most_ranks / 8;

  /// Why a rank has failed: a note.
  [[nodiscard]] std::uint64_t fault_of(std::uint32_t rank) const noexcept { return faults + rank * posted_note_bytes; }
  /// Notes for setting up what is made of this group, in two places that take turns; with `Lane::rescue` the notes of
  /// shrink.
  enum class Lane : std::uint8_t { setup, rescue };
  [[nodiscard]] std::uint64_t note_of(std::uint32_t rank, Lane lane, std::uint64_t parity) const noexcept {
    const std::uint64_t index = (static_cast<std::uint64_t>(lane) * ranks_ + rank) * 2 + parity;
    return fault_of(ranks_) + index * posted_note_bytes;
  }
  /// How many messages of the piece's owner that rank has taken.
  [[nodiscard]] std::uint64_t credit_of(std::uint32_t rank) const noexcept {
    return note_of(ranks_, Lane::rescue, 0) + rank * line_bytes;
  }
  /// Whether others are inside this rank's own memory: one word.
  [[nodiscard]] std::uint64_t gate() const noexcept { return credit_of(ranks_); }
  /// A message of that rank: a line with its head, then its payload.
  [[nodiscard]] std::uint64_t slot_of(std::uint32_t rank, std::uint64_t message) const noexcept {
    const std::uint64_t index = rank * slots + message % slots;
    return base::round_up(gate() + line_bytes, std::uint64_t{4096}) + index * slot_bytes();
  }
  static constexpr std::uint64_t slots = 16;
  /// The most bytes of one message.
  [[nodiscard]] std::uint64_t payload() const noexcept { return payload_; }
  [[nodiscard]] std::uint64_t slot_bytes() const noexcept { return payload_ + line_bytes; }
  [[nodiscard]] std::uint64_t size() const noexcept { return base::round_up(slot_of(ranks_, 0), std::uint64_t{4096}); }

 private:
  static constexpr std::uint64_t faults = proposals + most_shrinks * proposal_bytes;
  /// The slots of a rank for messages of all others together take so many bytes: little beside its caches.
  static constexpr std::uint64_t inbox = 2ull << 20;

  [[nodiscard]] static std::uint64_t payload_for(std::uint32_t ranks) noexcept {
    const std::uint64_t share = inbox / slots / std::max(1u, ranks - 1);
    return std::clamp(std::bit_floor(std::max<std::uint64_t>(share, 1)), std::uint64_t{2048}, std::uint64_t{128} << 10);
  }

  std::uint32_t ranks_;
  std::uint64_t payload_;
};

}  // namespace pintle::collective
