#include <array>
#include <atomic>

#include "conformance/sweep/memory.h"

namespace pintle::conformance {
namespace {

constexpr std::size_t size = 64;

Result<void> upload_exec_download(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(pack, suite_pack_for(device));
  PINTLE_ASSIGN(kernel, device.load(pack, "conform_add_to"));
  PINTLE_ASSIGN(from, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(to, device.allocate(DType::u32, {size}));
  Words& result = run.memory(size);
  PINTLE_ASSIGN(uploaded, run.keep(queue.submit(CommandList{}.upload(from, Words(size, 5)))));
  static_cast<void>(uploaded);
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.exec(kernel, Grid{1}, from, to, 7u, 64u))));
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, to))));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, Words(size, 12));
  return {};
}

Result<void> two_queues(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(make, device.create_queue());
  PINTLE_ASSIGN(use, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(full, run.promised());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(copy, device.allocate(DType::u32, {size}));
  Words& result = run.memory(size);
  Context& test = run.test();
  PINTLE_TRY(run.keep(use.submit(CommandList{}.copy(copy, buffer), {.after = {test.at(full, 2)}})));
  PINTLE_TRY(run.keep(
      make.submit(CommandList{}.fill(buffer, 1u), {.after = {test.at(gate, 1)}, .signal = {test.at(full, 1)}})));
  PINTLE_TRY(run.keep(make.submit(CommandList{}.fill(buffer, 3u), {.signal = {test.at(full, 2)}})));
  PINTLE_ASSIGN(done, run.keep(use.submit(CommandList{}.download(result, copy))));
  PINTLE_TRY(test.raise(gate, 1));
  PINTLE_TRY(test.wait(done));
  run.compare(result, Words(size, 3));
  return {};
}

Result<void> recording_with_slots(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(pack, suite_pack_for(device));
  PINTLE_ASSIGN(kernel, device.load(pack, "conform_affine"));
  PINTLE_ASSIGN(recording, device.record(CommandList{}
                                             .upload(buffer, Words(size, 2))
                                             .exec(kernel, Grid{1}, buffer, Slot{0}, 1u, 64u)
                                             .download(Slot{1}, buffer)));
  std::array<Words*, 3> results{};
  for (std::uint32_t round = 0; round < results.size(); ++round) {
    results[round] = &run.memory(size);
    const std::array<SlotValue, 2> bindings{round + 3, std::as_writable_bytes(std::span(*results[round]))};
    PINTLE_TRY(run.keep(queue.replay(recording, bindings, {.after = {run.test().at(gate, 1)}})));
  }
  PINTLE_TRY(run.test().raise(gate, 1));
  PINTLE_TRY(run.test().wait(queue.last()));
  for (std::uint32_t round = 0; round < results.size(); ++round)
    run.compare(*results[round], Words(size, 2 * (round + 3) + 1));
  return {};
}

Result<void> load_and_build(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {size}));
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(buffer, 1u))));
  Words& result = run.memory(size);
  for (const auto& pack : {suite_pack_for(device), suite_pack_for(device)}) {
    if (!pack) return pack.error();
    PINTLE_ASSIGN(program, device.load(*pack));
    PINTLE_ASSIGN(kernel, program.kernel("conform_affine"));
    PINTLE_TRY(run.keep(queue.submit(CommandList{}.exec(kernel, Grid{1}, buffer, 10u, 1u, 64u))));
  }
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, buffer))));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, Words(size, 111));
  return {};
}

Result<void> allocate_and_free(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  Words& result = run.memory(size);
  PINTLE_ASSIGN(last, device.allocate(DType::u32, {size}));
  for (std::uint32_t round = 0; round < 3; ++round) {
    PINTLE_ASSIGN(brief, device.allocate(DType::u32, {size}));
    PINTLE_TRY(run.keep(
        queue.submit(CommandList{}.fill(brief, round).copy(last, brief), {.after = {run.test().at(gate, 1)}})));
  }
  PINTLE_ASSIGN(unused, device.allocate(DType::u8, {1000}, {.label = "unused", .placement = Placement::host}));
  if (const auto mapped = unused.map(); !mapped && mapped.error().code() != Errc::unsupported) return mapped.error();
  PINTLE_TRY(device.budget());
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, last))));
  PINTLE_TRY(run.test().raise(gate, 1));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, Words(size, 2));
  return {};
}

Result<void> callbacks(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {size}));
  const auto called = std::make_shared<std::atomic<int>>(0);
  Words& result = run.memory(size);
  std::vector<Point> points;
  for (std::uint32_t round = 1; round <= 3; ++round) {
    PINTLE_ASSIGN(point, run.keep(queue.submit(CommandList{}.fill(buffer, round).call([called] { ++*called; }),
                                               {.after = {run.test().at(gate, round)}})));
    auto told = std::make_shared<std::atomic<int>>(0);
    PINTLE_TRY(point.then([told](const Result<void>&) { ++*told; }));
    run.expect(std::move(told));
    points.push_back(point);
  }
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.download(result, buffer))));
  for (std::uint32_t round = 1; round <= 3; ++round) PINTLE_TRY(run.test().raise(gate, round));
  for (const Point& point : points) PINTLE_TRY(run.test().wait(point));
  PINTLE_TRY(run.test().wait(queue.last()));
  run.compare(result, Words(size, 3));
  run.compare({static_cast<std::uint32_t>(called->load())}, {3});
  return {};
}

}  // namespace

std::span<const Scenario> scenarios() {
  static constexpr std::array<Scenario, 16> all{{{"upload_exec_download", upload_exec_download},
                                                 {"two_queues", two_queues},
                                                 {"recording_with_slots", recording_with_slots},
                                                 {"load_and_build", load_and_build},
                                                 {"allocate_and_free", allocate_and_free},
                                                 {"callbacks", callbacks},
                                                 {"pool_across_queues", pool_across_queues},
                                                 {"pool_at_its_cap", pool_at_its_cap},
                                                 {"pool_that_scrubs", pool_that_scrubs},
                                                 {"forks_written_in_turn", forks_written_in_turn},
                                                 {"forks_of_held_work", forks_of_held_work},
                                                 {"host_memory_in_place", host_memory_in_place},
                                                 {"arena_fed_and_read", arena_fed_and_read},
                                                 {"handle_that_flips", handle_that_flips},
                                                 {"handles_in_a_file", handles_in_a_file},
                                                 {"images_in_turn", images_in_turn}}};
  return all;
}

}  // namespace pintle::conformance
