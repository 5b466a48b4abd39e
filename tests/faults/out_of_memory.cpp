// Memory is taken until there is no more.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "faults/faults.h"

namespace faults {

using namespace pintle;

Ending out_of_memory(const Device& device) {
  const DeviceInfo info = device.info();
  if (info.kind == DeviceKind::software && !faults_poison(device)) {  // a simulated card has an end of its own
    std::fprintf(stderr, "skipped: the memory of [%s] is this machine's.\n", info.id.c_str());
    std::_Exit(cannot_run);
  }
  const std::uint64_t piece = std::min<std::uint64_t>(info.limits.max_allocation, std::uint64_t{2} << 30);
  constexpr std::size_t enough = 4096;  // 8 TiB
  std::vector<Buffer> taken;
  std::optional<Error> refused;
  while (!refused && taken.size() < enough) {
    auto buffer = device.allocate(DType::u8, {piece});
    if (buffer) taken.push_back(*std::move(buffer));
    else refused = buffer.error();
  }
  expect(refused.has_value(), "there is no end of memory");
  std::printf("%zu pieces, then %s\n", taken.size(), refused->text().c_str());
  expect(refused->code() == Errc::out_of_memory, "the code is another one");
  const std::string message(refused->message());
  expect(message.find(std::to_string(piece)) != std::string::npos, "the message lacks the requested bytes");
  expect(!taken.empty(), "not one piece was to be had");
  taken.pop_back();
  taken.push_back(value(device.allocate(DType::u8, {piece})));
  taken.clear();
  value(compute(device));
  return Ending::any;
}

}  // namespace faults
