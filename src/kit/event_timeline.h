// A queue's timeline for APIs with events: one event behind each piece of work, in the order of the queue.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "kit/host_timeline.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// The function that a vendor's callback calls, once, from any thread. `error` is null where the work has succeeded.
struct EventTold {
  void (*call)(void* state, const Error* error) = nullptr;
  void* state = nullptr;
};

/// What an EventTimeline needs of a vendor. An Event is a value whose copies keep the vendor's event alive. A default
/// Event is none. Nothing here may block.
template <class Policy>
concept EventPolicy =
    std::copyable<typename Policy::Event> &&
    requires(Policy& policy, const typename Policy::Event& event, EventTold told, const Error& error) {
      /// An error means that the work has failed.
      { policy.is_done(event) } -> std::same_as<Result<bool>>;
      /// Lets the vendor call `told`, perhaps at once, perhaps under locks of the vendor's. False where the vendor
      /// cannot: then waits poll.
      { policy.tell(event, told) } -> std::same_as<bool>;
      /// Notes that the work has failed, and the device with it. Returns the first cause.
      { policy.lose(error) } -> std::same_as<Error>;
    };

/// How long a wait looks before it sleeps: `Policy::awake`, or as long as short work takes.
template <class Policy>
[[nodiscard]] constexpr Duration awake_of() noexcept {
  if constexpr (requires { Policy::awake; }) return Policy::awake;
  return std::chrono::microseconds(8);
}

/// One thread at a time calls `add`. Any thread may call everything else.
///
/// There are two locks, so that no callback of the vendor's meets a call to the vendor. Events are asked under
/// `events_`, which a callback never takes. The timelines rise under `raise_`, under which the vendor is never called.
/// State lives until the last callback, which may come after the timeline has gone.
template <EventPolicy Policy>
class EventTimeline {
 public:
  using Event = typename Policy::Event;

  EventTimeline(Policy policy, std::uint64_t first) : state_(std::make_shared<State>(std::move(policy), first)) {}

  /// Makes room for one more, so that `add` needs no memory.
  void reserve() { state_->reserve(); }
  /// Adds `event`, which is behind everything added before; `serial` is reached with it. A piece in the middle has no
  /// serial.
  void add(Event event, std::optional<std::uint64_t> serial) noexcept { state_->add(std::move(event), serial); }

  [[nodiscard]] Result<std::uint64_t> reached() {
    state_->look();
    return state_->serials.reached();
  }
  /// Sleeps until `serial` is reached. It may be added later.
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline) {
    return state_->wait(state_->serials, serial, deadline);
  }
  /// Sleeps until everything that has been added is done.
  [[nodiscard]] Result<void> wait_all(Deadline deadline) {
    return state_->wait(state_->orders, state_->last_order(), deadline);
  }
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    PINTLE_TRY(state_->serials.notify(serial, notification));
    state_->want(state_->serials, serial);
    return {};
  }
  /// The event of an added `serial`, for another queue to wait on; none when the serial is reached.
  [[nodiscard]] Event event_of(std::uint64_t serial) { return state_->event_of(serial); }
  /// Every wait, now and later, returns `error`.
  void fail(const Error& error) noexcept { state_->fail(error); }

 private:
  struct Done {
    std::uint64_t order = 0;
    std::uint64_t serial = 0;  ///< The serial that the queue has reached with this piece.
  };
  struct Slot {
    Done done;
    Event event;
    bool is_told = false;  ///< Whether a callback will tell that it is done.
  };

  struct State;
  /// What the vendor's callback carries.
  struct Watch {
    std::shared_ptr<State> state;
    Done done;
  };

  struct State : std::enable_shared_from_this<State> {
    State(Policy given, std::uint64_t first) : serials(first), policy(std::move(given)) {
      last_.serial = retired_.serial = raised_.serial = wanted_.serial = first;
      ring_.resize(16);
    }

    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { delete spare_.load(); }

    void reserve();
    void add(Event event, std::optional<std::uint64_t> serial) noexcept;
    void look() noexcept;
    [[nodiscard]] Result<void> wait(HostTimeline& timeline, std::uint64_t value, Deadline deadline);
    void want(const HostTimeline& timeline, std::uint64_t value);
    [[nodiscard]] Event event_of(std::uint64_t serial);
    [[nodiscard]] std::uint64_t last_order();
    void fail(const Error& error) noexcept {
      failed_.store(true, std::memory_order_release);
      orders.fail(error);
      serials.fail(error);
    }

    HostTimeline orders{0};
    HostTimeline serials;

   private:
    [[nodiscard]] Slot& slot(std::size_t index) noexcept { return ring_[(head_ + index) & (ring_.size() - 1)]; }
    [[nodiscard]] Slot* find(const HostTimeline& timeline, std::uint64_t value) noexcept;
    [[nodiscard]] std::optional<Error> retire(Done& done) noexcept;
    void have_told(const Event& event, Done done) noexcept;
    static void told(void* watch, const Error* error);
    void raise(Done done) noexcept;

    Policy policy;
    std::atomic<bool> failed_{false};
    std::atomic<bool> tells_{true};  ///< False once the vendor has refused to tell.
    std::mutex events_;
    std::vector<Slot> ring_;  // its size is a power of two
    std::size_t head_ = 0;
    std::size_t count_ = 0;
    Done last_;
    Done retired_;
    Done wanted_;  ///< The highest that a thread waits for; it may not have been added.
    std::mutex raise_;
    Done raised_;
    bool is_raising_ = false;
    std::atomic<Watch*> spare_{new Watch};  ///< Lets the vendor be told of one more when host memory runs out.
  };

  std::shared_ptr<State> state_;
};

template <EventPolicy Policy>
void EventTimeline<Policy>::State::reserve() {
  const std::lock_guard lock(events_);
  if (count_ < ring_.size()) return;
  std::vector<Slot> larger(ring_.size() * 2);
  for (std::size_t index = 0; index < count_; ++index) larger[index] = std::move(slot(index));
  ring_ = std::move(larger);
  head_ = 0;
}

template <EventPolicy Policy>
void EventTimeline<Policy>::State::add(Event event, std::optional<std::uint64_t> serial) noexcept {
  std::unique_lock lock(events_);
  last_ = {last_.order + 1, serial.value_or(last_.serial)};
  const bool is_wanted = last_.order <= wanted_.order || (serial && *serial <= wanted_.serial);
  Slot& added = slot(count_++);
  added = {last_, std::move(event), is_wanted};
  if (!is_wanted) return;
  const Event watched = added.event;
  const Done done = added.done;
  lock.unlock();
  have_told(watched, done);
}

/// The slot with which `value` of one of the two timelines is reached; null when it is reached, or is not added yet.
template <EventPolicy Policy>
typename EventTimeline<Policy>::Slot* EventTimeline<Policy>::State::find(const HostTimeline& timeline,
                                                                         std::uint64_t value) noexcept {
  const auto member = &timeline == &orders ? &Done::order : &Done::serial;
  if (value <= retired_.*member) return nullptr;
  for (std::size_t index = 0; index < count_; ++index) {
    if (slot(index).done.*member >= value) return &slot(index);
  }
  return nullptr;
}

/// Removes pieces that are done; `done` is the last of them.
template <EventPolicy Policy>
std::optional<Error> EventTimeline<Policy>::State::retire(Done& done) noexcept {
  const std::lock_guard lock(events_);
  for (; count_ > 0; --count_) {
    const Result<bool> answer = policy.is_done(slot(0).event);
    if (!answer) return answer.error();
    if (!*answer) return std::nullopt;
    done = retired_ = slot(0).done;
    slot(0).event = Event();
    head_ = (head_ + 1) & (ring_.size() - 1);
  }
  return std::nullopt;
}

template <EventPolicy Policy>
void EventTimeline<Policy>::State::look() noexcept {
  if (failed_.load(std::memory_order_acquire)) return;
  Done done;
  const std::optional<Error> error = retire(done);
  if (done.order != 0) raise(done);
  if (error) fail(policy.lose(*error));
}

/// A thread that finds another thread raising the timelines leaves the work to that thread, which looks again.
template <EventPolicy Policy>
void EventTimeline<Policy>::State::raise(Done done) noexcept {
  std::unique_lock lock(raise_);
  if (done.order <= raised_.order) return;
  raised_ = done;
  if (std::exchange(is_raising_, true)) return;
  do {
    done = raised_;
    lock.unlock();
    orders.advance(done.order);
    serials.advance(done.serial);
    lock.lock();
  } while (done.order != raised_.order);
  is_raising_ = false;
}

template <EventPolicy Policy>
void EventTimeline<Policy>::State::told(void* state, const Error* error) {
  std::unique_ptr<Watch> watch(static_cast<Watch*>(state));
  const std::shared_ptr<State> self = std::move(watch->state);
  const Done done = watch->done;
  Watch* none = nullptr;
  if (self->spare_.compare_exchange_strong(none, watch.get())) static_cast<void>(watch.release());
  if (error != nullptr) self->fail(self->policy.lose(*error));
  else self->raise(done);
}

template <EventPolicy Policy>
void EventTimeline<Policy>::State::have_told(const Event& event, Done done) noexcept {
  auto* watch = new (std::nothrow) Watch;
  if (watch == nullptr) watch = spare_.exchange(nullptr);
  if (watch != nullptr) {
    *watch = {this->shared_from_this(), done};
    if (policy.tell(event, {&State::told, watch})) return;
    delete watch;
  }
  tells_.store(false, std::memory_order_relaxed);
}

template <EventPolicy Policy>
void EventTimeline<Policy>::State::want(const HostTimeline& timeline, std::uint64_t value) {
  std::unique_lock lock(events_);
  auto& wanted = &timeline == &orders ? wanted_.order : wanted_.serial;
  wanted = std::max(wanted, value);
  Slot* const found = find(timeline, value);
  if (found == nullptr || std::exchange(found->is_told, true)) return;
  const Event watched = found->event;
  const Done done = found->done;
  lock.unlock();
  have_told(watched, done);
}

/// Most work is short, so the first looks are without sleep. A vendor that forgets to tell costs a tenth of a second.
template <EventPolicy Policy>
Result<void> EventTimeline<Policy>::State::wait(HostTimeline& timeline, std::uint64_t value, Deadline deadline) {
  if (timeline.is_reached(value)) return {};
  const Deadline awake_until = std::min(deadline, Clock::now() + awake_of<Policy>());
  do {
    look();
    if (timeline.is_settled(value)) return timeline.wait(value, deadline);
    std::this_thread::yield();
  } while (Clock::now() < awake_until);
  want(timeline, value);
  Duration nap = std::chrono::microseconds(20);
  while (true) {
    const Duration most = std::chrono::milliseconds(tells_.load(std::memory_order_relaxed) ? 100 : 1);
    nap = tells_.load(std::memory_order_relaxed) ? most : std::min(nap * 2, most);
    const Deadline until = std::min(deadline, Clock::now() + nap);
    auto waited = timeline.wait(value, until);
    if (waited || waited.error().code() != Errc::timeout) return waited;
    look();
    if (until == deadline) return timeline.wait(value, deadline);
  }
}

template <EventPolicy Policy>
typename Policy::Event EventTimeline<Policy>::State::event_of(std::uint64_t serial) {
  const std::lock_guard lock(events_);
  const Slot* const found = find(serials, serial);
  return found == nullptr ? Event() : found->event;
}

template <EventPolicy Policy>
std::uint64_t EventTimeline<Policy>::State::last_order() {
  const std::lock_guard lock(events_);
  return last_.order;
}

}  // namespace pintle::kit
