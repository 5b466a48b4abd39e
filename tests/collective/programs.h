// Steps of programs that all ranks run, each checked against what one process says that it has to give.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/group/call.h"
#include "collective/run_options.h"
#include "patterns.h"
#include "pintle/group.h"

namespace pintle::collective {

/// One operation, the same words on every rank.
struct Step {
  Operation operation = Operation::all_reduce;
  ReduceOp op = ReduceOp::sum;
  DType dtype = DType::f32;
  std::uint64_t count = 1;  ///< Elements of a part.
  std::uint32_t root = 0;
  Algorithm algorithm = Algorithm::automatic;
  bool is_in_place = false;
  bool is_reproducible = false;
  std::uint64_t shift = 0;  ///< How far the memory is shifted, in bytes.
  std::uint64_t seed = 1;

  [[nodiscard]] bool folds() const noexcept { return operation <= Operation::reduce_scatter; }
  [[nodiscard]] bool has_root() const noexcept {
    return operation == Operation::reduce || operation == Operation::gather || operation == Operation::scatter ||
           operation == Operation::broadcast;
  }
  /// Arbitrary numbers are due in the order of ranks only.
  [[nodiscard]] Values values() const noexcept {
    const bool is_in_order = !folds() || is_reproducible || algorithm == Algorithm::direct ||
                             !depends_on_order(op, dtype) || needs_accumulator(op, dtype);
    return is_in_order ? Values::any : Values::exact;
  }
  [[nodiscard]] RunOptions options() const noexcept {
    return {.timeout = {}, .algorithm = algorithm, .is_reproducible = is_reproducible};
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} of {} {}, {}, root {}, {}{}{}, shift {}, seed {}", collective::name(operation), count,
                       pintle::name(dtype), pintle::name(op), root, pintle::name(algorithm),
                       is_in_place ? ", in place" : "", is_reproducible ? ", reproducible" : "", shift, seed);
  }
};

/// What a rank gives in a step, and what it gets.
class Part {
 public:
  Part(const Step& step, std::uint32_t rank, std::uint32_t ranks) : step_(step), rank_(rank), ranks_(ranks) {
    for (std::uint32_t of = 0; of < ranks; ++of) {
      given_.push_back(random_pattern(step.dtype, step.op, step.values(), step.seed * 1024 + of));
    }
  }

  [[nodiscard]] bool gives() const noexcept {
    const bool is_from_root = step_.operation == Operation::scatter || step_.operation == Operation::broadcast;
    return !is_from_root || rank_ == step_.root;
  }
  [[nodiscard]] bool gets() const noexcept {
    const bool is_to_root = step_.operation == Operation::reduce || step_.operation == Operation::gather;
    return !is_to_root || rank_ == step_.root;
  }

  [[nodiscard]] Bytes given() const {
    const bool has_parts = step_.operation == Operation::reduce_scatter || step_.operation == Operation::scatter ||
                           step_.operation == Operation::all_to_all;
    return given_[rank_].bytes(0, step_.count * (has_parts ? ranks_ : 1));
  }
  [[nodiscard]] Bytes gotten() const {
    switch (step_.operation) {
      case Operation::all_reduce:
      case Operation::reduce: return folded(step_.op, step_.dtype, given_).bytes(0, step_.count);
      case Operation::reduce_scatter:
        return folded(step_.op, step_.dtype, given_).bytes(rank_ * step_.count, step_.count);
      case Operation::scatter: return given_[step_.root].bytes(rank_ * step_.count, step_.count);
      case Operation::broadcast: return given_[step_.root].bytes(0, step_.count);
      case Operation::all_to_all: return of_all(rank_ * step_.count);
      default: return of_all(0);
    }
  }

 private:
  [[nodiscard]] Bytes of_all(std::uint64_t first) const {
    Bytes all;
    for (const Pattern& given : given_) {
      const Bytes part = given.bytes(first, step_.count);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  const Step step_;
  const std::uint32_t rank_, ranks_;
  std::vector<Pattern> given_;
};

inline Result<void> call(Group& group, const Step& step, std::span<std::byte> to, std::span<const std::byte> from) {
  const MutableElements out(step.dtype, to);
  const Elements in(step.dtype, from);
  switch (step.operation) {
    case Operation::all_reduce: return run(group, Collective::all_reduce(out, in, step.op), step.options());
    case Operation::reduce: return run(group, Collective::reduce(out, in, step.op, step.root), step.options());
    case Operation::reduce_scatter: return run(group, Collective::reduce_scatter(out, in, step.op), step.options());
    case Operation::all_gather: return run(group, Collective::all_gather(out, in), step.options());
    case Operation::gather: return run(group, Collective::gather(out, in, step.root), step.options());
    case Operation::scatter: return run(group, Collective::scatter(out, in, step.root), step.options());
    case Operation::broadcast: return run(group, Collective::broadcast(out, step.root), step.options());
    case Operation::all_to_all: return run(group, Collective::all_to_all(out, in), step.options());
    default: return run(group, Collective::barrier(), step.options());
  }
}

inline Result<void> expect_bytes(const Guarded& memory, const Bytes& expected, std::string_view what,
                                 const Step& step) {
  if (memory.has_only(expected)) return {};
  return Error(Errc::internal, fmt::format("Bytes of {} are wrong after {}.", what, step.text()));
}

/// Where an operation works in place: the larger of its buffers, of which the other one is a part.
inline Result<void> play_in_place(Group& group, const Step& step, const Part& part) {
  const Bytes given = part.given(), gotten = part.gotten();
  const bool is_larger = given.size() >= gotten.size();
  const std::uint64_t own = is_larger ? gotten.size() : given.size();
  const std::uint64_t offset = given.size() == gotten.size() ? 0 : group.rank() * own;
  Bytes before = is_larger ? given : Bytes(gotten.size(), Guarded::untouched);
  Bytes after = is_larger ? given : gotten;
  const auto at = [&](Bytes& bytes) { return bytes.begin() + static_cast<std::ptrdiff_t>(offset); };
  if (is_larger) std::ranges::copy(gotten, at(after));
  else std::ranges::copy(given, at(before));
  Guarded memory(std::move(before), step.shift);
  const auto inner = memory.bytes().subspan(offset, own);
  PINTLE_TRY(is_larger ? call(group, step, inner, memory.bytes()) : call(group, step, memory.bytes(), inner));
  return expect_bytes(memory, after, "memory in place", step);
}

/// Runs a step as a rank of the group, and checks every byte that it had to write or to leave alone.
inline Result<void> play(Group& group, const Step& step) {
  if (step.operation == Operation::barrier) return run(group, Collective::barrier(), step.options());
  const Part part(step, group.rank(), group.ranks());
  const Bytes given = part.gives() ? part.given() : Bytes(), gotten = part.gets() ? part.gotten() : Bytes();
  if (step.operation == Operation::broadcast) {
    Guarded elements(part.gives() ? given : Bytes(gotten.size(), Guarded::untouched), step.shift);
    PINTLE_TRY(call(group, step, elements.bytes(), elements.bytes()));
    return expect_bytes(elements, gotten, "elements", step);
  }
  const bool takes_place = step.is_in_place && step.operation != Operation::all_to_all;
  if (takes_place && part.gives() && part.gets()) return play_in_place(group, step, part);
  Guarded from(given, step.shift);
  // Where nothing is due there may be memory all the same, which stays as it is.
  Guarded to(part.gets() ? gotten.size() : step.shift * 8, step.shift / 2);
  PINTLE_TRY(call(group, step, to.bytes(), from.bytes()));
  PINTLE_TRY(expect_bytes(from, given, "from", step));
  return expect_bytes(to, part.gets() ? gotten : Bytes(to.bytes().size(), Guarded::untouched), "to", step);
}

inline Result<void> play(Group& group, const std::vector<Step>& program) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    auto played = play(group, program[i]);
    if (!played) return played.error().during(fmt::format("playing step {}: {}", i, program[i].text()));
  }
  return {};
}

}  // namespace pintle::collective
