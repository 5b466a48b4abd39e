// How the ranks of a group reach each other: the one interface that `threads`, `shm` and `mpi` implement, and that UCX
// or NCCL would implement.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/window.h"
#include "pintle/collective.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

inline constexpr std::uint32_t most_ranks = 1024;

/// A message that ranks exchange while something is set up.
using Note = std::array<std::byte, 240>;

/// Collective: gives this rank's note to every rank and returns the notes of all, by rank. `timeout` or `peer_lost`
/// names the rank that does not come. The caller does not trust the notes of other ranks.
using Exchange = std::function<Result<std::vector<Note>>(const Note& own, Deadline deadline)>;

/// Operations that a transport does better by itself. Arguments are checked. Each operation blocks, and may ignore the
/// deadline where the documentation says so. `unsupported` for a dtype or an operator that the transport does not have;
/// every rank finds this alike, without communicating.
class NativeCollectives {
 public:
  virtual ~NativeCollectives() = default;
  /// Whether `all_reduce` takes this pair, and whether it is faster at this size.
  [[nodiscard]] virtual bool reduces(ReduceOp op, DType dtype) const noexcept = 0;
  [[nodiscard]] virtual bool is_faster(std::uint64_t bytes) const noexcept = 0;
  virtual Result<void> all_reduce(std::span<std::byte> to, std::span<const std::byte> from, DType dtype,
                                  ReduceOp op) = 0;
  virtual Result<void> all_gather(std::span<std::byte> to, std::span<const std::byte> from) = 0;
  virtual Result<void> reduce_scatter(std::span<std::byte> to, std::span<const std::byte> from, DType dtype,
                                      ReduceOp op) = 0;
  virtual Result<void> broadcast(std::span<std::byte> bytes, std::uint32_t root) = 0;
  virtual Result<void> all_to_all(std::span<std::byte> to, std::span<const std::byte> from) = 0;
};

class Transport {
 public:
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }

  /// Collective, in two phases: every rank prepares, all agree, then all commit. When one rank fails, every rank gets
  /// the same error, which names that rank, and nothing is left behind. Sizes that differ are `invalid_argument` with
  /// both sizes.
  [[nodiscard]] virtual Result<std::unique_ptr<Window>> create_window(std::uint64_t bytes, const Exchange& exchange,
                                                                      Deadline deadline) = 0;
  /// A transport among `members` (ranks of this one, in the order of their new ranks, this rank among them). Called by
  /// each member.
  [[nodiscard]] virtual Result<std::unique_ptr<Transport>> split(std::span<const std::uint32_t> members,
                                                                 Deadline deadline) = 0;
  /// How a rank was lost ("its process 4711 has ended"), where the transport can see that; cheap enough for some
  /// hundred calls a second.
  [[nodiscard]] virtual std::optional<std::string> loss(std::uint32_t rank) const noexcept = 0;
  /// Whether every rank can read and write all memory of every other rank, not only windows: the ranks are threads.
  [[nodiscard]] virtual bool shares_memory() const noexcept { return false; }
  /// Whether groups survive a rank's death and can shrink.
  [[nodiscard]] virtual bool survives_loss() const noexcept { return true; }
  /// Sleeps until another rank calls `wake`, or until `until`; it may also return for no reason. Returns at once unless
  /// `*word` is `seen`. The word is 32 bits in a window of this transport.
  virtual void sleep(const std::uint32_t* word, std::uint32_t seen, Deadline until) noexcept = 0;
  /// Wakes the rank that sleeps on this word, which lies in that rank's piece (addressable windows only).
  virtual void wake(std::uint32_t* word) noexcept = 0;
  /// Null where the transport has none.
  [[nodiscard]] virtual NativeCollectives* native() noexcept { return nullptr; }

 protected:
  Transport(std::uint32_t rank, std::uint32_t ranks) noexcept : rank_(rank), ranks_(ranks) {}

 private:
  const std::uint32_t rank_;
  const std::uint32_t ranks_;
};

/// All ranks have the same outcome after this: success when every rank says so, otherwise the error of the lowest rank
/// that failed, with its rank. Collective.
[[nodiscard]] Result<void> agree(const Result<void>& own, const Exchange& exchange, Deadline deadline);

}  // namespace pintle::collective
