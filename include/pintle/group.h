// Groups of ranks, and the door through which they work together.
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

struct GroupOptions {
  std::string label{};      ///< In messages: `[Group 3 "tensor parallel"]`.
  std::string transport{};  ///< "shm" or "mpi"; empty: what the process was started for.
  Timeout timeout{};        ///< For all ranks to arrive.
};

/// What a group has moved since it was made, on this rank.
struct GroupStatistics {
  std::uint64_t operations = 0;
  std::uint64_t bytes_sent = 0;      ///< To other ranks, without headers; what others read here in place counts there.
  std::uint64_t bytes_received = 0;  ///< From other ranks, likewise.
};

/// A rank's place in a group. Operations are collective: every rank runs the same ones in the same order with sizes
/// that fit. They block until this rank's part is done and its memory is free.
///
/// Errors: `invalid_argument` for what can be seen here (sizes, dtypes, ranks), with nothing sent; then, on every rank:
/// `invalid_argument` with both sides for calls that do not match, `timeout` naming the rank that is late, with the
/// operation's number and size, `peer_lost` naming a rank that has died or left. After any of these the group has
/// failed and answers the same error: `shrink` or `rebuild`. What was being written is undefined then.
///
/// Move-only; one thread at a time: an operation is refused as `invalid_argument`, with nothing sent, while another
/// thread's runs. `health` is for any thread.
class Group {
 public:
  /// `ranks` ranks in this process (at most 1,024), one for each thread that takes one. Memory is never copied twice.
  [[nodiscard]] static Result<std::vector<Group>> threads(std::uint32_t ranks, const GroupOptions& options = {});
  /// This process's place in the group that it was started for: by `pintle launch` (shm) or mpirun (mpi). Alone it is
  /// a group of one. `unavailable` names what is missing. Blocks until every rank is there, or `timeout` names
  /// the missing ranks.
  [[nodiscard]] static Result<Group> join(const GroupOptions& options = {});

  Group() noexcept;
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;
  ~Group();  ///< Leaves: a rank that still waits for this one gets `peer_lost`.

  [[nodiscard]] std::uint32_t rank() const noexcept;
  [[nodiscard]] std::uint32_t ranks() const noexcept;
  /// 1, and one more with each `shrink` or `rebuild`; more where ranks die while the others meet.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// "threads", "shm" or "mpi".
  [[nodiscard]] std::string_view transport() const noexcept;
  /// `[Group 3 "tensor parallel"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] GroupStatistics statistics() const noexcept;
  /// Success, or what the group has failed with; looks at every rank, waits for none.
  Result<void> health() const;

  /// Runs the operation on host memory. `timeout` is for the whole of it.
  Result<void> run(const Collective& operation, Timeout timeout = {});

  /// Collective: ranks that give the same `color` become a group, ordered by `key`, then by their rank here. Without a
  /// color: no group, still to be called. A failure on one rank is the same error on every rank, which names it.
  [[nodiscard]] Result<std::optional<Group>> split(std::optional<std::uint32_t> color, std::uint32_t key = 0,
                                                   const GroupOptions& options = {});
  /// After a failure: the ranks that are there, in their order, as a new group; this one fails if it had not. Called by
  /// each of them; a rank that does not come in time is left out and gets `peer_lost`. `unsupported` over mpi.
  [[nodiscard]] Result<Group> shrink(Timeout timeout = {});
  /// After a failure: the same number of ranks again. Called by each rank that is there; for each that is not, a new
  /// process with its rank calls `join`. Only the group that `threads` or `join` made. `unsupported` over mpi.
  [[nodiscard]] Result<Group> rebuild(Timeout timeout = {});

 private:
  friend class Inside;
  explicit Group(std::shared_ptr<collective::GroupState> state) noexcept;

  std::shared_ptr<collective::GroupState> state_;
};

}  // namespace pintle
