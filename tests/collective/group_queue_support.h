// Ranks in one process, each with a device and a group queue; and what their operations are to give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collective/queue/group_queue_cut.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/group.h"
#include "pintle/group_queue.h"
#include "pintle/must.h"
#include "pintle/queue.h"

namespace pintle::collective::test {

/// Devices that may be here; a test of one that is not is skipped with the reason.
inline std::vector<std::string> device_ids() {
  return {"cpu", "cpu?inline", "vulkan:swiftshader", "vulkan:llvmpipe", "opencl:pocl", "opencl:rusticl"};
}

/// Why the device is not here, or nothing where it is. The cpu is always here. Any other failure to open a device is
/// thrown, so that it ends the test: a body that runs behind a SetUp that has only noted a failure has no device.
inline std::string absence_of(const std::string& id) {
  const auto opened = open(id);
  if (!opened && opened.error().code() == Errc::unavailable && id.find("cpu") == std::string::npos) {
    return opened.error().text();
  }
  must(opened);
  return {};
}

inline std::string name_of_device(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// A rank. The group outlives its queue.
struct Member {
  Device device;
  Queue queue;  ///< For compute.
  Group group;
  GroupQueue collectives;
};

/// One rank for each device.
inline Result<std::vector<Member>> members(const std::vector<std::string>& ids) {
  PINTLE_ASSIGN(groups, Group::threads(static_cast<std::uint32_t>(ids.size())));
  std::vector<Member> all;
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    PINTLE_ASSIGN(device, open(ids[rank]));
    PINTLE_ASSIGN(queue, device.create_queue());
    PINTLE_ASSIGN(collectives, GroupQueue::create(groups[rank], device));
    all.push_back({device, std::move(queue), std::move(groups[rank]), std::move(collectives)});
  }
  return all;
}

inline std::vector<Member> members(const std::string& id, std::size_t ranks) {
  return must(members(std::vector<std::string>(ranks, id)));
}

/// Device memory with room on both sides that nobody may touch.
struct Memory {
  static constexpr std::uint64_t before = 3, after = 5;
  static constexpr std::int32_t untouched = -77;

  Buffer buffer;
  std::uint64_t count = 0;

  static Memory create(Member& member, const std::vector<std::int32_t>& values) {
    std::vector<std::int32_t> all(before + values.size() + after, untouched);
    std::ranges::copy(values, all.begin() + before);
    Memory memory{must(member.device.allocate_for(all)), values.size()};
    must(member.queue.submit(CommandList{}.upload(memory.buffer, all)));
    return memory;
  }
  static Memory create(Member& member, std::uint64_t count) {
    return create(member, std::vector<std::int32_t>(count, untouched));
  }

  /// In place where the device maps it.
  DeviceElements in_place() { return {buffer, before, count}; }
  /// Always staged.
  [[nodiscard]] DeviceElements staged() const { return must(buffer.slice(before, count)); }
  [[nodiscard]] BufferView part(std::uint64_t first, std::uint64_t elements) const {
    return must(buffer.slice(before + first, elements));
  }

  /// What is there, when everything given to the member's queue is done. The room around it is as it was.
  std::vector<std::int32_t> values(Member& member) const {
    const auto all = must(read<std::int32_t>(member.queue, buffer));
    EXPECT_EQ(std::count(all.begin(), all.begin() + before, untouched), before);
    EXPECT_EQ(std::count(all.end() - after, all.end(), untouched), after);
    return {all.begin() + before, all.end() - after};
  }
};

/// Element `index` of what a rank gives.
inline std::int32_t given(std::uint64_t rank, std::uint64_t index) {
  return static_cast<std::int32_t>((index * 31 + rank * 1009 + 7) % 10007);
}

inline std::vector<std::int32_t> given(std::uint64_t rank, std::uint64_t first, std::uint64_t count) {
  std::vector<std::int32_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = given(rank, first + i);
  return values;
}

inline std::vector<std::int32_t> sums(std::uint64_t ranks, std::uint64_t first, std::uint64_t count) {
  std::vector<std::int32_t> values(count, 0);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t i = 0; i < count; ++i) values[i] += given(rank, first + i);
  }
  return values;
}

/// What `rank` has after the operation, where it gets anything; sums, where it folds. Parts are of `count` elements.
inline std::vector<std::int32_t> expected(Operation operation, std::uint32_t rank, std::uint32_t ranks,
                                          std::uint32_t root, std::uint64_t count) {
  std::vector<std::int32_t> all;
  switch (operation) {
    case Operation::all_reduce:
    case Operation::reduce: return sums(ranks, 0, count);
    case Operation::reduce_scatter: return sums(ranks, rank * count, count);
    case Operation::scatter: return given(root, rank * count, count);
    case Operation::broadcast:
    case Operation::send_recv: return given(root, 0, count);
    default: break;
  }
  for (std::uint32_t other = 0; other < ranks; ++other) {
    const auto part = given(other, operation == Operation::all_to_all ? rank * count : 0, count);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// One of the operations that every rank calls alike.
inline Collective alike(Operation operation, const DeviceElements& to, const DeviceElements& from, std::uint32_t root,
                        bool is_root) {
  switch (operation) {
    case Operation::all_reduce: return Collective::all_reduce(to, from, ReduceOp::sum);
    case Operation::reduce: return Collective::reduce(to, from, ReduceOp::sum, root);
    case Operation::reduce_scatter: return Collective::reduce_scatter(to, from, ReduceOp::sum);
    case Operation::all_gather: return Collective::all_gather(to, from);
    case Operation::gather: return Collective::gather(to, from, root);
    case Operation::scatter: return Collective::scatter(to, from, root);
    case Operation::broadcast: return Collective::broadcast(is_root ? from : to, root);
    default: return Collective::all_to_all(to, from);
  }
}
inline Result<Point> enqueue(GroupQueue& queue, Operation operation, const DeviceElements& to,
                             const DeviceElements& from, std::uint32_t root, bool is_root, SubmitOptions options) {
  return queue.submit(alike(operation, to, from, root, is_root), std::move(options));
}

}  // namespace pintle::collective::test
