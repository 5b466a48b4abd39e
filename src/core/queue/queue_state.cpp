#include "core/queue/queue_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device/incarnation.h"
#include "core/list/host_function.h"
#include "core/queue/recording_state.h"
#include "core/time/reactor.h"

namespace pintle::core {
namespace {

// A ring never holds fewer places than this, so that small bursts allocate nothing after the first.
constexpr std::size_t first_ring_size = 128;

}  // namespace

QueueState::QueueState(std::shared_ptr<Incarnation> incarnation, backend::QueueId id, std::uint64_t number,
                       QueueKind kind, std::uint64_t first_serial, std::string text)
    : incarnation_(std::move(incarnation)),
      id_(id),
      number_(number),
      kind_(kind),
      text_(std::move(text)),
      reached_(first_serial),
      native_(first_serial),
      last_(first_serial),
      newest_(first_serial),
      ring_(first_ring_size),
      ring_mask_(first_ring_size - 1) {}

void QueueState::create_timeline() { timeline_ = std::make_shared<SignalState>(weak_from_this(), last_, text_); }

Point QueueState::last() {
  std::lock_guard lock(incarnation_->mutex());
  return SignalState::point(timeline_, newest_);
}

std::optional<NativePoint> QueueState::native_point(std::uint64_t serial) {
  if (serial > native_) return std::nullopt;
  return NativePoint{shared_from_this(), serial};
}

std::string QueueState::describe_oldest() {
  std::lock_guard lock(incarnation_->mutex());
  if (is_idle()) return fmt::format("{} of [{}] has nothing submitted that is unfinished", text_, incarnation_->id());
  const Flight& oldest = flight(reached_ + 1);
  const backend::Commands& commands = oldest.commands;
  std::string words =
      fmt::format("the oldest unfinished submission of {} of [{}] is ({})", text_, incarnation_->id(), oldest.serial);
  if (!oldest.label.empty()) words += fmt::format(" \"{}\"", oldest.label);
  if (oldest.serial > native_) return words + ", which is held until what it waits for is reached";
  if (!commands.commands.empty()) {
    const backend::Command& first = commands.commands.front();
    words += fmt::format(", which begins with {}", backend::name(first.operation));
    if (first.label != nullptr) words += fmt::format(" \"{}\"", first.label);
  }
  return words;
}

void QueueState::forget_watched() {
  if (!is_watching_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(watch_mutex_);
  std::erase_if(watched_, [this](std::uint64_t serial) { return serial <= reached_; });
  is_watching_.store(!watched_.empty(), std::memory_order_relaxed);
}

// A serial may have several waiters; the backend is asked once.
void QueueState::watch(std::uint64_t serial) {
  const Call call(*this);
  if (!call.is_allowed() || serial > native_ || incarnation_->is_driven()) return;
  {
    std::lock_guard lock(watch_mutex_);
    if (std::ranges::find(watched_, serial) != watched_.end()) return;
    watched_.push_back(serial);
    is_watching_.store(true, std::memory_order_relaxed);
  }
  Reactor::instance().watch(shared_from_this(), serial);
}

Flight& QueueState::next_flight() {
  if (in_flight() > ring_mask_) {
    std::vector<Flight> larger(ring_.size() * 2);
    for (std::uint64_t serial = reached_ + 1; serial != last_ + 1; ++serial) {
      larger[serial & (larger.size() - 1)] = std::move(flight(serial));
    }
    ring_ = std::move(larger);
    ring_mask_ = ring_.size() - 1;
  }
  Flight& next = flight(last_ + 1);
  next.serial = last_ + 1;
  return next;
}

void QueueState::clear(Flight& flight, Worklist& worklist) {
  flight.hold.reset();
  if (!flight.bindings.empty()) flight.bindings.clear();
  if (std::exchange(flight.is_plain, true)) return;
  flight.raises.clear();
  flight.copies.clear();
  flight.moved.clear();
  flight.waits.clear();
  flight.label.clear();
  flight.recording = nullptr;
  worklist.bury(std::move(flight.list));
}

void QueueState::finish(Flight& flight, Worklist& worklist) {
  if (flight.is_plain) return clear(flight, worklist);
  std::optional<Error> error;
  for (const auto& function :
       flight.recording != nullptr ? flight.recording->host_functions() : flight.list.host_functions_) {
    if (auto thrown = function->take_error(); thrown && !error) error = std::move(thrown);
  }
  if (error) {
    timeline_->timeline().raise(flight.serial - 1, worklist);
    fail_from(flight.serial, error->during(fmt::format("running submission ({}) of {}", flight.serial, text_)),
              worklist);
  }
  for (const Raise& raise : flight.raises) {
    raise.signal->timeline().raise(raise.value, worklist);
    raise.signal->forget_promise(this, flight.serial);
  }
  clear(flight, worklist);
}

// A queue that was to go while calls were running goes with the last of them.
void QueueState::dispose_if_ended(Worklist& worklist) {
  if (!ended_) return;
  std::lock_guard lock(incarnation_->mutex());
  if (!incarnation_->is_lost()) incarnation_->dispose_finished(worklist);
}

Result<void> QueueState::observe(Worklist& worklist) {
  auto observed = observe_native(worklist);
  dispose_if_ended(worklist);
  return observed;
}

Result<void> QueueState::observe_native(Worklist& worklist) {
  const Call call(*this);
  if (!call.is_allowed() || incarnation_->is_lost()) return {};
  const auto reached = incarnation_->device().reached(id_);
  if (!reached) return incarnation_->report(reached.error());
  std::lock_guard lock(incarnation_->mutex());
  if (*reached <= reached_ || incarnation_->is_lost()) return {};
  while (reached_ < std::min(*reached, native_.load())) {
    ++reached_;
    finish(flight(reached_), worklist);
  }
  timeline_->timeline().raise(reached_, worklist);
  forget_watched();
  incarnation_->dispose_finished(worklist);
  return {};
}

Result<void> QueueState::wait_native(std::uint64_t serial, Deadline deadline) {
  Worklist worklist;
  auto waited = [&]() -> Result<void> {
    const Call call(*this);
    if (!call.is_allowed()) return {};
    return incarnation_->device().wait(id_, serial, deadline);
  }();
  if (!waited && waited.error().code() != Errc::timeout) return incarnation_->report(waited.error());
  auto observed = observe(worklist);
  return waited ? observed : waited;
}

Result<bool> QueueState::wait_rest(Deadline deadline) {
  std::unique_lock lock(incarnation_->mutex());
  const auto serial = incarnation_->is_lost() ? std::nullopt : unfinished_native();
  lock.unlock();
  if (serial) PINTLE_TRY(wait_native(*serial, deadline));
  return serial.has_value();
}

// The timeline fails first, so that whoever is woken by a signal finds the queue failed too.
void QueueState::fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept {
  if (!failed_) failed_ = error;
  timeline_->timeline().fail(error, worklist, serial);
  for (std::uint64_t left = last_ - serial + 1; left > 0; --left) {
    Flight& failing = flight(last_ - left + 1);
    for (const Raise& raise : failing.raises) {
      raise.signal->timeline().fail(error, worklist);
      raise.signal->forget_promise(this, failing.serial);
    }
    failing.raises.clear();
  }
}

// Every submission from `serial` on fails; what no backend has yet is dropped.
void QueueState::fail_from(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept {
  fail_points(serial, error, worklist);
  while (last_ > native_ && last_ >= serial) clear(flight(last_--), worklist);
}

void QueueState::cancel_held(const Error& error, Worklist& worklist) noexcept {
  if (last_ > native_) fail_from(native_ + 1, error, worklist);
}

void QueueState::lose(const Error& error, Worklist& worklist) noexcept {
  fail_points(reached_ + 1, error, worklist);
  while (last_ > reached_) clear(flight(last_--), worklist);
}

}  // namespace pintle::core
