// An open device: each call goes to the part that answers it.
#pragma once

#include <memory>
#include <vector>

#include "backends/webgpu/flights.h"
#include "backends/webgpu/memory.h"
#include "backends/webgpu/own_kernels.h"
#include "backends/webgpu/program.h"
#include "backends/webgpu/queue.h"
#include "kit/queue_calls.h"
#include "pintle/backend/driver.h"

namespace pintle::webgpu {

/// Used behind a kit::Guarded.
class Device final : public kit::QueueCalls<Device, Queue> {
 public:
  /// Guarded.
  [[nodiscard]] static Result<std::unique_ptr<backend::Device>> open(FoundDevice found);
  ~Device() override { queues_.table.clear(); }

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return memory_.heaps(); }
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override {
    return memory_.allocate(request);
  }
  void release(backend::MemoryId memory) noexcept override { memory_.release(memory); }
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    PINTLE_ASSIGN(program, Program::load(*context_, image));
    return programs_.add(std::move(program));
  }
  void unload(backend::ProgramId program) noexcept override { programs_.remove(program); }
  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    return Queue::create(queues_, request.first_serial);
  }
  /// For the calls that go to one of them.
  [[nodiscard]] QueueTable& queues() noexcept { return queues_.table; }
  Result<void> probe() override;

 private:
  Device(std::unique_ptr<Context> context, DeviceInfo info, std::unique_ptr<OwnKernels> own)
      : info_(std::move(info)),
        context_(std::move(context)),
        own_(std::move(own)),
        pool_(*context_),
        flights_(*context_, info_.progress),
        memory_(*context_),
        queues_{*context_, *own_, flights_, pool_, info_.progress} {}

  const DeviceInfo info_;
  const std::unique_ptr<Context> context_;
  const std::unique_ptr<OwnKernels> own_;
  BufferPool pool_;
  Flights flights_;
  MemoryTable memory_;
  Programs programs_;
  QueueContext queues_;
};

}  // namespace pintle::webgpu
