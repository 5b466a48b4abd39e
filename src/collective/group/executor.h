// Runs a schedule: what can go on goes on, and when nothing can, the rank waits.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/fold/schedule.h"
#include "collective/group/group_state.h"
#include "collective/group/waiting.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

class Executor {
 public:
  Executor(GroupState& group, Schedule& schedule, ReduceOp op, DType dtype, std::uint64_t element_bytes);

  /// Returns when everything is done; the errors are those of `Waiting` and of messages that do not match.
  Result<void> run(Deadline deadline);

 private:
  using Item = Schedule::Item;

  /// Each returns whether it did something.
  [[nodiscard]] Result<bool> advance();
  [[nodiscard]] Result<bool> send_to(std::uint32_t rank);
  [[nodiscard]] Result<bool> receive_from(std::uint32_t rank);
  [[nodiscard]] Result<bool> receive(Item& item, std::uint32_t rank);
  [[nodiscard]] Result<bool> fold(Item& item);
  [[nodiscard]] bool fold_alone();
  [[nodiscard]] bool copy() noexcept;

  [[nodiscard]] std::uint64_t next_bytes(const Item& item) const noexcept;
  [[nodiscard]] bool is_made(const Item& item, std::uint64_t bytes) const noexcept;
  [[nodiscard]] bool is_clear(const Item& item, std::uint64_t bytes) const noexcept;
  [[nodiscard]] bool is_first(const Item& item) const noexcept;
  Result<void> release(std::uint32_t rank, std::uint64_t bytes);
  void account(Item& item, std::uint64_t bytes) noexcept;
  void dequeue(Item& item);
  [[nodiscard]] std::span<const std::uint32_t> awaited();

  GroupState& group_;
  Mailbox& mailbox_;
  Schedule& schedule_;
  const ReduceOp op_;
  const DType dtype_;
  const std::uint64_t payload_;  // a whole number of elements
  std::size_t open_;             // items
  std::size_t open_sends_ = 0;
  std::vector<std::uint32_t>& awaited_;
};

}  // namespace pintle::collective
