// Worker threads of one device: they run tasks, share loops, spin for a moment when idle, and sleep.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/platform.h"
#include "base/sync.h"
#include "host/idle_spin.h"
#include "host/lookout.h"
#include "host/stint.h"
#include "host/team.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::host {

/// At most `threads` threads execute or spin at a time. Visitors (threads that wait and help meanwhile) are counted.
/// Threads that run a short piece of a queue themselves are not counted.
///
/// Why no task is forgotten: a thread that makes a task ready raises `ready_` and then reads `spinning_`; a worker that
/// stops spinning lowers `spinning_` and then reads `ready_` (all sequentially consistent). So either the thread sees
/// that no worker spins and wakes one, or the worker sees the task, and takes it or wakes another worker for it. Work
/// that was left is found in this way too, with `lookout_.wants_watch()` in the place of `ready_`. A worker that goes
/// to sleep lowers `awake_` before it reads `ready_` for the last time. A wake-up raises `awake_` in the worker's place
/// and leaves a token, which is not lost when it comes before the sleep.
class Pool {
 public:
  class Worker;

  /// A piece of work that one worker at a time runs.
  class Task {
   public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual void run(Worker& worker) noexcept = 0;

   protected:
    ~Task() = default;

   private:
    friend class Pool;
    // The mutex of the ready tasks guards these; the flag is read without it too.
    Task* next_ = nullptr;
    Task* previous_ = nullptr;
    std::atomic<bool> is_ready_{false};
  };

  struct Shape {
    std::uint32_t threads = 1;
    Duration spin{};  ///< How long an idle thread spins; zero where processor time is rationed.
  };

  [[nodiscard]] static Result<std::unique_ptr<Pool>> create(const Shape& shape);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  /// Tasks that are not finished stop at the next command or piece. Tasks that still wait for a worker are forgotten.
  ~Pool();

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// Runs `task` soon. Does not touch the task any more once a worker may have it.
  void make_ready(Task& task) noexcept;

  /// Takes a task back that no worker has yet.
  [[nodiscard]] bool try_recall(Task& task) noexcept;
  /// Has a queue watched in which work was left for threads that wait.
  void look_after(Lookout::Ward& ward) noexcept;

  /// Called by a thread that waits. It joins loops, those of `owner` first, as far as it may, and spins until `done()`,
  /// until the deadline, or until there has been nothing to do for a while. It never runs tasks.
  template <class Done>
  void visit(const void* owner, const Guest& guest, Done done);

 private:
  /// Polls before the clock is read again.
  static constexpr std::uint32_t polls_per_look = 64;
  static constexpr std::uint32_t polls_per_pause = 8;
  static constexpr std::uint32_t open_words = 8;
  static constexpr std::uint32_t max_teams = 64;
  static constexpr std::uint32_t visitor_patience = 16;

  explicit Pool(const Shape& shape)
      : shape_(shape), awake_(shape.threads), teams_(std::make_unique<Team[]>(team_count())) {}
  [[nodiscard]] Result<void> start();
  [[nodiscard]] std::uint32_t team_count() const noexcept { return std::min(shape_.threads, max_teams); }

  void serve(std::uint32_t index) noexcept;
  Task* take_ready() noexcept;
  void unlink(Task& task) noexcept;
  void wake_one() noexcept;
  void sleep(Worker& worker, Deadline until) noexcept;
  /// Watches queues with work that was left, until there is something else to do.
  void watch(Worker& worker) noexcept;
  [[nodiscard]] bool has_work() const noexcept { return ready_.load(std::memory_order_relaxed) != 0 || is_any_open(); }
  [[nodiscard]] bool try_raise_awake() noexcept;
  [[nodiscard]] bool try_make_room() noexcept;
  /// Whether more threads run than should. A worker that was woken may stand behind another one on its processor for
  /// milliseconds, beside an idle processor: until it arrives, it does not count.
  [[nodiscard]] bool is_crowded() const noexcept {
    return awake_.load(std::memory_order_relaxed) + visitors_.load(std::memory_order_relaxed) >
           shape_.threads + coming_.load(std::memory_order_relaxed);
  }
  /// A worker that was woken for a loop may wake the next one.
  void wake_for_loop(Duration left) noexcept;
  // Team i has a bit of word i % open_words. With at most `open_words` teams each has its own word, and a plain store
  // changes it.
  void publish(std::uint32_t team) noexcept;
  void withdraw(std::uint32_t team) noexcept;
  [[nodiscard]] bool is_any_open() const noexcept {
    std::uint32_t all = 0;
    for (std::uint32_t word = 0; word < std::min(team_count(), open_words); ++word)
      all |= open_[word].load(std::memory_order_relaxed);
    return all != 0;
  }
  /// True when this thread took part in a loop. `guest` is null for workers.
  [[nodiscard]] bool help(const void* owner, const Guest* guest) noexcept;
  [[nodiscard]] bool help_in(std::uint32_t index, const Guest* guest) noexcept;
  void work_in(std::uint32_t index, std::uint32_t member, Deadline deadline) noexcept;
  [[nodiscard]] bool enter_visit() noexcept;
  void leave_visit() noexcept { visitors_.fetch_sub(1, std::memory_order_relaxed); }
  void stop_spinning() noexcept;

  const Shape shape_;
  std::atomic<bool> stop_{false};
  // Each on a cache line of its own: idle threads poll some of these, and write others.
  alignas(64) std::atomic<std::uint32_t> ready_{0};                        // tasks that wait for a worker
  alignas(64) std::array<std::atomic<std::uint32_t>, open_words> open_{};  // teams with work to claim, one bit each
  alignas(64) std::atomic<std::uint32_t> spinning_{0};  // idle workers that will see a ready task by themselves
  alignas(64) std::atomic<std::uint32_t> awake_;        // workers that do not sleep
  std::atomic<std::uint32_t> coming_{0};                // of these, workers that were woken and do not run yet
  alignas(64) std::atomic<std::uint32_t> visitors_{0};
  std::atomic<std::uint32_t> visitor_at_{0};  // the last visitor's processor
  alignas(64) std::mutex ready_mutex_;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  std::mutex sleep_mutex_;
  std::condition_variable woken_;
  std::uint32_t tokens_ = 0;  // wake-ups that no sleeper has taken yet
  Lookout lookout_;
  std::unique_ptr<Team[]> teams_;
  std::vector<std::thread> threads_;
};

/// The thread that runs a task, as the task sees it.
class Pool::Worker {
 public:
  Worker(Pool& pool, std::uint32_t index) noexcept : pool_(pool), index_(index), idle_(pool.shape_.spin) {}

  /// True once the pool is being destroyed: the task leaves, and reports nothing as finished.
  [[nodiscard]] bool is_stopping() const noexcept { return pool_.stop_.load(std::memory_order_relaxed); }
  /// True when every worker is busy and another task waits.
  [[nodiscard]] bool should_yield() const noexcept {
    return pool_.ready_.load(std::memory_order_relaxed) != 0 &&
           pool_.awake_.load(std::memory_order_relaxed) == pool_.shape_.threads;
  }
  /// Called between two submissions: where no idle worker has the watch, a busy one looks now and then.
  void look_around() noexcept;
  [[nodiscard]] Pool& pool() noexcept { return pool_; }

  /// Runs `body(first, last)` over [0, count) with all threads that have time, and returns when all is done. A loop
  /// with a `cost` is not shared where it should be over in a moment.
  template <class Body>
  void spread(const void* owner, std::uint64_t count, const Body& body, LoopCost* cost = nullptr) {
    spread(Loop{owner, 0, count, nullptr, nullptr, cost}, body);
  }
  /// Runs `loop`, which needs no body.
  template <class Body>
  void spread(Loop loop, const Body& body) {
    loop.body = [](const void* context, std::uint64_t first, std::uint64_t last) {
      (*static_cast<const Body*>(context))(first, last);
    };
    loop.context = &body;
    run(loop);
  }

  /// Spins until `ready()` (then true), until there is something else to do, or until the time for idling is over.
  /// Where too many threads run, it gives up after `patience` looks at the clock.
  template <class Ready>
  [[nodiscard]] bool linger(std::uint32_t patience, Ready ready);
  /// For a queue into which submissions stream. Polling at once would take each place of its ring from the submitting
  /// thread just as that thread writes there: a cache miss for every submission. A microsecond later there is a batch.
  /// Returns at once where a thread waits or there is something else to do.
  void let_submit() noexcept;
  /// The next `linger` begins a new period.
  void was_busy() noexcept { idle_.restart(); }

 private:
  friend class Pool;
  static constexpr Duration least_between_moves = std::chrono::milliseconds(1);
  void run(Loop loop) noexcept;
  void run_alone(const Loop& loop) noexcept;
  void make_way() noexcept;
  void share(const Loop& loop) noexcept;
  [[nodiscard]] bool may_idle() noexcept { return !is_stopping() && idle_.may_go_on(); }
  [[nodiscard]] bool is_idle_time_over() const noexcept {
    return pool_.shape_.spin == Duration::zero() || is_stopping() || idle_.is_over();
  }

  Pool& pool_;
  const std::uint32_t index_;
  IdleSpin idle_;
  std::uint32_t runs_ = 0;
  std::uint32_t looks_ = 0;
  // How the worker has made way.
  Deadline moved_{};
  Duration between_moves_ = least_between_moves;
  bool has_slept_ = true;
};

template <class Ready>
bool Pool::Worker::linger(std::uint32_t patience, Ready ready) {
  if (pool_.shape_.spin == Duration::zero()) return ready();
  pool_.spinning_.fetch_add(1);
  bool found = ready();
  for (std::uint32_t polls = 1; !found; ++polls) {
    if (pool_.has_work()) break;
    if (polls % polls_per_pause == 0) base::StdSync::pause();
    if (polls % polls_per_look == 0 && (!may_idle() || (polls / polls_per_look > patience && pool_.is_crowded())))
      break;
    found = ready();
  }
  pool_.stop_spinning();
  return found;
}

template <class Done>
void Pool::visit(const void* owner, const Guest& guest, Done done) {
  if (!enter_visit()) return;
  visitor_at_.store(base::current_processor(), std::memory_order_relaxed);
  IdleSpin idle(shape_.spin);
  for (std::uint32_t polls = 1, refused = 0; !done(); ++polls) {
    if (refused == 0 && is_any_open()) {
      if (help(owner, &guest)) {
        if (Clock::now() >= guest.deadline()) break;
        idle.restart();
        continue;
      }
      refused = polls_per_look;  // a loop that it may not join now may be open to it when the cost is known
    }
    refused -= refused != 0 ? 1 : 0;
    if (shape_.spin == Duration::zero()) break;
    if (polls % polls_per_pause == 0) base::StdSync::pause();
    if (polls % polls_per_look != 0) continue;
    if (!idle.may_go_on(guest.deadline())) break;
    // Idle workers make room sooner, so a visitor that still finds the pool crowded is in the way of work.
    if (polls % (visitor_patience * polls_per_look) == 0 && is_crowded()) break;
  }
  leave_visit();
}

}  // namespace pintle::host
