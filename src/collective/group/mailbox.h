// Messages between two ranks: a ring of slots in the receiver's piece, in order, never more than there is room for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collective/group/call.h"
#include "collective/group/layout.h"
#include "collective/window.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The first line of a slot, as it lies there. A message is there when `stamp` is its number plus 1.
struct MessageHead {
  std::uint64_t stamp = 0;
  std::uint64_t number = 0, count = 0, rest = 0;  ///< The sender's call.
  std::uint64_t bytes = 0;  ///< The size of the payload, which lies behind the line unless it fits into it.
  static constexpr std::uint64_t short_bytes = 24;
  std::array<std::byte, short_bytes> brief{};
};
static_assert(sizeof(MessageHead) == line_bytes);

/// A message that has come. Its head is copied, so that no other rank changes it any more; its payload stays where it
/// lies.
struct Message {
  Call call;
  std::span<const std::byte> payload;
};

class Mailbox {
 public:
  Mailbox(Window& window, const Layout& layout, std::uint32_t rank, std::uint32_t ranks);

  /// Whether a message to `to` has room.
  [[nodiscard]] bool has_room(std::uint32_t to) noexcept;
  /// For a message that has room, of at most `Layout::payload()` bytes. The caller then rings the rank.
  Result<void> send(std::uint32_t to, const Call& call, std::span<const std::byte> payload);
  /// Whether the next message from `from` is there.
  [[nodiscard]] bool has_come(std::uint32_t from) const noexcept;
  /// The message is there. Its payload is cut to what a slot has, whatever the head says.
  [[nodiscard]] Message take(std::uint32_t from) const noexcept;
  /// Gives the message's slot back. Returns whether the caller has to ring the sender.
  Result<bool> release(std::uint32_t from);

 private:
  struct Peer {
    std::uint64_t sent = 0, credit = 0;        // messages to it; credit: how many it is known to have taken
    std::uint64_t received = 0, credited = 0;  // messages from it
  };

  Window& window_;
  const Layout& layout_;
  const std::uint32_t rank_;
  std::vector<Peer> peers_;
};

}  // namespace pintle::collective
