#include "cli/collective_trial.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace pintle::cli {
namespace {

/// A byte that no checked value has.
constexpr std::byte poison{0xa5};

struct Sizes {
  std::uint64_t from;
  std::uint64_t to;
};

/// Bytes that a rank gives and gets.
Sizes sizes_of(Operation operation, std::uint64_t whole, std::uint64_t part, bool is_root) {
  switch (operation) {
    case Operation::reduce_scatter: return {whole, part};
    case Operation::all_gather: return {part, whole};
    case Operation::broadcast: return {0, whole};
    case Operation::reduce: return {whole, is_root ? whole : 0};
    case Operation::gather: return {part, is_root ? whole : 0};
    case Operation::scatter: return {is_root ? whole : 0, part};
    case Operation::barrier: return {0, 0};
    default: return {whole, whole};
  }
}

}  // namespace

Trial::Trial(Group& group, const TrialSubject& subject, const TrialTerms& terms)
    : group_(group),
      subject_(subject),
      terms_(terms),
      part_(subject.bytes / group.ranks()),
      part_count_(part_ / bytes_of(subject.dtype)) {
  const Sizes sizes = sizes_of(subject.operation, subject.bytes, part_, is_root());
  from_.resize(sizes.from);
  to_.resize(sizes.to);
}

Result<void> Trial::call() {
  const auto& [operation, dtype, reduction, root, bytes] = subject_;
  switch (operation) {
    case Operation::all_reduce: return run(Collective::all_reduce(to(), from(), reduction));
    case Operation::reduce_scatter: return run(Collective::reduce_scatter(to(), from(), reduction));
    case Operation::all_gather: return run(Collective::all_gather(to(), from()));
    case Operation::broadcast: return run(Collective::broadcast(to(), root));
    case Operation::reduce: return run(Collective::reduce(to(), from(), reduction, root));
    case Operation::gather: return run(Collective::gather(to(), from(), root));
    case Operation::scatter: return run(Collective::scatter(to(), from(), root));
    case Operation::all_to_all: return run(Collective::all_to_all(to(), from()));
    case Operation::send_recv: return exchange_with_neighbours();
    case Operation::barrier: break;
  }
  return run(Collective::barrier());
}

Result<void> Trial::run(const Collective& operation) {
  const Collective chosen = operation.with(terms_.algorithm);
  return group_.run(terms_.is_reproducible ? chosen.reproducible() : chosen, terms_.timeout);
}

/// Even ranks send first: a `send` may wait for its `recv`.
Result<void> Trial::exchange_with_neighbours() {
  const std::uint32_t next = (group_.rank() + 1) % group_.ranks();
  const std::uint32_t last = (group_.rank() + group_.ranks() - 1) % group_.ranks();
  if (group_.rank() % 2 == 0) {
    PINTLE_TRY(run(Collective::send(from(), next)));
    return run(Collective::recv(to(), last));
  }
  PINTLE_TRY(run(Collective::recv(to(), last)));
  return run(Collective::send(from(), next));
}

void Trial::give(const CheckValues& values) {
  const Operation operation = subject_.operation;
  std::ranges::fill(to_, poison);
  if (info(operation).folds) return lay_period(from_, values.given(subject_.reduction, group_.rank()), 0);
  const auto sent = values.sent(group_.rank());
  if (operation != Operation::broadcast) lay_period(from_, sent, 0);
  else if (is_root()) lay_period(to_, sent, 0);
}

std::uint64_t Trial::wrong_in(const Stretch& stretch) const {
  return count_wrong(std::span(to_).subspan(stretch.offset, stretch.bytes), stretch.period, stretch.first);
}

/// Checks each rank's part of the result; in all_to_all that is the part that was meant for this rank.
std::uint64_t Trial::wrong_parts(const CheckValues& values) const {
  std::uint64_t wrong = 0;
  const std::uint64_t first = subject_.operation == Operation::all_to_all ? group_.rank() * part_count_ : 0;
  for (std::uint32_t rank = 0; rank < group_.ranks() && !to_.empty(); ++rank)
    wrong += wrong_in({rank * part_, part_, values.sent(rank), first});
  return wrong;
}

std::uint64_t Trial::wrong(const CheckValues& values) const {
  const std::uint64_t own_part = group_.rank() * part_count_;
  switch (subject_.operation) {
    case Operation::all_reduce:
    case Operation::reduce: return wrong_in({0, to_.size(), values.folded(subject_.reduction), 0});
    case Operation::reduce_scatter: return wrong_in({0, to_.size(), values.folded(subject_.reduction), own_part});
    case Operation::broadcast: return wrong_in({0, to_.size(), values.sent(subject_.root), 0});
    case Operation::scatter: return wrong_in({0, to_.size(), values.sent(subject_.root), own_part});
    case Operation::send_recv:
      return wrong_in({0, to_.size(), values.sent((group_.rank() + group_.ranks() - 1) % group_.ranks()), 0});
    default: return wrong_parts(values);
  }
}

/// One rank comes late, and no rank may leave before it has come.
Result<std::uint64_t> Trial::check_barrier() {
  if (group_.rank() == subject_.root) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::array<double, 2> own{};
  const auto now = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
  own[0] = now();
  PINTLE_TRY(call());
  own[1] = now();
  std::vector<double> all(own.size() * group_.ranks());
  PINTLE_TRY(group_.run(Collective::all_gather(all, own)));
  double last_came = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) last_came = std::max(last_came, all[i]);
  return std::uint64_t{own[1] < last_came ? 1u : 0u};
}

Result<std::uint64_t> Trial::check(std::uint64_t seed) {
  if (subject_.operation == Operation::barrier) return check_barrier();
  const CheckValues values(subject_.dtype, group_.ranks(), seed);
  give(values);
  PINTLE_TRY(call());
  return wrong(values);
}

}  // namespace pintle::cli
