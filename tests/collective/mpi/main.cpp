// mpirun -np N mpi_ranks any|remote_only [GoogleTest's arguments]
#include <cstdio>
#include <string_view>

#include "ranks.h"

namespace pintle::collective::ranks {
namespace {

std::unique_ptr<Transport> joined;
Reach chosen = Reach::any;

}  // namespace

Transport& transport() { return *joined; }
Reach reach() { return chosen; }

int run() {
  auto transport = join_mpi(soon(), chosen);
  if (!transport) {
    std::fprintf(stderr, "%s\n", transport.error().text().c_str());
    return 1;
  }
  joined = *std::move(transport);
  // As every group has one; the plug-in learns from the first one how this MPI makes them.
  const auto first = joined->create_window(64, {}, soon());
  if (!first) std::fprintf(stderr, "%s\n", first.error().text().c_str());
  const int failures = RUN_ALL_TESTS();
  std::printf("rank %u of %u over %s: %s\n", joined->rank(), joined->ranks(),
              chosen == Reach::any ? "any" : "remote_only", failures == 0 ? "passed" : "failed");
  joined.reset();
  return failures;
}

}  // namespace pintle::collective::ranks

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  using pintle::collective::Reach;
  if (count > 1 && std::string_view(arguments[1]) == "remote_only")
    pintle::collective::ranks::chosen = Reach::remote_only;
  return pintle::collective::ranks::run();
}
