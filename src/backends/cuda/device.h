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
#include "kit/host_clock.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// Used behind a kit::Guarded.
class Device final : public backend::Device {
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
  void destroy_queue(backend::QueueId queue) noexcept override { queues_.table.remove(queue); }
  Result<std::uint64_t> submit(backend::QueueId id, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return queues_.table.with(id, [&](Queue& queue) { return queue.submit(waits, commands); });
  }
  Result<std::uint64_t> reached(backend::QueueId id) override {
    return queues_.table.with(id, [](Queue& queue) { return queue.reached(); });
  }
  Result<void> wait(backend::QueueId id, std::uint64_t serial, Deadline deadline) override {
    return queues_.table.with(id, [&](Queue& queue) { return queue.wait(serial, deadline); });
  }

  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    return answer_native({type, object, out}, *context_, memory_, queues_.table);
  }

  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.remove(recording); }

  Result<backend::ClockPair> calibrate() override { return kit::host_clock_pair(); }
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
