// The reference of first_result: BACKEND NAME MARK BEFORE FOLDER name the device and where compiled code is kept.
#include <cstdio>
#include <cstdlib>

#include "bench/direct/direct.h"
#include "bench/kernels/turn.h"

namespace {

using namespace pintle;

Result<std::vector<std::uint32_t>> run(char** arguments) {
  const bench::Target target{arguments[1], arguments[2], arguments[3], std::strtoull(arguments[4], nullptr, 10)};
  PINTLE_ASSIGN(direct, bench::open_direct(target, arguments[5]));
  return direct->turn(bench::first_result_rounds);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const auto values = run(arguments);
  if (!values) std::fprintf(stderr, "%s\n", values.error().text().c_str());
  return values && bench::is_first_result(*values) ? 0 : 1;
}
