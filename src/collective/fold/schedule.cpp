#include "collective/fold/schedule.h"

#include <algorithm>
#include <numeric>

namespace pintle::collective {
namespace {

constexpr std::uint64_t most_kept_scratch = 64 << 10;

}  // namespace

Schedule::Schedule(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), ranks_(ranks), to_(ranks), from_(ranks), everybody_(ranks) {
  std::iota(everybody_.begin(), everybody_.end(), 0u);
}

void Schedule::clear() noexcept {
  for (const std::uint32_t peer : peers_) to_[peer] = from_[peer] = {};
  items_.clear();
  links_.clear();
  copies_.clear();
  peers_.clear();
  if (scratch_bytes_ > most_kept_scratch) {
    scratch_.reset();
    scratch_bytes_ = 0;
  }
}

std::uint32_t Schedule::add(Kind kind, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  Item& item = items_.emplace_back();
  item.kind = kind;
  item.to = to;
  item.from = from;
  item.bytes = bytes;
  item.links = static_cast<std::uint32_t>(links_.size());
  return static_cast<std::uint32_t>(items_.size() - 1);
}

void Schedule::link(std::uint32_t item, std::uint32_t rank, std::vector<Queue>& queues) {
  const auto index = static_cast<std::uint32_t>(links_.size());
  links_.push_back({item, rank, none});
  ++items_[item].link_count;
  if (rank == rank_) return;
  if (to_[rank].tail == none && from_[rank].tail == none) peers_.push_back(rank);
  Queue& queue = queues[rank];
  (queue.tail == none ? queue.head : links_[queue.tail].next) = index;
  queue.tail = index;
}

std::uint32_t Schedule::send(std::uint32_t to, const std::byte* from, std::uint64_t bytes, From made_by) {
  const std::uint32_t item = add(Kind::send, nullptr, from, bytes);
  items_[item].after = made_by.item;
  items_[item].after_offset = made_by.offset;
  link(item, to, to_);
  return item;
}

std::uint32_t Schedule::receive(std::uint32_t from, std::byte* to, std::uint64_t bytes, Afterwards afterwards) {
  const std::uint32_t item = add(Kind::receive, to, nullptr, bytes);
  items_[item].streams = afterwards == Afterwards::is_far;
  link(item, from, from_);
  return item;
}

std::uint32_t Schedule::fold(std::byte* to, const std::byte* own, std::uint64_t bytes,
                             std::span<const std::uint32_t> sources, std::uint32_t divisor, From made_by,
                             std::uint32_t clear) {
  const std::uint32_t item = add(Kind::fold, to, own, bytes);
  items_[item].divisor = divisor;
  items_[item].after = made_by.item;
  items_[item].after_offset = made_by.offset;
  items_[item].clear = clear;
  for (const std::uint32_t rank : sources) link(item, rank, from_);
  return item;
}

std::uint32_t Schedule::copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  return copies_.emplace_back(add(Kind::copy, to, from, bytes));
}

std::byte* Schedule::scratch(std::uint64_t bytes) {
  if (scratch_ == nullptr || scratch_bytes_ < bytes) {
    scratch_ = std::make_unique_for_overwrite<std::byte[]>(std::max<std::uint64_t>(bytes, 1));
    scratch_bytes_ = bytes;
  }
  return scratch_.get();
}

std::span<Schedule::From> Schedule::makers(std::size_t count, From made_by) {
  makers_.assign(count, made_by);
  return makers_;
}

Slice slice_of(std::uint64_t count, std::uint32_t index, std::uint32_t slices) noexcept {
  const std::uint64_t each = count / slices;
  const std::uint64_t larger = count % slices;  // the first slices have one element more
  return {index * each + std::min<std::uint64_t>(index, larger), each + (index < larger ? 1 : 0)};
}

}  // namespace pintle::collective
