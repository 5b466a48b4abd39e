// Communicators, and the messages with which ranks meet.
#include "plugins/mpi/handles.h"
#include "plugins/mpi/parts.h"

namespace pintle::plugins::mpi {
namespace {

/// The copy is being made with the error handler of MPI_COMM_WORLD, which is the program's: that one ends the process.
class AnsweringWorld {
 public:
  AnsweringWorld() {
    is_kept_ = MPI_Comm_get_errhandler(MPI_COMM_WORLD, &kept_) == MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  AnsweringWorld(const AnsweringWorld&) = delete;
  AnsweringWorld& operator=(const AnsweringWorld&) = delete;
  ~AnsweringWorld() {
    if (!is_kept_) return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, kept_);
    MPI_Errhandler_free(&kept_);
  }

 private:
  MPI_Errhandler kept_{};
  bool is_kept_ = false;
};

}  // namespace

int copy_world(std::uint64_t* communicator, std::uint64_t* request) {
  if (is_over()) return vendor::mpi::mpi_is_over;
  const AnsweringWorld answering;
  // MPI writes the handle when the request is done, wherever this function is then.
  static_assert(sizeof(MPI_Comm) <= sizeof *communicator);
  MPI_Request pending{};
  *communicator = 0;
  const int number = MPI_Comm_idup(MPI_COMM_WORLD, reinterpret_cast<MPI_Comm*>(communicator), &pending);
  *request = bits_of(pending);
  return number;
}

int place(std::uint64_t communicator, int* rank, int* ranks) {
  const auto handle = handle_of<MPI_Comm>(communicator);
  return in_order([&] { return MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN); },
                  [&] { return MPI_Comm_rank(handle, rank); }, [&] { return MPI_Comm_size(handle, ranks); });
}

int host(std::uint64_t communicator, int* lowest) {
  const auto whole = handle_of<MPI_Comm>(communicator);
  MPI_Comm local = MPI_COMM_NULL;
  const int number =
      in_order([&] { return MPI_Comm_rank(whole, lowest); },
               [&] { return MPI_Comm_split_type(whole, MPI_COMM_TYPE_SHARED, *lowest, MPI_INFO_NULL, &local); },
               [&] { return MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN); },
               [&] { return MPI_Bcast(lowest, 1, MPI_INT, 0, local); });
  if (local != MPI_COMM_NULL) MPI_Comm_free(&local);
  return number;
}

int split(std::uint64_t communicator, const int* members, int count, std::uint64_t* part) {
  const auto handle = handle_of<MPI_Comm>(communicator);
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  constexpr int tag = 3;
  const int number =
      in_order([&] { return MPI_Comm_group(handle, &all); }, [&] { return MPI_Group_incl(all, count, members, &some); },
               [&] { return MPI_Comm_create_group(handle, some, tag, &made); },
               [&] { return MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN); });
  if (some != MPI_GROUP_NULL) MPI_Group_free(&some);
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  *part = bits_of(made);
  return number;
}

int free_communicator(std::uint64_t communicator) {
  auto handle = handle_of<MPI_Comm>(communicator);
  return in_order([&] { return MPI_Comm_free(&handle); });
}

int send(std::uint64_t communicator, int rank, int tag, const void* from, int bytes, std::uint64_t* request) {
  MPI_Request pending{};
  const int number = in_order(
      [&] { return MPI_Isend(from, bytes, MPI_BYTE, rank, tag, handle_of<MPI_Comm>(communicator), &pending); });
  *request = bits_of(pending);
  return number;
}

int receive(std::uint64_t communicator, int rank, int tag, void* to, int bytes, std::uint64_t* request) {
  MPI_Request pending{};
  const int number =
      in_order([&] { return MPI_Irecv(to, bytes, MPI_BYTE, rank, tag, handle_of<MPI_Comm>(communicator), &pending); });
  *request = bits_of(pending);
  return number;
}

int test(std::uint64_t* request, int* is_done) {
  auto pending = handle_of<MPI_Request>(*request);
  const int number = in_order([&] { return MPI_Test(&pending, is_done, MPI_STATUS_IGNORE); });
  *request = bits_of(pending);
  return number;
}

}  // namespace pintle::plugins::mpi
