// Groups: of one rank, and of two of which the first runs out of memory.
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include "allocation_sweep/operations.h"
#include "pintle/group.h"

namespace pintle::allocation_sweep {
namespace {

using namespace std::chrono_literals;

constexpr Duration brief = 2s;

/// What a rank that is not told in time, or is told, may answer where the other has run out of memory.
bool is_of_the_other(const Error& error) {
  return error.code() == Errc::out_of_memory || error.code() == Errc::peer_lost || error.code() == Errc::timeout;
}

using Work = std::function<Result<void>(Group&)>;

/// `work` on both ranks, in a window on the first. Where both have ended well, so does a barrier.
Result<void> on_two(Run& run, const Work& work) {
  PINTLE_ASSIGN(groups, Group::threads(2, {.label = words}));
  Result<void> theirs;
  Result<void> mine;
  {
    const std::jthread other([&] {
      theirs = work(groups[1]);
      groups[1] = Group();
    });
    mine = during([&] { return work(groups[0]); });
    groups[0] = Group();
  }
  run.check(theirs || (failed().happened && is_of_the_other(theirs.error())));
  if (!mine && failed().happened && is_of_the_other(mine.error())) return {};
  return mine;
}

Result<void> threads(Run& run) {
  PINTLE_ASSIGN(groups, during([] { return Group::threads(2, {.label = words}); }));
  run.check(groups.size() == 2);
  during([&] {
    groups.clear();
    return 0;
  });
  return {};
}

Result<void> join(Run& run) {
  PINTLE_ASSIGN(group, during([] { return Group::join({.label = words}); }));
  run.check(group.ranks() == 1);
  return {};
}

Result<void> asked(Run& run) {
  PINTLE_ASSIGN(groups, Group::threads(1, {.label = words}));
  run.check(during([&] { return groups[0].text(); }).starts_with("[Group"));
  return during([&] { return groups[0].health(); });
}

Result<void> refused(Run& run) {
  PINTLE_ASSIGN(groups, Group::threads(1, {.label = words}));
  Words from(size, 1), to(size + 1);
  run.check(!during([&] { return groups[0].run(Collective::all_reduce(to, from, ReduceOp::sum)); }));
  run.check(!during([&] { return groups[0].run(Collective::broadcast(to, 17)); }));
  run.check(!during([&] { return groups[0].run(Collective::send(from, 0)); }));
  return groups[0].run(Collective::barrier());
}

Result<void> all_reduce(Run& run) {
  return on_two(run, [](Group& group) -> Result<void> {
    std::array<std::uint32_t, size> values{};
    return group.run(Collective::all_reduce(values, ReduceOp::sum), brief);
  });
}

Result<void> all_reduce_by_ring(Run& run) {
  return on_two(run, [](Group& group) -> Result<void> {
    static thread_local std::array<std::uint32_t, 100'000> values{};
    return group.run(Collective::all_reduce(values, ReduceOp::sum).with(Algorithm::ring), 2s);
  });
}

Result<void> each_in_turn(Run& run) {
  return on_two(run, [](Group& group) -> Result<void> {
    std::array<std::uint32_t, size> one{};
    std::array<std::uint32_t, 2 * size> both{};
    PINTLE_TRY(group.run(Collective::reduce(one, std::array<std::uint32_t, size>{}, ReduceOp::max, 0), brief));
    PINTLE_TRY(group.run(Collective::reduce_scatter(one, both, ReduceOp::sum), brief));
    PINTLE_TRY(group.run(Collective::all_gather(both, one), brief));
    PINTLE_TRY(group.run(Collective::gather(both, one, 0), brief));
    PINTLE_TRY(group.run(Collective::scatter(one, both, 0), brief));
    PINTLE_TRY(group.run(Collective::broadcast(one, 0), brief));
    PINTLE_TRY(group.run(Collective::all_to_all(both, std::array<std::uint32_t, 2 * size>{}), brief));
    PINTLE_TRY(group.rank() == 0 ? group.run(Collective::send(one, 1), brief)
                                 : group.run(Collective::recv(one, 0), brief));
    return group.run(Collective::barrier(), brief);
  });
}

Result<void> split(Run& run) {
  return on_two(run, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(part, group.split(group.rank(), 0, {.label = words, .timeout = 2s}));
    return part ? part->run(Collective::barrier(), brief) : Result<void>();
  });
}

}  // namespace

std::span<const Scenario> group_operations() {
  static constexpr std::array<Scenario, 8> all{{{"Group_threads", threads},
                                                {"Group_join", join},
                                                {"Group_asked", asked},
                                                {"Group_refused", refused},
                                                {"Group_all_reduce", all_reduce},
                                                {"Group_all_reduce_by_ring", all_reduce_by_ring},
                                                {"Group_each_in_turn", each_in_turn},
                                                {"Group_split", split}}};
  return all;
}

}  // namespace pintle::allocation_sweep
