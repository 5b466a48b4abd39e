#include "collective/group/operate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/contain.h"
#include "collective/fold/reduction.h"
#include "collective/group/executor.h"
#include "collective/group/reach.h"

namespace pintle::collective {
namespace {

/// Below so many bytes, telling each other where memory is takes longer than moving it.
constexpr std::uint64_t least_to_reach = 64 << 10;
constexpr std::uint64_t small = 64 << 10;
/// Below so many bytes only the number of messages counts.
constexpr std::uint64_t tiny = 8 << 10;
/// Across a network `tiny` is at least so many bytes for each rank, and a ring never pays, since its n messages go one
/// after the other. Both follow from the model in docs/collectives.md: no network was at hand to measure.
constexpr std::uint64_t tiny_far_share = 128;
/// Up to so many ranks every rank sends to every other.
constexpr std::uint32_t few = 8;

void add_items(Schedule& schedule, Operation operation, const Work& work) {
  switch (operation) {
    case Operation::all_reduce: return schedule_all_reduce(schedule, work);
    case Operation::reduce: return schedule_reduce(schedule, work);
    case Operation::reduce_scatter: return schedule_reduce_scatter(schedule, work);
    case Operation::all_gather: return schedule_all_gather(schedule, work);
    case Operation::gather: return schedule_gather(schedule, work);
    case Operation::scatter: return schedule_scatter(schedule, work);
    case Operation::broadcast: return schedule_broadcast(schedule, work);
    case Operation::all_to_all: return schedule_all_to_all(schedule, work);
    default: return schedule_barrier(schedule);
  }
}

Result<void> execute(GroupState& group, const Work& work, Deadline deadline) {
  return Executor(group, group.schedule(), work.op, work.dtype, work.element_bytes).run(deadline);
}

Result<void> run_schedule(GroupState& group, const Work& work, Deadline deadline) {
  group.schedule().clear();
  add_items(group.schedule(), group.call().operation, work);
  return execute(group, work, deadline);
}

[[nodiscard]] bool native_has(const NativeCollectives& native, const Call& call) noexcept {
  switch (call.operation) {
    case Operation::all_reduce:
    case Operation::reduce_scatter: return native.reduces(call.op, call.dtype);
    case Operation::all_gather:
    case Operation::broadcast:
    case Operation::all_to_all: return true;
    default: return false;
  }
}

/// The transport's own operation knows no deadline. So a barrier first shows that every rank has come with the same
/// call.
Result<void> run_native(GroupState& group, NativeCollectives& native, const Work& work, Deadline deadline) {
  group.schedule().clear();
  schedule_barrier(group.schedule());
  PINTLE_TRY(execute(group, work, deadline));
  const std::uint64_t part = work.part_bytes(), whole = part * group.ranks();
  const Call& call = group.call();
  switch (call.operation) {
    case Operation::all_reduce: return native.all_reduce({work.to, part}, {work.from, part}, call.dtype, call.op);
    case Operation::reduce_scatter:
      return native.reduce_scatter({work.to, part}, {work.from, whole}, call.dtype, call.op);
    case Operation::all_gather: return native.all_gather({work.to, whole}, {work.from, part});
    case Operation::broadcast: return native.broadcast({work.to, part}, call.root);
    default: return native.all_to_all({work.to, whole}, {work.from, whole});
  }
}

/// The bytes of the larger buffer, by which the algorithm is chosen.
[[nodiscard]] std::uint64_t size_of(const GroupState& group, const Call& call, const Work& work) noexcept {
  const bool has_parts = call.operation != Operation::all_reduce && call.operation != Operation::reduce &&
                         call.operation != Operation::broadcast;
  return work.part_bytes() * (has_parts ? group.ranks() : 1);
}

[[nodiscard]] bool takes_native(GroupState& group, const Call& call, std::uint64_t bytes) noexcept {
  NativeCollectives* const native = group.transport().native();
  if (native == nullptr || !native_has(*native, call)) return false;
  if (call.algorithm == Algorithm::native) return true;
  const bool is_free = !call.is_reproducible || !folds(call.operation) || !depends_on_order(call.op, call.dtype);
  return call.algorithm == Algorithm::automatic && is_free && native->is_faster(bytes);
}

Result<void> run(GroupState& group, Work& work, Deadline deadline) {
  const Call& call = group.call();
  const std::uint64_t bytes = size_of(group, call, work);
  if (takes_native(group, call, bytes)) {
    return run_native(group, *group.transport().native(), work, deadline);
  }
  const bool is_open = call.algorithm == Algorithm::automatic || call.algorithm == Algorithm::direct;
  if (is_open && group.transport().shares_memory() && group.ranks() > 1 && bytes >= least_to_reach && can_reach(call)) {
    return reach(group, work, deadline);
  }
  const Distance distance = group.window().is_addressable() ? Distance::near : Distance::far;
  work.algorithm =
      call.algorithm == Algorithm::automatic ? choose(call.operation, bytes, group.ranks(), distance) : call.algorithm;
  if (group.ranks() == 1) work.algorithm = Algorithm::direct;
  return run_schedule(group, work, deadline);
}

/// Begins every operation, and makes a failure inside it the group's.
template <class Body>
Result<void> within(GroupState& group, Call& call, Body body) {
  const auto running = group.begin(call);
  if (!running) return running.error();
  const auto done = base::contain("running a collective operation", body);
  if (!done) return group.fail(done.error());
  return {};
}

Result<void> operate_together(GroupState& group, HostCall& made, Deadline deadline) {
  auto& [call, work, side, other] = made;
  if (folds(call.operation)) {
    PINTLE_TRY(check_reduction(call.op, call.dtype));
    work.folds_at_owner =
        needs_accumulator(call.op, call.dtype) || (call.is_reproducible && depends_on_order(call.op, call.dtype));
  }
  call.count = work.part;
  if (call.algorithm == Algorithm::native) {
    NativeCollectives* const native = group.transport().native();
    if (native == nullptr || !native_has(*native, call)) {
      return Error(Errc::unsupported,
                   fmt::format("Transport {} has no {} of its own for {} of {}.", group.transport().name(),
                               name(call.operation), pintle::name(call.op), pintle::name(call.dtype)));
    }
  }
  work.op = call.op;
  work.dtype = call.dtype;
  work.root = call.root;
  work.element_bytes = bytes_of(call.dtype);
  work.piece = group.layout().payload() / work.element_bytes * work.element_bytes;
  return within(group, call, [&] { return run(group, work, deadline); });
}

Result<void> operate_message(GroupState& group, HostCall& made, Deadline deadline) {
  auto& [call, work, side, other] = made;
  const auto use = group.use();
  if (!use) return use.error();
  const bool sends = side == Side::sends;
  std::uint64_t& letters = sends ? group.letters(other).sent : group.letters(other).received;
  call.count = work.part;
  call.number = letters + 1;
  return within(group, call, [&]() -> Result<void> {
    ++letters;
    const std::uint64_t bytes = work.part * bytes_of(call.dtype);
    group.schedule().clear();
    if (sends) group.schedule().send(other, work.from, bytes);
    else group.schedule().receive(other, work.to, bytes);
    return Executor(group, group.schedule(), call.op, call.dtype, bytes_of(call.dtype)).run(deadline);
  });
}

}  // namespace

Algorithm choose(Operation operation, std::uint64_t bytes, std::uint32_t ranks, Distance distance) noexcept {
  const bool is_small = bytes < small;
  switch (operation) {
    case Operation::all_reduce:
      if (ranks <= few) return Algorithm::direct;
      if (distance == Distance::far) {
        return bytes < std::max(tiny, ranks * tiny_far_share) ? Algorithm::tree : Algorithm::halving_doubling;
      }
      if (bytes < tiny) return Algorithm::tree;
      return is_small ? Algorithm::halving_doubling : Algorithm::ring;
    case Operation::broadcast:
    case Operation::reduce:
      if (ranks <= 2) return Algorithm::direct;
      return is_small ? Algorithm::tree : Algorithm::ring;
    case Operation::reduce_scatter:
    case Operation::all_gather: return is_small || ranks <= few ? Algorithm::direct : Algorithm::ring;
    default: return Algorithm::direct;
  }
}

Result<void> operate(GroupState& group, HostCall& made, Deadline deadline) {
  return made.call.operation == Operation::send_recv ? operate_message(group, made, deadline)
                                                     : operate_together(group, made, deadline);
}

}  // namespace pintle::collective
