// A program that starts MPI itself, at the thread level that its argument names, and then joins. Ends with 0 where the
// outcome is what the level promises.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "pintle/must.h"
#include "ranks.h"

namespace {

using pintle::Errc;
using pintle::Result;
namespace collective = pintle::collective;

int fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  return 1;
}

/// The window lives longer than MPI does: no call of it may reach MPI, which would abort.
int outlive(collective::Transport& transport) {
  auto window = collective::ranks::window_of(transport, 64);
  must(window->raise(0, 0, 1));
  must(window->flush());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  const Result<void> stored = window->store(0, 0, 1);
  if (stored || stored.error().code() != Errc::stale) return fail("a store after MPI's end is not stale");
  const auto joined = collective::join_mpi(collective::ranks::soon());
  if (joined || joined.error().code() != Errc::stale) return fail("joining after MPI's end is not stale");
  if (transport.create_window(64, {}, collective::ranks::soon())) return fail("there is a window after MPI's end");
  window.reset();
  return 0;
}

int join_at(std::string_view level) {
  auto joined = collective::join_mpi(collective::ranks::soon(), collective::Reach::remote_only);
  if (level == "multiple") return joined ? outlive(**joined) : fail(joined.error().text());
  if (joined) return fail("a lower level is accepted");
  const bool is_named = joined.error().message().find("Thread level of MPI (MPI_THREAD_FUNNELED)") == 0;
  if (joined.error().code() != Errc::unsupported || !is_named) return fail(joined.error().text());
  MPI_Finalize();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view level = count > 1 ? arguments[1] : "";
  int granted = 0;
  MPI_Init_thread(&count, &arguments, level == "multiple" ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &granted);
  const int code = join_at(level);
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}
