// The base of layers: every call goes to the device inside.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// The calls of the seam, in the order of backend::Device.
enum class Call : std::uint8_t {
  budget,
  allocate,
  release,
  load,
  unload,
  create_queue,
  destroy_queue,
  submit,
  reached,
  wait,
  notify,
  map,
  unmap,
  record,
  forget,
  export_memory,
  import_memory,
  wrap_queue,
  calibrate,
  native,
  probe,
};
[[nodiscard]] std::string_view name(Call call) noexcept;

/// A layer overrides the calls that it changes, or `before` where it changes all of them. A layer that gives memory of
/// its own to `inner_` resets `inner_` in its destructor, before that memory goes.
class Forwarding : public backend::Device {
 public:
  /// The id becomes "layer(inner id)".
  Forwarding(std::string_view layer, std::unique_ptr<backend::Device> inner);

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
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  void unmap(backend::MemoryId memory) noexcept override;
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override;
  Result<backend::Exported> export_memory(backend::MemoryId memory) override;
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;
  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 protected:
  /// Called before each call, from any thread. An error becomes the answer of the call.
  virtual Result<void> before(Call) { return {}; }

  std::unique_ptr<backend::Device> inner_;
  DeviceInfo info_;
};

}  // namespace pintle::kit
