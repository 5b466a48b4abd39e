// The wall around a backend over a vendor's driver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/before_exit.h"
#include "kit/deputy.h"
#include "kit/loss.h"
#include "kit/step_queue.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Where a driver keeps a caller that allocates, frees, loads or unloads while a kernel runs.
enum class Driving : std::uint8_t {
  never_waits,
  loads_wait,  ///< Loading is a thread's of the device: the caller waits to the default deadline.
  may_wait,    ///< All such calls are that thread's: a caller never waits for a release.
};

/// The device inside may throw, and need not ask whether it is lost: no exception gets out, and each call to a lost
/// device returns the first cause. Work that it has taken is waited for when the process ends. A device that core gives
/// up
/// (`give_up.h`) is never destroyed.
class Guarded final : public backend::Device {
 public:
  /// Whether the driver keeps who releases this memory, though it does not keep who releases other memory.
  using Waits = bool (*)(backend::MemoryId memory) noexcept;
  /// `queues` are those of `inner`. `waits`, with `Driving::loads_wait`: such memory is released by the device's
  /// thread.
  Guarded(std::unique_ptr<backend::Device> inner, std::shared_ptr<Loss> loss, StepQueues& queues,
          Driving driving = Driving::never_waits, Waits waits = nullptr);
  /// Waits a second at most where the driver keeps the thread that ends the device inside.
  ~Guarded() override;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return inner_->info(); }
  Result<std::vector<Heap>> budget() override;
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) override;
  void release(backend::MemoryId memory) noexcept override;
  Result<backend::ProgramId> load(const backend::ProgramImage& image) override;
  void unload(backend::ProgramId program) noexcept override;
  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override { inner_->destroy_queue(queue); }
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override;
  Result<std::span<std::byte>> map(backend::MemoryId memory) override;
  void unmap(backend::MemoryId memory) noexcept override { inner_->unmap(memory); }
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId recording) noexcept override { inner_->forget(recording); }
  Result<backend::Exported> export_memory(backend::MemoryId memory) override;
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& queue,
                                      const backend::QueueRequest& request) override;
  Result<backend::ClockPair> calibrate() override;
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;
  Result<void> probe() override;

 private:
  /// Whether allocating and releasing are the deputy's, too.
  [[nodiscard]] bool may_wait() const noexcept { return driving_ == Driving::may_wait; }
  template <class Body>
  auto guard(std::string_view what, Body body) noexcept;

  std::unique_ptr<backend::Device> inner_;
  const std::shared_ptr<Loss> loss_;
  const Driving driving_;
  const Waits waits_;
  std::optional<Deputy> deputy_;
  std::optional<BeforeExit> before_exit_;  // last, since it calls this object
};

}  // namespace pintle::kit
