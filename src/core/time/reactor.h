// The core thread: it observes queues that no thread waits for, and runs callbacks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/immortal.h"
#include "core/time/observable.h"
#include "core/time/rounds.h"
#include "core/time/signal_state.h"
#include "core/time/timeline.h"
#include "core/time/watchers.h"

namespace pintle::core {

/// A callback that waits for a point. It runs once: when the timeline fires it, or at its deadline if that is first.
class Continuation final : public Timeline::Waiter, public std::enable_shared_from_this<Continuation> {
 public:
  Continuation(std::shared_ptr<SignalState> signal, std::uint64_t value,
               std::function<void(const Result<void>&)> callback, const Timeout& limit);
  void fire(Worklist& worklist) noexcept override;

 private:
  friend class Reactor;

  using Places = std::multimap<Deadline, std::shared_ptr<Continuation>>;

  void run() noexcept;

  std::shared_ptr<SignalState> signal_;
  std::uint64_t value_;
  std::function<void(const Result<void>&)> callback_;
  Timeout limit_;
  std::optional<Error> timeout_;
  // The reactor's mutex guards these.
  std::optional<Places::iterator> place_;  // among the waiting
  std::shared_ptr<Continuation> next_ready_{};
  bool may_expire_ = false;  // the timeline has this continuation
};

/// One for the process, made at first use and never destroyed. Its mutex is a leaf: timelines and backends call it.
/// The thread runs as soon as it is needed, unless every open device is driven: then `Device::poll()` does its work.
///
/// A queue that owns something of the caller's joins the *rounds*: every few milliseconds the thread observes the
/// queues that have joined, so that what they own is let go though nobody asks. An event for each submission would cost
/// more than most submissions. Between rounds, and where no queue has joined, the thread sleeps.
///
/// One thread *leads*. Where a driver keeps it in a call and there is more to do, another one, which stands by, leads
/// instead, so that no device waits for another's driver. A thread that comes back from such a call stands by, or
/// ends.
class Reactor {
 public:
  static Reactor& instance() noexcept;

  /// Counts a device that was opened or closed.
  void opened(bool is_driven) noexcept;
  void closed(bool is_driven) noexcept;

  /// Observes the queue when `serial`, which is native, is reached. The backend tells, or a watcher waits; where host
  /// memory runs out, the reactor looks now and then.
  void watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept;
  /// Observes the queue in the next round, and tells it so. Called with the lock of the queue's device held.
  void look_after(std::shared_ptr<Observable> queue) noexcept;
  /// No round observes the queue any more, unless one is about to.
  void forget(Observable& queue) noexcept;
  /// Registers a callback.
  Result<void> then(std::shared_ptr<SignalState> signal, std::uint64_t value,
                    std::function<void(const Result<void>&)> callback, const Timeout& limit);
  /// Runs the callbacks that are ready or past their deadline, on this thread.
  void run_callbacks() noexcept;
  /// The error of a wait, which says where callbacks are ready that run inside `Device::poll()` only.
  [[nodiscard]] Error explain(const Error& error) noexcept;

 private:
  friend class Continuation;
  struct Watch {
    std::shared_ptr<Observable> queue;
    std::uint64_t serial = 0;
  };

  friend union base::Immortal<Reactor>;
  Reactor() = default;
  static void notified(void* state);
  void try_watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial);
  void ready(std::shared_ptr<Continuation> continuation) noexcept;
  void post(std::shared_ptr<Observable>&& queue) noexcept;
  void list(std::shared_ptr<Polled>&& queue) noexcept;
  void begin_round() noexcept;
  void tell(Observable& queue) noexcept;
  void wake() noexcept;
  void lead();
  void stand_by();
  void start(void (Reactor::*what)());
  [[nodiscard]] bool leads() const noexcept { return leader_ == std::this_thread::get_id(); }
  void go_in() noexcept;
  void come_back() noexcept;
  [[nodiscard]] bool has_more() const noexcept;
  void call_stand_by() noexcept;
  void expire() noexcept;
  [[nodiscard]] std::shared_ptr<Continuation> next_late() noexcept;
  [[nodiscard]] std::shared_ptr<Continuation> next_ready() noexcept;
  void report_losses();
  [[nodiscard]] bool may_have_thread() const noexcept { return driven_devices_ == 0 || other_devices_ > 0; }
  [[nodiscard]] bool observe_posted() noexcept;
  [[nodiscard]] std::shared_ptr<Observable> next_posted() noexcept;
  void observe(std::shared_ptr<Observable> queue) noexcept;
  [[nodiscard]] bool watch_again(const std::shared_ptr<Observable>& queue) noexcept;
  [[nodiscard]] bool hand_over_watched();
  void call_back() noexcept;
  [[nodiscard]] bool sleep(bool is_complete);

  std::mutex mutex_;
  std::condition_variable condition_;
  bool running_ = false;
  std::thread::id leader_;             // set while it runs
  std::uint64_t steps_ = 0;            // the leader's entries into calls and exits from them
  bool is_inside_ = false;             // the leader is where a driver or a callback may keep it
  bool is_calling_ = false;            // a thread, the leader or an earlier one, runs callbacks
  std::condition_variable is_behind_;  // the thread that stands by waits here
  bool stands_by_ = false;             // a thread stands by
  bool is_wanted_ = false;             // work waits behind the leader
  std::shared_ptr<Polled> observing_;  // the list that the leader goes through
  int driven_devices_ = 0;
  int other_devices_ = 0;
  std::shared_ptr<Polled> posted_;  // queues to observe
  Rounds rounds_;
  Deadline next_round_{};       // counts while a queue is on the rounds
  std::vector<Watch> watched_;  // serials that a backend cannot tell: for `watchers_`
  std::vector<std::pair<std::shared_ptr<Observable>, Error>> losses_;  // reported with no lock held
  std::shared_ptr<Continuation> first_ready_;                          // the first continuation to run
  Continuation* last_ready_ = nullptr;
  Continuation::Places waiting_;  // by deadline
  Watchers watchers_;
};

}  // namespace pintle::core
