// An MPI of one rank in this process, whose answers tests choose and whose calls they read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "vendor/mpi/plugin.h"

namespace pintle::collective::mpi_fake {

struct State {
  int level = vendor::mpi::thread_multiple;
  int failing = 0;  ///< What the next call of the function named `failing_call` answers.
  std::string failing_call{};
  bool is_done = true;  ///< What requests say.
  std::vector<std::string> calls{};
  std::vector<std::uint64_t> sizes{};  ///< Bytes or counts of transfers, in order.
  std::vector<std::byte> memory{};
};

/// One for all: the table's functions have no context.
inline State& state() {
  static State* const one = new State;
  return *one;
}

inline int answer(const char* call) {
  state().calls.emplace_back(call);
  return state().failing_call == call ? state().failing : 0;
}

inline void describe(int number, char* text, int size, int* is_memory) {
  std::snprintf(text, static_cast<std::size_t>(size), "words for %d", number);
  *is_memory = number == 34 ? 1 : 0;
}

inline int allocate(std::uint64_t, std::uint64_t bytes, int is_shared, std::uint64_t* window, void** base) {
  if (const int number = answer(is_shared != 0 ? "allocate_shared" : "allocate"); number != 0) return number;
  state().memory.assign(bytes, std::byte{0xaa});
  *window = 5;
  *base = state().memory.data();
  return 0;
}

inline int transfer(const char* call, int size) {
  state().sizes.push_back(static_cast<std::uint64_t>(size));
  return answer(call);
}

/// Every function; captures nothing.
inline vendor::mpi::Plugin table() {
  return {
      .version = vendor::mpi::plugin_version,
      .size = sizeof(vendor::mpi::Plugin),
      .describe = describe,
      .start = [](int* level) { return *level = state().level, answer("start"); },
      .copy_world = [](std::uint64_t* made,
                       std::uint64_t* request) { return *made = 1, *request = 2, answer("copy_world"); },
      .place = [](std::uint64_t, int* rank, int* ranks) { return *rank = 0, *ranks = 1, answer("place"); },
      .host = [](std::uint64_t, int* lowest) { return *lowest = 0, answer("host"); },
      .split = [](std::uint64_t, const int*, int, std::uint64_t* part) { return *part = 9, answer("split"); },
      .free_communicator = [](std::uint64_t) { return answer("free_communicator"); },
      .send = [](std::uint64_t, int, int, const void*, int, std::uint64_t*) { return answer("send"); },
      .receive = [](std::uint64_t, int, int, void*, int, std::uint64_t*) { return answer("receive"); },
      .test = [](std::uint64_t*, int* is_done) { return *is_done = state().is_done ? 1 : 0, answer("test"); },
      .allocate = allocate,
      .piece = [](std::uint64_t, int, void** base) { return *base = state().memory.data(), answer("piece"); },
      .free_window = [](std::uint64_t) { return answer("free_window"); },
      .mixes_windows = [] { return 0; },
      .put = [](std::uint64_t, int, std::uint64_t, const void*, int bytes) { return transfer("put", bytes); },
      .get = [](std::uint64_t, int, std::uint64_t, void*, int bytes) { return transfer("get", bytes); },
      .store = [](std::uint64_t, int, std::uint64_t, std::uint64_t) { return answer("store"); },
      .raise = [](std::uint64_t, int, std::uint64_t, std::uint64_t) { return answer("raise"); },
      .flush = [](std::uint64_t) { return answer("flush"); },
      .progress = [](std::uint64_t, std::uint64_t) { return answer("progress"); },
      .all_reduce = [](std::uint64_t, void*, const void*, int count, int,
                       int) { return transfer("all_reduce", count); },
      .reduce_scatter =
          [](std::uint64_t, void* to, const void* from, int count, int, int) {
            if (to != from) std::memset(to, 0x11, static_cast<std::size_t>(count));
            return transfer("reduce_scatter", count);
          },
      .all_gather = [](std::uint64_t, void*, const void* from,
                       int bytes) { return transfer(from == nullptr ? "all_gather_in_place" : "all_gather", bytes); },
      .broadcast = [](std::uint64_t, void*, int count, int) { return transfer("broadcast", count); },
      .all_to_all = [](std::uint64_t, void*, const void*, int bytes) { return transfer("all_to_all", bytes); },
  };
}

}  // namespace pintle::collective::mpi_fake
