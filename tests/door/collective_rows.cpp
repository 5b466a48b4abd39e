// Groups, their queues, symmetric heaps. What blocks has a timeout: the other rank does not come.
#include <array>
#include <chrono>

#include "door/table.h"

namespace pintle::door {
namespace {

using namespace std::chrono_literals;

constexpr auto moment = 1s;
std::array<std::uint32_t, 4> from{}, to{};
std::array<std::uint32_t, 2> part{};

void add_groups(Table& table) {
  table.add("Group::threads", [](Objects&) { return Group::threads(1); }, Kind::maker);
  table.add("Group::rank", [](Objects& o) { return o.group.rank(); });
  table.add("Group::ranks", [](Objects& o) { return o.group.ranks(); });
  table.add("Group::generation", [](Objects& o) { return o.group.generation(); });
  table.add("Group::transport", [](Objects& o) { return o.group.transport().size(); });
  table.add("Group::text", [](Objects& o) { return o.group.text(); });
  table.add("Group::statistics", [](Objects& o) { return o.group.statistics(); });
  table.add("Group::health", [](Objects& o) { return o.group.health(); });
  table.add("Group::all_reduce",
            [](Objects& o) { return o.group.run(Collective::all_reduce(to, from, ReduceOp::sum), moment); });
  table.add("Group::reduce",
            [](Objects& o) { return o.group.run(Collective::reduce(to, from, ReduceOp::sum, 0), moment); });
  table.add("Group::reduce_scatter",
            [](Objects& o) { return o.group.run(Collective::reduce_scatter(part, from, ReduceOp::sum), moment); });
  table.add("Group::all_gather", [](Objects& o) { return o.group.run(Collective::all_gather(to, part), moment); });
  table.add("Group::gather", [](Objects& o) { return o.group.run(Collective::gather(to, part, 0), moment); });
  table.add("Group::scatter", [](Objects& o) { return o.group.run(Collective::scatter(part, from, 0), moment); });
  table.add("Group::broadcast", [](Objects& o) { return o.group.run(Collective::broadcast(to, 0), moment); });
  table.add("Group::all_to_all", [](Objects& o) { return o.group.run(Collective::all_to_all(to, from), moment); });
  table.add("Group::send", [](Objects& o) { return o.group.run(Collective::send(from, 1), moment); });
  table.add("Group::recv", [](Objects& o) { return o.group.run(Collective::recv(to, 1), moment); });
  table.add("Group::barrier", [](Objects& o) { return o.group.run(Collective::barrier(), moment); });
  table.add("Group::split", [](Objects& o) { return o.group.split(0, 0, {.timeout = moment}); });
  table.add("Group::shrink", [](Objects& o) { return o.group.shrink(moment); });
  table.add("Group::rebuild", [](Objects& o) { return o.group.rebuild(moment); });
}

void add_group_queues(Table& table) {
  const SubmitOptions late{.timeout = moment};
  table.add("GroupQueue::create", [](Objects& o) { return GroupQueue::create(o.group, o.device); });
  table.add("GroupQueue::all_reduce",
            [=](Objects& o) { return o.group_queue.submit(Collective::all_reduce(o.view, ReduceOp::sum), late); });
  table.add("GroupQueue::reduce", [=](Objects& o) {
    return o.group_queue.submit(Collective::reduce(o.view, o.view, ReduceOp::sum, 0), late);
  });
  table.add("GroupQueue::broadcast",
            [=](Objects& o) { return o.group_queue.submit(Collective::broadcast(o.view, 0), late); });
  table.add("GroupQueue::send", [=](Objects& o) { return o.group_queue.submit(Collective::send(o.view, 1), late); });
  table.add("GroupQueue::recv", [=](Objects& o) { return o.group_queue.submit(Collective::recv(o.view, 1), late); });
  table.add("GroupQueue::barrier", [=](Objects& o) { return o.group_queue.submit(Collective::barrier(), late); });
  table.add("GroupQueue::last", [](Objects& o) { return o.group_queue.last().value(); });
  table.add("GroupQueue::text", [](Objects& o) { return o.group_queue.text(); });
}

void add_heaps(Table& table) {
  table.add("SymmetricHeap::create",
            [](Objects& o) { return SymmetricHeap::create(o.group, 4096, {.timeout = moment}); });
  table.add("SymmetricHeap::rank", [](Objects& o) { return o.heap.rank() + o.heap.ranks(); });
  table.add("SymmetricHeap::text", [](Objects& o) { return o.heap.text(); });
  table.add("SymmetricHeap::usage", [](Objects& o) { return o.heap.usage(); });
  table.add("SymmetricHeap::allocate", [](Objects& o) { return o.heap.allocate(DType::u32, {4}, moment); });
  table.add("SymmetricHeap::free", [](Objects& o) { return o.heap.free(o.symmetric, moment); });
  table.add("SymmetricHeap::allocate_signals", [](Objects& o) { return o.heap.allocate_signals(1, moment); });
  table.add("SymmetricHeap::free signals", [](Objects& o) { return o.heap.free(o.signals, moment); });
  table.add("SymmetricHeap::local", [](Objects& o) { return o.heap.local(o.symmetric); });
  table.add("SymmetricHeap::put", [](Objects& o) { return o.heap.put(o.symmetric.on(0), from); });
  table.add("SymmetricHeap::get", [](Objects& o) { return o.heap.get(to, o.symmetric.on(0)); });
  table.add("SymmetricHeap::put_signal",
            [](Objects& o) { return o.heap.put_signal(o.symmetric.on(0), from, o.signals.at(0), 1); });
  table.add("SymmetricHeap::raise", [](Objects& o) { return o.heap.raise(o.signals.at(0), 0, 1); });
  table.add("SymmetricHeap::put later",
            [](Objects& o) { return o.heap.put(o.symmetric.on(0), from, SubmitOptions{}); });
  table.add("SymmetricHeap::get later", [](Objects& o) { return o.heap.get(to, o.symmetric.on(0), SubmitOptions{}); });
  table.add("SymmetricHeap::put_signal later",
            [](Objects& o) { return o.heap.put_signal(o.symmetric.on(0), from, o.signals.at(0), 2, SubmitOptions{}); });
  table.add("SymmetricHeap::wait_signal", [](Objects& o) { return o.heap.wait_signal(o.signals.at(0), 9, moment); });
  table.add("SymmetricHeap::value", [](Objects& o) { return o.heap.value(o.signals.at(0)); });
  table.add("SymmetricHeap::fence", [](Objects& o) { return o.heap.fence(moment); });
  table.add("SymmetricHeap::flush", [](Objects& o) { return o.heap.flush(moment); });
  table.add("SymmetricHeap::barrier", [](Objects& o) { return o.heap.barrier(moment); });
  table.add("SymmetricHeap::residence", [](Objects& o) { return o.heap.residence(); });
  table.add("SymmetricHeap::residence_detail", [](Objects& o) { return o.heap.residence_detail().size(); });
  table.add("SymmetricHeap::on_device", [](Objects& o) { return o.heap.on_device(o.symmetric); });
  table.add("SymmetricHeap::to_device", [](Objects& o) { return o.heap.to_device(o.symmetric, o.queue); });
  table.add("SymmetricHeap::from_device", [](Objects& o) { return o.heap.from_device(o.symmetric, o.queue); });
}

}  // namespace

void add_collectives(Table& table) {
  add_groups(table);
  add_group_queues(table);
  add_heaps(table);
}

}  // namespace pintle::door
