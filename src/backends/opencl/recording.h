// Recordings: a kernel object for each launch, whose arguments stay set from one replay to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/opencl/program.h"
#include "kit/accesses.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// A RecordingId is its address.
struct Recording {
  backend::Commands commands;
  std::mutex mutex;                                   ///< Held by a replay.
  std::vector<std::unique_ptr<BoundKernel>> kernels;  ///< By command; null for one that launches nothing.
};

[[nodiscard]] inline Recording& recording_of(backend::RecordingId id) noexcept {
  return *reinterpret_cast<Recording*>(static_cast<std::uintptr_t>(id));
}

/// All recordings of a device. Thread-safe.
class RecordingTable {
 public:
  Result<backend::RecordingId> record(const backend::Commands& commands) {
    auto recording = std::make_unique<Recording>();
    recording->commands = commands;
    for (const backend::Command& command : commands.commands) {
      const backend::Exec* const exec = kit::exec_of(command);
      recording->kernels.emplace_back();
      if (exec == nullptr) continue;
      PINTLE_ASSIGN(kernel, program_of(exec->program).kernels[exec->entry]->create());
      recording->kernels.back() = std::move(kernel);
    }
    const backend::RecordingId id{reinterpret_cast<std::uintptr_t>(recording.get())};
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(recording));
    return id;
  }

  void forget(backend::RecordingId id) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](const auto& recording) { return recording.get() == &recording_of(id); });
  }

  /// No kernel holds the memory of this number any longer.
  void let_go(std::uint64_t memory) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& recording : all_) {
      const std::lock_guard replaying(recording->mutex);
      for (const auto& kernel : recording->kernels) {
        if (kernel != nullptr) kernel->let_go(memory);
      }
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Recording>> all_;
};

}  // namespace pintle::opencl
