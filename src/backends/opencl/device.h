// A device of OpenCL's, open: one context, and a table for each kind of object.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/loss.h"
#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/queue.h"
#include "backends/opencl/recording.h"
#include "backends/opencl/service.h"
#include "kit/before_exit.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

class Device final : public backend::Device {
 public:
  /// In a context of its own.
  static Result<std::unique_ptr<backend::Device>> open(FoundDevice found);
  static Result<std::unique_ptr<backend::Device>> over(FoundDevice found, Owned<cl_context> context);
  ~Device() override;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return found_.info; }
  Result<std::vector<Heap>> budget() override;

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  void unmap(backend::MemoryId) noexcept override {}
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override;
  void unload(backend::ProgramId program) noexcept override;

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override;
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override;

  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.forget(recording); }

  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 private:
  Device(FoundDevice found, Owned<cl_context> context);

  [[nodiscard]] Result<void> try_sharing();
  [[nodiscard]] Result<std::uint64_t> device_ticks();
  template <class Body>
  [[nodiscard]] auto on_queue(backend::QueueId id, std::string_view what, Body body)
      -> std::invoke_result_t<Body, Queue&>;

  FoundDevice found_;
  Owned<cl_context> context_;
  std::unique_ptr<Service> service_;
  MemoryTable memory_;
  ProgramTable programs_;
  RecordingTable recordings_;
  QueueContext queues_;
  const kit::BeforeExit before_exit_{*this, queues_.steps};
};

}  // namespace pintle::opencl
