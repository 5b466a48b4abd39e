// A device of OpenCL's, open: one context, and a table for each kind of object.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/images.h"
#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/queue.h"
#include "backends/opencl/recording.h"
#include "backends/opencl/service.h"
#include "kit/queue_calls.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// Used behind a kit::Guarded.
class Device final : public kit::QueueCalls<Device, Queue> {
 public:
  /// Called at most once, by any thread.
  using MakeContext = std::function<Result<Owned<cl_context>>()>;

  /// In a context of its own, guarded. `timeout` where the driver does not come back in the default time.
  static Result<std::unique_ptr<backend::Device>> open(const FoundDevice& found);
  static Result<std::unique_ptr<backend::Device>> over(const FoundDevice& found, MakeContext make_context);
  ~Device() override;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return found_.info; }
  Result<std::vector<Heap>> budget() override { return std::vector{memory_.heap()}; }

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override {
    return memory_.import(source);
  }
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override { return programs_.load(image); }
  void unload(backend::ProgramId program) noexcept override { programs_.unload(program); }

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  /// For the calls that go to one of them.
  [[nodiscard]] QueueTable& queues() noexcept { return queues_.table; }

  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { recordings_.remove(recording); }

  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 private:
  Device(FoundDevice found, Owned<cl_context> context);
  static Result<std::unique_ptr<Device>> make(const FoundDevice& found, const MakeContext& make_context);

  [[nodiscard]] Result<void> try_sharing();
  void find_texels();
  [[nodiscard]] Result<void> try_texel_buffers();
  [[nodiscard]] Result<std::uint64_t> device_ticks();

  FoundDevice found_;
  Owned<cl_context> context_;
  std::unique_ptr<Service> service_;
  Images images_;
  MemoryTable memory_;
  ProgramTable programs_;
  Recordings recordings_;
  QueueContext queues_;
};

}  // namespace pintle::opencl
