#include "door/table.h"

#include "pintle/native/cpu.h"

namespace pintle::door {
namespace {

PlannedValue value(std::string name, std::uint32_t chunk, std::uint64_t size) {
  return {std::move(name), size, 64, Assignment::planned, chunk, 0};
}

/// A small value, which is staged, and one that is written in place.
Plan plan() { return must(Plan::create({value("x", 0, 64), value("y", 1, 1 << 20)}, {64, 1 << 20}, 0)); }

Group alone() { return std::move(must(Group::threads(1)).front()); }

/// The first of two ranks; the other one never comes.
Group first_of_two() {
  static std::vector<Group>& groups = *new std::vector<Group>;
  auto ranks = must(Group::threads(2));
  groups.push_back(std::move(ranks.back()));
  return std::move(ranks.front());
}

void add_collective_objects(Objects& all) {
  all.group = first_of_two();
  static Group& of_queue = *new Group(alone());
  all.group_queue = must(GroupQueue::create(of_queue, all.device));
  static Group& of_heap = *new Group(alone());
  all.heap = must(SymmetricHeap::create(of_heap, 1 << 16, {.device = all.device}));
  all.symmetric = must(all.heap.allocate(DType::u32, {4}));
  all.signals = must(all.heap.allocate_signals(2));
}

void nothing(const pintle_group*, void* const*) {}

}  // namespace

Objects Objects::make(const char* id) {
  must(cpu::register_kernel("door_nothing", nothing));
  Objects all;
  all.device = must(open(id));
  all.queue = must(all.device.create_queue());
  all.buffer = must(all.device.allocate(DType::u32, {4}));
  all.view = all.buffer.view();
  all.pool = must(Pool::create(all.device));
  all.recording = must(all.device.record(CommandList{}.fill(all.buffer, 7u)));
  all.pack = must(ProgramPack::source("native", "", {"door_nothing(x: read_write u32[])"}, "door"));
  all.program = must(all.device.load(all.pack));
  all.kernel = must(all.program.kernel("door_nothing"));
  all.signal = must(Signal::create());
  all.point = must(all.queue.submit(CommandList{}.fill(all.buffer, 5u)));
  all.pending = all.signal->at(5);
  all.arena = must(Arena::create(all.device, plan()));
  all.handle = must(Handle::create(all.device, "state", DType::u32, {4}, Keep::host_shadow()));
  must(all.handle.next());
  must(all.set.add(must(Handle::create(all.device, "kept", DType::u32, {4}, Keep::host_shadow()))));
  add_collective_objects(all);
  return all;
}

std::vector<Row> all_rows() {
  Table table;
  add_core(table);
  add_memory(table);
  add_collectives(table);
  return table.take();
}

}  // namespace pintle::door
