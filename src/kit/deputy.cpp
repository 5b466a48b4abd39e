#include "kit/deputy.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/contain.h"
#include "base/log.h"

namespace pintle::kit {
namespace {

// How long the end of a device waits for a thread that may be inside the driver.
constexpr auto patience = std::chrono::seconds(1);

}  // namespace

struct Deputy::Job {
  enum class Stage : unsigned char { waiting, running, done };

  std::function<void()> work;
  std::function<void()> late;  // what is done where nobody waits any more
  Stage stage = Stage::waiting;
  bool is_given_up = false;
};

struct Deputy::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Job>> jobs;  // the first may be running
  bool is_ending = false;
  bool has_ended = false;

  void serve() noexcept;
  void run(std::unique_lock<std::mutex>& lock, Job& job) noexcept;
};

/// What nobody waits for any more is not begun.
void Deputy::State::run(std::unique_lock<std::mutex>& lock, Job& job) noexcept {
  if (job.is_given_up) return;
  job.stage = Job::Stage::running;
  lock.unlock();
  job.work();
  lock.lock();
  job.stage = Job::Stage::done;
  if (!job.is_given_up) return;
  lock.unlock();
  job.late();
  lock.lock();
}

void Deputy::State::serve() noexcept {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_ending || !jobs.empty(); });
    if (jobs.empty()) break;
    run(lock, *jobs.front());
    jobs.pop_front();
    changed.notify_all();
  }
  has_ended = true;
  changed.notify_all();
}

Deputy::Deputy(std::string device_id)
    : id_(std::move(device_id)), state_(std::make_shared<State>()), thread_([state = state_] { state->serve(); }) {}

Result<void> Deputy::add(std::shared_ptr<Job> job) {
  return base::contain("handing a call to a thread", [&]() -> Result<void> {
    {
      const std::lock_guard lock(state_->mutex);
      state_->jobs.push_back(std::move(job));
    }
    state_->changed.notify_all();
    return {};
  });
}

Error Deputy::late_error(std::string_view what, Deadline asked, const Job& job) const {
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked);
  return {Errc::timeout,
          fmt::format("The driver of [{}] is still {} after ({} ms). {}", id_, what, waited.count(),
                      job.stage == Job::Stage::running
                          ? "It may wait for a kernel that runs."
                          : "The call is behind another one that the driver has not answered; it is not begun.")};
}

Result<void> Deputy::run(std::string_view what, Deadline deadline, std::function<void()> work,
                         std::function<void()> late) {
  const Deadline asked = Clock::now();
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  job->late = std::move(late);
  PINTLE_TRY(add(job));
  std::unique_lock lock(state_->mutex);
  const auto is_done = [&] { return job->stage == Job::Stage::done; };
  if (deadline == Deadline::max()) state_->changed.wait(lock, is_done);
  else state_->changed.wait_until(lock, deadline, is_done);
  if (is_done()) return {};
  job->is_given_up = true;
  return late_error(what, asked, *job);
}

void Deputy::post(std::function<void()> work) noexcept {
  const auto posted = base::contain("handing a call to a thread", [&]() -> Result<void> {
    auto job = std::make_shared<Job>();
    job->work = work;
    return add(std::move(job));
  });
  if (!posted) work();
}

bool Deputy::is_busy() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->jobs.empty();
}

Deputy::~Deputy() {
  bool has_ended = false;
  {
    std::unique_lock lock(state_->mutex);
    state_->is_ending = true;
    state_->changed.notify_all();
    has_ended = state_->changed.wait_for(lock, patience, [&] { return state_->has_ended; });
  }
  if (has_ended) {
    thread_.join();
    return;
  }
  base::log(LogLevel::warn, "kit", "A thread of [{}] is left behind in a call that the driver does not answer.", id_);
  thread_.detach();
}

}  // namespace pintle::kit
