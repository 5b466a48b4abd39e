// Device memory is host memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_set>

#include "pintle/backend/driver.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::cpu {

/// One buffer's bytes; a MemoryId is its address.
struct Block {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
  enum class Owner : std::uint8_t { device, user } owner = Owner::device;
  pintle_cpu_image image{};  ///< What kernels get; empty for a buffer.
};

[[nodiscard]] inline Block& block_of(backend::MemoryId memory) noexcept {
  return *reinterpret_cast<Block*>(static_cast<std::uintptr_t>(memory));
}
[[nodiscard]] inline std::byte* bytes_at(const backend::Range& range) noexcept {
  return block_of(range.memory).data + range.offset;
}

/// All blocks of a device.
class MemoryTable {
 public:
  MemoryTable() = default;
  MemoryTable(const MemoryTable&) = delete;
  MemoryTable& operator=(const MemoryTable&) = delete;
  /// Frees what core left behind when it gave up.
  ~MemoryTable();

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  Result<backend::MemoryId> adopt(std::span<std::byte> bytes);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] bool has(backend::MemoryId memory) const noexcept {
    const std::lock_guard lock(mutex_);
    return memory != backend::MemoryId::none && blocks_.contains(&block_of(memory));
  }
  [[nodiscard]] Heap heap() const;

 private:
  Result<backend::MemoryId> keep(const Block& block);

  mutable std::mutex mutex_;
  std::unordered_set<Block*> blocks_;
  std::uint64_t used_ = 0;
};

}  // namespace pintle::cpu
