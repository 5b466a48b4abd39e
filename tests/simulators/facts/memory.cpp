// Which sizes, addresses and ranges are refused, and with what.
#include <array>

#include "facts/session.h"

namespace facts {
namespace {

constexpr std::size_t large = std::size_t{64} << 20;
constexpr std::size_t piece = 4096;

std::string allocate(Session& session, std::size_t bytes) {
  DevicePointer memory = 0;
  return text(session.cuda.cuMemAlloc(&memory, bytes));
}

std::string pin(Session& session, std::size_t bytes) {
  void* memory = nullptr;
  return text(session.cuda.cuMemHostAlloc(&memory, bytes, host_memory_device_mapped));
}

std::string allocate_after_a_refusal(Session& session) {
  DevicePointer memory = 0;
  static_cast<void>(session.cuda.cuMemAlloc(&memory, std::size_t{1} << 50));
  return allocate(session, 1 << 20);
}

std::string free_inside(Session& session) { return text(session.cuda.cuMemFree(session.allocate(65536) + 256)); }

std::string free_twice(Session& session) {
  const DevicePointer memory = session.allocate(65536);
  return codes({session.cuda.cuMemFree(memory), session.cuda.cuMemFree(memory)});
}

std::string free_pinned_twice(Session& session) {
  void* const memory = session.pinned(4096);
  return codes({session.cuda.cuMemFreeHost(memory), session.cuda.cuMemFreeHost(memory)});
}

std::string device_address(Session& session) {
  void* const memory = session.pinned(4096);
  DevicePointer address = 0;
  expect(session.cuda.cuMemHostGetDevicePointer(&address, memory, 0), "cuMemHostGetDevicePointer");
  return address == reinterpret_cast<std::uintptr_t>(memory) ? "yes" : "no";
}

Status upload(Session& session, DevicePointer to, std::size_t bytes = piece) {
  static const std::array<char, piece> from{};
  return session.cuda.cuMemcpyHtoDAsync(to, from.data(), bytes, session.stream);
}

Status download(Session& session, DevicePointer from) {
  std::array<char, piece> to;
  return session.cuda.cuMemcpyDtoHAsync(to.data(), from, piece, session.stream);
}

/// What `call` answers of a piece whose last byte lies behind a large allocation.
template <class Call>
std::string past_the_end(Session& session, Call call) {
  const DevicePointer memory = session.allocate(large);
  const Status status = call(memory, memory + large - piece + 1);
  expect(session.finish(session.stream), "the wait for the stream");
  expect(session.cuda.cuMemFree(memory), "cuMemFree");
  return text(status);
}

std::string copy_past_the_end(Session& session) {
  return past_the_end(session, [&](DevicePointer memory, DevicePointer end) {
    return session.cuda.cuMemcpyDtoDAsync(end, memory, piece, session.stream);
  });
}

std::string fill_past_the_end(Session& session) {
  return past_the_end(session, [&](DevicePointer, DevicePointer end) {
    return session.cuda.cuMemsetD8Async(end, 0, piece, session.stream);
  });
}

std::string fill_misaligned(Session& session) {
  return text(session.cuda.cuMemsetD32Async(session.allocate(64) + 2, 0, 4, session.stream));
}

std::string copy_over_itself(Session& session) {
  const DevicePointer memory = session.allocate(2 * piece);
  const Status copied = session.cuda.cuMemcpyDtoDAsync(memory, memory + 128, piece, session.stream);
  return codes({copied, session.finish(session.stream)});
}

/// A copy, a fill, and a copy to nowhere.
std::string of_no_byte(Session& session) {
  const DevicePointer memory = session.allocate(64);
  return codes({upload(session, memory, 0), session.cuda.cuMemsetD8Async(memory, 0, 0, session.stream),
                upload(session, 0, 0), session.finish(session.stream)});
}

DevicePointer freed(Session& session, std::size_t bytes) {
  const DevicePointer memory = session.allocate(bytes);
  expect(session.cuda.cuMemFree(memory), "cuMemFree");
  return memory;
}

constexpr Rule rules[] = {
    {"memory.of_no_byte", "line 230", [](Session& s) { return allocate(s, 0); }},
    {"memory.pinned_of_no_byte", "line 231", [](Session& s) { return pin(s, 0); }},
    {"memory.of_2_to_the_50_bytes", "line 908", [](Session& s) { return allocate(s, std::size_t{1} << 50); }},
    {"memory.of_all_bytes", "line 909", [](Session& s) { return allocate(s, ~std::size_t{0}); }},
    {"memory.pinned_of_2_to_the_46_bytes", "line 925", [](Session& s) { return pin(s, std::size_t{1} << 46); }},
    {"memory.after_a_refusal", "line 911", &allocate_after_a_refusal},
    {"memory.device_address_is_the_hosts", "line 506", &device_address},
    {"memory.free_null", "line 232", [](Session& s) { return text(s.cuda.cuMemFree(0)); }},
    {"memory.free_inside", "line 233", &free_inside},
    {"memory.free_unknown", "line 234", [](Session& s) { return text(s.cuda.cuMemFree(0x123456789000)); }},
    {"memory.free_twice", "lines 235 and 236", &free_twice},
    {"memory.free_pinned_twice", "line 1123", &free_pinned_twice},
    {"memory.upload_past_the_end", "line 239",
     [](Session& s) { return past_the_end(s, [&](DevicePointer, DevicePointer end) { return upload(s, end); }); }},
    {"memory.download_past_the_end", "line 240, by the synchronous call",
     [](Session& s) { return past_the_end(s, [&](DevicePointer, DevicePointer end) { return download(s, end); }); }},
    {"memory.copy_past_the_end", "line 241, by the synchronous call", &copy_past_the_end},
    {"memory.fill_past_the_end", "line 242, by the synchronous call", &fill_past_the_end},
    {"memory.copies_and_fills_of_no_byte", "lines 244 to 246, by the synchronous calls", &of_no_byte},
    {"memory.upload_to_null", "line 247, by the synchronous call", [](Session& s) { return text(upload(s, 0)); }},
    {"memory.upload_from_null", "line 248, by the synchronous call",
     [](Session& s) { return text(s.cuda.cuMemcpyHtoDAsync(s.allocate(64), nullptr, 4, s.stream)); }},
    {"memory.copy_over_itself", "line 249, by the synchronous call", &copy_over_itself},
    {"memory.fill_misaligned", "line 250, by the synchronous call", &fill_misaligned},
    {"memory.upload_to_freed", "line 252", [](Session& s) { return text(upload(s, freed(s, large))); }},
    {"memory.download_from_freed", "line 253, by the synchronous call",
     [](Session& s) { return text(download(s, freed(s, large))); }},
    {"memory.upload_to_freed_512_bytes", "line 254, by the synchronous call",
     [](Session& s) { return text(upload(s, freed(s, 512), 512)); }},
    {"memory.upload_past_512_bytes", "line 255, by the synchronous call",
     [](Session& s) { return text(upload(s, s.allocate(512), 1024)); }},
    {"memory.upload_to_what_never_was", "line 898", [](Session& s) { return text(upload(s, 0x7fff00000000, 64)); }},
};

}  // namespace

std::span<const Rule> memory_rules() { return rules; }

}  // namespace facts
