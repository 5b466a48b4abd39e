// What one rank sends, receives and folds in an operation, in an order that each pair of ranks shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pintle/collective.h"
#include "pintle/dtype.h"

namespace pintle::collective {

/// The item that makes the bytes that another item reads, and where those bytes begin among all that it makes.
struct MadeBy {
  std::uint32_t item = ~std::uint32_t{0};  ///< `Schedule::none`: the bytes are there.
  std::uint64_t offset = 0;
};

/// Items run at the same time, piece by piece, under two rules. Items that send to one rank run in the order in which
/// they were added, and so do items that receive from one rank. An item waits, piece by piece, for the item that makes
/// its bytes. Two ranks add the items that concern both in the same order, and an item depends on earlier items only.
/// So the earliest unfinished item of all ranks can always go on, and nothing deadlocks.
class Schedule {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// A value of `clear`: every send.
  static constexpr std::uint32_t every_send = none - 1;

  enum class Kind : std::uint8_t { send, receive, fold, copy };
  struct Item {
    Kind kind = Kind::copy;
    bool is_complete = false;
    bool streams = false;       ///< What is received is not read again before the end, and is more than caches hold.
    std::uint32_t divisor = 1;  ///< For a fold.
    std::byte* to = nullptr;
    const std::byte* from = nullptr;  ///< The own bytes of a fold.
    std::uint64_t bytes = 0;
    std::uint64_t done = 0;
    std::uint32_t after = none;      ///< The item that makes the bytes that this one reads.
    std::uint64_t after_offset = 0;  ///< Where they begin in what `after` makes.
    std::uint32_t clear = none;      ///< The item that must have read the bytes that this one overwrites.
    std::uint32_t links = 0;         ///< The first of its links.
    std::uint32_t link_count = 0;    ///< One for each rank concerned.
  };
  /// An item in the queue of a rank. A fold has one link for each source, in the order of folding; the link of the own
  /// rank is in no queue.
  struct Link {
    std::uint32_t item = none;
    std::uint32_t rank = 0;
    std::uint32_t next = none;
  };
  struct Queue {
    std::uint32_t head = none, tail = none;  ///< Links.
  };
  using From = MadeBy;

  Schedule(std::uint32_t rank, std::uint32_t ranks);

  /// Forgets all items and keeps the memory for the next ones, except large scratch memory.
  void clear() noexcept;

  std::uint32_t send(std::uint32_t to, const std::byte* from, std::uint64_t bytes, From made_by = {});
  enum class Afterwards : std::uint8_t { is_near, is_far };
  std::uint32_t receive(std::uint32_t from, std::byte* to, std::uint64_t bytes,
                        Afterwards afterwards = Afterwards::is_near);
  /// to = the sources folded in this order; the own rank among them stands for `own`, which `made_by` makes.
  std::uint32_t fold(std::byte* to, const std::byte* own, std::uint64_t bytes, std::span<const std::uint32_t> sources,
                     std::uint32_t divisor, From made_by = {}, std::uint32_t clear = none);
  std::uint32_t copy(std::byte* to, const std::byte* from, std::uint64_t bytes);
  /// Memory that lives as long as the items. At most one call until `clear`.
  [[nodiscard]] std::byte* scratch(std::uint64_t bytes);
  /// Where the code that adds items notes what makes each of `count` parts. For one operation at a time.
  [[nodiscard]] std::span<From> makers(std::size_t count, From made_by = {});

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::vector<Item>& items() noexcept { return items_; }
  [[nodiscard]] std::vector<Link>& links() noexcept { return links_; }
  /// The items that only copy.
  [[nodiscard]] std::span<const std::uint32_t> copies() const noexcept { return copies_; }
  [[nodiscard]] Queue& to_rank(std::uint32_t rank) noexcept { return to_[rank]; }
  [[nodiscard]] Queue& from_rank(std::uint32_t rank) noexcept { return from_[rank]; }
  /// Ranks that something goes to or comes from, each once.
  [[nodiscard]] std::span<const std::uint32_t> peers() const noexcept { return peers_; }
  [[nodiscard]] std::span<const std::uint32_t> everybody() const noexcept { return everybody_; }

 private:
  std::uint32_t add(Kind kind, std::byte* to, const std::byte* from, std::uint64_t bytes);
  void link(std::uint32_t item, std::uint32_t rank, std::vector<Queue>& queues);

  const std::uint32_t rank_;
  const std::uint32_t ranks_;
  std::vector<Item> items_;
  std::vector<Link> links_;
  std::vector<Queue> to_;
  std::vector<Queue> from_;
  std::vector<std::uint32_t> copies_;
  std::vector<std::uint32_t> peers_;
  std::vector<std::uint32_t> everybody_;  // 0, 1, ...
  std::vector<From> makers_;
  std::unique_ptr<std::byte[]> scratch_;
  std::uint64_t scratch_bytes_ = 0;
};

/// The arguments of an operation, checked. A part has `part` elements; a whole buffer has one part, or one for each
/// rank.
struct Work {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint64_t part = 0;
  std::uint64_t element_bytes = 1;
  ReduceOp op = ReduceOp::sum;
  DType dtype = DType::u8;
  std::uint32_t root = 0;
  Algorithm algorithm = Algorithm::direct;  ///< Not automatic, not native.
  /// The owner of a slice folds the elements of all ranks, in the order of ranks; otherwise partial results travel.
  bool folds_at_owner = true;
  std::uint64_t piece = 1;  ///< Bytes of a message: cutting into smaller pieces saves nothing.

  [[nodiscard]] std::uint64_t part_bytes() const noexcept { return part * element_bytes; }
};

/// Elements [first, first + count) of a buffer that is cut into as many slices as ranks. Slices differ by one element
/// at most.
struct Slice {
  std::uint64_t first = 0, count = 0;
};
[[nodiscard]] Slice slice_of(std::uint64_t count, std::uint32_t index, std::uint32_t slices) noexcept;

void schedule_all_reduce(Schedule& schedule, const Work& work);
void schedule_reduce(Schedule& schedule, const Work& work);
void schedule_reduce_scatter(Schedule& schedule, const Work& work);
void schedule_all_gather(Schedule& schedule, const Work& work);
void schedule_gather(Schedule& schedule, const Work& work);
void schedule_scatter(Schedule& schedule, const Work& work);
void schedule_broadcast(Schedule& schedule, const Work& work);
void schedule_all_to_all(Schedule& schedule, const Work& work);
void schedule_barrier(Schedule& schedule);

}  // namespace pintle::collective
