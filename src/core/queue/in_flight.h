// A queue's submissions between acceptance and end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/buffers/clocks.h"
#include "core/queue/flight.h"
#include "kit/serial_ring.h"

namespace pintle::core {

/// A ring of flights by serial, in three stretches, and the clock that says where they end:
///
///     finished | native: the backend has them | held: no backend has them yet | free
///           reached                         native                          last
///
/// A flight that the backend is being given, without the lock and in the device's turn, is *starting*: the first of the
/// held ones. A thread that drops flights meanwhile leaves that one alone. The device's lock guards the rest; `native`
/// is written by the thread that has the turn, and read by all.
class InFlight {
 public:
  InFlight(backend::QueueId queue, std::uint64_t first) {
    clock_.queue = queue;
    clock_.reached = clock_.last = first;
    clock_.native = first;
  }

  [[nodiscard]] Flight& operator[](std::uint64_t serial) noexcept { return ring_[serial]; }
  [[nodiscard]] QueueClock& clock() noexcept { return clock_; }
  [[nodiscard]] std::uint64_t reached() const noexcept { return clock_.reached; }
  [[nodiscard]] std::uint64_t native() const noexcept { return clock_.native.load(); }
  [[nodiscard]] std::uint64_t last() const noexcept { return clock_.last; }
  [[nodiscard]] std::uint64_t count() const noexcept { return clock_.last - clock_.reached; }
  [[nodiscard]] bool has_native() const noexcept { return native() != clock_.reached; }
  [[nodiscard]] bool has_held() const noexcept { return native() != clock_.last; }
  [[nodiscard]] bool is_starting(std::uint64_t serial) const noexcept { return serial == starting_; }

  /// Makes room behind the last flight. Another thread does not look at these places.
  void make_room(std::size_t count) { ring_.make_room(clock_.reached, clock_.last, count); }
  /// Counts the places behind the last as accepted, and returns the new last serial.
  std::uint64_t accept(std::size_t count) noexcept { return clock_.last += count; }
  /// The backend has refused the flight of `first`: it and what was accepted with it counts no more.
  void take_back(std::uint64_t first) noexcept { clock_.last = first - 1; }
  void finish_one() noexcept { ++clock_.reached; }
  /// Drops the last flight, which the caller clears. Null where the backend has it, or is about to get it.
  [[nodiscard]] Flight* drop_last() noexcept { return clock_.last <= undroppable() ? nullptr : &ring_[clock_.last--]; }
  /// The backend has the serials up to here, or is about to get them.
  [[nodiscard]] std::uint64_t undroppable() const noexcept {
    const std::uint64_t starting = starting_.load(std::memory_order_acquire);
    return starting != 0 ? starting : clock_.native.load(std::memory_order_relaxed);
  }

  void begin_start(std::uint64_t serial) noexcept { starting_.store(serial, std::memory_order_relaxed); }
  /// From now on any thread that observes the queue may finish the flight.
  void end_start(std::uint64_t serial) noexcept {
    clock_.native.store(serial);
    starting_.store(0, std::memory_order_release);
  }
  void give_up_start() noexcept { starting_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool is_quiet() const noexcept { return starting_ == 0; }

 private:
  static constexpr std::size_t first_size = 16;  // most queues have a few; the first burst makes room for the next ones

  QueueClock clock_;
  std::atomic<std::uint64_t> starting_{0};  // 0: none
  kit::SerialRing<Flight> ring_{first_size};
};

}  // namespace pintle::core
