// Which copies wait for a kernel that runs: in whose stream, of which memory, and of how much.
#include <vector>

#include "facts/held.h"

namespace facts {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::string upload(Session& session, const void* from, std::size_t bytes, Stream on) {
  const DevicePointer to = session.allocate(bytes);
  expect(session.cuda.cuMemsetD8Async(to, 0, bytes, on), "cuMemsetD8Async");  // its pages are there then
  expect(session.finish(on), "the wait for the stream");
  const std::string line = beside(session, [&] { return session.cuda.cuMemcpyHtoDAsync(to, from, bytes, on); });
  expect(session.finish(on), "the wait for the stream");
  return line;
}

std::string download(Session& session, void* to, std::size_t bytes) {
  const DevicePointer from = session.allocate(bytes);
  const std::string line =
      beside(session, [&] { return session.cuda.cuMemcpyDtoHAsync(to, from, bytes, session.stream); });
  expect(session.finish(session.stream), "the wait for the stream");
  return line;
}

std::string upload_pageable(Session& session, std::size_t bytes, Stream on) {
  const std::vector<char> from(bytes, 1);
  return upload(session, from.data(), bytes, on);
}

std::string download_pageable(Session& session, std::size_t bytes) {
  std::vector<char> to(bytes, 1);
  return download(session, to.data(), bytes);
}

std::string upload_at_once(Session& session) {
  const auto copy = there(session.more.cuMemcpyHtoD, "cuMemcpyHtoD");
  const std::vector<char> from(4096, 1);
  const DevicePointer to = session.allocate(from.size());
  return beside(session, [&] { return copy(to, from.data(), from.size()); });
}

std::string download_at_once(Session& session) {
  const auto copy = there(session.more.cuMemcpyDtoH, "cuMemcpyDtoH");
  std::vector<char> to(4096, 1);
  const DevicePointer from = session.allocate(to.size());
  return beside(session, [&] { return copy(to.data(), from, to.size()); });
}

std::string fill_at_once(Session& session) {
  const auto fill = there(session.more.cuMemsetD8, "cuMemsetD8");
  const DevicePointer memory = session.allocate(4096);
  return beside(session, [&] { return fill(memory, 0, 4096); });
}

constexpr Rule rules[] = {
    {"waits.upload_4_bytes", "line 318", [](Session& s) { return upload_pageable(s, 4, s.stream); }},
    {"waits.upload_4_bytes_in_another_stream", "line 319", [](Session& s) { return upload_pageable(s, 4, s.other); }},
    {"waits.upload_64_KiB", "line 323", [](Session& s) { return upload_pageable(s, mib / 16, s.stream); }},
    {"waits.upload_1_MiB", "line 333", [](Session& s) { return upload_pageable(s, mib, s.stream); }},
    {"waits.upload_16_MiB", "line 338", [](Session& s) { return upload_pageable(s, 16 * mib, s.stream); }},
    {"waits.upload_16_MiB_in_another_stream", "line 339",
     [](Session& s) { return upload_pageable(s, 16 * mib, s.other); }},
    {"waits.upload_1_MiB_pinned", "line 336", [](Session& s) { return upload(s, s.pinned(mib), mib, s.stream); }},
    {"waits.download_4_bytes", "line 320", [](Session& s) { return download_pageable(s, 4); }},
    {"waits.download_1_MiB", "line 335", [](Session& s) { return download_pageable(s, mib); }},
    {"waits.download_1_MiB_pinned", "line 337", [](Session& s) { return download(s, s.pinned(mib), mib); }},
    {"waits.upload_at_once", "line 309", &upload_at_once},
    {"waits.download_at_once", "line 310", &download_at_once},
    {"waits.fill_at_once", "line 312", &fill_at_once},
};

}  // namespace

std::span<const Rule> copy_waiting_rules() { return rules; }

}  // namespace facts
