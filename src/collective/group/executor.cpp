#include "collective/group/executor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/stream_copy.h"
#include "collective/fold/reduction.h"
#include "collective/group/message.h"

namespace pintle::collective {

Executor::Executor(GroupState& group, Schedule& schedule, ReduceOp op, DType dtype, std::uint64_t element_bytes)
    : group_(group),
      mailbox_(group.mailbox()),
      schedule_(schedule),
      op_(op),
      dtype_(dtype),
      payload_(group.layout().payload() / element_bytes * element_bytes),
      open_(schedule.items().size()),
      awaited_(group.awaited()) {
  open_sends_ =
      static_cast<std::size_t>(std::ranges::count(schedule.items(), Schedule::Kind::send, &Schedule::Item::kind));
}

Result<void> Executor::run(Deadline deadline) {
  Waiting waiting(group_, deadline);
  while (open_ > 0) {
    PINTLE_ASSIGN(has_advanced, advance());
    if (has_advanced) {
      waiting.restart();
      group_.step();
    } else {
      PINTLE_TRY(waiting.pause(awaited()));
    }
  }
  return {};
}

Result<bool> Executor::advance() {
  bool has_advanced = false;
  for (const std::uint32_t rank : schedule_.peers()) {
    PINTLE_ASSIGN(sent, send_to(rank));
    PINTLE_ASSIGN(received, receive_from(rank));
    has_advanced = has_advanced || sent || received;
  }
  return has_advanced || fold_alone() || copy();
}

std::uint64_t Executor::next_bytes(const Item& item) const noexcept {
  return std::min(payload_, item.bytes - item.done);
}

/// Whether what the item reads next has been made.
bool Executor::is_made(const Item& item, std::uint64_t bytes) const noexcept {
  if (item.after == Schedule::none) return true;
  const Item& maker = schedule_.items()[item.after];
  return maker.is_complete || (item.bytes > 0 && maker.done >= item.after_offset + item.done + bytes);
}

/// Whether what the item overwrites next has been read.
bool Executor::is_clear(const Item& item, std::uint64_t bytes) const noexcept {
  if (item.clear == Schedule::none) return true;
  if (item.clear == Schedule::every_send) return open_sends_ == 0;
  const Item& reader = schedule_.items()[item.clear];
  return reader.is_complete || reader.done >= item.done + bytes;
}

Result<bool> Executor::send_to(std::uint32_t rank) {
  const std::uint32_t head = schedule_.to_rank(rank).head;
  if (head == Schedule::none) return false;
  Item& item = schedule_.items()[schedule_.links()[head].item];
  const std::uint64_t bytes = next_bytes(item);
  if (!is_made(item, bytes) || !mailbox_.has_room(rank)) return false;
  PINTLE_TRY(mailbox_.send(rank, group_.call(), {item.from + item.done, bytes}));
  group_.ring(rank);
  group_.statistics().bytes_sent += bytes;
  account(item, bytes);
  return true;
}

Result<bool> Executor::receive_from(std::uint32_t rank) {
  const std::uint32_t head = schedule_.from_rank(rank).head;
  if (head == Schedule::none || !mailbox_.has_come(rank)) return false;
  Item& item = schedule_.items()[schedule_.links()[head].item];
  return item.kind == Schedule::Kind::fold ? fold(item) : receive(item, rank);
}

Result<bool> Executor::receive(Item& item, std::uint32_t rank) {
  const std::uint64_t bytes = next_bytes(item);
  PINTLE_ASSIGN(message, take_message(group_, rank, bytes));
  if (item.streams) base::stream_copy(item.to + item.done, message.payload.data(), bytes);
  else if (bytes > 0) std::memcpy(item.to + item.done, message.payload.data(), bytes);
  PINTLE_TRY(release(rank, bytes));
  account(item, bytes);
  return true;
}

/// Whether every source of the item brings this item next, and its message has come.
bool Executor::is_first(const Item& item) const noexcept {
  for (std::uint32_t i = 0; i < item.link_count; ++i) {
    const std::uint32_t rank = schedule_.links()[item.links + i].rank;
    if (rank == group_.rank()) continue;
    if (schedule_.from_rank(rank).head != item.links + i || !mailbox_.has_come(rank)) return false;
  }
  return true;
}

Result<bool> Executor::fold(Item& item) {
  const std::uint64_t bytes = next_bytes(item);
  if (!is_made(item, bytes) || !is_clear(item, bytes) || !is_first(item)) return false;
  std::array<const std::byte*, most_ranks> sources;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
  for (std::uint32_t i = 0; i < item.link_count; ++i) {
    const std::uint32_t rank = schedule_.links()[item.links + i].rank;
    if (rank == group_.rank()) {
      sources[i] = item.from + item.done;
      continue;
    }
    PINTLE_ASSIGN(message, take_message(group_, rank, bytes));
    sources[i] = message.payload.data();
  }
  if (bytes > 0) {
    collective::fold(op_, dtype_, item.to + item.done, std::span(sources).first(item.link_count),
                     bytes / bytes_of(dtype_), item.divisor);
  }
  for (std::uint32_t i = 0; i < item.link_count; ++i) {
    const std::uint32_t rank = schedule_.links()[item.links + i].rank;
    if (rank != group_.rank()) PINTLE_TRY(release(rank, bytes));
  }
  account(item, bytes);
  return true;
}

/// In a group of one rank no source brings a fold.
bool Executor::fold_alone() {
  if (group_.ranks() > 1) return false;
  for (Item& item : schedule_.items()) {
    if (item.is_complete || item.kind != Schedule::Kind::fold) continue;
    const std::byte* const own = item.from;
    if (item.bytes > 0) {
      collective::fold(op_, dtype_, item.to, std::span(&own, 1), item.bytes / bytes_of(dtype_), item.divisor);
    }
    account(item, item.bytes);
    return true;
  }
  return false;
}

/// Called only when nothing else can be done.
bool Executor::copy() noexcept {
  for (const std::uint32_t index : schedule_.copies()) {
    Item& item = schedule_.items()[index];
    if (item.is_complete) continue;
    const std::uint64_t bytes = next_bytes(item);
    if (bytes > 0) std::memcpy(item.to + item.done, item.from + item.done, bytes);
    account(item, bytes);
    return true;
  }
  return false;
}

Result<void> Executor::release(std::uint32_t rank, std::uint64_t bytes) {
  group_.statistics().bytes_received += bytes;
  PINTLE_ASSIGN(is_due, mailbox_.release(rank));
  if (is_due) group_.ring(rank);
  return {};
}

void Executor::account(Item& item, std::uint64_t bytes) noexcept {
  item.done += bytes;
  if (item.done < item.bytes) return;
  item.is_complete = true;
  --open_;
  if (item.kind == Schedule::Kind::send) --open_sends_;
  dequeue(item);
}

void Executor::dequeue(Item& item) {
  for (std::uint32_t i = 0; i < item.link_count; ++i) {
    const Schedule::Link& link = schedule_.links()[item.links + i];
    if (link.rank == group_.rank()) continue;
    auto& queue = item.kind == Schedule::Kind::send ? schedule_.to_rank(link.rank) : schedule_.from_rank(link.rank);
    queue.head = link.next;
  }
}

/// The ranks that bring what is next, and the ranks that have no room. The first is the rank that the earliest item
/// waits for. An item waits for no later item, so going from each rank to its first awaited rank leads into no circle.
std::span<const std::uint32_t> Executor::awaited() {
  awaited_.clear();
  std::uint32_t earliest = Schedule::none;
  const auto add = [&](std::uint32_t rank, std::uint32_t link) {
    awaited_.push_back(rank);
    const std::uint32_t item = schedule_.links()[link].item;
    if (item >= earliest) return;
    earliest = item;
    std::swap(awaited_.front(), awaited_.back());
  };
  for (const std::uint32_t rank : schedule_.peers()) {
    const std::uint32_t brings = schedule_.from_rank(rank).head, takes = schedule_.to_rank(rank).head;
    if (brings != Schedule::none && !mailbox_.has_come(rank)) add(rank, brings);
    if (takes != Schedule::none && !mailbox_.has_room(rank)) add(rank, takes);
  }
  return awaited_;
}

}  // namespace pintle::collective
