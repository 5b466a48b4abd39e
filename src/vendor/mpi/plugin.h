// The C interface between Pintle and libpintle_mpi.so. Only that library knows MPI's types; it is built against the
// system's MPI.
#pragma once

#include <cstdint>

namespace pintle::vendor::mpi {

/// Raised by one with each change of `Plugin`.
inline constexpr std::uint32_t plugin_version = 2;
inline constexpr const char* plugin_file = "libpintle_mpi.so";
inline constexpr const char* plugin_symbol = "pintle_mpi_plugin";

/// What a function returns besides MPI's own error numbers, which are positive, and 0 for success.
inline constexpr int mpi_is_over = -1;       ///< The process has finalised MPI.
inline constexpr int memory_is_split = -2;   ///< Windows of this MPI are not in the unified memory model.
inline constexpr int pair_is_unknown = -3;   ///< MPI has no operator for this dtype.
inline constexpr int level_is_unknown = -4;  ///< MPI returns a thread level that the standard does not have.

/// Thread levels, in rising order.
inline constexpr int thread_single = 0, thread_funneled = 1, thread_serialized = 2, thread_multiple = 3;

/// All values are integers and addresses: a communicator, a request and a window are the bits of MPI's handle. Every
/// function that returns an int returns 0, one of the numbers above or an error number of MPI. No function throws.
struct Plugin {
  std::uint32_t version;
  std::uint32_t size;  ///< The size of this struct.

  /// MPI's words for a number; `is_memory` is 1 where it means that memory is short.
  void (*describe)(int number, char* text, int size, int* is_memory);
  /// Initialises MPI unless that is done. A plugin that initialised MPI finalises it when the process ends.
  int (*start)(int* level);

  /// A copy of MPI_COMM_WORLD, valid once the request is done.
  int (*copy_world)(std::uint64_t* communicator, std::uint64_t* request);
  /// Gets the rank and the number of ranks. From now on MPI returns errors of the communicator.
  int (*place)(std::uint64_t communicator, int* rank, int* ranks);
  /// The lowest rank on this rank's host. Collective, blocking.
  int (*host)(std::uint64_t communicator, int* lowest);
  /// Makes a communicator of `members`. Every member calls it; blocking.
  int (*split)(std::uint64_t communicator, const int* members, int count, std::uint64_t* part);
  int (*free_communicator)(std::uint64_t communicator);

  int (*send)(std::uint64_t communicator, int rank, int tag, const void* from, int bytes, std::uint64_t* request);
  int (*receive)(std::uint64_t communicator, int rank, int tag, void* to, int bytes, std::uint64_t* request);
  int (*test)(std::uint64_t* request, int* is_done);

  /// Collective, blocking. Opens the epoch in which the functions below are allowed. A shared window is for one host
  /// only.
  int (*allocate)(std::uint64_t communicator, std::uint64_t bytes, int is_shared, std::uint64_t* window, void** base);
  /// Another rank's piece of a shared window.
  int (*piece)(std::uint64_t window, int rank, void** base);
  /// Collective, blocking.
  int (*free_window)(std::uint64_t window);
  /// 1 where groups with several ranks on one host may get each other's pieces of windows that are not shared. Where
  /// that depends on how the job was started, the answer is known once such a window of all ranks has been made.
  int (*mixes_windows)();

  /// The caller may reuse `from` on return.
  int (*put)(std::uint64_t window, int rank, std::uint64_t offset, const void* from, int bytes);
  int (*get)(std::uint64_t window, int rank, std::uint64_t offset, void* to, int bytes);
  /// Stores `value` after every put of this process to that rank.
  int (*store)(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value);
  /// Raises the number there to at least `value`, after every put of this process to that rank.
  int (*raise)(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value);
  int (*flush)(std::uint64_t window);
  /// Makes what other ranks have written visible, and lets MPI progress. Without a window (0) it only lets MPI
  /// progress.
  int (*progress)(std::uint64_t communicator, std::uint64_t window);

  /// dtype and op are the numbers of pintle::DType and pintle::ReduceOp. In place is allowed in two functions: `to` ==
  /// `from` in all_reduce, and `from` == nullptr in all_gather, where the rank's part is in `to`.
  int (*all_reduce)(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op);
  int (*reduce_scatter)(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op);
  int (*all_gather)(std::uint64_t communicator, void* to, const void* from, int bytes);
  int (*broadcast)(std::uint64_t communicator, void* bytes, int count, int root);
  int (*all_to_all)(std::uint64_t communicator, void* to, const void* from, int bytes);
};

/// The type of the function `plugin_symbol`.
using OpenPlugin = const Plugin*();

}  // namespace pintle::vendor::mpi
