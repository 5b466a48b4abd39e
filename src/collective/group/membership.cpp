// How groups come to be: from threads, from processes, from a part of another group, and after a failure.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/inside.h"
#include "base/settings.h"
#include "base/timeout.h"
#include "collective/group/founding.h"
#include "collective/group/group_state.h"
#include "collective/group/notes.h"
#include "collective/group/waiting.h"
#include "collective/mpi/mpi_transport.h"
#include "collective/shm/rendezvous.h"
#include "pintle/group.h"

namespace pintle {
namespace collective {
namespace {

using State = std::shared_ptr<GroupState>;

/// Ranks of this process that are made at the same time.
class Founders {
 public:
  Founders(std::shared_ptr<Rendezvous> rendezvous, const GroupOptions& options)
      : rendezvous_(std::move(rendezvous)), options_(options), states_(rendezvous_->ranks()) {}

  /// Every rank has to come at the same time, so each gets a thread for as long as that takes.
  Result<std::vector<State>> run(Deadline deadline) {
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < states_.size() && !has_failed_; ++rank) {
      const auto started = base::contain("starting a rank", [&]() -> Result<void> {
        threads.emplace_back([this, rank, deadline] { found_one(rank, deadline); });
        return {};
      });
      if (!started) fail(rank, started.error());
    }
    threads.clear();
    if (failure_) return *failure_;
    return std::move(states_);
  }

 private:
  void found_one(std::uint32_t rank, Deadline deadline) noexcept {
    auto state = base::contain("making a group", [&] { return found(rendezvous_, rank, 0, options_.label, deadline); });
    if (state) states_[rank] = *std::move(state);
    else fail(rank, state.error());
  }
  /// The other ranks need not wait for this one. Their errors come after its error, and are not the cause.
  void fail(std::uint32_t rank, const Error& error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    has_failed_ = true;
    rendezvous_->mark_gone(rank, {});
  }

  std::shared_ptr<Rendezvous> rendezvous_;
  const GroupOptions& options_;
  std::vector<State> states_;
  std::mutex mutex_;
  std::optional<Error> failure_;  // the first
  std::atomic<bool> has_failed_{false};
};

Result<State> join_shared(const base::Settings& settings, const GroupOptions& options, Deadline deadline) {
  if (!settings.rank || !settings.ranks || !settings.group_memory) {
    return Error(Errc::unavailable,
                 "This process was not started as a rank: PINTLE_RANK, PINTLE_RANKS and PINTLE_GROUP_MEMORY are not "
                 "set. `pintle launch -n 2 PROGRAM` sets them.");
  }
  PINTLE_ASSIGN(rendezvous, Rendezvous::inherited(static_cast<int>(*settings.group_memory)));
  if (rendezvous->ranks() != *settings.ranks || *settings.rank >= *settings.ranks) {
    return Error(Errc::invalid_argument, fmt::format("Rank {} of {} (PINTLE_RANK, PINTLE_RANKS) does not fit the {} "
                                                     "ranks of PINTLE_GROUP_MEMORY.",
                                                     *settings.rank, *settings.ranks, rendezvous->ranks()));
  }
  return found(rendezvous, *settings.rank, 0, options.label, deadline);
}

Result<State> join_with_mpi(const base::Settings& settings, const GroupOptions& options, Deadline deadline) {
  PINTLE_ASSIGN(transport, join_mpi(deadline, settings.mpi_shared ? Reach::any : Reach::remote_only));
  const Exchange nobody = [](const Note&, Deadline) -> Result<std::vector<Note>> {
    return Error(Errc::internal, "The mpi transport agrees by itself.");
  };
  return GroupState::create({std::move(transport), nullptr, options.label, 1}, nobody, deadline);
}

Result<State> join_as(const base::Settings& settings, const GroupOptions& options, Deadline deadline) {
  if (options.transport == "shm") return join_shared(settings, options, deadline);
  if (options.transport == "mpi") return join_with_mpi(settings, options, deadline);
  if (!options.transport.empty()) {
    return Error(Errc::invalid_argument, fmt::format("Transport \"{}\" is none that processes join; they are shm and "
                                                     "mpi. Group::threads makes ranks in one process.",
                                                     options.transport));
  }
  if (settings.rank || settings.ranks || settings.group_memory) return join_shared(settings, options, deadline);
  if (is_mpi_job()) return join_with_mpi(settings, options, deadline);
  PINTLE_ASSIGN(rendezvous, Rendezvous::in_process(1));
  return found(rendezvous, 0, 0, options.label, deadline);
}

/// What a rank says when a group is split.
struct Choice {
  std::uint32_t has_color = 0, color = 0, key = 0;
};

/// The ranks of the own color, in their new order; this rank alone where it has none.
[[nodiscard]] std::vector<std::uint32_t> members_of(const std::vector<Note>& notes, std::uint32_t own) {
  std::vector<Choice> choices(notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) std::memcpy(&choices[i], notes[i].data(), sizeof(Choice));
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < notes.size(); ++rank) {
    const bool is_ours =
        choices[own].has_color == 1 && choices[rank].has_color == 1 && choices[rank].color == choices[own].color;
    if (is_ours || rank == own) members.push_back(rank);
  }
  std::ranges::sort(members, {}, [&](std::uint32_t rank) { return std::pair(choices[rank].key, rank); });
  return members;
}

/// Exchanges among the whole group. Each part of the group looks only at its own notes. Every rank takes part in the
/// same number of exchanges, whatever happens to its part.
class PartialExchange {
 public:
  PartialExchange(GroupState& group, std::vector<std::uint32_t> members)
      : exchange_(exchange_of(group)), members_(std::move(members)) {}

  [[nodiscard]] Exchange exchange() {
    return [this](const Note& own, Deadline deadline) -> Result<std::vector<Note>> {
      ++count_;
      PINTLE_ASSIGN(all, exchange_(own, deadline));
      std::vector<Note> notes;
      for (const std::uint32_t rank : members_) notes.push_back(all[rank]);
      return notes;
    };
  }
  Result<void> fill_up(Deadline deadline) {
    for (; count_ < most_exchanges; ++count_) PINTLE_TRY(exchange_({}, deadline));
    return {};
  }

 private:
  static constexpr int most_exchanges = 2;  // of a window

  const Exchange exchange_;
  const std::vector<std::uint32_t> members_;
  int count_ = 0;
};

Result<State> part_of(GroupState& group, const std::vector<std::uint32_t>& members, const std::string& label,
                      const Exchange& exchange, std::uint64_t generation, Deadline deadline) {
  PINTLE_ASSIGN(transport, group.transport().split(members, deadline));
  return GroupState::create({std::move(transport), nullptr, label, generation}, exchange, deadline);
}

Result<State> split(GroupState& group, const Choice& choice, const GroupOptions& options, Deadline deadline) {
  Call call;
  call.operation = Operation::set_up;
  const auto running = group.begin(call);
  if (!running) return running.error();
  Note note{};
  std::memcpy(note.data(), &choice, sizeof choice);
  PINTLE_ASSIGN(notes, exchange_of(group)(note, deadline));
  const auto members = members_of(notes, group.rank());
  PartialExchange partial(group, members);
  auto state = part_of(group, members, options.label, partial.exchange(), group.generation(), deadline);
  PINTLE_TRY(partial.fill_up(deadline));
  PINTLE_TRY(agree(state ? Result<void>() : Result<void>(state.error()), exchange_of(group), deadline));
  return state;
}

/// Steps of one `shrink`: the ranks appear, then come the exchanges of what is made. Each try has its own numbers.
constexpr std::uint64_t steps_of_a_shrink = 16;

/// Which ranks appear. Waits until half of the time is over for a rank that is neither here nor known to be lost.
Result<std::vector<bool>> roll_call(GroupState& group, std::uint64_t step, Deadline deadline) {
  PINTLE_TRY(group.appear(step));
  std::vector<bool> is_here(group.ranks());
  while (true) {
    bool is_complete = true;
    for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
      is_here[rank] = group.has_appeared(rank, step);
      is_complete = is_complete && (is_here[rank] || group.has_left(rank) || group.transport().loss(rank));
    }
    if (is_complete || Clock::now() >= deadline) return is_here;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// Ranks may have seen different ranks appear. The first rank whose number stands in rank 0's piece decides for all.
Result<std::vector<std::uint32_t>> decide(GroupState& group, const std::vector<bool>& is_here, std::uint64_t shrink) {
  using Proposal = std::array<std::byte, Layout::proposal_bytes>;
  Proposal own{};
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    if (is_here[rank]) own[rank / 8] |= std::byte{1} << rank % 8;
  }
  const std::uint64_t place = Layout::proposals + shrink * Layout::proposal_bytes;
  PINTLE_TRY(group.window().put(group.rank(), place, own));
  std::uint64_t before = 0;
  Window::word_in(group.window().at(0), Layout::decisions + 8 * shrink)
      .compare_exchange_strong(before, group.rank() + 1);
  const std::uint64_t winner = before == 0 ? group.rank() : before - 1;
  Proposal decided{};
  if (winner >= group.ranks()) return Error(Errc::internal, fmt::format("Rank {} is none.", winner));
  PINTLE_TRY(group.window().get(static_cast<std::uint32_t>(winner), place, decided));
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    if ((decided[rank / 8] & std::byte{1} << rank % 8) != std::byte{0}) members.push_back(rank);
  }
  return members;
}

Result<State> shrink(GroupState& group, Deadline deadline) {
  if (!group.transport().survives_loss()) {
    return Error(Errc::unsupported,
                 fmt::format("Groups over {} do not survive the loss of a rank.", group.transport().name()));
  }
  const auto use = group.use();
  if (!use) return use.error();
  group.fail(Error(Errc::cancelled, fmt::format("{} is given up for a smaller one.", group.text())));
  const std::uint64_t count = group.count_shrink();
  if (count > Layout::most_shrinks) {
    return Error(Errc::invalid_argument,
                 fmt::format("{} has been shrunk {} times, which is the limit.", group.text(), Layout::most_shrinks));
  }
  std::uint64_t step = count * steps_of_a_shrink;
  const Deadline half = Clock::now() + (deadline - Clock::now()) / 2;
  PINTLE_ASSIGN(is_here, roll_call(group, step, half));
  PINTLE_ASSIGN(members, decide(group, is_here, count - 1));
  if (std::ranges::find(members, group.rank()) == members.end()) {
    return Error(Errc::peer_lost,
                 fmt::format("{} goes on without rank {}, which came too late.", group.text(), group.rank()));
  }
  return part_of(group, members, group.label(), rescue_exchange_of(group, members, step), group.generation() + 1,
                 deadline);
}

Result<State> rebuild(GroupState& group, Deadline deadline) {
  if (group.rendezvous() == nullptr) {
    return Error(Errc::unsupported,
                 fmt::format("{} cannot be rebuilt: it was made by split or shrink, or over mpi.", group.text()));
  }
  const auto use = group.use();
  if (!use) return use.error();
  group.fail(Error(Errc::cancelled, fmt::format("{} is given up for a new one.", group.text())));
  return found(group.rendezvous(), group.rank(), group.generation() + 1, group.label(), deadline);
}

}  // namespace
}  // namespace collective

Result<std::vector<Group>> Group::threads(std::uint32_t ranks, const GroupOptions& options) {
  return base::enter("making a group", options.timeout, [&](Deadline deadline) -> Result<std::vector<Group>> {
    base::watch_forks();
    PINTLE_ASSIGN(rendezvous, collective::Rendezvous::in_process(ranks));
    std::vector<Group> groups;
    PINTLE_ASSIGN(states, collective::Founders(std::move(rendezvous), options).run(deadline));
    for (auto& state : states) groups.push_back(Inside::make<Group>(std::move(state)));
    return groups;
  });
}

Result<Group> Group::join(const GroupOptions& options) {
  return base::enter("joining a group", options.timeout, [&](Deadline deadline) -> Result<Group> {
    base::watch_forks();
    PINTLE_ASSIGN(settings, base::settings());
    PINTLE_ASSIGN(state, collective::join_as(*settings, options, deadline));
    return Inside::make<Group>(std::move(state));
  });
}

Result<std::optional<Group>> Group::split(std::optional<std::uint32_t> color, std::uint32_t key,
                                          const GroupOptions& options) {
  if (!state_) return Error(Errc::invalid_argument, "The group is empty.");
  return base::enter("splitting a group", options.timeout, [&](Deadline deadline) -> Result<std::optional<Group>> {
    const collective::Choice choice{color ? 1u : 0u, color.value_or(0), key};
    PINTLE_ASSIGN(state, collective::split(*state_, choice, options, deadline));
    if (!color) return std::optional<Group>();
    return std::optional<Group>(Inside::make<Group>(std::move(state)));
  });
}

Result<Group> Group::shrink(Timeout timeout) {
  if (!state_) return Error(Errc::invalid_argument, "The group is empty.");
  return base::enter("shrinking a group", timeout, [&](Deadline deadline) -> Result<Group> {
    PINTLE_ASSIGN(state, collective::shrink(*state_, deadline));
    return Inside::make<Group>(std::move(state));
  });
}

Result<Group> Group::rebuild(Timeout timeout) {
  if (!state_) return Error(Errc::invalid_argument, "The group is empty.");
  return base::enter("rebuilding a group", timeout, [&](Deadline deadline) -> Result<Group> {
    PINTLE_ASSIGN(state, collective::rebuild(*state_, deadline));
    return Inside::make<Group>(std::move(state));
  });
}

}  // namespace pintle
