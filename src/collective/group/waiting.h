// How a rank waits: looks again and again, then sleeps, and finds out which rank is late or lost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/sync.h"
#include "collective/group/group_state.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// One wait, which may be many steps long:
///   while (!is_there()) PINTLE_TRY(waiting.pause(awaited));
/// The caller looks at everything again after each pause: what it awaits may have come before a sleep.
class Waiting {
 public:
  /// What ends a wait. The wait of an operation ends with any failure of the group. The wait of a rescue, after that
  /// failure, ends only with the deadline or the loss of the awaited rank, and no other rank gets its error.
  enum class Purpose : std::uint8_t { operation, rescue };
  using Now = Deadline (*)() noexcept;

  Waiting(GroupState& group, Deadline deadline, Purpose purpose = Purpose::operation, Now now = Clock::now) noexcept
      : group_(group), deadline_(deadline), purpose_(purpose), now_(now) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (is_shown_) stop_showing();
  }

  /// Called when there was something to do: the wait begins anew.
  void restart() noexcept {
    spins_ = 0;
    if (is_armed_ || is_shown_) stop_showing();
  }
  /// Rests for a moment. `awaited` are the ranks that something is due from. An error becomes the group's: `timeout` or
  /// `peer_lost` with the rank to blame, or what another rank has found.
  Result<void> pause(std::span<const std::uint32_t> awaited) {
    if (++spins_ < busy_spins_) {
      base::spin_pause();
      // A rank that shares this processor cannot go on before this rank sleeps.
      if (spins_ != first_spins || awaited.empty() || !group_.shares_processor(awaited.front())) return {};
      spins_ = busy_spins_;
    }
    return rest(awaited);
  }

 private:
  [[gnu::noinline]] Result<void> rest(std::span<const std::uint32_t> awaited);
  void stop_showing() noexcept;
  void sleep(Deadline until) noexcept;
  [[nodiscard]] Result<void> look(std::span<const std::uint32_t> awaited, Deadline now);
  [[nodiscard]] Error late(std::span<const std::uint32_t> awaited);
  [[nodiscard]] Error late(std::uint32_t rank) const;
  [[nodiscard]] std::string progress_of(std::uint32_t rank) const;
  [[nodiscard]] std::string what() const;
  [[nodiscard]] Error blame(std::uint32_t awaited);
  [[nodiscard]] bool has_stopped(const GroupState::Status& waiter, const GroupState::Status& awaited) const noexcept;
  [[nodiscard]] std::optional<Error> mismatch();
  [[nodiscard]] Error lost(std::uint32_t rank, const std::string& how);
  [[nodiscard]] Error found(const Error& error);

  static constexpr std::uint32_t first_spins = 32;

  GroupState& group_;
  const Deadline deadline_;
  const Purpose purpose_;
  const Now now_;
  const std::uint32_t busy_spins_ = busy_spins(group_);
  std::uint32_t spins_ = 0;
  bool is_armed_ = false;  // the next rest sleeps, unless the doorbell has rung since
  bool is_shown_ = false;
  std::uint32_t seen_ = 0;
  Deadline next_look_ = Deadline::min();
  std::uint32_t suspect_plus_1_ = 0;  // the rank that was lost at the last look

  [[nodiscard]] static std::uint32_t busy_spins(const GroupState& group) noexcept;
};

}  // namespace pintle::collective
