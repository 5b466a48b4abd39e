#include "host/pool.h"

#include <pthread.h>

#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "base/kernel_environment.h"

namespace pintle::host {
namespace {

/// Signals to the process belong to threads that the user knows. Signals that a thread raises itself stay with that
/// thread.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Result<std::unique_ptr<Pool>> Pool::create(const Shape& shape) {
  return base::contain("starting worker threads", [&]() -> Result<std::unique_ptr<Pool>> {
    base::watch_forks();
    std::unique_ptr<Pool> pool(new Pool(shape));
    PINTLE_TRY(pool->start());
    return pool;
  });
}

Result<void> Pool::start() {
  const SignalsBlocked blocked;
  threads_.reserve(shape_.threads);
  try {
    for (std::uint32_t index = 0; index < shape_.threads; ++index) {
      threads_.emplace_back([this, index] { serve(index); });
    }
  } catch (const std::system_error& refusal) {
    return Error(Errc::unavailable, "Worker thread (" + std::to_string(threads_.size() + 1) + " of " +
                                        std::to_string(shape_.threads) + ") cannot be started: " + refusal.what() +
                                        ".");
  }
  return {};
}

Pool::~Pool() {
  if (base::in_forked_child()) {  // the threads exist in the parent only, so they cannot be joined
    static_cast<void>(new std::vector<std::thread>(std::move(threads_)));
    return;
  }
  stop_.store(true);
  coming_.fetch_add(shape_.threads, std::memory_order_relaxed);
  {
    const std::lock_guard lock(sleep_mutex_);
    tokens_ += shape_.threads;
  }
  woken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::make_ready(Task& task) noexcept {
  {
    const std::lock_guard lock(ready_mutex_);
    task.next_ = nullptr;
    task.previous_ = last_;
    (first_ == nullptr ? first_ : last_->next_) = &task;
    last_ = &task;
    task.is_ready_.store(true, std::memory_order_relaxed);
    ready_.fetch_add(1);
  }
  if (spinning_.load() == 0) wake_one();
}

Pool::Task* Pool::take_ready() noexcept {
  if (ready_.load() == 0) return nullptr;
  const std::lock_guard lock(ready_mutex_);
  Task* const task = first_;
  if (task != nullptr) unlink(*task);
  return task;
}

/// Called with the mutex held.
void Pool::unlink(Task& task) noexcept {
  (task.previous_ == nullptr ? first_ : task.previous_->next_) = task.next_;
  (task.next_ == nullptr ? last_ : task.next_->previous_) = task.previous_;
  task.is_ready_.store(false, std::memory_order_relaxed);
  ready_.fetch_sub(1);
}

bool Pool::try_recall(Task& task) noexcept {
  if (!task.is_ready_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(ready_mutex_);
  if (!task.is_ready_.load(std::memory_order_relaxed)) return false;
  unlink(task);
  return true;
}

void Pool::look_after(Lookout::Ward& ward) noexcept {
  lookout_.add(ward);
  if (lookout_.wants_watch() && spinning_.load() == 0) wake_one();
}

void Pool::serve(std::uint32_t index) noexcept {
  const base::KernelEnvironment usual;  // a thread begins with that of the thread which started it
  Worker worker(*this, index);
  while (!worker.is_stopping()) {
    if (Task* const task = take_ready(); task != nullptr) {
      if (ready_.load() != 0 && spinning_.load() == 0) wake_one();
      task->run(worker);
    } else if (help(nullptr, nullptr)) {
      worker.was_busy();
    } else if (lookout_.wants_watch()) {
      watch(worker);
    } else if (!worker.linger(0, [this] { return lookout_.wants_watch(); }) && !has_work()) {
      sleep(worker, Deadline::max());
    }
  }
}

/// The worker looks often while it would spin anyway. Then it naps between looks, and can be woken like a worker that
/// sleeps.
void Pool::watch(Worker& worker) noexcept {
  constexpr Duration between_looks = std::chrono::microseconds(4);
  constexpr Duration longest_nap = std::chrono::microseconds(200);
  Duration nap = std::chrono::microseconds(50);
  if (!lookout_.begin_watch()) return;
  while (!worker.is_stopping() && !has_work()) {
    const Deadline now = Clock::now();
    const Lookout::View view = lookout_.look(now);
    if (view == Lookout::View::empty || view == Lookout::View::rescued) break;
    const auto is_time = [&] { return Clock::now() >= now + between_looks; };
    if (!worker.is_idle_time_over() && worker.linger(0, is_time)) continue;
    if (view == Lookout::View::left) {
      while (!is_time() && !has_work()) base::StdSync::pause();
    } else if (!has_work()) {
      sleep(worker, Clock::now() + nap);
      nap = std::min(2 * nap, longest_nap);
    }
  }
  lookout_.end_watch();
  if (lookout_.wants_watch() && spinning_.load() == 0) wake_one();
}

void Pool::Worker::look_around() noexcept {
  constexpr std::uint32_t submissions = 64;
  if (!pool_.lookout_.wants_watch() || ++looks_ % submissions != 0) return;
  static_cast<void>(pool_.lookout_.look(Clock::now()));
}

void Pool::stop_spinning() noexcept {
  // A thread that made a task ready or left work while this worker counted as spinning has woken no worker.
  if (spinning_.fetch_sub(1) == 1 && (ready_.load() != 0 || lookout_.wants_watch())) wake_one();
}

void Pool::Worker::let_submit() noexcept {
  constexpr int pauses = 64;
  if (pool_.shape_.spin == Duration::zero()) return;
  for (int i = 0; i < pauses; ++i) {
    if (pool_.visitors_.load(std::memory_order_relaxed) != 0 || pool_.ready_.load(std::memory_order_relaxed) != 0 ||
        pool_.is_any_open())
      return;
    base::StdSync::pause();
  }
}

bool Pool::try_raise_awake() noexcept {
  std::uint32_t awake = awake_.load();
  while (awake < shape_.threads) {
    if (awake_.compare_exchange_weak(awake, awake + 1)) return true;
  }
  return false;
}

void Pool::wake_one() noexcept {
  if (!try_raise_awake()) return;
  coming_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(sleep_mutex_);
    ++tokens_;
  }
  woken_.notify_one();
}

bool Pool::try_make_room() noexcept {
  std::uint32_t awake = awake_.load();
  while (awake + visitors_.load() > shape_.threads) {
    if (awake_.compare_exchange_weak(awake, awake - 1)) return true;
  }
  return false;
}

void Pool::sleep(Worker& worker, Deadline until) noexcept {
  if (worker.is_idle_time_over()) {
    awake_.fetch_sub(1);
  } else if (!try_make_room()) {
    return;
  }
  const bool is_nap = until != Deadline::max();
  if (!is_nap) worker.was_busy();
  if ((ready_.load() != 0 || stop_.load() || lookout_.wants_watch()) && try_raise_awake()) return;
  worker.has_slept_ = true;
  std::unique_lock lock(sleep_mutex_);
  while (tokens_ == 0) {
    if (!is_nap) woken_.wait(lock);
    // A thread that is about to leave a token has raised `awake_` in this worker's place.
    else if (woken_.wait_until(lock, until) == std::cv_status::timeout && tokens_ == 0 && try_raise_awake()) return;
  }
  --tokens_;
  coming_.fetch_sub(1, std::memory_order_relaxed);
}

bool Pool::enter_visit() noexcept {
  // One place always stays for a worker.
  if (visitors_.fetch_add(1) + 1 < shape_.threads) return true;
  leave_visit();
  return false;
}

void Pool::wake_for_loop(Duration left) noexcept {
  constexpr Duration worth_a_wake = std::chrono::microseconds(10);
  if (left > worth_a_wake &&
      awake_.load(std::memory_order_relaxed) + visitors_.load(std::memory_order_relaxed) < shape_.threads) {
    wake_one();
  }
}

void Pool::publish(std::uint32_t team) noexcept {
  std::atomic<std::uint32_t>& word = open_[team % open_words];
  const std::uint32_t bit = 1u << (team / open_words);
  if (team_count() <= open_words) {
    word.store(bit, std::memory_order_release);
  } else {
    word.fetch_or(bit);
  }
}

/// Called by members of the team only, so it cannot withdraw the next loop.
void Pool::withdraw(std::uint32_t team) noexcept {
  std::atomic<std::uint32_t>& word = open_[team % open_words];
  const std::uint32_t bit = 1u << (team / open_words);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) return;
  if (team_count() <= open_words) {
    word.store(0, std::memory_order_relaxed);
  } else {
    word.fetch_and(~bit, std::memory_order_relaxed);
  }
}

void Pool::work_in(std::uint32_t index, std::uint32_t member, Deadline deadline) noexcept {
  if (teams_[index].work(member, {&stop_, deadline}, [this](Duration left) { wake_for_loop(left); })) withdraw(index);
}

bool Pool::help_in(std::uint32_t index, const Guest* guest) noexcept {
  Team& team = teams_[index];
  const std::uint32_t member = team.join();
  if (member == 0) return false;
  const bool may_work = guest == nullptr || guest->may_join(team.loop().expected_piece(), team.loop().stack);
  if (may_work) work_in(index, member, guest == nullptr ? Deadline::max() : guest->deadline());
  team.leave();
  return may_work;
}

bool Pool::help(const void* owner, const Guest* guest) noexcept {
  const std::uint32_t teams = team_count();
  const auto is_open = [this](std::uint32_t team) {
    return (open_[team % open_words].load(std::memory_order_acquire) >> (team / open_words) & 1) != 0;
  };
  for (std::uint32_t team = 0; owner != nullptr && team < teams; ++team) {
    if (is_open(team) && teams_[team].owner() == owner && help_in(team, guest)) return true;
  }
  for (std::uint32_t team = 0; team < teams; ++team) {
    if (is_open(team) && help_in(team, guest)) return true;
  }
  return false;
}

void Pool::Worker::run(Loop loop) noexcept {
  const std::uint64_t count = loop.last;
  const bool is_alone = pool_.shape_.threads == 1 || index_ >= pool_.team_count();
  if (count <= 1 || is_alone) return run_alone(loop);
  constexpr Duration worth_sharing = std::chrono::nanoseconds(3000);
  if (loop.cost != nullptr && loop.cost->of(count) < static_cast<float>(worth_sharing.count())) {
    // The first quarter shows whether the expected cost is right.
    const std::uint64_t quarter = (count + 3) / 4;
    const Deadline begin = Clock::now();
    loop.body(loop.context, 0, quarter);
    const Duration elapsed = Clock::now() - begin;
    loop.cost->learn(elapsed, quarter);
    if (elapsed < worth_sharing) return loop.body(loop.context, quarter, count);
    loop.first = quarter;
  }
  share(loop);
}

/// A short loop is timed only now and then, since two looks at the clock take longer than many such loops.
void Pool::Worker::run_alone(const Loop& loop) noexcept {
  constexpr std::uint32_t lesson = 16;
  constexpr float worth_timing = 500;
  const bool is_timed = loop.cost != nullptr && (!(loop.cost->of(loop.last) < worth_timing) || ++runs_ % lesson == 0);
  if (!is_timed) return loop.body(loop.context, 0, loop.last);
  const Deadline begin = Clock::now();
  loop.body(loop.context, 0, loop.last);
  loop.cost->learn(Clock::now() - begin, loop.last);
}

/// The system wakes a worker on the processor of the thread that woke it. There the two can only take turns, and there
/// they stay. So a worker that opens a loop on the processor of a thread that would help moves to another processor.
/// Where the system brings it back without a sleep between, the other processors have enough to do, and it stays longer
/// each time.
void Pool::Worker::make_way() noexcept {
  constexpr Duration most_between_moves = std::chrono::seconds(1);
  if (pool_.visitors_.load(std::memory_order_relaxed) == 0) return;
  const std::uint32_t here = base::current_processor();
  if (pool_.visitor_at_.load(std::memory_order_relaxed) != here) return;
  const Deadline now = Clock::now();
  if (!has_slept_ && now - moved_ < between_moves_) return;
  between_moves_ =
      std::exchange(has_slept_, false) ? least_between_moves : std::min(2 * between_moves_, most_between_moves);
  moved_ = now;
  base::leave_processor(here);
}

void Pool::Worker::share(const Loop& loop) noexcept {
  make_way();
  Team& team = pool_.teams_[index_];
  team.open(loop, pool_.shape_.threads);
  pool_.publish(index_);
  pool_.work_in(index_, 0, Deadline::max());
  pool_.withdraw(index_);  // where this worker left early
  team.close(pool_.shape_.spin, pool_.stop_);
}

}  // namespace pintle::host
