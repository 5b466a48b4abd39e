// The base of layers: every call goes to the device inside.
#pragma once

#include <memory>
#include <string_view>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// A layer overrides the calls that it changes. One that hands its own memory to `inner_` resets it in its destructor,
/// before that memory goes.
class Forwarding : public backend::Device {
 public:
  /// The id becomes "layer(inner id)".
  Forwarding(std::string_view layer, std::unique_ptr<backend::Device> inner);

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return inner_->budget(); }

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override {
    return inner_->allocate(request);
  }
  void release(backend::MemoryId memory) noexcept override { inner_->release(memory); }

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override { return inner_->load(image); }
  void unload(backend::ProgramId program) noexcept override { inner_->unload(program); }

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    return inner_->create_queue(request);
  }
  void destroy_queue(backend::QueueId queue) noexcept override { inner_->destroy_queue(queue); }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return inner_->submit(queue, waits, commands);
  }
  Result<std::uint64_t> reached(backend::QueueId queue) override { return inner_->reached(queue); }
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override {
    return inner_->wait(queue, serial, deadline);
  }

  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override {
    return inner_->notify(queue, serial, notification);
  }
  Result<std::span<std::byte>> map(backend::MemoryId memory) override { return inner_->map(memory); }
  void unmap(backend::MemoryId memory) noexcept override { inner_->unmap(memory); }
  Result<backend::RecordingId> record(const backend::Commands& commands) override { return inner_->record(commands); }
  void forget(backend::RecordingId recording) noexcept override { inner_->forget(recording); }
  Result<backend::Exported> export_memory(backend::MemoryId memory) override { return inner_->export_memory(memory); }
  Result<backend::MemoryId> import_memory(const backend::Exported& exported) override {
    return inner_->import_memory(exported);
  }
  Result<backend::MemoryId> import_host(std::span<std::byte> bytes) override { return inner_->import_host(bytes); }
  Result<backend::Exported> export_timeline(backend::QueueId queue) override { return inner_->export_timeline(queue); }
  Result<backend::QueueId> import_timeline(const backend::Exported& exported) override {
    return inner_->import_timeline(exported);
  }
  Result<backend::ClockPair> calibrate() override { return inner_->calibrate(); }
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override {
    return inner_->native(type, object, out);
  }
  Result<void> probe() override { return inner_->probe(); }

 protected:
  std::unique_ptr<backend::Device> inner_;
  DeviceInfo info_;
};

}  // namespace pintle::kit
