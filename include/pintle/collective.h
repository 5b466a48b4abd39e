// Groups of ranks, and what they do together: reduce, gather, scatter, exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/host_range.h"

namespace pintle {

namespace collective {
class GroupState;
}  // namespace collective

/// How elements of all ranks become one. Integers wrap; f16, bf16 and the f8 dtypes are accumulated in f32 and rounded
/// once. A pair that has no meaning (bit_and of f32, max of complex64, mean of bool) is `invalid_argument`.
enum class ReduceOp : std::uint8_t {
  sum = 1,   ///< For bool: logical or.
  prod = 2,  ///< For bool: logical and.
  min = 3,   ///< A NaN anywhere makes NaN.
  max = 4,   ///< A NaN anywhere makes NaN.
  mean = 5,  ///< The sum divided by the number of ranks; for integers the wrapped sum, toward zero.
  bit_and = 6,
  bit_or = 7,
  bit_xor = 8,
  logical_and = 9,   ///< 1 or 0 in the dtype; everything but zero counts as true.
  logical_or = 10,   ///< The same.
  logical_xor = 11,  ///< The same.
};

/// "sum" ... "logical_xor".
[[nodiscard]] std::string_view name(ReduceOp op) noexcept;
[[nodiscard]] std::optional<ReduceOp> parse_reduce_op(std::string_view name) noexcept;

/// How bytes travel. What an operation has not is replaced by its nearest: docs/collectives.md has the table.
enum class Algorithm : std::uint8_t {
  automatic = 1,         ///< By operation, size, ranks and transport.
  direct = 2,            ///< Every rank with every other; the owner of a part folds it.
  ring = 3,              ///< Neighbours only; 2(n-1)/n of the bytes for all_reduce.
  halving_doubling = 4,  ///< Partners at distances of powers of two.
  tree = 5,              ///< Binomial: through a root in ceil(log2(n)) rounds.
  native = 6,            ///< The transport's own operation; `unsupported` where it has none.
};

/// "automatic", "direct", "ring", "halving_doubling", "tree", "native".
[[nodiscard]] std::string_view name(Algorithm algorithm) noexcept;
[[nodiscard]] std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept;

/// Host memory with a dtype, to be read. Bytes that are no whole number of elements are refused where it is used.
struct Elements {
  DType dtype = DType::u8;
  std::span<const std::byte> bytes{};

  Elements() noexcept = default;
  Elements(DType type, std::span<const std::byte> memory) noexcept : dtype(type), bytes(memory) {}
  template <ElementRange R>
  Elements(const R& range) noexcept  // NOLINT(google-explicit-constructor)
      : Elements(dtype_of<HostValue<R>>(), std::as_bytes(std::span(range))) {}
};

/// The same, to be written.
struct MutableElements {
  DType dtype = DType::u8;
  std::span<std::byte> bytes{};

  MutableElements() noexcept = default;
  MutableElements(DType type, std::span<std::byte> memory) noexcept : dtype(type), bytes(memory) {}
  template <ElementRange R>
  MutableElements(R&& range) noexcept  // NOLINT(google-explicit-constructor)
      : MutableElements(dtype_of<HostValue<R>>(), std::as_writable_bytes(std::span(range))) {}
  operator Elements() const noexcept { return {dtype, bytes}; }  // NOLINT(google-explicit-constructor)
};

struct CollectiveOptions {
  Timeout timeout{};  ///< For the whole operation.
  Algorithm algorithm = Algorithm::automatic;
  /// Bitwise the same result for any algorithm, transport, chunking, order of arrival and placement: each element is
  /// folded in the order of ranks by one of them. Costs what `direct` costs.
  bool is_reproducible = false;
};

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

/// A rank's place in a group. Operations are collective: every rank calls the same ones in the same order with sizes
/// that fit; `root` and ranks count within the group. They block until this rank's part is done and its memory is free.
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

  /// to = from of all ranks, folded. The same memory for both is in place; any other overlap is refused.
  Result<void> all_reduce(MutableElements to, Elements from, ReduceOp op, const CollectiveOptions& options = {});
  Result<void> all_reduce(MutableElements in_place, ReduceOp op, const CollectiveOptions& options = {}) {
    return all_reduce(in_place, in_place, op, options);
  }
  /// The same at `root`; `to` of others may be empty and is left alone.
  Result<void> reduce(MutableElements to, Elements from, ReduceOp op, std::uint32_t root,
                      const CollectiveOptions& options = {});
  /// `from` has `ranks` parts of the size of `to`, which becomes the own part, folded. In place: `to` is that part.
  Result<void> reduce_scatter(MutableElements to, Elements from, ReduceOp op, const CollectiveOptions& options = {});
  /// `to` has `ranks` parts of the size of `from`, by rank. In place: `from` is the own part.
  Result<void> all_gather(MutableElements to, Elements from, const CollectiveOptions& options = {});
  /// The same at `root`; `to` of others may be empty and is left alone.
  Result<void> gather(MutableElements to, Elements from, std::uint32_t root, const CollectiveOptions& options = {});
  /// Part i of `root`'s `from` becomes `to` of rank i; `from` of others may be empty.
  Result<void> scatter(MutableElements to, Elements from, std::uint32_t root, const CollectiveOptions& options = {});
  /// Everybody's elements become `root`'s.
  Result<void> broadcast(MutableElements elements, std::uint32_t root, const CollectiveOptions& options = {});
  /// Part i of `from` becomes part `rank()` of `to` of rank i. No overlap.
  Result<void> all_to_all(MutableElements to, Elements from, const CollectiveOptions& options = {});
  /// To one rank, which calls `recv` with the same count and dtype. May return before that. Between two ranks in order;
  /// other ranks take no part.
  Result<void> send(Elements from, std::uint32_t rank, const CollectiveOptions& options = {});
  Result<void> recv(MutableElements to, std::uint32_t rank, const CollectiveOptions& options = {});
  /// Returns when every rank has called it.
  Result<void> barrier(const CollectiveOptions& options = {});

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
  friend class SymmetricHeap;
  friend class GroupQueue;
  friend class collective::GroupState;
  explicit Group(std::shared_ptr<collective::GroupState> state) noexcept;

  std::shared_ptr<collective::GroupState> state_;
};

}  // namespace pintle
