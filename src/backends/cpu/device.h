// The host's processor as a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cpu/memory.h"
#include "backends/cpu/program.h"
#include "host/pool.h"
#include "host/queue.h"
#include "kit/one_driver.h"
#include "pintle/backend/driver.h"

namespace pintle::cpu {

/// What a device is opened with.
struct Settings {
  Progress progress = Progress::own;
  std::uint32_t threads = 1;
  bool rationed = false;  ///< Under a cgroup quota: no thread spins.
};

class Device final : public backend::Device, private host::Queue::Executor {
 public:
  static Result<std::unique_ptr<backend::Device>> open(DeviceInfo info, const Settings& settings);

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override;

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  void unmap(backend::MemoryId) noexcept override {}
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override;
  void unload(backend::ProgramId program) noexcept override;

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override;
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return host::Queue::of(queue).submit(waits, commands);
  }
  Result<std::uint64_t> reached(backend::QueueId queue) override { return host::Queue::of(queue).reached(); }
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override {
    return host::Queue::of(queue).notify(serial, notification);
  }

  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override;
  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;

 private:
  Device(DeviceInfo info, const Settings& settings) : info_(std::move(info)), settings_(settings) {}

  float execute(const host::Queue& queue, const backend::Commands& commands, host::Queue::Place place,
                host::Pool::Worker* worker) noexcept override;
  bool execute(const backend::Commands& commands, host::Queue::Place& place, host::Stint& stint) noexcept override;
  Result<void> drive(host::Queue& queue, std::uint64_t serial, Deadline deadline);
  bool run_one() noexcept;
  void sweep_retired() noexcept;

  const DeviceInfo info_;
  const Settings settings_;
  MemoryTable memory_;
  std::mutex programs_mutex_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<std::unique_ptr<backend::Commands>> recordings_;  // under core's lock, as are the queues with a pool
  // Without a pool, one thread at a time drives the queues. It may hold a queue that is destroyed meanwhile.
  kit::OneDriver driver_;
  std::mutex queues_mutex_;
  std::vector<std::shared_ptr<host::Queue>> queues_;  // null where one was destroyed
  std::vector<std::shared_ptr<host::Queue>> retired_;
  std::unique_ptr<host::Pool> pool_;  // last: the workers end before what they use
};

}  // namespace pintle::cpu
