// Symmetric heaps of one rank.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/symmetric.h"

namespace pintle::allocation_sweep {
namespace {

struct Alone {
  std::vector<Group> groups;
  SymmetricHeap heap;
};

Result<Alone> alone() {
  PINTLE_ASSIGN(groups, Group::threads(1));
  PINTLE_ASSIGN(heap, SymmetricHeap::create(groups[0], 1 << 16));
  return Alone{std::move(groups), std::move(heap)};
}

Result<void> create(Run& run) {
  PINTLE_ASSIGN(groups, Group::threads(1));
  const SymmetricOptions options{.label = words, .device = run.device()};
  PINTLE_ASSIGN(heap, during([&] { return SymmetricHeap::create(groups[0], 1 << 16, options); }));
  run.check(during([&] { return heap.text(); }).starts_with("[SymmetricHeap"));
  return {};
}

Result<void> allocate(Run& run) {
  PINTLE_ASSIGN(mine, alone());
  const auto made = during([&] { return mine.heap.allocate(DType::u32, {size}); });
  run.attempt(made);
  if (made) PINTLE_TRY(during([&] { return mine.heap.free(*made); }));
  run.check(!during([&] { return mine.heap.allocate(DType::u32, {1ull << 40}); }));
  return {};
}

Result<void> put_and_get(Run& run) {
  PINTLE_ASSIGN(mine, alone());
  PINTLE_ASSIGN(buffer, mine.heap.allocate(DType::u32, {size}));
  const Words from(size, 5);
  Words to(size);
  PINTLE_TRY(during([&] { return mine.heap.put(buffer.on(0), from); }));
  PINTLE_TRY(during([&] { return mine.heap.get(to, buffer.on(0)); }));
  run.check(to == from);
  PINTLE_TRY(during([&] { return mine.heap.fence(); }));
  PINTLE_TRY(during([&] { return mine.heap.flush(); }));
  PINTLE_TRY(during([&] { return mine.heap.local(buffer); }));
  run.check(!during([&] { return buffer.slice(3, 1000); }));
  return during([&] { return mine.heap.barrier(); });
}

Result<void> signals(Run& run) {
  PINTLE_ASSIGN(mine, alone());
  PINTLE_ASSIGN(words_of_signals, during([&] { return mine.heap.allocate_signals(4); }));
  const SymmetricSignal signal = words_of_signals.at(1);
  PINTLE_TRY(during([&] { return mine.heap.raise(signal, 0, 3); }));
  PINTLE_TRY(during([&] { return mine.heap.wait_signal(signal, 3); }));
  PINTLE_ASSIGN(value, during([&] { return mine.heap.value(signal); }));
  run.check(value == 3);
  return during([&] { return mine.heap.free(words_of_signals); });
}

Result<void> put_later(Run& run) {
  PINTLE_ASSIGN(gate, run.gate());
  PINTLE_ASSIGN(mine, alone());
  PINTLE_ASSIGN(buffer, mine.heap.allocate(DType::u32, {size}));
  const Words from(size, 5);
  const SubmitOptions when{.after = {run.test().at(gate, 1)}};
  run.attempt(during([&] { return mine.heap.put(buffer.on(0), from, when); }));
  PINTLE_TRY(run.test().raise(gate, 1));
  return mine.heap.flush();
}

Result<void> to_and_from_a_device(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(groups, Group::threads(1));
  PINTLE_ASSIGN(heap, SymmetricHeap::create(groups[0], 1 << 16, {.device = run.device()}));
  PINTLE_ASSIGN(buffer, heap.allocate(DType::u32, {size}));
  PINTLE_TRY(heap.put(buffer.on(0), Words(size, 5)));
  if (!run.attempt(run.keep(during([&] { return heap.to_device(buffer, queue); }))))
    PINTLE_TRY(run.keep(heap.to_device(buffer, queue)));
  PINTLE_ASSIGN(view, during([&] { return heap.on_device(buffer); }));
  PINTLE_TRY(expect(run, queue, view, 5));
  PINTLE_ASSIGN(done, run.keep(during([&] { return heap.from_device(buffer, queue); })));
  return run.test().wait(done);
}

}  // namespace

std::span<const Scenario> heap_operations() {
  static constexpr std::array<Scenario, 6> all{{{"SymmetricHeap_create", create},
                                                {"SymmetricHeap_allocate", allocate},
                                                {"SymmetricHeap_put_and_get", put_and_get},
                                                {"SymmetricHeap_signals", signals},
                                                {"SymmetricHeap_put_later", put_later},
                                                {"SymmetricHeap_to_a_device", to_and_from_a_device}}};
  return all;
}

}  // namespace pintle::allocation_sweep
