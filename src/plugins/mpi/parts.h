// The functions of the table by what they concern; vendor/mpi/plugin.h says what each does.
#pragma once

#include <cstdint>

namespace pintle::plugins::mpi {

// communicator.cpp
int copy_world(std::uint64_t* communicator, std::uint64_t* request);
int place(std::uint64_t communicator, int* rank, int* ranks);
int host(std::uint64_t communicator, int* lowest);
int split(std::uint64_t communicator, const int* members, int count, std::uint64_t* part);
int free_communicator(std::uint64_t communicator);
int send(std::uint64_t communicator, int rank, int tag, const void* from, int bytes, std::uint64_t* request);
int receive(std::uint64_t communicator, int rank, int tag, void* to, int bytes, std::uint64_t* request);
int test(std::uint64_t* request, int* is_done);

// window.cpp
int allocate(std::uint64_t communicator, std::uint64_t bytes, int is_shared, std::uint64_t* window, void** base);
int piece(std::uint64_t window, int rank, void** base);
int free_window(std::uint64_t window);
int mixes_windows();
int put(std::uint64_t window, int rank, std::uint64_t offset, const void* from, int bytes);
int get(std::uint64_t window, int rank, std::uint64_t offset, void* to, int bytes);
int store(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value);
int raise(std::uint64_t window, int rank, std::uint64_t offset, std::uint64_t value);
int flush(std::uint64_t window);
int progress(std::uint64_t communicator, std::uint64_t window);

// collectives.cpp
int all_reduce(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op);
int reduce_scatter(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op);
int all_gather(std::uint64_t communicator, void* to, const void* from, int bytes);
int broadcast(std::uint64_t communicator, void* bytes, int count, int root);
int all_to_all(std::uint64_t communicator, void* to, const void* from, int bytes);

}  // namespace pintle::plugins::mpi
