// Windows over MPI: its shared memory where all ranks are on one host, its one-sided operations elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/mpi/mpi_meeting.h"
#include "collective/mpi/mpi_retired.h"
#include "collective/window.h"

namespace pintle::collective {

/// MPI's pieces begin anywhere, for example some bytes behind a cache line; ours begin at the next multiple of this.
inline constexpr std::uint64_t mpi_piece_alignment = 4096;
/// Bytes from `base` to there.
[[nodiscard]] std::uint64_t mpi_shift(const std::byte* base) noexcept;

/// A window of MPI and where its pieces are.
struct MpiMemory {
  std::shared_ptr<const MpiCommunicator> communicator;
  std::uint64_t window = 0;
  std::uint32_t rank = 0;
  std::uint64_t size = 0;
  std::vector<std::byte*> pieces;       ///< By rank; null where it is out of reach.
  std::vector<std::uint64_t> shifts{};  ///< By rank: where each piece begins within MPI's; for remote windows only.
};

/// Pieces in MPI's shared memory: plain loads and stores.
class MpiSharedWindow final : public Window {
 public:
  MpiSharedWindow(MpiMemory memory, MpiLease lease);
  void progress() noexcept override;

 private:
  const std::shared_ptr<const MpiCommunicator> communicator_;
  const std::uint64_t window_;
  const MpiLease lease_;
};

/// Pieces that only MPI reaches: each function is done at the other rank when it returns, but for `put`.
class MpiRemoteWindow final : public Window {
 public:
  MpiRemoteWindow(MpiMemory memory, MpiLease lease);

  Result<void> put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from) override;
  Result<void> get(std::uint32_t rank, std::uint64_t offset, std::span<std::byte> to) override;
  Result<void> store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) override;
  Result<void> raise(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) override;
  Result<void> flush() override;
  void progress() noexcept override;

 private:
  [[nodiscard]] const MpiFunctions& functions() const noexcept { return communicator_->functions(); }

  const std::shared_ptr<const MpiCommunicator> communicator_;
  const std::uint64_t window_;
  const std::vector<std::uint64_t> shifts_;
  const MpiLease lease_;
};

}  // namespace pintle::collective
