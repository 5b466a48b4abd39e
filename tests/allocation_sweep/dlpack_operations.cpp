// Buffers handed to and taken from others through DLPack.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/dlpack.h"

namespace pintle::allocation_sweep {
namespace {

/// A tensor of sevens that another library would hand out.
Result<DlpackTensor> sevens(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 7u))));
  PINTLE_TRY(run.test().wait(done));
  return to_dlpack(mine.queue, mine.ones, patience);
}

Result<void> handed_out(Run& run) {
  PINTLE_ASSIGN(buffer, run.device().allocate(DType::u32, {size}, {.label = words, .placement = Placement::host}));
  auto tensor = during([&] { return to_dlpack(std::move(buffer)); });
  during([&] {
    if (tensor) tensor->reset();
    return 0;
  });
  return unless_unsupported(tensor);
}

Result<void> handed_out_as_before(Run& run) {
  PINTLE_ASSIGN(buffer, run.device().allocate(DType::u32, {size}, {.label = words, .placement = Placement::host}));
  return unless_unsupported(during([&] { return to_old_dlpack(std::move(buffer)); }));
}

Result<void> copied_out(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_TRY(during([&] { return to_dlpack(mine.queue, mine.twos, patience); }));
  return outcome(during([&] { return to_old_dlpack(mine.queue, mine.twos, patience); }));
}

Result<void> taken(Run& run) {
  PINTLE_ASSIGN(tensor, sevens(run));
  DLManagedTensorVersioned* const managed = tensor.release();
  return unless_unsupported(during([&] { return from_dlpack(run.device(), managed, words); }));
}

Result<void> copied_in(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(tensor, sevens(run));
  DLManagedTensorVersioned* const managed = tensor.release();
  PINTLE_ASSIGN(buffer, during([&] { return from_dlpack(run.device(), queue, managed, DlpackCopy::always, words); }));
  return expect(run, queue, buffer, 7);
}

}  // namespace

std::span<const Scenario> dlpack_operations() {
  static constexpr std::array<Scenario, 5> all{{{"to_dlpack", handed_out},
                                                {"to_old_dlpack", handed_out_as_before},
                                                {"to_dlpack_copied", copied_out},
                                                {"from_dlpack", taken},
                                                {"from_dlpack_copied", copied_in}}};
  return all;
}

}  // namespace pintle::allocation_sweep
