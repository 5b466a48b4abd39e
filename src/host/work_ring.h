// Work by serials that rise by one, from the thread that submits it to the thread that executes it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "kit/serial_ring.h"

namespace pintle::host {

/// A ring with one producer and one consumer. It begins small, and where the consumer falls behind, the producer goes
/// on in a ring of twice the size; the consumer follows when it has used all that is in the smaller one. So work never
/// moves. The smaller rings stay, and are together smaller than the largest. `Work` has an atomic `serial`, which is
/// published last.
template <class Work>
class WorkRing {
 public:
  static constexpr std::size_t first_size = 16;

  /// The first serial is the one behind `before`.
  explicit WorkRing(std::uint64_t before)
      : used_(before), largest_(std::make_unique<Ring>(before, first_size)), current_(largest_.get()) {}

  // For the producer:
  [[nodiscard]] std::size_t size() const noexcept { return largest_->places.size(); }
  [[nodiscard]] bool has_room(std::uint64_t serial) const noexcept { return serial - used_ <= size(); }
  /// Makes room for the next serial, `serial`, where the consumer has used those up to `used`. Needs memory at times.
  void make_room(std::uint64_t serial, std::uint64_t used) {
    used_ = used;
    if (has_room(serial)) return;
    auto larger = std::make_unique<Ring>(serial - 1, 2 * size());
    Ring& last = *largest_;
    larger->smaller = std::exchange(largest_, nullptr);
    largest_ = std::move(larger);
    last.larger.store(largest_.get(), std::memory_order_release);
  }
  /// The place of a serial that there is room for.
  [[nodiscard]] Work& operator[](std::uint64_t serial) noexcept { return largest_->places[serial]; }

  // For the consumer:
  /// The work of `serial`, which follows the one that was found last; null as long as it is not published.
  [[nodiscard]] Work* find(std::uint64_t serial) noexcept {
    Work& found = current_->places[serial];
    return is_published(found, serial) ? &found : find_in_larger(serial);
  }

 private:
  struct Ring {
    Ring(std::uint64_t last_before, std::size_t size) : before(last_before), places(size) {
      for (std::size_t i = 0; i < size; ++i)
        places[i].serial.store(before, std::memory_order_relaxed);  // no serial that this ring will ever have
    }

    const std::uint64_t before;  // the ring has the serials behind this one
    kit::SerialRing<Work> places;
    std::atomic<Ring*> larger{nullptr};  // set when the ring gets no more work
    std::unique_ptr<Ring> smaller;
  };

  [[nodiscard]] static bool is_published(const Work& work, std::uint64_t serial) noexcept {
    return work.serial.load(std::memory_order_acquire) == serial;
  }
  // Before the larger ring is seen, the smaller one may get this serial, so the larger one says where it begins.
  [[nodiscard]] Work* find_in_larger(std::uint64_t serial) noexcept {
    for (Ring* larger = nullptr; (larger = current_->larger.load(std::memory_order_acquire)) != nullptr;) {
      if (serial <= larger->before) break;
      current_ = larger;
    }
    Work& found = current_->places[serial];
    return is_published(found, serial) ? &found : nullptr;
  }

  std::uint64_t used_;             // the consumer has used the serials up to here, as far as the producer has looked
  std::unique_ptr<Ring> largest_;  // the producer's
  alignas(64) Ring* current_;      // the consumer's
};

}  // namespace pintle::host
