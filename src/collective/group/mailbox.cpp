#include "collective/group/mailbox.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace pintle::collective {
namespace {

/// Stores after everything else of a message. A rank that is about to sleep still finds the value: see Waiting.
void raise(std::byte* piece, std::uint64_t offset, std::uint64_t value) noexcept {
  Window::word_in(piece, offset).store(value, std::memory_order_seq_cst);
}

}  // namespace

Mailbox::Mailbox(Window& window, const Layout& layout, std::uint32_t rank, std::uint32_t ranks)
    : window_(window), layout_(layout), rank_(rank), peers_(ranks) {}

bool Mailbox::has_room(std::uint32_t to) noexcept {
  Peer& peer = peers_[to];
  if (peer.sent - peer.credit < Layout::slots) return true;
  const std::uint64_t credit = window_.word(layout_.credit_of(to)).load(std::memory_order_seq_cst);
  if (credit <= peer.sent) peer.credit = std::max(peer.credit, credit);  // a wrong credit may stop this rank, no more
  return peer.sent - peer.credit < Layout::slots;
}

Result<void> Mailbox::send(std::uint32_t to, const Call& call, std::span<const std::byte> payload) {
  Peer& peer = peers_[to];
  MessageHead head{.stamp = 0, .number = call.number, .count = call.count, .rest = pack(call), .bytes = payload.size()};
  const bool is_short = payload.size() <= MessageHead::short_bytes;
  if (is_short && !payload.empty()) std::memcpy(head.brief.data(), payload.data(), payload.size());
  const std::uint64_t slot = layout_.slot_of(rank_, peer.sent);
  constexpr std::uint64_t stamp_bytes = sizeof head.stamp;
  const auto rest = std::as_bytes(std::span(&head, 1)).subspan(stamp_bytes);
  ++peer.sent;
  if (std::byte* const piece = window_.at(to)) {
    if (!is_short) std::memcpy(piece + slot + line_bytes, payload.data(), payload.size());
    std::memcpy(piece + slot + stamp_bytes, rest.data(), rest.size());
    raise(piece, slot, peer.sent);
    return {};
  }
  if (!is_short) PINTLE_TRY(window_.put(to, slot + line_bytes, payload));
  PINTLE_TRY(window_.put(to, slot + stamp_bytes, rest));
  return window_.store(to, slot, peer.sent);
}

bool Mailbox::has_come(std::uint32_t from) const noexcept {
  const std::uint64_t next = peers_[from].received;
  return window_.word(layout_.slot_of(from, next)).load(std::memory_order_seq_cst) == next + 1;
}

Message Mailbox::take(std::uint32_t from) const noexcept {
  const std::byte* const slot = window_.own() + layout_.slot_of(from, peers_[from].received);
  MessageHead head;
  std::memcpy(static_cast<void*>(&head), slot, sizeof head);
  const bool is_short = head.bytes <= MessageHead::short_bytes;
  const std::byte* const payload = slot + (is_short ? offsetof(MessageHead, brief) : line_bytes);
  return {unpack(head.number, head.count, head.rest), {payload, std::min(head.bytes, layout_.payload())}};
}

Result<bool> Mailbox::release(std::uint32_t from) {
  Peer& peer = peers_[from];
  ++peer.received;
  if (peer.received - peer.credited < Layout::slots / 2) return false;
  peer.credited = peer.received;
  if (std::byte* const piece = window_.at(from)) raise(piece, layout_.credit_of(rank_), peer.credited);
  else PINTLE_TRY(window_.store(from, layout_.credit_of(rank_), peer.credited));
  return true;
}

}  // namespace pintle::collective
