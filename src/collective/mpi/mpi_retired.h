// Windows that are no longer used. MPI frees a window collectively, and a destructor waits for no other rank. So a rank
// that is done with a window leaves it here. The window is freed where all of its ranks next meet and say that they are
// done with it.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "collective/mpi/mpi_plugin.h"

namespace pintle::collective {

struct MpiWindowRecord {
  const MpiFunctions* functions = nullptr;
  std::uint64_t window = 0;
  std::uint64_t id = 0;                ///< Equal on all of its ranks; no other window has it.
  std::vector<std::uint32_t> members;  ///< Ranks of MPI_COMM_WORLD, rising.
};

/// Holds a window; its end retires it.
class MpiLease {
 public:
  explicit MpiLease(MpiWindowRecord record) { record_.push_back(std::move(record)); }
  MpiLease(MpiLease&&) noexcept = default;
  MpiLease& operator=(MpiLease&&) = delete;
  ~MpiLease();

 private:
  std::list<MpiWindowRecord> record_;  // one, or none when moved from; a list, so that retiring cannot fail
};

/// The retired windows all of whose ranks are in `members` (rising), by id, at most `most`.
[[nodiscard]] std::vector<MpiWindowRecord> retired_windows(std::span<const std::uint32_t> members, std::size_t most);
/// Frees those of `ids` that are still retired here, in this order, which has to be the same on every rank. Blocks
/// until all ranks of each window have called it.
void free_retired(std::span<const std::uint64_t> ids);

}  // namespace pintle::collective
