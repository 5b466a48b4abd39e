// An open device: each call goes to the part that answers it.
#pragma once

#include <memory>
#include <vector>

#include "backends/pjrt/found_device.h"
#include "backends/pjrt/memory.h"
#include "backends/pjrt/program.h"
#include "backends/pjrt/queue.h"
#include "kit/host_clock.h"
#include "kit/queue_calls.h"
#include "pintle/backend/driver.h"

namespace pintle::pjrt {

/// Used behind a kit::Guarded.
class Device final : public kit::QueueCalls<Device, Queue> {
 public:
  /// Guarded. `index` is one of the plug-in's devices.
  [[nodiscard]] static Result<std::unique_ptr<backend::Device>> open(FoundDevice found, std::uint32_t index);
  ~Device() override { queues_.table.clear(); }

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return memory_.heaps(); }
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override {
    return memory_.allocate(request);
  }
  void release(backend::MemoryId memory) noexcept override { memory_.release(memory); }
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    PINTLE_ASSIGN(program, Program::load(client_, image));
    return programs_.add(std::move(program));
  }
  void unload(backend::ProgramId program) noexcept override { programs_.remove(program); }
  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override {
    return Queue::create(queues_, request.first_serial);
  }
  /// For the calls that go to one of them.
  [[nodiscard]] QueueTable& queues() noexcept { return queues_.table; }
  Result<backend::ClockPair> calibrate() override { return kit::host_clock_pair(); }
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 private:
  Device(DeviceInfo info, Client client)
      : info_(std::move(info)),
        client_(std::move(client)),
        memory_(client_),
        queues_{client_, std::make_shared<kit::Loss>(info_.id)} {}

  const DeviceInfo info_;
  const Client client_;
  MemoryTable memory_;
  Programs programs_;
  QueueContext queues_;
};

}  // namespace pintle::pjrt
