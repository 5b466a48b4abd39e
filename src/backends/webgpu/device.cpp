#include "backends/webgpu/device.h"

#include <array>
#include <chrono>
#include <string_view>

#include "base/file.h"
#include "kit/guarded.h"
#include "kit/wake_compiler.h"

namespace pintle::webgpu {

namespace {

constexpr std::string_view trial = "@compute @workgroup_size(1) fn trial() {}";

}  // namespace

Result<std::unique_ptr<backend::Device>> Device::open(FoundDevice found) {
  PINTLE_ASSIGN(context, Context::open(found));
  if (context->api.QueueGetTimestampPeriod != nullptr)
    found.info.nanoseconds_per_tick = static_cast<double>(context->api.QueueGetTimestampPeriod(context->queue()));
  PINTLE_ASSIGN(own, OwnKernels::load(*context));
  auto loss = context->shared_loss();
  std::unique_ptr<Device> inner(new Device(std::move(context), std::move(found.info), std::move(own)));
  kit::StepQueues& queues = inner->queues_.steps;
  std::unique_ptr<backend::Device> device = std::make_unique<kit::Guarded>(std::move(inner), std::move(loss), queues);
  kit::wake_compiler(*device, "wgsl", base::bytes_in(trial));
  return device;
}

/// An empty submission, whose end is waited for.
Result<void> Device::probe() {
  const backend::QueueId id = Queue::create(queues_, 0);
  auto answered = queues_.table.with(id, [](Queue& queue) -> Result<void> {
    PINTLE_ASSIGN(serial, queue.submit({}, {}));
    return queue.wait(serial, Clock::now() + std::chrono::seconds(4));
  });
  queues_.table.remove(id);
  return answered;
}

}  // namespace pintle::webgpu
