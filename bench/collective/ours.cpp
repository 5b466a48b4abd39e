// Pintle's side: groups of the job's processes, and of threads of its first one.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include "bench/collective/side.h"
#include "collective/shm/rendezvous.h"
#include "pintle/group.h"

namespace pintle::bench {
namespace {

Result<void> operate(Group& group, const CollectiveWork& work, CollectiveMemory& memory) {
  switch (work.operation) {
    case CollectiveOperation::all_reduce:
      return group.run(Collective::all_reduce(memory.to, memory.from, ReduceOp::sum));
    case CollectiveOperation::reduce_scatter:
      return group.run(Collective::reduce_scatter(memory.to, memory.from, ReduceOp::sum));
    case CollectiveOperation::all_gather: return group.run(Collective::all_gather(memory.to, memory.from));
    case CollectiveOperation::broadcast: return group.run(Collective::broadcast(memory.to, 0));
    case CollectiveOperation::all_to_all: break;
  }
  return group.run(Collective::all_to_all(memory.to, memory.from));
}

/// Rank 0 makes memory to meet in; every rank opens it. Answers the descriptor, which stays open.
Result<int> open_meeting(const Job& job) {
  std::string path;
  Error failure(Errc::unavailable, "Rank 0 has no rendezvous.");
  auto made = job.rank() == 0 ? collective::Rendezvous::shared(job.ranks())
                              : Result<std::shared_ptr<collective::Rendezvous>>(failure);
  if (made) path = fmt::format("/proc/{}/fd/{}", ::getpid(), (*made)->descriptor());
  path = job.from_first(path);
  if (path.empty()) return made.error();
  const int descriptor = ::open(path.c_str(), O_RDWR);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  const auto opened = descriptor >= 0 ? Result<void>() : Error(Errc::io, fmt::format("{} cannot be opened.", path));
  PINTLE_TRY(job.agree(opened));  // rank 0 keeps its own until the others have theirs
  return descriptor;
}

/// The job's one group over a transport: a process joins once.
Result<Group*> group_of(const std::string& transport) {
  static std::optional<Group>& shared = *new std::optional<Group>;
  static std::optional<Group>& over_mpi = *new std::optional<Group>;
  std::optional<Group>& group = transport == "shm" ? shared : over_mpi;
  if (group) return &*group;
  PINTLE_ASSIGN(joined, Group::join({.label = "bench", .transport = transport, .timeout = {}}));
  group = std::move(joined);
  return &*group;
}

/// Ranks as threads of this process, which sleep between blocks.
class Team final : public Side {
 public:
  Team(const Job& job, const CollectiveWork& work) : job_(job), work_(work) {}

  Result<void> start() {
    if (job_.rank() != 0) return {};
    PINTLE_ASSIGN(groups, Group::threads(work_.ranks, {.label = "bench", .transport = {}, .timeout = {}}));
    for (std::uint32_t rank = 0; rank < work_.ranks; ++rank)
      members_.push_back(std::make_unique<Member>(std::move(groups[rank]), work_, rank));
    return {};
  }

  Result<void> run(const BlockPlan& plan, std::span<double> samples) override {
    if (job_.rank() != 0) {
      job_.await_first();
      return {};
    }
    std::vector<std::jthread> threads;
    for (const auto& member : members_) {
      member->samples.assign(samples.size(), 0);
      threads.emplace_back([&, here = member.get()] {
        take_place(here->rank, work_.ranks);
        here->end = time_calls([&] { return operate(here->group, work_, here->memory); }, plan, here->samples);
      });
    }
    threads.clear();
    job_.release_others();
    for (const auto& member : members_) {
      PINTLE_TRY(member->end);
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = std::max(samples[i], member->samples[i]);
    }
    return {};
  }

  [[nodiscard]] std::vector<std::vector<float>> results() const override {
    std::vector<std::vector<float>> all;
    for (const auto& member : members_) all.push_back(member->memory.to);
    return all;
  }

 private:
  struct Member {
    Member(Group own, const CollectiveWork& work, std::uint32_t place)
        : group(std::move(own)), memory(work, place), rank(place) {}
    Group group;
    CollectiveMemory memory;
    std::uint32_t rank;
    std::vector<double> samples;
    Result<void> end;
  };

  const Job& job_;
  const CollectiveWork work_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace

Result<void> prepare_ours(const Job& job) {
  PINTLE_ASSIGN(descriptor, open_meeting(job));
  const auto set = [](const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); };
  set("PINTLE_RANK", fmt::to_string(job.rank()));
  set("PINTLE_RANKS", fmt::to_string(job.ranks()));
  set("PINTLE_GROUP_MEMORY", fmt::to_string(descriptor));
  return {};
}

Sided ours_in_processes(const Job& job, const CollectiveWork& work, const std::string& transport) {
  PINTLE_ASSIGN(group, group_of(transport));
  auto memory = std::make_unique<CollectiveMemory>(work, job.rank());
  CollectiveMemory& here = *memory;
  return side_of_calls(std::move(memory), [&here, group = group, work] { return operate(*group, work, here); });
}

Sided ours_in_threads(const Job& job, const CollectiveWork& work) {
  auto team = std::make_unique<Team>(job, work);
  PINTLE_TRY(job.agree(team->start()));
  return Sided(std::move(team));
}

}  // namespace pintle::bench
