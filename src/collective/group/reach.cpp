#include "collective/group/reach.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "base/sync.h"
#include "collective/fold/reduction.h"
#include "collective/group/message.h"
#include "collective/group/waiting.h"

namespace pintle::collective {
namespace {

/// A block is small enough to be in the nearest caches when it is used a second time.
constexpr std::uint64_t block_bytes = 64 << 10;
constexpr std::uint64_t closed = std::uint64_t{1} << 63;

struct Offer {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
};

/// Counts the ranks inside a rank's memory; that rank may close it.
class Gate {
 public:
  Gate(GroupState& group, std::uint32_t rank) noexcept
      : word_(Window::word_in(group.window().at(rank), group.layout().gate())) {}

  void open() noexcept { word_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool enter() noexcept {
    if ((word_.fetch_add(1, std::memory_order_acquire) & closed) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept { word_.fetch_sub(1, std::memory_order_release); }
  /// Lets no rank in any more. Returns when the ranks inside have left; they leave without waiting for any rank.
  void close() noexcept {
    word_.fetch_or(closed, std::memory_order_acq_rel);
    while ((word_.load(std::memory_order_acquire) & ~closed) != 0) std::this_thread::yield();
  }

 private:
  std::atomic_ref<std::uint64_t> word_;
};

class Reach {
 public:
  Reach(GroupState& group, const Work& work, Deadline deadline)
      : group_(group), work_(work), waiting_(group, deadline), offers_(group.ranks()), sources_(group.ranks()) {}

  Result<void> run() {
    const Offer own{work_.to, work_.from};
    Gate gate(group_, group_.rank());
    gate.open();
    PINTLE_TRY(tell(std::as_bytes(std::span(&own, 1))));
    PINTLE_TRY(hear());
    offers_[group_.rank()] = own;
    PINTLE_TRY(work_inside());
    PINTLE_TRY(tell({}));
    return hear_end();
  }

 private:
  [[nodiscard]] bool is_own(std::uint32_t rank) const noexcept { return rank == group_.rank(); }

  Result<void> tell(std::span<const std::byte> words) {
    group_.step();
    for (std::uint32_t i = 1; i < group_.ranks(); ++i) {
      const std::uint32_t rank = (group_.rank() + i) % group_.ranks();
      while (!group_.mailbox().has_room(rank)) PINTLE_TRY(waiting_.pause(std::span(&rank, 1)));
      PINTLE_TRY(group_.mailbox().send(rank, group_.call(), words));
      group_.ring(rank);
    }
    return {};
  }

  Result<void> hear() {
    for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank) {
      if (is_own(rank)) continue;
      PINTLE_TRY(hear(rank, std::as_writable_bytes(std::span(&offers_[rank], 1))));
    }
    return {};
  }

  Result<void> hear_end() {
    for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank) {
      if (!is_own(rank)) PINTLE_TRY(hear(rank, {}));
    }
    return {};
  }

  Result<void> hear(std::uint32_t rank, std::span<std::byte> words) {
    while (!group_.mailbox().has_come(rank)) PINTLE_TRY(waiting_.pause(std::span(&rank, 1)));
    waiting_.restart();
    PINTLE_ASSIGN(message, take_message(group_, rank, words.size()));
    if (!words.empty()) std::memcpy(words.data(), message.payload.data(), words.size());
    PINTLE_ASSIGN(is_due, group_.mailbox().release(rank));
    if (is_due) group_.ring(rank);
    return {};
  }

  /// Enters every other rank's memory, works, and leaves.
  Result<void> work_inside() {
    std::uint32_t entered = 0;
    bool is_open = true;
    for (; entered < group_.ranks() && is_open; ++entered) {
      is_open = is_own(entered) || Gate(group_, entered).enter();
    }
    const std::uint32_t inside = is_open ? entered : entered - 1;
    if (is_open) work();
    for (std::uint32_t rank = 0; rank < inside; ++rank) {
      if (!is_own(rank)) Gate(group_, rank).leave();
    }
    if (is_open) return {};
    // A rank that has closed its memory has failed, and says why.
    const std::uint32_t rank = inside;
    while (true) PINTLE_TRY(waiting_.pause(std::span(&rank, 1)));
  }

  void work() {
    switch (group_.call().operation) {
      case Operation::all_reduce: return all_reduce();
      case Operation::reduce: return reduce();
      case Operation::reduce_scatter: return reduce_scatter();
      case Operation::all_gather: return all_gather();
      case Operation::gather: return copy_to(work_.root, group_.rank() * work_.part_bytes(), work_.from);
      case Operation::scatter: return copy_from(work_.to, work_.root, group_.rank() * work_.part_bytes());
      case Operation::broadcast: return broadcast();
      case Operation::all_to_all: return all_to_all();
      default: return;
    }
  }

  /// Folds elements of everybody's `from` at `offset`, block by block, and hands each block on while it is warm.
  template <class HandOn>
  void fold_blocks(std::byte* to, std::uint64_t offset, std::uint64_t bytes, HandOn hand_on) {
    const std::uint64_t block = block_bytes / work_.element_bytes * work_.element_bytes;
    for (std::uint64_t done = 0; done < bytes; done += block) {
      const std::uint64_t now = std::min(block, bytes - done);
      for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank) sources_[rank] = offers_[rank].from + offset + done;
      fold(work_.op, work_.dtype, to + done, sources_, now / work_.element_bytes, group_.ranks());
      hand_on(offset + done, to + done, now);
    }
    group_.statistics().bytes_received += bytes * (group_.ranks() - 1);
  }

  [[nodiscard]] Slice own_slice() const noexcept {
    const Slice slice = slice_of(work_.part, group_.rank(), group_.ranks());
    return {slice.first * work_.element_bytes, slice.count * work_.element_bytes};
  }

  void all_reduce() {
    const std::uint32_t ranks = group_.ranks();
    const Slice slice = own_slice();
    fold_blocks(work_.to + slice.first, slice.first, slice.count,
                [&](std::uint64_t offset, const std::byte* block, std::uint64_t bytes) {
                  for (std::uint32_t i = 1; i < ranks; ++i) {
                    write(offers_[(group_.rank() + i) % ranks].to + offset, block, bytes);
                  }
                });
  }

  void reduce() {
    const Slice slice = own_slice();
    const bool is_root = is_own(work_.root);
    std::array<std::byte, block_bytes> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): folded into
    const std::uint64_t block = block_bytes / work_.element_bytes * work_.element_bytes;
    for (std::uint64_t done = 0; done < slice.count; done += block) {
      const std::uint64_t offset = slice.first + done;
      std::byte* const to = is_root ? work_.to + offset : room.data();
      fold_blocks(to, offset, std::min(block, slice.count - done),
                  [&](std::uint64_t at, const std::byte* folded, std::uint64_t bytes) {
                    if (!is_root) write(offers_[work_.root].to + at, folded, bytes);
                  });
    }
  }

  void reduce_scatter() {
    fold_blocks(work_.to, group_.rank() * work_.part_bytes(), work_.part_bytes(),
                [](std::uint64_t, const std::byte*, std::uint64_t) {});
  }

  void all_gather() {
    for (std::uint32_t i = 0; i < group_.ranks(); ++i) {
      const std::uint32_t rank = (group_.rank() + i) % group_.ranks();
      std::byte* const to = work_.to + rank * work_.part_bytes();
      if (offers_[rank].from != to) copy_from(to, rank, 0);
    }
  }

  /// Two ranks share the work: the root writes one half while the other reads the other half.
  void broadcast() {
    const std::uint64_t half = group_.ranks() == 2 ? work_.part_bytes() / 2 : 0;
    const std::uint64_t rest = work_.part_bytes() - half;
    if (!is_own(work_.root)) {
      std::memcpy(work_.to + half, offers_[work_.root].to + half, rest);
      group_.statistics().bytes_received += rest;
    } else if (half > 0) {
      write(offers_[1 - work_.root].to, work_.to, half);
    }
  }

  void all_to_all() {
    for (std::uint32_t i = 0; i < group_.ranks(); ++i) {
      const std::uint32_t rank = (group_.rank() + i) % group_.ranks();
      copy_from(work_.to + rank * work_.part_bytes(), rank, group_.rank() * work_.part_bytes());
    }
  }

  void write(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    std::memcpy(to, from, bytes);
    group_.statistics().bytes_sent += bytes;
  }
  void copy_to(std::uint32_t rank, std::uint64_t offset, const std::byte* from) {
    std::byte* const to = offers_[rank].to + offset;
    if (to == from) return;
    std::memcpy(to, from, work_.part_bytes());
    if (!is_own(rank)) group_.statistics().bytes_sent += work_.part_bytes();
  }
  void copy_from(std::byte* to, std::uint32_t rank, std::uint64_t offset) {
    const std::byte* const from = offers_[rank].from + offset;
    if (to == from) return;
    std::memcpy(to, from, work_.part_bytes());
    if (!is_own(rank)) group_.statistics().bytes_received += work_.part_bytes();
  }

  GroupState& group_;
  const Work& work_;
  Waiting waiting_;
  std::vector<Offer> offers_;
  std::vector<const std::byte*> sources_;  // of a fold; made before anybody's memory is entered
};

}  // namespace

bool can_reach(const Call& call) noexcept {
  return call.operation != Operation::send_recv && call.operation != Operation::barrier &&
         call.operation != Operation::set_up;
}

Result<void> reach(GroupState& group, const Work& work, Deadline deadline) {
  Reach one(group, work, deadline);
  auto done = one.run();
  if (!done) Gate(group, group.rank()).close();
  return done;
}

}  // namespace pintle::collective
