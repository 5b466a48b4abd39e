// Jobs of ranks that are processes, what each rank reports to the test, and trials of such jobs, some at a time.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "collective/forked.h"
#include "collective/group/founding.h"
#include "collective/group/group_state.h"
#include "collective/shm/rendezvous.h"
#include "pintle/group.h"
#include "pintle/must.h"

namespace pintle::collective {

/// Words that a process and its children share.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    items_ = static_cast<T*>(memory);
    for (std::size_t i = 0; i < count; ++i) new (items_ + i) T();
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { ::munmap(items_, count_ * sizeof(T)); }
  [[nodiscard]] T& operator[](std::size_t index) const noexcept { return items_[index]; }

 private:
  std::size_t count_;
  T* items_ = nullptr;
};

/// A text in shared memory, cut where it is too long.
class Words {
 public:
  void set(std::string_view text) noexcept {
    const std::size_t length = std::min(text.size(), sizeof letters_ - 1);
    std::memcpy(letters_, text.data(), length);
    letters_[length] = 0;
  }
  [[nodiscard]] std::string_view get() const noexcept { return letters_; }

 private:
  char letters_[600] = {};
};

/// What a rank says; read when it has ended, or when a word says that it is there.
struct Report {
  Words wrong;                               ///< What the rank itself finds wrong.
  Words failure;                             ///< The error that it was told.
  Errc code = Errc::internal;                ///< That error's.
  std::atomic<std::int64_t> failed_at{0};    ///< On the steady clock: when it was told.
  std::atomic<std::int64_t> began_at{0};     ///< When it began the operation that failed.
  std::atomic<std::int64_t> struck_at{0};    ///< When it stopped or killed itself.
  std::atomic<std::uint64_t> steps{0};       ///< That it has gone.
  std::atomic<std::uint64_t> words[4] = {};  ///< For what a test is about.
};

[[nodiscard]] inline std::int64_t now_ns() noexcept { return Clock::now().time_since_epoch().count(); }

/// Waits for what another process or thread stores; ten seconds of nothing are a defect of the test.
template <class Condition>
[[nodiscard]] bool comes(Condition condition) {
  for (const Deadline end = Clock::now() + std::chrono::seconds(10); Clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return condition();
}

/// The group of a rank that arrives as a fresh process does, without the environment.
[[nodiscard]] inline Result<Group> join(const std::shared_ptr<Rendezvous>& rendezvous, std::uint32_t rank,
                                        Timeout timeout = std::chrono::seconds(30)) {
  PINTLE_ASSIGN(state, found(rendezvous, rank, 0, "", timeout.deadline()));
  return GroupState::group_of(std::move(state));
}

/// Ranks that are children of this process.
class Job {
 public:
  explicit Job(std::uint32_t ranks) : rendezvous_(must(Rendezvous::shared(ranks))), reports_(ranks) {}

  [[nodiscard]] const std::shared_ptr<Rendezvous>& rendezvous() const noexcept { return rendezvous_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return rendezvous_->ranks(); }
  [[nodiscard]] Report& report(std::uint32_t rank) noexcept { return reports_[rank]; }

  /// Starts `work(rendezvous, report)` as `rank`, in the place of the process that has been it before.
  template <class Work>
  void start(std::uint32_t rank, Work work) {
    children_.erase(rank);
    children_.emplace(rank, Forked([&] {
                        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                        base::forked.store(false);  // nothing here stands on threads or devices of the parent
                        work(rendezvous_, reports_[rank]);
                        return reports_[rank].wrong.get().empty();
                      }));
  }
  /// Each rank runs `work(group, report)` in a group of all.
  template <class Work>
  void start_all(Work work) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      start(rank, [&, rank](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
        Result<Group> group = join(rendezvous, rank);
        if (group) work(*group, report);
        else report.wrong.set(group.error().text());
      });
    }
  }
  [[nodiscard]] pid_t process(std::uint32_t rank) const noexcept { return children_.at(rank).process(); }
  void send(std::uint32_t rank, int signal) const noexcept { ::kill(process(rank), signal); }
  /// The process of `rank` has ended, by whatever cause.
  void reap(std::uint32_t rank) {
    children_.at(rank).status();
    children_.erase(rank);
  }
  /// What the rank, which ends by itself, finds wrong; or how it ended otherwise.
  [[nodiscard]] std::string wrong_with(std::uint32_t rank) {
    int status = 0;
    const pid_t child = process(rank);
    if (!comes([&] { return has_ended(child); })) return of_rank(rank) + "does not end";
    status = children_.at(rank).status();
    children_.erase(rank);
    const std::string_view said = reports_[rank].wrong.get();
    if (!said.empty()) return of_rank(rank) + std::string(said);
    return status == 0 ? "" : of_rank(rank) + "ends with status " + std::to_string(status);
  }
  /// The same of all that were started and not reaped.
  [[nodiscard]] std::string wrong_with_all() {
    std::string wrong;
    for (std::uint32_t rank = 0; rank < ranks() && wrong.empty(); ++rank) {
      if (children_.contains(rank)) wrong = wrong_with(rank);
    }
    return wrong;
  }

 private:
  [[nodiscard]] static std::string of_rank(std::uint32_t rank) { return "rank " + std::to_string(rank) + ": "; }
  [[nodiscard]] static bool has_ended(pid_t process) noexcept {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
  }

  std::shared_ptr<Rendezvous> rendezvous_;
  Shared<Report> reports_;
  std::map<std::uint32_t, Forked> children_;
};

/// Runs `trial(index)`, which answers what is wrong, for each index in a process of its own, `at_a_time` of them beside
/// each other. The answers that are not empty.
template <class Trial>
[[nodiscard]] std::vector<std::string> run_trials(std::size_t count, std::size_t at_a_time, Trial trial) {
  const Shared<Words> answers(count);
  std::map<pid_t, std::pair<std::size_t, Forked>> running;
  std::vector<std::string> wrong;
  for (std::size_t next = 0; next < count || !running.empty();) {
    if (next < count && running.size() < at_a_time) {
      const std::size_t index = next++;
      Forked child([&] {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        try {
          answers[index].set(trial(index));
        } catch (const std::exception& exception) {
          answers[index].set(exception.what());
        }
        return true;
      });
      const pid_t process = child.process();
      running.emplace(process, std::pair(index, std::move(child)));
      continue;
    }
    siginfo_t info{};
    ::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
    const auto ended = running.find(info.si_pid);
    if (ended == running.end()) break;  // a child of somebody else
    const int status = ended->second.second.status();
    if (status != 0) answers[ended->second.first].set("the trial ends with status " + std::to_string(status));
    running.erase(ended);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!answers[i].get().empty()) wrong.emplace_back(answers[i].get());
  }
  return wrong;
}

}  // namespace pintle::collective
