#include "bench/collective/job.h"

#include <mpi.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <thread>

namespace pintle::bench {
namespace {

constexpr int release_tag = 1;
constexpr auto nap = std::chrono::microseconds(500);

}  // namespace

Job::Job(int* count, char*** arguments, ThreadLevel level) {
  int given = 0, rank = 0, ranks = 1;
  MPI_Init_thread(count, arguments, level == ThreadLevel::multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank_ = static_cast<std::uint32_t>(rank);
  ranks_ = static_cast<std::uint32_t>(ranks);
}

Job::~Job() { MPI_Finalize(); }

void Job::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

void Job::greatest(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

std::string Job::from_first(std::string text) const {
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

Result<void> Job::agree(const Result<void>& own) const {
  std::array<double, 1> failed{own ? 0.0 : 1.0};
  greatest(failed);
  if (!own) return own.error();
  if (failed[0] > 0) return Error(Errc::peer_lost, "Another rank of the measurement has failed.");
  return {};
}

void Job::release_others() const {
  for (std::uint32_t rank = 1; rank < ranks_; ++rank)
    MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(rank), release_tag, MPI_COMM_WORLD);
}

void Job::await_first() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, 0, release_tag, MPI_COMM_WORLD, &request);
  for (int is_done = 0; is_done == 0;) {
    std::this_thread::sleep_for(nap);
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
}

void take_place(std::uint32_t rank, std::uint32_t ranks) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) CPU_SET(processor, &all);
  sched_setaffinity(0, sizeof(all), &all);  // whatever mpirun has bound it to
  sched_getaffinity(0, sizeof(all), &all);
  if (static_cast<std::uint32_t>(CPU_COUNT(&all)) < ranks) return;
  std::uint32_t place = 0;
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &all) || place++ != rank) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof(one), &one);
    return;
  }
}

}  // namespace pintle::bench
