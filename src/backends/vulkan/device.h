// An open device: each call goes to the part that answers it.
#pragma once

#include <memory>

#include "backends/vulkan/memory.h"
#include "backends/vulkan/program.h"
#include "backends/vulkan/queue.h"
#include "kit/before_exit.h"
#include "pintle/backend/driver.h"

namespace pintle::vulkan {

class Device final : public backend::Device {
 public:
  [[nodiscard]] static std::unique_ptr<backend::Device> over(std::unique_ptr<Context> context, DeviceInfo info);
  ~Device() override;

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override;
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override { memory_.release(memory); }
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override;
  void unload(backend::ProgramId program) noexcept override { programs_.unload(program); }
  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override { queues_.destroy(queue); }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.forget(recording); }
  Result<backend::Exported> export_memory(backend::MemoryId memory) override;
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
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
        queues_(*context_),
        recordings_(*context_, queues_.staging()) {}
  template <class Body>
  auto guarded(std::string_view what, Body body) noexcept;

  const DeviceInfo info_;
  const std::unique_ptr<Context> context_;
  MemoryTable memory_;
  ProgramTable programs_;
  QueueTable queues_;
  RecordingTable recordings_;
  const kit::BeforeExit before_exit_{*this, queues_.steps()};
};

}  // namespace pintle::vulkan
