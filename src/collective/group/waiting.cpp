#include "collective/group/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;

/// The time between two looks for ranks that have failed, left or died. A rank that sleeps renews its heartbeat as
/// often.
constexpr Duration look_every = milliseconds(10);
/// A rank that waits for a message of `send` counts as stopped when it has not looked for so long. No rank shows
/// whether it has sent such a message, so the heartbeat decides. The time is long because loaded machines are slow,
/// too.
constexpr Duration stalled_after = milliseconds(200);

[[nodiscard]] std::uint64_t nanoseconds(Deadline moment) noexcept {
  return static_cast<std::uint64_t>(moment.time_since_epoch().count());
}

}  // namespace

std::uint32_t Waiting::busy_spins(const GroupState& group) noexcept {
  static const std::uint32_t processors = std::max(1u, std::thread::hardware_concurrency());
  return group.ranks() <= processors ? 2000 : 50;  // spinning where ranks share processors keeps others from sending
}

void Waiting::stop_showing() noexcept {
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(group_.window().own() + Layout::sleeping))
      .store(0, std::memory_order_relaxed);
  if (is_shown_) group_.show_waiting(0, now_());
  is_armed_ = is_shown_ = false;
}

/// Sleeps instead of yielding: schedulers make a thread that yields wait for slices of whole milliseconds.
Result<void> Waiting::rest(std::span<const std::uint32_t> awaited) {
  group_.window().progress();
  const Deadline now = now_();
  if (now >= next_look_) {
    next_look_ = std::min(deadline_, now + look_every);
    is_shown_ = true;
    group_.show_waiting(awaited.empty() ? 0 : awaited.front() + 1, now);
    PINTLE_TRY(look(awaited, now));
    if (next_look_ <= now) return {};
  }
  sleep(std::min(deadline_, now + look_every));
  return {};
}

/// The first call only arms: the caller looks once more after other ranks can see that this rank sleeps. The next one
/// sleeps.
void Waiting::sleep(Deadline until) noexcept {
  std::byte* const own = group_.window().own();
  auto* const doorbell = reinterpret_cast<std::uint32_t*>(own + Layout::doorbell);
  if (!is_armed_) {
    is_armed_ = true;
    seen_ = std::atomic_ref(*doorbell).load(std::memory_order_seq_cst);
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(own + Layout::sleeping)).store(1, std::memory_order_seq_cst);
    return;
  }
  group_.transport().sleep(doorbell, seen_, until);
  seen_ = std::atomic_ref(*doorbell).load(std::memory_order_seq_cst);
}

/// A lost rank may have sent what is awaited after the caller looked and before it ended. So the rank is only a suspect
/// until the caller has looked once more.
Result<void> Waiting::look(std::span<const std::uint32_t> awaited, Deadline now) {
  if (purpose_ == Purpose::operation) {
    PINTLE_TRY(group_.health());
    PINTLE_TRY(group_.ask_guard());
  }
  for (const std::uint32_t rank : awaited) {
    const auto how = group_.has_left(rank) ? "it has left the group" : group_.transport().loss(rank);
    if (!how) continue;
    if (suspect_plus_1_ == rank + 1) return lost(rank, *how);
    suspect_plus_1_ = rank + 1;
    next_look_ = Deadline::min();
    return {};
  }
  if (now < deadline_) return {};
  return late(awaited);
}

Error Waiting::found(const Error& error) { return purpose_ == Purpose::operation ? group_.fail(error) : error; }

Error Waiting::lost(std::uint32_t rank, const std::string& how) {
  return found(
      Error(Errc::peer_lost, fmt::format("Rank {} of {} is lost during {}: {}.", rank, group_.text(), what(), how)));
}

/// The deadlines of several ranks pass together. A rank that has found the late rank tells all others before it stops
/// showing which rank it awaits. So `blame` may stop at such a rank by mistake, but then `health` already has its
/// finding.
Error Waiting::late(std::span<const std::uint32_t> awaited) {
  if (!awaited.empty()) {
    if (purpose_ == Purpose::rescue) return late(awaited.front());
    const Error error = blame(awaited.front());
    const auto told = group_.health();
    return told ? group_.fail(error) : told.error();
  }
  return found(Error(Errc::timeout, fmt::format("{} of {} does not end in time.", text(group_.call()), group_.text())));
}

/// Finds two ranks that show different calls of one number: this rank may wait for one of them.
std::optional<Error> Waiting::mismatch() {
  std::vector<Call> calls(group_.ranks());
  for (std::uint32_t rank = 0; rank < group_.ranks(); ++rank) {
    const auto status = group_.status_of(rank);
    if (status) calls[rank] = unpack(status->number, status->count, status->rest);
    if (!status || calls[rank].operation == Operation::send_recv || calls[rank].number == 0) continue;
    for (std::uint32_t other = 0; other < rank; ++other) {
      const bool is_one = calls[other].number == calls[rank].number && calls[other].operation != Operation::send_recv;
      if (!is_one || calls[other] == calls[rank]) continue;
      return Error(Errc::invalid_argument, fmt::format("Rank {} of {} calls {} where rank {} calls {}.", other,
                                                       group_.text(), text(calls[other]), rank, text(calls[rank])));
    }
  }
  return std::nullopt;
}

/// Calls that do not match come first. Otherwise this goes from each rank that waits to the rank that it waits for, up
/// to a rank that waits for none. That rank is late, unless the rank that waits for it has stopped: see `has_stopped`.
/// In a circle the rank with the oldest heartbeat has stopped: a rank that only waits keeps looking, if late on a
/// loaded machine.
Error Waiting::blame(std::uint32_t awaited) {
  if (const auto error = mismatch()) return *error;
  std::uint32_t rank = awaited, waiter = group_.rank(), stopped = awaited;
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  GroupState::Status shown;
  for (std::uint32_t hops = 0; hops < group_.ranks() && rank != group_.rank(); ++hops) {
    const auto status = group_.status_of(rank);
    if (!status) return late(rank);
    if (status->awaits == 0 || status->awaits > group_.ranks()) {
      return late(waiter != group_.rank() && has_stopped(shown, *status) ? waiter : rank);
    }
    // Clocks of several machines do not compare.
    if (status->heartbeat < oldest || !group_.window().is_addressable()) {
      oldest = status->heartbeat;
      stopped = rank;
    }
    shown = *status;
    waiter = rank;
    rank = static_cast<std::uint32_t>(status->awaits - 1);
  }
  return late(stopped);
}

/// Whether `waiter` has stopped, rather than `awaited` being late. `waiter` shows that it waits for `awaited`, which
/// waits for no rank.
bool Waiting::has_stopped(const GroupState::Status& waiter, const GroupState::Status& awaited) const noexcept {
  const Call call = unpack(waiter.number, waiter.count, waiter.rest);
  if (call.operation != Operation::send_recv) return call.number != 0 && awaited.done >= call.number;
  return group_.window().is_addressable() &&
         nanoseconds(now_()) - waiter.heartbeat >= nanoseconds(Deadline(stalled_after));
}

Error Waiting::late(std::uint32_t rank) const {
  return Error(Errc::timeout, fmt::format("Rank {} of {} is late: {} waits for it past its deadline; {}.", rank,
                                          group_.text(), what(), progress_of(rank)));
}

/// How far a rank says that it has come. Its `done` does not count messages of `send`.
std::string Waiting::progress_of(std::uint32_t rank) const {
  const auto status = group_.status_of(rank);
  if (!status) return "it cannot be seen";
  if (status->number == 0) return "it has begun nothing";
  const Call call = unpack(status->number, status->count, status->rest);
  const bool has_ended = call.operation != Operation::send_recv && status->done >= call.number;
  return fmt::format("it {} {} {}", has_ended ? "has ended" : "is in", name(call.operation), call.number);
}

std::string Waiting::what() const { return purpose_ == Purpose::operation ? text(group_.call()) : "shrink"; }

}  // namespace pintle::collective
