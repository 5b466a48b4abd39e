// Windows: memory that other ranks write and read.
#include <atomic>
#include <fstream>
#include <string>

#include "plugins/mpi/handles.h"
#include "plugins/mpi/parts.h"

namespace pintle::plugins::mpi {
namespace {

MPI_Win window_of(std::uint64_t bits) noexcept { return handle_of<MPI_Win>(bits); }

/// Pieces that lie on pages of their own, and all of one size.
int hints(MPI_Info* info) {
  return in_order([&] { return MPI_Info_create(info); },
                  [&] { return MPI_Info_set(*info, "alloc_shared_noncontig", "true"); },
                  [&] { return MPI_Info_set(*info, "same_size", "true"); },
                  [&] { return MPI_Info_set(*info, "same_disp_unit", "true"); });
}

int check_model(MPI_Win window) {
  void* value = nullptr;
  int is_there = 0;
  const int number = MPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void*>(&value), &is_there);
  if (number != MPI_SUCCESS) return number;
  const bool is_unified = is_there != 0 && *static_cast<const int*>(value) == MPI_WIN_UNIFIED;
  return is_unified ? MPI_SUCCESS : vendor::mpi::memory_is_split;
}

/// A probe that finds something returns without letting MPI work, so it looks for what nobody sends.
int let_mpi_work(MPI_Comm communicator) {
  constexpr int unused_tag = 4;
  int is_there = 0;
  return MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, communicator, &is_there, MPI_STATUS_IGNORE);
}

/// Open MPI's osc/rdma joins the ranks of a host by a file that before 5.0 was named after the communicator's number,
/// which groups without a common rank may have in common (open-mpi/ompi 9492). It stays mapped under that name.
bool maps_file_of_rdma() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/osc_rdma.") != std::string::npos) return true;
  }
  return false;
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
std::atomic<bool> may_mix{true};
#else
std::atomic<bool> may_mix{false};
#endif

/// The first window that is not shared is of all ranks: no other group can take its file, and all are like it.
void look_at_first_window() {
  static const bool has_file = maps_file_of_rdma();
  if (!has_file) may_mix = false;
}

}  // namespace

int mixes_windows() { return may_mix ? 1 : 0; }

int allocate(std::uint64_t communicator, std::uint64_t bytes, int is_shared, std::uint64_t* window, void** base) {
  const auto members = handle_of<MPI_Comm>(communicator);
  const auto size = static_cast<MPI_Aint>(bytes);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Win made = MPI_WIN_NULL;
  auto* const function = is_shared != 0 ? MPI_Win_allocate_shared : MPI_Win_allocate;
  const int number = in_order(
      [&] { return hints(&info); }, [&] { return function(size, 1, info, members, static_cast<void*>(base), &made); },
      [&] { return MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN); }, [&] { return check_model(made); },
      [&] { return MPI_Win_lock_all(MPI_MODE_NOCHECK, made); });
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  *window = bits_of(made);
  if (is_shared == 0 && number == MPI_SUCCESS) look_at_first_window();
  return number;
}

int piece(std::uint64_t window, int rank, void** base) {
  MPI_Aint size = 0;
  int unit = 0;
  return in_order(
      [&] { return MPI_Win_shared_query(window_of(window), rank, &size, &unit, static_cast<void*>(base)); });
}

int free_window(std::uint64_t window) {
  MPI_Win handle = window_of(window);
  return in_order([&] { return MPI_Win_unlock_all(handle); }, [&] { return MPI_Win_free(&handle); });
}

int put(std::uint64_t window, int rank, std::uint64_t offset, const void* from, int bytes) {
  const MPI_Win handle = window_of(window);
  const auto at = static_cast<MPI_Aint>(offset);
  return in_order([&] { return MPI_Put(from, bytes, MPI_BYTE, rank, at, bytes, MPI_BYTE, handle); },
                  [&] { return MPI_Win_flush_local(rank, handle); });
}

int get(std::uint64_t window, int rank, std::uint64_t offset, void* to, int bytes) {
  const MPI_Win handle = window_of(window);
  const auto at = static_cast<MPI_Aint>(offset);
  return in_order([&] { return MPI_Get(to, bytes, MPI_BYTE, rank, at, bytes, MPI_BYTE, handle); },
                  [&] { return MPI_Win_flush(rank, handle); });
}

namespace {

/// OpenMPI over UCX locks a piece for each atomic operation, and the requests of others are served only while the owner
/// is inside of MPI: one that repeats its own operations always holds the lock then, and others never get it.
int let_others_in() { return let_mpi_work(MPI_COMM_SELF); }

/// One word, after every put of this process to that rank. MPI_Compare_and_swap is not used at all: OpenMPI's crashes
/// between processes of one host that copy by process_vm_readv (open-mpi/ompi issues 9146 and 11349).
int accumulate(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value, MPI_Op op) {
  const MPI_Win handle = window_of(window);
  const auto at = static_cast<MPI_Aint>(offset);
  return in_order([&] { return MPI_Win_flush(rank, handle); },
                  [&] { return MPI_Accumulate(&value, 1, MPI_UINT64_T, rank, at, 1, MPI_UINT64_T, op, handle); },
                  [&] { return MPI_Win_flush(rank, handle); }, let_others_in);
}

}  // namespace

int store(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value) {
  return accumulate(window, rank, offset, value, MPI_REPLACE);
}

int raise(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value) {
  return accumulate(window, rank, offset, value, MPI_MAX);
}

int flush(std::uint64_t window) {
  return in_order([&] { return MPI_Win_flush_all(window_of(window)); });
}

int progress(std::uint64_t communicator, std::uint64_t window) {
  return in_order([&] { return window == 0 ? MPI_SUCCESS : MPI_Win_sync(window_of(window)); },
                  [&] { return let_mpi_work(handle_of<MPI_Comm>(communicator)); });
}

}  // namespace pintle::plugins::mpi
