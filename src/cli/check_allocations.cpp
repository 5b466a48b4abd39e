#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/kept_number.h"
#include "cli/child.h"
#include "cli/describe.h"
#include "cli/findings.h"
#include "cli/trials.h"
#include "pintle/pintle.h"

namespace pintle::cli {
namespace {

constexpr std::uint64_t least = 1 << 20;
constexpr std::byte pattern{0xa5};
constexpr auto patience = std::chrono::minutes(5);

/// What the largest heap has left.
std::uint64_t available_on(const Device& device) {
  std::uint64_t most = 0;
  const auto heaps = device.budget();
  if (!heaps) return most;
  for (const Heap& heap : *heaps) most = std::max(most, heap.available.value_or(heap.total));
  return most;
}

/// Bytes that a trial may take. The host has the bytes once, and once more where the device's memory is the host's.
std::uint64_t room_on(const Device& device) {
  constexpr std::uint64_t share = 3;
  const auto host = open("cpu");
  const std::uint64_t room = host ? available_on(*host) / share : std::numeric_limits<std::uint64_t>::max();
  return std::min(room, available_on(device));
}

/// Whether the buffer has the pattern, but for one byte at its end.
Result<void> check(std::span<const std::byte> bytes) {
  constexpr std::size_t step = 4096;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += step) {
    if (bytes[at] != pattern) return Error(Errc::internal, fmt::format("Byte ({}) of the buffer is wrong.", at));
  }
  if (bytes.back() == std::byte{1}) return {};
  return Error(Errc::internal, "The last byte of the buffer is wrong.");
}

/// What became of a trial. One that ran out of time or memory says nothing of the driver.
struct Trial {
  bool works = false;
  bool is_known = true;
  std::string words{};
};

Trial try_size(const std::string& id, std::uint64_t bytes) {
  const auto child = run_child({}, {"doctor", "--attempt", id, "--bytes", std::to_string(bytes)}, patience);
  if (!child) return {false, false, child.error().text()};
  if (child->status == static_cast<int>(ExitCode::ok)) return {.works = true};
  const bool is_short = child->status == static_cast<int>(ExitCode::timeout) ||
                        child->status == static_cast<int>(ExitCode::out_of_memory);
  return {false, !is_short, end_of(*child)};
}

/// Half of what fails, until it works; 0 where nothing does.
std::uint64_t find_working(const std::string& id, std::uint64_t fails) {
  std::uint64_t size = fails / 2;
  while (size >= least && !try_size(id, size).works) size /= 2;
  return size >= least ? size : 0;
}

Finding tried(const DeviceInfo& info, std::uint64_t most) {
  const Trial first = try_size(info.id, most);
  const std::string subject = info.id + " allocation", size = text_of_bytes(most);
  if (first.works) return {subject, Verdict::ok, fmt::format("a buffer of {} is filled, written and read", size), ""};
  if (!first.is_known)
    return {subject, Verdict::warn, fmt::format("A trial of a buffer of {} says nothing: it {}", size, first.words),
            "Try again where more memory is free."};
  const std::uint64_t works = find_working(info.id, most);
  if (works == 0)
    return {subject, Verdict::fail, fmt::format("No buffer works: a trial {}", first.words), "Update the driver."};
  const std::string text =
      fmt::format("A buffer of {} works, and one of {} does not: a trial {}", text_of_bytes(works), size, first.words);
  const auto kept = keep(base::allocation_with(info.backend, info.name, info.driver), works);
  if (!kept) return {subject, Verdict::fail, text, kept.error().text()};
  return {subject, Verdict::warn, text,
          "From now on what works is the device's limit. Update the driver; then empty the folder of the cache."};
}

Finding look_at(const DeviceInfo& info) {
  const auto device = open(info.id);
  if (!device) return {info.id + " allocation", Verdict::fail, device.error().text(), "See the row of the device."};
  const std::uint64_t most = std::min(info.limits.max_allocation, room_on(*device));
  if (most < least) {
    return {info.id + " allocation", Verdict::warn,
            fmt::format("There is room for {} only: no trial was made", text_of_bytes(most)),
            "Try again where more memory is free."};
  }
  return tried(info, most);
}

/// The cpu's memory is the system's, and a simulated device has none.
bool has_driver(const DeviceInfo& info) { return info.kind != DeviceKind::cpu && info.kind != DeviceKind::simulated; }

}  // namespace

Findings check_allocations() { return look_at_each(has_driver, look_at); }

Result<void> try_allocation(const std::string& id, std::uint64_t bytes) {
  PINTLE_ASSIGN(device, open(id));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u8, {bytes}));
  PINTLE_ASSIGN(last, buffer.slice(bytes - 1, 1));
  const auto host = std::make_unique_for_overwrite<std::byte[]>(bytes);  // untouched where the fill fails
  const std::span<std::byte> all(host.get(), bytes);
  CommandList list;
  list.fill(buffer, static_cast<std::uint8_t>(pattern))
      .upload(last, std::vector<std::uint8_t>{1})
      .download(all, buffer);
  PINTLE_TRY(queue.submit_and_wait(std::move(list), patience));
  return check(all);
}

}  // namespace pintle::cli
