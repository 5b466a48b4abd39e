#include "cli/launch_ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "collective/shm/rendezvous.h"

namespace pintle::cli {
namespace {

using collective::Rendezvous;

class Ranks {
 public:
  Ranks(const Job& job, Rendezvous& rendezvous) : job_(job), rendezvous_(rendezvous), ends_(job.ranks) {
    children_.resize(job.ranks);
  }

  Result<void> start_all() {
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) PINTLE_TRY(start(rank));
    return {};
  }
  [[nodiscard]] bool is_any_running() const noexcept { return running_ > 0; }
  [[nodiscard]] const std::vector<RankEnd>& ends() const noexcept { return ends_; }

  /// A stopped rank hears the signal only with the SIGCONT behind it.
  void pass_on(const base::ProcessEvents::Event& event) {
    if (!is_asked_to_end_) patience_ends_ = deadline_after(Clock::now(), job_.grace);
    is_asked_to_end_ = true;
    for (const auto& child : children_) {
      if (child && !event.is_from_terminal) child->send(event.signal);
      if (child) child->send(SIGCONT);
    }
  }
  /// When the ranks that were asked to end have to have ended.
  [[nodiscard]] Deadline patience_ends() const noexcept { return patience_ends_; }
  void kill(const Tell& tell) {
    patience_ends_ = Deadline::max();
    const auto grace = std::chrono::duration_cast<std::chrono::seconds>(job_.grace).count();
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      if (!children_[rank]) continue;
      tell(fmt::format("Rank {} has not ended within {} s; it is killed.", rank, grace));
      children_[rank]->send(SIGKILL);
    }
  }
  /// Looks at every rank that may have ended: one signal may stand for several ends.
  Result<void> hear_ends(const Tell& tell) {
    for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
      const auto end = children_[rank] ? children_[rank]->try_wait() : std::nullopt;
      if (end) PINTLE_TRY(hear_end(rank, *end, tell));
    }
    return {};
  }

 private:
  Result<void> start(std::uint32_t rank) {
    PINTLE_ASSIGN(child,
                  base::ChildProcess::start(
                      {.arguments = job_.arguments,
                       .environment = {fmt::format("PINTLE_RANK={}", rank), fmt::format("PINTLE_RANKS={}", job_.ranks),
                                       fmt::format("PINTLE_GROUP_MEMORY={}", rendezvous_.descriptor())},
                       .inherited = rendezvous_.descriptor()}));
    children_[rank] = std::move(child);
    ++running_;
    return {};
  }
  Result<void> hear_end(std::uint32_t rank, const base::ProcessEnd& end, const Tell& tell) {
    children_[rank].reset();
    --running_;
    ends_[rank].end = end;
    if (end.is_success() || is_asked_to_end_ || restarts_ == job_.restarts) {
      rendezvous_.mark_gone(rank, end);
      return {};
    }
    tell(fmt::format("Rank {} {}; it is started again ({} of {}).", rank, text(end), ++restarts_, job_.restarts));
    ++ends_[rank].restarts;
    rendezvous_.vacate(rank);
    return start(rank);
  }

  const Job& job_;
  Rendezvous& rendezvous_;
  std::vector<std::optional<base::ChildProcess>> children_;  // by rank; empty once the rank's end is known
  std::vector<RankEnd> ends_;
  std::uint32_t running_ = 0;
  std::uint32_t restarts_ = 0;
  bool is_asked_to_end_ = false;
  Deadline patience_ends_ = Deadline::max();
};

}  // namespace

Result<std::vector<RankEnd>> launch_ranks(const Job& job, const Tell& tell) {
  PINTLE_ASSIGN(rendezvous, Rendezvous::shared(job.ranks));
  const base::ProcessEvents events;
  Ranks ranks(job, *rendezvous);
  PINTLE_TRY(ranks.start_all());
  while (ranks.is_any_running()) {
    const auto event = events.wait(ranks.patience_ends());
    if (event.signal == 0) ranks.kill(tell);
    else if (event.signal != SIGCHLD) ranks.pass_on(event);
    PINTLE_TRY(ranks.hear_ends(tell));
  }
  return ranks.ends();
}

}  // namespace pintle::cli
