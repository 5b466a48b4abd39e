// Groups of ranks, which run collective operations together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/collective.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/fwd.h"

namespace pintle {

namespace collective {
class GroupState;
}  // namespace collective

/// How a group is made.
struct GroupOptions {
  std::string label{};      ///< In messages: `[Group 3 "tensor parallel"]`.
  std::string transport{};  ///< "shm" or "mpi"; empty: the one that the process was started for.
  Timeout timeout{};        ///< The time that the ranks have to arrive.
};

/// Counts of what this rank has done in its group since the group was made.
struct GroupStatistics {
  std::uint64_t operations = 0;
  /// Bytes to other ranks, without headers. Bytes that another rank reads here in place count on that rank, as
  /// received.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;  ///< Bytes from other ranks, without headers.
};

/// A rank's place in a group. Operations are collective: every rank runs the same ones in the same order, with sizes
/// that fit. An operation blocks until this rank's part is done and its memory may be reused.
///
/// Errors of an operation: `invalid_argument`, with nothing sent, for a mistake that this rank can see (sizes, dtypes,
/// ranks). The others come on every rank: `invalid_argument` with both calls, for calls that do not match; `timeout`,
/// with the rank that is late and the operation's number and size; `peer_lost`, with the rank that has died or left.
/// After any of these the group has failed and answers the same error: call `shrink` or `rebuild`. The memory that was
/// being written is undefined then.
///
/// Move-only; one thread at a time: an operation is `invalid_argument`, with nothing sent, while one of another thread
/// runs. Any thread may call `health`.
class Group {
 public:
  /// Makes a group of `ranks` ranks (at most 1,024) in this process, one Group for each thread that takes part. Blocks
  /// until all are made. Operations of 64 KiB and more by `Algorithm::automatic` or `direct`, but for `send` and
  /// `recv`, work in the memory of the ranks in place.
  [[nodiscard]] static Result<std::vector<Group>> threads(std::uint32_t ranks, const GroupOptions& options = {});
  /// Takes this process's place in the group that it was started for, by `pintle launch` (shm) or mpirun (mpi). A
  /// process that was started by neither is a group of one. Blocks until every rank is there. Errors: `unavailable`,
  /// with what is missing; `invalid_argument`, for a transport that does not exist; `timeout`, with the missing ranks.
  [[nodiscard]] static Result<Group> join(const GroupOptions& options = {});

  Group() noexcept;
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;
  ~Group();  ///< Leaves the group: a rank that still waits for this one gets `peer_lost`.

  [[nodiscard]] std::uint32_t rank() const noexcept;
  [[nodiscard]] std::uint32_t ranks() const noexcept;
  /// 1 for a new group. It rises by one with each `shrink` or `rebuild`, and by more where ranks die while the others
  /// meet.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// The transport's name: "threads", "shm" or "mpi".
  [[nodiscard]] std::string_view transport() const noexcept;
  /// Its name in messages: `[Group 3 "tensor parallel"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] GroupStatistics statistics() const noexcept;
  /// Success, or the error that the group has failed with. Looks at every rank, and waits for none.
  Result<void> health() const;

  /// Runs the operation on host memory. Blocks until this rank's part is done; `timeout` bounds the whole operation.
  Result<void> run(const Collective& operation, Timeout timeout = {});

  /// Collective. Ranks that give the same `color` become a new group, ordered by `key`, then by their rank here. A rank
  /// without a color must call, too, and gets no group. A failure on one rank is the same error on every rank, with
  /// that rank.
  [[nodiscard]] Result<std::optional<Group>> split(std::optional<std::uint32_t> color, std::uint32_t key = 0,
                                                   const GroupOptions& options = {});
  /// Makes a new group of the ranks that are there, in their order, after a failure. Each of them calls it. This group
  /// fails, if it had not failed before. A rank that does not come in time is left out and gets `peer_lost`.
  /// `unsupported` over mpi.
  [[nodiscard]] Result<Group> shrink(Timeout timeout = {});
  /// Makes a new group of the same number of ranks, after a failure. Each rank that is there calls it; for each rank
  /// that is not, a new process with its rank calls `join`. `unsupported` over mpi, and for a group that `split` or
  /// `shrink` made.
  [[nodiscard]] Result<Group> rebuild(Timeout timeout = {});

 private:
  friend class Inside;
  explicit Group(std::shared_ptr<collective::GroupState> state) noexcept;

  std::shared_ptr<collective::GroupState> state_;
};

}  // namespace pintle
