// Timelines: the one ordering primitive.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/fwd.h"

namespace pintle {

/// A value of a signal: a moment on its timeline. It is reached when the signal reaches the value, and fails when the
/// signal fails before that. Copies are cheap; thread-safe. An empty Point (default-made or moved-from) answers
/// `invalid_argument`.
class Point {
 public:
  Point() noexcept = default;

  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] Signal signal() const noexcept;
  /// True once the point is reached, false while it is pending; never blocks. A point that has failed answers its
  /// error, not false.
  [[nodiscard]] Result<bool> is_reached() const;
  /// Blocks until the point is reached. Errors: the first cause where it fails; `timeout`, with the queue, the value
  /// awaited, the value reached and the oldest unfinished command; `invalid_argument` inside a callback or host call,
  /// where blocking could deadlock.
  Result<void> wait(Timeout timeout = {}) const;
  /// Calls `callback` exactly once, with success, the failure, or `timeout`. It runs on a thread of core's, or inside
  /// `Device::poll()`.
  Result<void> then(std::function<void(const Result<void>&)> callback, Timeout timeout = {}) const;

  /// `Result<void> r = co_await point;` resumes like a `then` callback.
  class Awaiter;
  [[nodiscard]] Awaiter operator co_await() const noexcept;

 private:
  friend class Inside;
  explicit Point(std::shared_ptr<core::SignalState> signal, std::uint64_t value) noexcept
      : signal_(std::move(signal)), value_(value) {}

  std::shared_ptr<core::SignalState> signal_;
  std::uint64_t value_ = 0;
};

/// A 64-bit value that only rises, or fails with an error. It belongs to no device and works with any. Its value is
/// what has been reached, never what was submitted. Copies share the timeline; thread-safe.
class Signal {
 public:
  /// Makes a timeline that starts at `initial`.
  [[nodiscard]] static Result<Signal> create(std::uint64_t initial = 0, std::string label = {});

  /// The point at which the signal reaches `value`.
  [[nodiscard]] Point at(std::uint64_t value) const noexcept;
  /// Its name in messages: `[Signal 3 "ready"]`; that of a queue's timeline is `[Queue 2]`.
  [[nodiscard]] std::string text() const noexcept;
  /// The value reached so far, which counts finished work of a device that nobody has watched. 0 for a moved-from
  /// Signal.
  [[nodiscard]] std::uint64_t value() const noexcept;
  /// The first cause where the timeline has failed; empty otherwise. A failed timeline keeps the value that it had
  /// reached.
  [[nodiscard]] std::optional<Error> failure() const noexcept;
  /// Raises the value from the host; the value that is reached already changes nothing. Errors: `invalid_argument` for
  /// a lower value, and for a queue's own timeline; the failure of a signal that has failed before `value`.
  Result<void> set(std::uint64_t value);
  /// Fails the timeline: every pending and future wait for a value beyond the one reached gets `error`. Only the first
  /// failure counts. `invalid_argument` for a queue's own timeline.
  Result<void> fail(Error error);
  [[nodiscard]] Result<bool> is_reached(std::uint64_t value) const { return at(value).is_reached(); }
  Result<void> wait(std::uint64_t value, Timeout timeout = {}) const { return at(value).wait(timeout); }

 private:
  friend class Inside;
  explicit Signal(std::shared_ptr<core::SignalState> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<core::SignalState> state_;
};

/// Blocks until every point is reached. Errors: the first failure; `timeout`; those of `Point::wait`. An empty span is
/// reached.
Result<void> wait_all(std::span<const Point> points, Timeout timeout = {});
/// Blocks until one point is reached, and returns its index. The failure of any point before that is the error; so is
/// `timeout`. An empty span is `invalid_argument`.
Result<std::size_t> wait_any(std::span<const Point> points, Timeout timeout = {});

class Point::Awaiter {
 public:
  explicit Awaiter(Point point) noexcept : point_(std::move(point)) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// False where the callback cannot be registered: the coroutine goes on at once, with the error.
  bool await_suspend(std::coroutine_handle<> handle);
  [[nodiscard]] Result<void> await_resume() noexcept { return std::move(result_); }

 private:
  Point point_;
  Result<void> result_;
};

inline Point::Awaiter Point::operator co_await() const noexcept { return Awaiter(*this); }

}  // namespace pintle
