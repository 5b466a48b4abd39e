// Where the ranks of a job meet before they have a group, and where processes that take a dead one's place come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/child_process.h"
#include "base/shared_memory.h"
#include "collective/transport.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// A board for each rank, in memory that all share. Each rank writes its own board only, and the launcher says which
/// ranks have ended. What another rank writes is never trusted. Thread-safe; each rank is one caller.
class Rendezvous : public std::enable_shared_from_this<Rendezvous> {
 public:
  /// For ranks that are threads of this process. 1 to `most_ranks`, else `invalid_argument`.
  [[nodiscard]] static Result<std::shared_ptr<Rendezvous>> in_process(std::uint32_t ranks);
  /// For processes that will inherit `descriptor()`.
  [[nodiscard]] static Result<std::shared_ptr<Rendezvous>> shared(std::uint32_t ranks);
  /// In such a process. `unavailable` where the descriptor is no rendezvous.
  [[nodiscard]] static Result<std::shared_ptr<Rendezvous>> inherited(int descriptor);

  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  ~Rendezvous() = default;

  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  /// Whether ranks are processes.
  [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }
  [[nodiscard]] int descriptor() const noexcept { return memory_.descriptor(); }

  /// Says that `rank` is there for `generation`, or for the one after its last where that is higher (a fresh process
  /// says 0), and blocks until every rank is. Answers the generation: a higher one where others have tried again
  /// meanwhile. `timeout` names ranks that are missing; `peer_lost` names one that the launcher has given up, and how
  /// it ended. After either error this rank is not there, and may come again. A rank whose process has ended is waited
  /// for until the launcher says that nobody takes its place.
  [[nodiscard]] Result<std::uint64_t> arrive(std::uint32_t rank, std::uint64_t generation, Deadline deadline);
  /// For ranks that have arrived: one exchange for each rank and generation, with one caller at a time. Copies of it
  /// are that one exchange. `stale` where a rank has gone on to another generation. After a failure it returns that
  /// failure for ever.
  [[nodiscard]] Exchange exchange(std::uint32_t rank, std::uint64_t generation);

  /// The process that has arrived as `rank`, as it says; 0: none.
  [[nodiscard]] std::uint64_t process(std::uint32_t rank) const noexcept;
  /// The process that has arrived for `generation`. `stale` where the rank has gone on, `peer_lost` where the rank has
  /// no process.
  [[nodiscard]] Result<std::uint64_t> process(std::uint32_t rank, std::uint64_t generation) const;
  /// What the launcher says of a rank whose process has ended and is not started again.
  void mark_gone(std::uint32_t rank, const base::ProcessEnd& end) noexcept;
  /// Says instead that another process is about to take the rank's place.
  void vacate(std::uint32_t rank) noexcept;

 private:
  struct Header;
  struct Board;
  class Arrival;
  class Step;
  class Steps;
  enum class Between { threads, processes };

  Rendezvous(base::SharedMemory memory, std::uint32_t ranks, Between between) noexcept;
  static Result<std::shared_ptr<Rendezvous>> begin(std::uint32_t ranks, Between between);
  static std::uint64_t size_for(std::uint32_t ranks) noexcept;

  [[nodiscard]] Result<std::uint64_t> meet(std::uint32_t rank, std::uint64_t target, Deadline deadline);
  void publish(std::uint32_t rank, std::uint64_t generation) noexcept;
  [[nodiscard]] std::uint64_t highest_generation() const noexcept;
  [[nodiscard]] Board& board(std::uint32_t rank) const noexcept;
  void ring(std::uint32_t rank) const noexcept;
  [[nodiscard]] std::optional<std::string> gone(std::uint32_t rank) const;
  [[nodiscard]] std::optional<std::string> ended(std::uint32_t rank) const;
  template <class Wait>
  Result<void> wait_for_all(const Wait& wait, Deadline deadline) const;
  template <class Wait>
  Result<void> wait_for(std::uint32_t rank, const Wait& wait, Deadline deadline) const;
  template <class Wait>
  Result<void> look_for_losses(const Wait& wait) const;
  template <class Wait>
  [[nodiscard]] std::string missing(const Wait& wait) const;

  base::SharedMemory memory_;
  const std::uint32_t ranks_;
  const bool is_shared_;
};

}  // namespace pintle::collective
