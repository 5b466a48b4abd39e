#include "allocation_sweep/operations.h"

namespace pintle::allocation_sweep {

std::vector<Scenario> operations() {
  std::vector<Scenario> all;
  for (const auto some : {device_operations(), buffer_operations(), list_operations(), queue_operations(),
                          signal_operations(), program_operations(), pool_operations(), resource_operations(),
                          plan_operations(), arena_operations(), handle_operations(), dlpack_operations(),
                          group_operations(), group_queue_operations(), heap_operations(), value_operations()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

Result<World> world(Run& run) {
  const Device& device = run.device();
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(ones, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(twos, device.allocate(DType::u32, {size}));
  PINTLE_ASSIGN(signal, run.gate());
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.fill(ones, 1u).fill(twos, 2u))));
  PINTLE_TRY(run.test().wait(done));
  return World{device, std::move(queue), std::move(ones), std::move(twos), signal};
}

Result<void> expect(Run& run, Queue& queue, const BufferView& of, std::uint32_t value) {
  Words& result = run.memory(of.size_bytes() / 4);
  PINTLE_ASSIGN(done, run.keep(queue.submit(CommandList{}.download(result, of))));
  PINTLE_TRY(run.test().wait(done));
  run.compare(result, Words(result.size(), value));
  return {};
}

}  // namespace pintle::allocation_sweep
