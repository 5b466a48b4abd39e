// Whether an upload has read its pageable source when the call returns.
#include <algorithm>
#include <vector>

#include "facts/held.h"

namespace facts {
namespace {

/// The source is overwritten behind the call, before the copy can run.
std::string is_read_at_the_call(Session& session, std::size_t bytes) {
  std::vector<unsigned char> source(bytes, 0x11), got(bytes);
  const DevicePointer to = session.allocate(bytes);
  {
    Held held(session);
    expect(session.cuda.cuMemcpyHtoDAsync(to, source.data(), bytes, session.stream), "cuMemcpyHtoDAsync");
    std::ranges::fill(source, static_cast<unsigned char>(0x22));
  }
  expect(session.finish(session.stream), "the wait for the stream");
  expect(session.cuda.cuMemcpyDtoHAsync(got.data(), to, bytes, session.stream), "cuMemcpyDtoHAsync");
  expect(session.finish(session.stream), "the wait for the stream");
  const auto captured = std::ranges::count(got, 0x11), later = std::ranges::count(got, 0x22);
  if (captured == std::ssize(got)) return "yes";
  return later == std::ssize(got) ? "no" : "in part";
}

constexpr Rule rules[] = {
    {"source.of_4_KiB_is_read_at_the_call", "line 343", [](Session& s) { return is_read_at_the_call(s, 4096); }},
    {"source.of_64_KiB_is_read_at_the_call", "line 344", [](Session& s) { return is_read_at_the_call(s, 65536); }},
    {"source.of_1_MiB_is_read_at_the_call", "line 345", [](Session& s) { return is_read_at_the_call(s, 1 << 20); }},
};

}  // namespace

std::span<const Rule> source_rules() { return rules; }

}  // namespace facts
