// One row of `bench collective` on one rank: its memory, its calls and the right results.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cli/collective_check.h"
#include "cli/collective_operation.h"
#include "pintle/dtype.h"
#include "pintle/elements.h"
#include "pintle/error.h"
#include "pintle/group.h"

namespace pintle::cli {

/// What all ranks do in a row.
struct TrialSubject {
  Operation operation = Operation::all_reduce;
  DType dtype = DType::f32;
  ReduceOp reduction = ReduceOp::sum;
  std::uint32_t root = 0;
  std::uint64_t bytes = 0;  ///< The size of the larger buffer: whole elements, and whole parts where it has parts.
};

/// How they do it.
struct TrialTerms {
  Timeout timeout{};
  Algorithm algorithm = Algorithm::automatic;
  bool is_reproducible = false;
};

class Trial {
 public:
  Trial(Group& group, const TrialSubject& subject, const TrialTerms& terms);

  /// Collective: the operation, once.
  Result<void> call();
  /// Collective: the operation on known values. Returns how many elements are wrong on this rank. For a barrier it
  /// returns 1 where this rank left before another had come; only ranks that share a clock check this.
  Result<std::uint64_t> check(std::uint64_t seed);

 private:
  /// A stretch of the result that continues one period from its element `first` on.
  struct Stretch {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::vector<std::byte> period;
    std::uint64_t first = 0;
  };

  Result<void> run(const Collective& operation);
  Result<void> exchange_with_neighbours();
  Result<std::uint64_t> check_barrier();
  void give(const CheckValues& values);
  [[nodiscard]] std::uint64_t wrong(const CheckValues& values) const;
  [[nodiscard]] std::uint64_t wrong_in(const Stretch& stretch) const;
  [[nodiscard]] std::uint64_t wrong_parts(const CheckValues& values) const;
  [[nodiscard]] Elements from() const noexcept { return {subject_.dtype, from_}; }
  [[nodiscard]] MutableElements to() noexcept { return {subject_.dtype, to_}; }
  [[nodiscard]] bool is_root() const noexcept { return group_.rank() == subject_.root; }

  Group& group_;
  const TrialSubject subject_;
  const TrialTerms terms_;
  const std::uint64_t part_;        ///< Bytes of one rank's part.
  const std::uint64_t part_count_;  ///< Its elements.
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
};

}  // namespace pintle::cli
