// Lists that are translated once.
#pragma once

#include <memory>
#include <vector>

#include "backends/vulkan/slot.h"

namespace pintle::vulkan {

/// A list without slots, host memory and steps as a command buffer that submissions execute. A RecordingId is its
/// address.
struct Recording {
  backend::Commands list;      ///< For queues of another family than the command buffer's.
  std::unique_ptr<Slot> slot;  ///< Also what the commands have staged.
};

[[nodiscard]] inline const Recording& recording_of(backend::RecordingId id) noexcept {
  return *reinterpret_cast<const Recording*>(static_cast<std::uintptr_t>(id));
}

/// Core calls it with its lock held.
class RecordingTable {
 public:
  RecordingTable(Context& context, StagingPool& staging) noexcept : context_(context), staging_(staging) {}
  /// `unsupported` for any other list.
  [[nodiscard]] Result<backend::RecordingId> record(const backend::Commands& list);
  void forget(backend::RecordingId id) noexcept;

 private:
  Context& context_;
  StagingPool& staging_;
  std::vector<std::unique_ptr<Recording>> recordings_;
};

}  // namespace pintle::vulkan
