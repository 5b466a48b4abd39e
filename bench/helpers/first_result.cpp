// What first_result measures: opens the device that is named, loads a pack, computes, checks the result, ends.
#include <algorithm>
#include <array>
#include <cstdio>

#include "bench/kernels/turn.h"
#include "bench/rig.h"

namespace {

using namespace pintle;

Result<std::vector<std::uint32_t>> run(const char* id) {
  PINTLE_ASSIGN(device, open(id));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(pack, bench::kernel_pack(std::array{bench::turn_signature}));
  PINTLE_ASSIGN(turn, device.load(pack, "bench_turn"));
  std::vector<std::uint32_t> values(bench::turn_group);
  PINTLE_ASSIGN(buffer, device.allocate_for(values));
  CommandList list;
  list.upload(buffer, values).exec(turn, Grid{1}, buffer, bench::first_result_rounds).download(values, buffer);
  PINTLE_TRY(queue.submit_and_wait(std::move(list)));
  return values;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto values = run(arguments[1]);
  if (!values) std::fprintf(stderr, "%s\n", values.error().text().c_str());
  return values && bench::is_first_result(*values) ? 0 : 1;
}
