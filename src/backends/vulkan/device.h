// An open device: each call goes to the part that answers it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/memory.h"
#include "backends/vulkan/program.h"
#include "backends/vulkan/queue.h"
#include "backends/vulkan/recording.h"
#include "kit/queue_calls.h"
#include "pintle/backend/driver.h"

namespace pintle::vulkan {

/// Used behind a kit::Guarded.
class Device final : public kit::QueueCalls<Device, Queue> {
 public:
  /// Guarded.
  [[nodiscard]] static std::unique_ptr<backend::Device> over(std::unique_ptr<Context> context, DeviceInfo info);
  /// Everything is reached, or the device is lost: this returns at once. Vulkan wants its objects idle when they go.
  ~Device() override { context_->settle(); }

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return memory_.heaps(); }
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override {
    return memory_.allocate(request);
  }
  void release(backend::MemoryId memory) noexcept override { memory_.release(memory); }
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override { return programs_.load(image); }
  void unload(backend::ProgramId program) noexcept override { programs_.unload(program); }
  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    return queues_.create(request, context_->lane(request.kind));
  }
  /// For the calls that go to one of them.
  [[nodiscard]] QueueTable& queues() noexcept { return queues_; }
  Result<std::span<std::byte>> map(backend::MemoryId memory) override { return memory_.map(memory); }
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.remove(recording); }
  Result<backend::Exported> export_memory(backend::MemoryId memory) override { return memory_.export_memory(memory); }
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override {
    return memory_.import(source);
  }
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;
  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 private:
  Device(std::unique_ptr<Context> context, DeviceInfo info)
      : info_(std::move(info)),
        context_(std::move(context)),
        memory_(*context_),
        programs_(*context_),
        queues_(*context_) {}

  const DeviceInfo info_;
  const std::unique_ptr<Context> context_;
  MemoryTable memory_;
  ProgramTable programs_;
  QueueTable queues_;
  Recordings recordings_;
  std::mutex unanswered_mutex_;
  std::vector<std::shared_ptr<Queue>> unanswered_;  // of probes; their batches may still run
};

}  // namespace pintle::vulkan
