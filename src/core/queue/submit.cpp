// From a list to a submission: checked, then given to the backend or held.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/contain.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"
#include "core/list/hazards.h"
#include "core/list/slot_rules.h"
#include "core/queue/queue_state.h"
#include "core/queue/recording_state.h"

namespace pintle::core {

// Waits that the backend does itself. Few in practice, so that they need no allocation.
class QueueState::NativeWaits {
 public:
  void add(backend::QueuePoint point) {
    if (size_ < inline_.size()) {
      inline_[size_++] = point;
      return;
    }
    if (more_.empty()) more_.assign(inline_.begin(), inline_.end());
    more_.push_back(point);
  }
  [[nodiscard]] std::span<const backend::QueuePoint> points() const noexcept {
    if (!more_.empty()) return more_;
    return std::span(inline_).first(size_);
  }

 private:
  std::array<backend::QueuePoint, 8> inline_;  // no value until it counts
  std::size_t size_ = 0;
  std::vector<backend::QueuePoint> more_;
};

Result<void> QueueState::check(const SubmitOptions& options) const {
  for (const Point& point : options.wait) {
    if (peek(point) == nullptr) return empty_object("Point").during("checking what the submission waits for");
  }
  for (const Point& point : options.signal) {
    const SignalState* signal = peek(point);
    if (signal == nullptr) return empty_object("Point").during("checking what the submission signals");
    if (signal->belongs_to_queue()) {
      return Error(Errc::invalid_argument,
                   fmt::format("The timeline of {} is raised by its submissions only.", signal->text()));
    }
    if (point.value() <= signal->timeline().value()) {
      return Error(Errc::invalid_argument,
                   fmt::format("Signal value ({}) is not above the value ({}) that {} has reached.", point.value(),
                               signal->timeline().value(), signal->text()));
    }
  }
  return {};
}

bool QueueState::is_full() const noexcept { return in_flight() >= incarnation_->info().limits.max_in_flight; }

// Blocks until the queue can take one more submission. Gives the lock back while it waits.
Result<void> QueueState::make_room(std::unique_lock<base::Mutex>& lock, const Timeout& timeout) {
  std::optional<Deadline> deadline;
  while (is_full()) {
    const std::uint64_t oldest = reached_ + 1;
    lock.unlock();
    if (!deadline) {
      deadline = timeout.deadline();
      timeline_->refresh();
    } else if (auto waited = timeline_->wait(oldest, *deadline); !waited) {
      return waited.error().during(
          fmt::format("waiting for room in {}, which holds its limit of ({}) unfinished submissions", text_,
                      incarnation_->info().limits.max_in_flight));
    }
    lock.lock();
  }
  return {};
}

// With the lock held: whether the queue takes anything at all.
bool QueueState::takes_more() const noexcept {
  return incarnation_->is_usable() && !failed_ && last_ != ~std::uint64_t{0};
}

Error QueueState::refusal() const {
  if (const auto usable = incarnation_->usable(text_); !usable) return usable.error();
  if (failed_) return failed_->during("submitting to " + place() + ", which has failed");
  return {Errc::unsupported, fmt::format("{} has used its last serial ({}); make a new queue.", text_, last_)};
}

std::string QueueState::place() const { return fmt::format("{} of [{}]", text_, incarnation_->id()); }

Error QueueState::launch_refusal() const {
  return {Errc::invalid_argument, fmt::format("{} is a copy queue, which launches no kernels.", text_)};
}

// The frame of every submission: checks, room, then `fill` makes the flight's commands, under the lock. An error leaves
// nothing behind.
template <class Fill>
Result<Point> QueueState::take(SubmitOptions* options, Fill fill) {
  if (options != nullptr) PINTLE_TRY(check(*options));
  Worklist worklist;
  std::unique_lock lock(incarnation_->mutex());
  if (is_full()) PINTLE_TRY(make_room(lock, options != nullptr ? options->timeout : Timeout{}));
  if (!takes_more()) return refusal();
  Flight& flight = next_flight();
  if (options != nullptr) adopt(flight, *options);
  const auto filled = fill(flight);
  auto accepted = filled ? accept(flight, worklist) : Result<Point>(filled.error());
  if (!accepted) {
    if (is_loss(accepted.error().code())) accepted = incarnation_->report_locked(accepted.error(), worklist);
    incarnation_->undo(flight, worklist);
    clear(flight, worklist);
  }
  lock.unlock();
  worklist.run();
  incarnation_->drive();
  return accepted;
}

Result<Point> QueueState::submit(CommandList&& list, SubmitOptions* options) {
  if (list.error()) return list.error()->during("submitting to " + place());
  auto taken = take(options, [&](Flight& flight) -> Result<void> {
    flight.is_plain = false;
    flight.list = std::move(list);
    if (!launches() && has_launches(flight.list.commands_)) return launch_refusal();
    Use use{{number_, flight.serial}, flight};
    PINTLE_TRY(incarnation_->resolve(flight.list, &use));
    put_copies_first(flight);
    place_barriers(flight.list.commands_, flight.list.arguments_);
    flight.commands = {flight.list.commands_, flight.list.arguments_};
    return {};
  });
  if (!taken) taken = taken.error().during("submitting to " + place());
  return taken;
}

void QueueState::put_copies_first(Flight& flight) {
  if (flight.copies.empty()) return;
  auto& commands = flight.list.commands_;
  commands.insert(commands.begin(), flight.copies.begin(), flight.copies.end());
}

Result<Point> QueueState::unshare(std::uint64_t buffer) {
  return take(nullptr, [&](Flight& flight) -> Result<void> {
    flight.is_plain = false;
    Use use{{number_, flight.serial}, flight};
    PINTLE_TRY(incarnation_->unshare(buffer, use));
    put_copies_first(flight);
    place_barriers(flight.list.commands_, flight.list.arguments_);
    flight.commands = {flight.list.commands_, flight.list.arguments_};
    return {};
  });
}

void QueueState::touch(std::uint64_t buffer) {
  std::lock_guard lock(incarnation_->mutex());
  if (BufferRecord* const record = incarnation_->find_buffer(buffer)) record->stamps.set(number_, last_);
}

Result<Point> QueueState::replay(RecordingState& recording, std::span<const SlotValue> bindings,
                                 SubmitOptions* options) {
  auto taken = take(options, [&](Flight& flight) { return recording.bind(*this, flight, bindings); });
  if (!taken) taken = taken.error().during("replaying " + recording.text() + " on " + place());
  return taken;
}

void QueueState::adopt(Flight& flight, SubmitOptions& options) {
  if (options.wait.empty() && options.signal.empty() && options.label.empty()) return;
  flight.is_plain = false;
  flight.waits = std::move(options.wait);
  flight.label = std::move(options.label);
  for (const Point& point : options.signal) flight.raises.push_back({state_of(point), point.value()});
}

Point QueueState::count(const Flight& flight) noexcept {
  newest_ = last_ = flight.serial;
  return SignalState::point(timeline_, flight.serial);
}

// With everything checked and resolved. Until the serial is counted, an error leaves nothing behind.
Result<Point> QueueState::accept(Flight& flight, Worklist& worklist) {
  if (!flight.waits.empty() || native_ != last_) return accept_waiting(flight, worklist);
  PINTLE_TRY(start(flight, {}, worklist));
  return count(flight);
}

// A flight that has waits, or that others before it keep from starting.
Result<Point> QueueState::accept_waiting(Flight& flight, Worklist& worklist) {
  const auto held = hold(flight);
  if (!held && held.error().code() == Errc::invalid_argument) return held.error();
  if (held && !flight.hold && native_ == last_) {
    PINTLE_TRY(start_waiting(flight, worklist));
    return count(flight);
  }
  Point point = count(flight);
  if (!held) fail_from(flight.serial, held.error(), worklist);
  return point;
}

// Gives the flight a hold where it waits for a point that this device's backend cannot wait for. The error is the
// failure of a point, or `invalid_argument` for a submission that would wait for itself.
Result<void> QueueState::hold(Flight& flight) {
  for (const Point& point : flight.waits) {
    const auto signal = state_of(point);
    if (signal == timeline_ && point.value() >= flight.serial) {
      return Error(Errc::invalid_argument,
                   fmt::format("Submission ({}) of {} would wait for value ({}) of its own queue.", flight.serial,
                               text_, point.value()));
    }
  }
  for (const Point& point : flight.waits) {
    const auto signal = state_of(point);
    const PointStatus status = signal->timeline().status(point.value());
    if (status == PointStatus::failed) return signal->failure();
    if (status == PointStatus::reached || signal == timeline_) continue;
    const auto native = signal->native_point(point.value());
    if (native && &native->queue->incarnation() == incarnation_.get()) continue;
    if (!flight.hold) flight.hold = std::make_unique<Hold>(weak_from_this());
    if (flight.hold->add(signal, point.value())) signal->watch(point.value());
  }
  if (flight.hold && flight.hold->is_open()) flight.hold.reset();
  return {};
}

// What the backend is to wait for, of a flight whose waits are reached or promised.
Result<void> QueueState::collect(const Flight& flight, NativeWaits& waits) {
  for (const Point& point : flight.waits) {
    const auto signal = state_of(point);
    const PointStatus status = signal->timeline().status(point.value());
    if (status == PointStatus::failed) return signal->failure();
    if (status == PointStatus::reached || signal == timeline_) continue;
    const auto native = signal->native_point(point.value());
    if (!native)
      return Error(Errc::internal, fmt::format("{} is neither reached nor promised when released.", signal->text()));
    if (native->queue.get() == this) continue;
    waits.add({native->queue->id(), native->serial});
    incarnation_->note_order({number_, flight.serial}, {native->queue->number(), native->serial});
  }
  return {};
}

Result<void> QueueState::start_waiting(Flight& flight, Worklist& worklist) {
  NativeWaits waits;
  PINTLE_TRY(collect(flight, waits));
  return start(flight, waits.points(), worklist);
}

// Gives the flight to the backend.
Result<void> QueueState::start(Flight& flight, std::span<const backend::QueuePoint> waits, Worklist& worklist) {
  const auto serial = incarnation_->device().submit(id_, waits, flight.commands);
  if (!serial) return incarnation_->report_locked(serial.error(), worklist);
  if (*serial != flight.serial) {
    return Error(Errc::internal,
                 fmt::format("The backend answers serial ({}) where ({}) is next.", *serial, flight.serial));
  }
  native_.store(flight.serial);  // before `has_waiters`; a waiter links itself before it looks at `native_`
  for (const Raise& raise : flight.raises) raise.signal->promise(raise.value, shared_from_this(), flight.serial);
  if (timeline_->timeline().has_waiters(flight.serial)) watch(flight.serial);
  return {};
}

void QueueState::pump(Worklist& worklist) {
  std::lock_guard lock(incarnation_->mutex());
  if (incarnation_->is_lost()) return;
  for (std::uint64_t serial = native_ + 1; serial - 1 != last_; ++serial) {
    const Flight& held = flight(serial);
    if (!held.hold || !held.hold->has_failed()) continue;
    for (const Point& point : held.waits) {
      const auto signal = state_of(point);
      if (signal->timeline().status(point.value()) != PointStatus::failed) continue;
      fail_from(serial, signal->failure(), worklist);
      return pump_ready(worklist);
    }
  }
  pump_ready(worklist);
}

// Starts from the front, in order, as far as the holds are open.
void QueueState::pump_ready(Worklist& worklist) {
  while (native_ != last_) {
    Flight& next = flight(native_ + 1);
    if (next.hold && !next.hold->is_open()) return;
    next.hold.reset();
    if (auto started = start_waiting(next, worklist); !started) {
      if (!incarnation_->is_lost())
        fail_from(next.serial, started.error().during("starting a held submission of " + text_), worklist);
      return;
    }
  }
}

}  // namespace pintle::core
