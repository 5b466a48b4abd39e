// One life of a physical device, with everything that is made on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/buffers/buffer_table.h"
#include "core/buffers/pool_state.h"
#include "core/life/life.h"
#include "core/queue/queues.h"
#include "core/queue/recordings.h"

namespace pintle::core {

/// Puts the parts together, and closes them.
///
/// Lifetime: the user's objects (Device, Buffer, Queue, Program, Recording) share a *lease*. When the last of them
/// goes, the device is closed: it is drained with a deadline, and its queues are given up. The library's own objects
/// share the incarnation itself, so a thread that still waits for a point finds the backend alive.
class Incarnation final : public Life::Body {
 public:
  /// Opens the device and returns a lease.
  static Result<std::shared_ptr<Incarnation>> open(const std::string& id, std::uint64_t generation,
                                                   std::unique_ptr<backend::Device> device);
  Incarnation(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device)
      : life_(std::move(id), generation, std::move(device), *this) {}

  [[nodiscard]] Life& life() noexcept { return life_; }
  [[nodiscard]] BufferTable& buffers() noexcept { return buffers_; }
  [[nodiscard]] Pools& pools() noexcept { return pools_; }
  [[nodiscard]] Queues& queues() noexcept { return queues_; }
  [[nodiscard]] Recordings& recordings() noexcept { return recordings_; }

  /// Drives the device, then observes every queue.
  Result<void> poll() override { return queues_.poll(); }
  void end(Deadline deadline) noexcept override;

 private:
  void lose(const Error& error, Locked& locked, Worklist& worklist) noexcept override;
  void close() noexcept override;
  void finish_close() noexcept;
  void finish_use(Deadline deadline) noexcept;
  void leak(std::string_view reason) noexcept;

  std::atomic<bool> is_left_{false};  // it was not idle when its last owner went, and nobody waits for it again
  Life life_;
  BufferTable buffers_{life_, queues_};
  Pools pools_{buffers_};
  Recordings recordings_{buffers_};
  Queues queues_{life_, buffers_, pools_, recordings_};
};

}  // namespace pintle::core
