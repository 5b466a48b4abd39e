// The pools of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffers/pool_state.h"

namespace pintle::core {

/// A pool lives until its handle is gone, its buffers have been given back and the device has its memory again.
class Pools final : public Deferred {
 public:
  explicit Pools(BufferTable& table) noexcept : table_(table) {}

  /// A user's handle to a new pool. Takes the lock.
  Result<std::shared_ptr<PoolState>> create(PoolOptions options);

  // With the lock held:
  /// Pools whose handle is gone give back the memory that has become free.
  void dispose(Worklist& worklist, const Locked&) noexcept;

 private:
  struct Entry {
    std::shared_ptr<PoolState> pool;
    bool is_abandoned = false;
  };

  void run_deferred(Worklist& worklist) noexcept override;
  void abandon(const PoolState& pool) noexcept;
  [[nodiscard]] std::shared_ptr<PoolState> next_abandoned(std::size_t& place) noexcept;
  void drop_empty() noexcept;

  BufferTable& table_;
  std::vector<Entry> all_;
  std::uint64_t next_ = 1;
};

}  // namespace pintle::core
