// One open null device: each call goes to the table that answers it.
#pragma once

#include "backends/null/memory.h"
#include "backends/null/program.h"
#include "backends/null/queue.h"
#include "pintle/backend/driver.h"

namespace pintle::null {

/// What is known before anything is opened.
[[nodiscard]] DeviceInfo describe(std::uint64_t heap_bytes);

class Device final : public backend::Device {
 public:
  explicit Device(std::uint64_t heap_bytes) : info_(describe(heap_bytes)), memory_(heap_bytes) {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override;

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override;

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override;
  void unload(backend::ProgramId program) noexcept override;

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override;
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;

 private:
  DeviceInfo info_;
  MemoryTable memory_;
  ProgramTable programs_;
  QueueTable queues_;
};

}  // namespace pintle::null
