#include "backends/null/memory.h"

#include <fmt/format.h>

namespace pintle::null {

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  std::lock_guard lock(mutex_);
  if (request.size > total_ - used_) {
    return Error(Errc::out_of_memory,
                 fmt::format("Allocation size ({}) is larger than the memory available ({}) on [null].", request.size,
                             total_ - used_));
  }
  const auto id = backend::MemoryId{last_id_ + 1};
  sizes_.emplace(id, request.size);
  ++last_id_;
  used_ += request.size;
  return id;
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = sizes_.find(memory);
  used_ -= found->second;
  sizes_.erase(found);
}

Heap MemoryTable::heap() const {
  std::lock_guard lock(mutex_);
  return {.name = "virtual", .total = total_, .available = total_ - used_, .used = used_, .source = "null"};
}

}  // namespace pintle::null
