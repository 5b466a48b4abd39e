// Buffers of core: a buffer of WebGPU each.
#pragma once

#include <mutex>

#include "backends/webgpu/context.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::webgpu {

/// One buffer; a MemoryId is its address. No two share a buffer of WebGPU, since what a launch reads and what it writes
/// may not be in one.
struct Allocation {
  Owned<wg::Buffer> buffer;
  std::uint64_t size = 0;   ///< As it was asked for.
  std::uint64_t whole = 0;  ///< The size of the buffer: the next multiple of 16.
};

using Allocations = kit::OwnedTable<backend::MemoryId, Allocation>;

/// Thread-safe.
class MemoryTable {
 public:
  explicit MemoryTable(Context& context) : context_(context) {}

  [[nodiscard]] Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] std::vector<Heap> heaps();

 private:
  Context& context_;
  std::mutex mutex_;  // of the next
  std::uint64_t used_ = 0;
  Allocations allocations_;
};

}  // namespace pintle::webgpu
