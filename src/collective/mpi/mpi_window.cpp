#include "collective/mpi/mpi_window.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"

namespace pintle::collective {
namespace {

// MPI counts in int.
constexpr std::uint64_t most_bytes = 1ull << 30;

}  // namespace

std::uint64_t mpi_shift(const std::byte* base) noexcept {
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(base));
  return base::round_up(address, mpi_piece_alignment) - address;
}

MpiSharedWindow::MpiSharedWindow(MpiMemory memory, MpiLease lease)
    : Window(memory.rank, memory.size, std::move(memory.pieces)),
      communicator_(std::move(memory.communicator)),
      window_(memory.window),
      lease_(std::move(lease)) {}

// Other ranks write with the processor, which needs no help; MPI has to be called all the same.
void MpiSharedWindow::progress() noexcept { communicator_->functions().progress(communicator_->handle(), window_); }

MpiRemoteWindow::MpiRemoteWindow(MpiMemory memory, MpiLease lease)
    : Window(memory.rank, memory.size, std::move(memory.pieces)),
      communicator_(std::move(memory.communicator)),
      window_(memory.window),
      shifts_(std::move(memory.shifts)),
      lease_(std::move(lease)) {}

Result<void> MpiRemoteWindow::put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from) {
  for (std::uint64_t done = 0; done < from.size(); done += most_bytes) {
    const std::uint64_t bytes = std::min(most_bytes, from.size() - done);
    const int number = functions().put(window_, static_cast<int>(rank), shifts_[rank] + offset + done,
                                       from.data() + done, static_cast<int>(bytes));
    PINTLE_TRY(mpi_done(functions(), number, "put ({}) bytes at ({}) on rank {}", bytes, offset + done, rank));
  }
  return {};
}

Result<void> MpiRemoteWindow::get(std::uint32_t rank, std::uint64_t offset, std::span<std::byte> to) {
  for (std::uint64_t done = 0; done < to.size(); done += most_bytes) {
    const std::uint64_t bytes = std::min(most_bytes, to.size() - done);
    const int number = functions().get(window_, static_cast<int>(rank), shifts_[rank] + offset + done, to.data() + done,
                                       static_cast<int>(bytes));
    PINTLE_TRY(mpi_done(functions(), number, "get ({}) bytes at ({}) on rank {}", bytes, offset + done, rank));
  }
  return {};
}

Result<void> MpiRemoteWindow::store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) {
  return mpi_done(functions(), functions().store(window_, static_cast<int>(rank), shifts_[rank] + offset, value),
                  "store a word at ({}) on rank {}", offset, rank);
}

Result<void> MpiRemoteWindow::raise(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) {
  return mpi_done(functions(), functions().raise(window_, static_cast<int>(rank), shifts_[rank] + offset, value),
                  "raise the word at ({}) on rank {}", offset, rank);
}

Result<void> MpiRemoteWindow::flush() { return mpi_done(functions(), functions().flush(window_), "flush a window"); }

void MpiRemoteWindow::progress() noexcept { functions().progress(communicator_->handle(), window_); }

}  // namespace pintle::collective
