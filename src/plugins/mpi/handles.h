// MPI's handles as integers: a pointer in OpenMPI, a number in MPICH.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "vendor/mpi/plugin.h"

namespace pintle::plugins::mpi {

template <class Handle>
std::uint64_t bits_of(Handle handle) noexcept {
  static_assert(sizeof(Handle) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

template <class Handle>
Handle handle_of(std::uint64_t bits) noexcept {
  Handle handle;
  std::memcpy(&handle, &bits, sizeof handle);
  return handle;
}

/// MPI aborts the process when it is called after its end, and static objects of the program may live longer.
inline bool is_over() noexcept {
  int yes = 0;
  return MPI_Finalized(&yes) != MPI_SUCCESS || yes != 0;
}

/// Runs the calls in order up to the first that fails; answers its number.
template <class... Calls>
int in_order(Calls... calls) {
  if (is_over()) return vendor::mpi::mpi_is_over;
  int number = MPI_SUCCESS;
  static_cast<void>((((number = calls()) == MPI_SUCCESS) && ...));
  return number;
}

}  // namespace pintle::plugins::mpi
