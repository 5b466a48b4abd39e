// Memory without bytes: sizes, accounted against a heap.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "pintle/backend/driver.h"

namespace pintle::null {

/// Thread-safe.
class MemoryTable {
 public:
  explicit MemoryTable(std::uint64_t heap_bytes) noexcept : total_(heap_bytes) {}

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] Heap heap() const;

 private:
  mutable std::mutex mutex_;
  const std::uint64_t total_;
  std::uint64_t used_ = 0;
  std::uint64_t last_id_ = 0;
  std::unordered_map<backend::MemoryId, std::uint64_t> sizes_;
};

}  // namespace pintle::null
