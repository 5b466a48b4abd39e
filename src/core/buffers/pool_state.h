// What stands behind a Pool, and the pools of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "pintle/backend/driver.h"
#include "pintle/pool.h"

namespace pintle::core {

/// A heap of chunks, and the source of more. The device's lock guards it. The lock is not held while the device is
/// asked for memory, while work in flight is waited for, or while the user's callback runs.
class PoolState {
 public:
  PoolState(BufferTable& table, PoolOptions options, std::string text);

  [[nodiscard]] BufferTable& table() const noexcept { return table_; }
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  // These take the lock.
  /// Allocates for work that `queue` gets from now on.
  Result<Buffer> allocate(std::uint64_t queue, DType dtype, const Shape& shape, const BufferOptions& options);
  Result<std::uint64_t> trim(std::uint64_t keep);
  [[nodiscard]] PoolStatistics statistics();
  [[nodiscard]] std::vector<ResourceHolder> holders();

  /// Notes that the user's handle is gone: from now on memory is to go to the device soon after its last use.
  void abandon(const Locked& locked) noexcept;
  /// Gives free blocks back to the device while at least `keep` bytes stay; returns the bytes given back.
  std::uint64_t release_free(std::uint64_t keep) noexcept;
  [[nodiscard]] bool is_abandoned(const Locked&) const noexcept { return is_abandoned_; }
  /// True when nothing is left.
  [[nodiscard]] bool is_empty(const Locked&) const noexcept { return heap_.blocks() == 0; }

  void give_back(PoolHeap::Chunk& chunk, Stamps&& stamps, Worklist& worklist, const Locked& locked) noexcept;

 private:
  struct Request {
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::string label;
    std::uint64_t chunk = 0;  // the size of the class that holds it
    Timeout timeout{};
    Stamps before{};  // uses of the chunk that was found
  };
  /// What has been tried for one request.
  struct Attempt {
    std::optional<Deadline> deadline{};
    std::optional<Error> refusal{};  // the device's
    bool has_waited_enough = false;
  };

  [[nodiscard]] PoolHeap::Chunk* find(std::uint64_t queue, Request& request, Locked& locked);
  [[nodiscard]] PoolHeap::Chunk* take(PoolHeap::Chunk* chunk, std::uint64_t& count) noexcept;
  [[nodiscard]] bool is_after(std::uint64_t queue, const Stamps& stamps, const Locked& locked) const;
  Result<PoolHeap::Chunk*> find_with_patience(Locked& locked, std::uint64_t queue, Request& request);
  Result<void> find_more(Locked& locked, const Request& request, Attempt& attempt);
  [[nodiscard]] std::optional<std::uint64_t> growth(std::uint64_t chunk) const noexcept;
  Result<bool> grow(Locked& locked, const Request& request, Attempt& attempt);
  Result<bool> add_block(Locked& locked, std::uint64_t size, const Request& request, Attempt& attempt);
  Result<void> keep_block(Locked& locked, backend::MemoryId memory, std::uint64_t size);
  Result<bool> release_to_grow(Locked& locked, const Request& request, Attempt& attempt);
  Result<bool> wait(Locked& locked, Attempt& attempt);
  [[nodiscard]] PoolExhaustion exhaustion(const Request& request) const noexcept;
  [[nodiscard]] Error exhausted(const Request& request, const Attempt& attempt, const Locked& locked) const;
  [[nodiscard]] std::uint64_t keep(PoolHeap::Chunk& chunk, Request& request, const Locked& locked) noexcept;

  BufferTable& table_;
  const PoolOptions options_;
  const std::string text_;
  bool is_abandoned_ = false;
  PoolHeap heap_;
  std::uint64_t growing_ = 0;  // bytes that the device is being asked for
  PoolStatistics counts_;
};

/// The pools of a device. A pool lives until its handle is gone, its buffers have been given back and the device has
/// its memory again.
class Pools final : public Deferred {
 public:
  explicit Pools(BufferTable& table) noexcept : table_(table) {}

  /// A user's handle to a new pool. Takes the lock.
  Result<std::shared_ptr<PoolState>> create(PoolOptions options);

  // With the lock held:
  /// Pools whose handle is gone give back the memory that has become free.
  void dispose(Worklist& worklist, const Locked&) noexcept;

 private:
  void run_deferred(Worklist& worklist) noexcept override;
  void abandon(PoolState& pool) noexcept;
  [[nodiscard]] std::shared_ptr<PoolState> next_abandoned(std::size_t& place) noexcept;
  void drop_empty() noexcept;

  BufferTable& table_;
  std::vector<std::shared_ptr<PoolState>> all_;
  std::uint64_t next_ = 1;
};

}  // namespace pintle::core
