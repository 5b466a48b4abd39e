// Recordings: kernel objects whose arguments stay set from one replay to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/opencl/program.h"
#include "kit/accesses.h"
#include "kit/newest_first.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// A RecordingId is its address.
struct Recording {
  backend::Commands commands;
  bool touches_host = false;  ///< It has uploads or downloads.
  std::mutex mutex;           ///< Held by a replay.
  kit::NewestFirst<BoundKernel> kernels;
  std::vector<BoundKernel*> by_command;  ///< Null for a command that launches nothing.
};

/// The object for the next launch. It is shared with a launch shortly before that has the same kernel and arguments, so
/// that what a replay touches stays in the caches; otherwise it is new.
[[nodiscard]] inline Result<BoundKernel*> kernel_for(const backend::Exec& exec, Recording& recording) {
  constexpr std::size_t look_back = 16;
  const auto& list = recording.commands;
  const std::size_t end = recording.by_command.size();
  for (std::size_t i = end; i > end - std::min(end, look_back); --i) {
    const backend::Exec* const before = kit::exec_of(list.commands[i - 1]);
    if (before != nullptr && before->program == exec.program && before->entry == exec.entry &&
        std::ranges::equal(list.of(*before), list.of(exec))) {
      return recording.by_command[i - 1];
    }
  }
  PINTLE_ASSIGN(kernel, Programs::at(exec.program).kernels[exec.entry]->create());
  return &recording.kernels.add(std::move(kernel));
}

using Recordings = kit::OwnedTable<backend::RecordingId, Recording>;

[[nodiscard]] inline Result<std::unique_ptr<Recording>> record(const backend::Commands& commands) {
  auto recording = std::make_unique<Recording>();
  recording->commands = commands;
  for (const backend::Command& command : commands.commands) {
    kit::for_each_host(command, [&](const auto&, Access) { recording->touches_host = true; });
    BoundKernel* kernel = nullptr;
    if (const auto* const exec = kit::exec_of(command)) {
      PINTLE_ASSIGN(found, kernel_for(*exec, *recording));
      kernel = found;
    }
    recording->by_command.push_back(kernel);
  }
  return recording;
}

/// Makes every kernel stop holding the memory of this number.
inline void let_go(Recordings& recordings, std::uint64_t memory) noexcept {
  recordings.for_each([&](Recording& recording) {
    const std::lock_guard replaying(recording.mutex);
    for (const auto& kernel : recording.kernels) kernel->let_go(memory);
  });
}

}  // namespace pintle::opencl
