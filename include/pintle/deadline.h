// How long a wait may take.
#pragma once

#include <chrono>

namespace pintle {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;
/// A moment on the host's steady clock; `Deadline::max()` never comes.
using Deadline = Clock::time_point;

/// Now plus `duration`, saturating: a huge duration is a deadline that never comes, never one in the past.
[[nodiscard]] constexpr Deadline deadline_after(Deadline now, Duration duration) noexcept {
  if (duration > Deadline::max() - now) return Deadline::max();
  return duration < Duration::zero() ? now : now + duration;
}

/// How long a call may block: by default the finite PINTLE_TIMEOUT_MS (30 s); forever only where `infinite()` says so.
class Timeout {
 public:
  constexpr Timeout() noexcept = default;
  /// Any std::chrono duration. One beyond 64 bits of nanoseconds saturates. Calls refuse one that is not a number
  /// (NaN) with `invalid_argument`.
  template <class Rep, class Period>
  constexpr Timeout(std::chrono::duration<Rep, Period> duration) noexcept  // NOLINT(google-explicit-constructor)
      : kind_(is_nan(duration.count()) ? Kind::not_a_number : Kind::given), duration_(saturate(duration)) {}
  [[nodiscard]] static constexpr Timeout infinite() noexcept { return Timeout(Duration::max()); }

  [[nodiscard]] constexpr bool is_default() const noexcept { return kind_ == Kind::standard; }
  [[nodiscard]] constexpr bool is_number() const noexcept { return kind_ != Kind::not_a_number; }
  /// The moment at which the wait gives up, counted from now.
  [[nodiscard]] Deadline deadline() const noexcept;

 private:
  enum class Kind : unsigned char { standard = 1, given = 2, not_a_number = 3 };

  template <class Rep>
  [[nodiscard]] static constexpr bool is_nan(const Rep& count) noexcept {
    return std::chrono::treat_as_floating_point_v<Rep> && !(count == count);
  }
  template <class Rep, class Period>
  [[nodiscard]] static constexpr Duration saturate(std::chrono::duration<Rep, Period> duration) noexcept {
    using Seconds = std::chrono::duration<double>;
    const double seconds = std::chrono::duration_cast<Seconds>(duration).count();
    constexpr double limit = 9.2e9;  // seconds in 2^63 ns
    if (seconds >= limit) return Duration::max();
    if (!(seconds > 0)) return Duration::zero();  // NaN, too
    return std::chrono::duration_cast<Duration>(duration);
  }

  Kind kind_ = Kind::standard;
  Duration duration_{};
};

}  // namespace pintle
