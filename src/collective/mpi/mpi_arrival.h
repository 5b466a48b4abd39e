// What a rank of MPI says when it comes to a set-up, and what all ranks conclude from it alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/mpi/mpi_retired.h"
#include "collective/transport.h"
#include "pintle/error.h"

namespace pintle::collective {

struct MpiArrival {
  static constexpr std::size_t most_retired = 20;

  std::uint64_t subject = 0;     ///< The bytes of a window; `digest_of` the members of a split.
  std::uint64_t room = 0;        ///< Bytes that are free where MPI puts shared memory, as far as can be seen.
  std::uint64_t serial = 0;      ///< Counts set-ups in this process: the first rank's serial makes the id.
  std::uint32_t has_memory = 1;  ///< 0: this rank cannot have the bytes.
  std::uint32_t is_mixed = 0;    ///< 1: this MPI may mix up windows of groups that share hosts.
  std::uint32_t retired = 0;
  std::array<std::uint64_t, most_retired> ids{};  ///< Windows that this rank wants freed; `retired` of them.
};

[[nodiscard]] Note note_of(const MpiArrival& arrival) noexcept;
/// Other ranks may have written anything.
[[nodiscard]] MpiArrival arrival_of(const Note& note) noexcept;
[[nodiscard]] std::uint64_t digest_of(std::span<const std::uint32_t> members) noexcept;

/// Every reader gets the same error: `invalid_argument` with both sizes for the lowest rank that wants another size
/// than rank 0; `out_of_memory` for the lowest rank that has no memory.
[[nodiscard]] Result<void> check_sizes(std::span<const MpiArrival> arrivals);
/// `invalid_argument` for ranks that split with different members.
[[nodiscard]] Result<void> check_members(std::span<const MpiArrival> arrivals);
/// The ids of the `records` that all ranks of the window want freed. `arrivals[i]` is of world rank `members[i]`; these
/// ranks rise.
[[nodiscard]] std::vector<std::uint64_t> freed_by_all(std::span<const MpiWindowRecord> records,
                                                      std::span<const std::uint32_t> members,
                                                      std::span<const MpiArrival> arrivals);
/// Whether every rank sees room for all pieces of `bytes`. MPI's shared windows hang where one rank finds too little.
[[nodiscard]] bool fits_shared(std::uint64_t bytes, std::span<const MpiArrival> arrivals) noexcept;

}  // namespace pintle::collective
