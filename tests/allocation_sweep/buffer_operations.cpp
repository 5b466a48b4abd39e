// Buffers and views.
#include <array>
#include <memory>

#include "allocation_sweep/operations.h"
#include "pintle/native/cpu.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> slice(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  return outcome(during([&] { return mine.ones.slice(1, 3); }));
}

Result<void> slice_beyond(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto refused = during([&] { return mine.ones.slice(100, 1000); });
  run.check(!refused);
  return {};
}

Result<void> as_other(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(during([&] { return mine.ones.view().as(DType::u8, {4 * size}); }));
  const auto refused = during([&] { return mine.ones.view().as(DType::u8, {size}); });
  run.check(!refused);
  return {};
}

Result<void> text(Run& run) {
  PINTLE_ASSIGN(buffer, run.device().allocate(DType::u32, {size}, {.label = words}));
  run.check(during([&] { return buffer.text(); }).starts_with("[Buffer"));
  return {};
}

Result<void> map(Run& run) {
  PINTLE_ASSIGN(buffer, run.device().allocate(DType::u32, {size}, {.label = words, .placement = Placement::host}));
  PINTLE_TRY(unless_unsupported(during([&] { return buffer.map(); })));
  during([&] {
    buffer.unmap();
    return 0;
  });
  return {};
}

Result<void> map_read_lazy(Run& run) {
  PINTLE_ASSIGN(buffer,
                run.device().allocate(DType::u32, {size},
                                      {.label = words, .placement = Placement::host, .allocation = Allocation::lazy}));
  return unless_unsupported(during([&] { return buffer.map_read(); }));
}

Result<void> map_of_a_pool(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(pool, Pool::create(run.device(), {.placement = Placement::host}));
  PINTLE_ASSIGN(first, mine.queue.allocate(pool, DType::u32, {size}));
  PINTLE_TRY(run.keep(mine.queue.submit(CommandList{}.fill(first, 1u))));
  first = Buffer();
  PINTLE_ASSIGN(second, mine.queue.allocate(pool, DType::u32, {size}));
  return unless_unsupported(during([&] { return second.map(); }));
}

Result<void> seal(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(during([&] { return mine.ones.seal(); }));
  run.check(during([&] { return mine.ones.is_sealed(); }));
  return {};
}

Result<void> keep(Run& run) {
  const auto kept = std::make_shared<int>(1);
  {
    PINTLE_ASSIGN(buffer, run.device().allocate(DType::u32, {size}));
    PINTLE_TRY(during([&] { return buffer.keep(kept); }));
    during([&] {
      buffer = Buffer();
      return 0;
    });
  }
  run.check(run.test().eventually([&] { return kept.use_count() == 1; }));
  return {};
}

Result<void> native(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  return unless_unsupported(during([&] { return mine.ones.native<cpu::CpuMemory>(); }));
}

// Memory of work in flight is given back by the thread that sees that it has ended.
Result<void> destroy(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(
      run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 3u), {.after = {run.test().at(mine.signal, 1)}})));
  during([&] {
    mine.ones = Buffer();
    return 0;
  });
  PINTLE_TRY(run.test().raise(mine.signal, 1));
  return run.device().wait_idle(patience);
}

}  // namespace

std::span<const Scenario> buffer_operations() {
  static constexpr std::array<Scenario, 11> all{{{"Buffer_slice", slice},
                                                 {"Buffer_slice_beyond", slice_beyond},
                                                 {"BufferView_as", as_other},
                                                 {"Buffer_text", text},
                                                 {"Buffer_map", map},
                                                 {"Buffer_map_read_lazy", map_read_lazy},
                                                 {"Buffer_map_of_a_pool", map_of_a_pool},
                                                 {"Buffer_seal", seal},
                                                 {"Buffer_keep", keep},
                                                 {"Buffer_native", native},
                                                 {"Buffer_destroy", destroy}}};
  return all;
}

}  // namespace pintle::allocation_sweep
