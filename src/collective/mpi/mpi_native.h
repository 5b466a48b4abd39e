// MPI's own collectives.
#pragma once

#include <cstdint>
#include <memory>

#include "collective/mpi/mpi_meeting.h"
#include "collective/transport.h"

namespace pintle::collective {

/// Whether MPI's result equals ours for every input: it does for integers, except sums of 8 and 16 bits, which saturate
/// in OpenMPI, and for sums and products of f32, f64 and complex64. MPI does not say what min and max make of a NaN,
/// has no narrow floats, and its booleans are not bytes. `ranks` matters because MPI copies the elements of one rank
/// alone, where logical operators have to make 0 or 1.
[[nodiscard]] bool mpi_reduces(ReduceOp op, DType dtype, std::uint32_t ranks) noexcept;

/// Blocks without a deadline. A count that does not fit MPI's int is `unsupported`, except in all_reduce and broadcast.
class MpiCollectives final : public NativeCollectives {
 public:
  MpiCollectives(std::shared_ptr<const MpiCommunicator> communicator, std::uint32_t ranks) noexcept;

  [[nodiscard]] bool reduces(ReduceOp op, DType dtype) const noexcept override;
  [[nodiscard]] bool is_faster(std::uint64_t bytes) const noexcept override;
  Result<void> all_reduce(std::span<std::byte> to, std::span<const std::byte> from, DType dtype, ReduceOp op) override;
  Result<void> all_gather(std::span<std::byte> to, std::span<const std::byte> from) override;
  Result<void> reduce_scatter(std::span<std::byte> to, std::span<const std::byte> from, DType dtype,
                              ReduceOp op) override;
  Result<void> broadcast(std::span<std::byte> bytes, std::uint32_t root) override;
  Result<void> all_to_all(std::span<std::byte> to, std::span<const std::byte> from) override;

 private:
  [[nodiscard]] const MpiFunctions& functions() const noexcept { return communicator_->functions(); }
  [[nodiscard]] Result<void> check_pair(ReduceOp op, DType dtype) const;

  const std::shared_ptr<const MpiCommunicator> communicator_;
  const std::uint32_t ranks_;
};

}  // namespace pintle::collective
