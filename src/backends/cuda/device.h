// A device of CUDA's, open: a context, and a table for each kind of object.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/context.h"
#include "backends/cuda/found_device.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/native.h"
#include "backends/cuda/program.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/recording.h"
#include "kit/queue_calls.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// Used behind a kit::Guarded.
class Device final : public kit::QueueCalls<Device, Queue> {
 public:
  /// Guarded.
  static Result<std::unique_ptr<backend::Device>> over(std::unique_ptr<Context> context);
  ~Device() override;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return context_->found().info; }
  Result<std::vector<Heap>> budget() override { return memory_.heaps(); }

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override { memory_.release(memory); }
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override { return programs_.load(image); }
  void unload(backend::ProgramId program) noexcept override { programs_.unload(program); }

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    return Queue::create(queues_, request.first_serial);
  }
  /// For the calls that go to one of them.
  [[nodiscard]] QueueTable& queues() noexcept { return queues_.table; }

  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    return answer_native({type, object, out}, *context_, memory_, queues_.table);
  }

  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.remove(recording); }

  Result<backend::ClockPair> calibrate() override { return queues_.clock.calibrate(); }
  Result<void> probe() override;

 private:
  explicit Device(std::unique_ptr<Context> context);
  void warm_up();

  const std::unique_ptr<Context> context_;
  MemoryTable memory_;
  ProgramTable programs_;
  Recordings recordings_;
  QueueContext queues_;
};

}  // namespace pintle::cuda
