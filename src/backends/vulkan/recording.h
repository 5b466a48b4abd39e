// Lists that are translated once.
#pragma once

#include <memory>

#include "backends/vulkan/slot.h"
#include "kit/owned_table.h"

namespace pintle::vulkan {

/// A list without slots, host memory and steps as a command buffer that submissions execute.
struct Recording {
  backend::Commands list;      ///< For queues of another family than the command buffer's.
  std::unique_ptr<Slot> slot;  ///< Also has what the commands have staged.
};

using Recordings = kit::OwnedTable<backend::RecordingId, Recording>;

}  // namespace pintle::vulkan
