#include "backends/webgpu/device.h"

#include <array>
#include <string_view>

#include "base/file.h"
#include "kit/device_clock.h"
#include "kit/guarded.h"
#include "kit/probe.h"
#include "kit/wake_compiler.h"

namespace pintle::webgpu {

namespace {

constexpr std::string_view trial = "@compute @workgroup_size(1) fn trial() {}";

}  // namespace

Result<std::unique_ptr<backend::Device>> Device::open(FoundDevice found) {
  PINTLE_ASSIGN(context, Context::open(found));
  if (context->api.QueueGetTimestampPeriod != nullptr)
    kit::set_tick(found.info, static_cast<double>(context->api.QueueGetTimestampPeriod(context->queue())),
                  "wgpuQueueGetTimestampPeriod");
  PINTLE_ASSIGN(own, OwnKernels::load(*context));
  auto loss = context->shared_loss();
  std::unique_ptr<Device> inner(new Device(std::move(context), std::move(found.info), std::move(own)));
  kit::StepQueues& queues = inner->queues_.steps;
  std::unique_ptr<backend::Device> device = std::make_unique<kit::Guarded>(std::move(inner), std::move(loss), queues);
  kit::wake_compiler(*device, "wgsl", base::bytes_in(trial));
  return device;
}

/// An empty submission.
Result<void> Device::probe() { return kit::probe(*this, {}); }

}  // namespace pintle::webgpu
