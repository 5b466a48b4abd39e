// What schedules of several operations are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collective/fold/schedule.h"

namespace pintle::collective {

/// A buffer in parts, by index: equal parts, or slices that differ by one element at most.
class Parts {
 public:
  [[nodiscard]] static Parts equal(std::byte* start, std::uint64_t bytes) noexcept {
    return {start, 0, bytes, 0, Cut::equal};
  }
  [[nodiscard]] static Parts sliced(std::byte* start, std::uint64_t count, std::uint64_t element_bytes,
                                    std::uint32_t parts) noexcept {
    return {start, count, element_bytes, parts, Cut::sliced};
  }

  [[nodiscard]] std::byte* at(std::uint32_t index) const noexcept { return start_ + offset(index); }
  /// Where part `index` is sent from: the own part may still lie elsewhere.
  [[nodiscard]] const std::byte* source(std::uint32_t index) const noexcept {
    return index == own_ ? own_source_ : at(index);
  }
  [[nodiscard]] Parts with_own(std::uint32_t index, const std::byte* source) const noexcept {
    Parts parts = *this;
    parts.own_ = index;
    parts.own_source_ = source;
    return parts;
  }
  [[nodiscard]] std::uint64_t offset(std::uint32_t index) const noexcept {
    return cut_ == Cut::equal ? index * unit_ : slice_of(count_, index, parts_).first * unit_;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t index) const noexcept {
    return cut_ == Cut::equal ? unit_ : slice_of(count_, index, parts_).count * unit_;
  }

 private:
  enum class Cut : std::uint8_t { equal, sliced };
  Parts(std::byte* start, std::uint64_t count, std::uint64_t unit, std::uint32_t parts, Cut cut) noexcept
      : start_(start), count_(count), unit_(unit), parts_(parts), cut_(cut) {}

  std::byte* start_;
  std::uint64_t count_;
  std::uint64_t unit_;  // bytes of an equal part, or of an element
  std::uint32_t parts_;
  Cut cut_;
  std::uint32_t own_ = ~std::uint32_t{0};
  const std::byte* own_source_ = nullptr;
};

/// The ranks that take part in halving and doubling: the even ones among the first 2 * `extra` ranks, and all ranks
/// after those. Their number is a power of two.
struct Fleet {
  std::uint32_t size = 1;
  std::uint32_t extra = 0;
  [[nodiscard]] std::uint32_t place(std::uint32_t rank) const noexcept {
    return rank < 2 * extra ? rank / 2 : rank - extra;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t place) const noexcept {
    return place < extra ? 2 * place : place + extra;
  }
};

/// Every rank gets every part from its owner. `made_by[i]` says what makes part i here, and afterwards what brings it.
void gather_ring(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by);
void gather_direct(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by);
/// Gathers among a fleet, whose places are the indices of the parts.
void gather_doubling(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by, Fleet fleet);
void broadcast_tree(Schedule& schedule, std::byte* bytes, std::uint64_t size, std::uint32_t root,
                    Schedule::From made_by);

}  // namespace pintle::collective
