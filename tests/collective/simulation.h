// The schedules of all ranks run by one thread, in any order, over channels with little room: what an executor may do
// at worst. Nothing of the executor is in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "collective/fold/reduction.h"
#include "collective/fold/schedule.h"

namespace pintle::collective {

class Simulation {
 public:
  struct Room {
    std::uint64_t messages = 1;  ///< From one rank to another.
    std::uint64_t bytes = 8;     ///< In a message.
  };

  Simulation(std::uint32_t ranks, Room room) : room_(room), channels_(ranks * ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) schedules_.push_back(std::make_unique<Schedule>(rank, ranks));
  }

  [[nodiscard]] Schedule& schedule(std::uint32_t rank) noexcept { return *schedules_[rank]; }
  void reduce_by(ReduceOp op, DType dtype) noexcept {
    op_ = op;
    dtype_ = dtype;
  }
  /// This rank does nothing from now on.
  void stop(std::uint32_t rank) { stopped_.push_back(rank); }
  void resume() { stopped_.clear(); }

  /// Until nothing can go on any more; ranks and their peers take turns at random.
  void run(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::uint32_t> order(schedules_.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) order[rank] = rank;
    for (bool has_advanced = true; has_advanced;) {
      has_advanced = false;
      std::ranges::shuffle(order, random);
      for (const std::uint32_t rank : order) has_advanced = advance(rank, random) || has_advanced;
    }
  }

  [[nodiscard]] bool is_complete(std::uint32_t rank) {
    return std::ranges::all_of(schedule(rank).items(), &Schedule::Item::is_complete);
  }
  [[nodiscard]] bool is_complete() {
    for (std::uint32_t rank = 0; rank < schedules_.size(); ++rank) {
      if (!is_complete(rank)) return false;
    }
    return std::ranges::all_of(channels_, &Channel::empty);
  }
  /// Whether all messages had the size that was due.
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }
  [[nodiscard]] std::uint64_t bytes_sent(std::uint32_t rank) {
    std::uint64_t bytes = 0;
    for (const auto& item : schedule(rank).items()) bytes += item.kind == Schedule::Kind::send ? item.bytes : 0;
    return bytes;
  }

 private:
  using Item = Schedule::Item;
  using Channel = std::deque<std::vector<std::byte>>;

  [[nodiscard]] Channel& channel(std::uint32_t from, std::uint32_t to) {
    return channels_[from * schedules_.size() + to];
  }

  [[nodiscard]] std::uint64_t next_bytes(const Item& item) const {
    return std::min(room_.bytes, item.bytes - item.done);
  }

  [[nodiscard]] bool is_made(Schedule& schedule, const Item& item) const {
    if (item.after == Schedule::none) return true;
    const Item& maker = schedule.items()[item.after];
    return maker.is_complete || (item.bytes > 0 && maker.done >= item.after_offset + item.done + next_bytes(item));
  }
  [[nodiscard]] bool is_clear(Schedule& schedule, const Item& item) const {
    if (item.clear == Schedule::none) return true;
    if (item.clear == Schedule::every_send) {
      return std::ranges::all_of(
          schedule.items(), [](const Item& other) { return other.kind != Schedule::Kind::send || other.is_complete; });
    }
    const Item& reader = schedule.items()[item.clear];
    return reader.is_complete || reader.done >= item.done + next_bytes(item);
  }

  bool advance(std::uint32_t rank, std::mt19937_64& random) {
    if (std::ranges::find(stopped_, rank) != stopped_.end()) return false;
    Schedule& own = schedule(rank);
    std::vector<std::uint32_t> peers(own.peers().begin(), own.peers().end());
    std::ranges::shuffle(peers, random);
    for (const std::uint32_t peer : peers) {
      const bool is_sent =
          random() % 2 == 0 ? send(own, peer) || receive(own, peer) : receive(own, peer) || send(own, peer);
      if (is_sent) return true;
    }
    return copy(own) || fold_alone(own);
  }

  bool send(Schedule& own, std::uint32_t to) {
    const std::uint32_t head = own.to_rank(to).head;
    if (head == Schedule::none) return false;
    Item& item = own.items()[own.links()[head].item];
    Channel& messages = channel(own.rank(), to);
    if (!is_made(own, item) || messages.size() >= room_.messages) return false;
    const std::byte* const from = item.from + item.done;
    messages.emplace_back(from, from + next_bytes(item));
    finish(own, item);
    return true;
  }

  bool receive(Schedule& own, std::uint32_t from) {
    const std::uint32_t head = own.from_rank(from).head;
    if (head == Schedule::none || channel(from, own.rank()).empty()) return false;
    Item& item = own.items()[own.links()[head].item];
    if (item.kind == Schedule::Kind::fold) return fold(own, item);
    const auto message = take(own, from, next_bytes(item));
    std::ranges::copy(message, item.to + item.done);
    finish(own, item);
    return true;
  }

  bool fold(Schedule& own, Item& item) {
    if (!is_made(own, item) || !is_clear(own, item)) return false;
    const auto links = std::span(own.links()).subspan(item.links, item.link_count);
    for (std::uint32_t i = 0; i < links.size(); ++i) {
      const std::uint32_t rank = links[i].rank;
      if (rank == own.rank()) continue;
      if (own.from_rank(rank).head != item.links + i || channel(rank, own.rank()).empty()) return false;
    }
    std::vector<std::vector<std::byte>> messages;
    messages.reserve(links.size());
    std::vector<const std::byte*> sources;
    for (const Schedule::Link& link : links) {
      const bool is_own = link.rank == own.rank();
      if (!is_own) messages.push_back(take(own, link.rank, next_bytes(item)));
      sources.push_back(is_own ? item.from + item.done : messages.back().data());
    }
    if (item.bytes > 0) fold_into(item, sources);
    finish(own, item);
    return true;
  }

  bool fold_alone(Schedule& own) {
    if (own.ranks() > 1) return false;
    for (Item& item : own.items()) {
      if (item.is_complete || item.kind != Schedule::Kind::fold) continue;
      if (item.bytes > 0) fold_into(item, {item.from + item.done});
      finish(own, item);
      return true;
    }
    return false;
  }

  bool copy(Schedule& own) {
    for (const std::uint32_t index : own.copies()) {
      Item& item = own.items()[index];
      if (item.is_complete) continue;
      std::copy_n(item.from + item.done, next_bytes(item), item.to + item.done);
      finish(own, item);
      return true;
    }
    return false;
  }

  void fold_into(Item& item, const std::vector<const std::byte*>& sources) {
    collective::fold(op_, dtype_, item.to + item.done, sources, next_bytes(item) / bytes_of(dtype_), item.divisor);
  }

  std::vector<std::byte> take(Schedule& own, std::uint32_t from, std::uint64_t bytes) {
    Channel& messages = channel(from, own.rank());
    auto message = std::move(messages.front());
    messages.pop_front();
    is_sound_ = is_sound_ && message.size() == bytes;
    message.resize(bytes);
    return message;
  }

  void finish(Schedule& own, Item& item) {
    item.done += next_bytes(item);
    if (item.done < item.bytes) return;
    item.is_complete = true;
    for (std::uint32_t i = item.links; i < item.links + item.link_count; ++i) {
      const Schedule::Link& link = own.links()[i];
      if (link.rank == own.rank()) continue;
      (item.kind == Schedule::Kind::send ? own.to_rank(link.rank) : own.from_rank(link.rank)).head = link.next;
    }
  }

  const Room room_;
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> stopped_;
  ReduceOp op_ = ReduceOp::sum;
  DType dtype_ = DType::u8;
  bool is_sound_ = true;
};

}  // namespace pintle::collective
