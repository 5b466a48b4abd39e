// One operation of a group queue under way: chunk by chunk from the device, through the ranks, to the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collective/queue/group_queue_cut.h"
#include "collective/queue/group_queue_task.h"
#include "collective/queue/staging.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/group.h"

namespace pintle::collective {

/// While the ranks work on a chunk, the device gives the next one and takes the one before.
class GroupQueueRun {
 public:
  /// The device raises `at_end` with the last bytes that it gets; where it gets none, nothing raises them.
  GroupQueueRun(Group& group, Staging& staging, const Task& task, Deadline deadline, std::vector<Point> at_end);

  /// Returns when the result is in the device's memory, or with the first thing that failed.
  Result<void> run();
  /// Whether the device has raised `at_end`.
  [[nodiscard]] bool has_signalled() const noexcept { return has_signalled_; }

 private:
  using Points = std::array<std::optional<Point>, 2>;  // by the parity of a chunk

  Result<void> agree_on_size();
  Result<void> check_message_size();
  Result<void> step(std::uint64_t index);
  Result<void> exchange(std::span<std::byte> to, std::span<std::byte> from);
  Result<void> pull(std::uint64_t index);
  Result<std::span<std::byte>> input(std::uint64_t index);
  Result<std::span<std::byte>> output(std::uint64_t index);
  Result<void> store(std::uint64_t index);
  Result<void> await(std::optional<Point>& point) const;

  [[nodiscard]] bool is_direct(const Operand& operand, std::uint64_t parts) const noexcept;
  [[nodiscard]] std::span<std::byte> direct(const Operand& operand, std::uint64_t parts, Chunk chunk) const noexcept;
  [[nodiscard]] Result<std::vector<StagedPiece>> pieces(const Operand& operand, std::uint64_t parts, Chunk chunk) const;
  [[nodiscard]] Timeout remaining() const noexcept;

  Group& group_;
  Staging& staging_;
  const Task& task_;
  const Cut cut_;
  const Deadline deadline_;
  std::vector<Point> at_end_;
  Points pulled_;
  Points pushed_;
  bool has_signalled_ = false;
};

/// What is left until `deadline`.
[[nodiscard]] Timeout time_until(Deadline deadline) noexcept;

}  // namespace pintle::collective
