// libpintle_mpi.so: MPI behind the C interface of vendor/mpi/plugin.h. The only file that is compiled against mpi.h.
#include "vendor/mpi/plugin.h"

#include <cstdio>
#include <cstdlib>

#include "plugins/mpi/handles.h"
#include "plugins/mpi/parts.h"

namespace pintle::plugins::mpi {
namespace {

const char* own_words(int number) {
  switch (number) {
    case vendor::mpi::mpi_is_over: return "MPI is finalised";
    case vendor::mpi::memory_is_split: return "windows are not in the unified memory model";
    case vendor::mpi::pair_is_unknown: return "MPI has no such operator";
    case vendor::mpi::level_is_unknown: return "the thread level is unknown";
    default: return "no words for this number";
  }
}

void describe(int number, char* text, int size, int* is_memory) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0, kind = MPI_ERR_OTHER;
  *is_memory = 0;
  if (number < 0 || is_over() || MPI_Error_string(number, words, &length) != MPI_SUCCESS) {
    std::snprintf(text, static_cast<std::size_t>(size), "%s", own_words(number));
    return;
  }
  std::snprintf(text, static_cast<std::size_t>(size), "%s", words);
  if (MPI_Error_class(number, &kind) == MPI_SUCCESS) *is_memory = kind == MPI_ERR_NO_MEM ? 1 : 0;
}

void finish() {
  if (!is_over()) MPI_Finalize();
}

int initialise() {
  int granted = 0;
  if (const int number = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted); number != MPI_SUCCESS)
    return number;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return std::atexit(finish) == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int number_of_level(int granted, int* level) {
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  for (int i = 0; i < 4; ++i) {
    if (levels[i] != granted) continue;
    *level = i;
    return MPI_SUCCESS;
  }
  return vendor::mpi::level_is_unknown;
}

int start(int* level) {
  int is_started = 0, granted = 0;
  if (is_over()) return vendor::mpi::mpi_is_over;
  MPI_Initialized(&is_started);
  if (is_started == 0)
    if (const int number = initialise(); number != MPI_SUCCESS) return number;
  if (const int number = MPI_Query_thread(&granted); number != MPI_SUCCESS) return number;
  return number_of_level(granted, level);
}

const vendor::mpi::Plugin table{
    .version = vendor::mpi::plugin_version,
    .size = sizeof(vendor::mpi::Plugin),
    .describe = describe,
    .start = start,
    .copy_world = copy_world,
    .place = place,
    .host = host,
    .split = split,
    .free_communicator = free_communicator,
    .send = send,
    .receive = receive,
    .test = test,
    .allocate = allocate,
    .piece = piece,
    .free_window = free_window,
    .mixes_windows = mixes_windows,
    .put = put,
    .get = get,
    .store = store,
    .raise = raise,
    .flush = flush,
    .progress = progress,
    .all_reduce = all_reduce,
    .reduce_scatter = reduce_scatter,
    .all_gather = all_gather,
    .broadcast = broadcast,
    .all_to_all = all_to_all,
};

}  // namespace
}  // namespace pintle::plugins::mpi

extern "C" __attribute__((visibility("default"))) const pintle::vendor::mpi::Plugin* pintle_mpi_plugin() {
  return &pintle::plugins::mpi::table;
}
