// What stands behind a Pool.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "core/buffers/pool_heap.h"
#include "core/time/worklist.h"
#include "pintle/backend/driver.h"
#include "pintle/pool.h"

namespace pintle::core {

class Incarnation;
class QueueState;

/// A heap of chunks, and where it gets more. The incarnation's lock guards it; the device is asked for memory, work in
/// flight waited for and the user called without it.
class PoolState {
 public:
  PoolState(Incarnation& incarnation, PoolOptions options, std::string text);

  [[nodiscard]] Incarnation& incarnation() const noexcept { return incarnation_; }
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  // These take the lock.
  Result<Buffer> allocate(QueueState& queue, DType dtype, const Shape& shape, const BufferOptions& options);
  Result<std::uint64_t> trim(std::uint64_t keep);
  [[nodiscard]] PoolStatistics statistics();
  [[nodiscard]] std::vector<PoolHolder> holders();

  // With the lock held:
  /// Takes the stamps of its last uses.
  void give_back(PoolHeap::Chunk& chunk, Stamps& stamps, Worklist& worklist) noexcept;
  /// Gives free blocks back to the device, as long as `keep` bytes stay; returns their bytes.
  std::uint64_t release_free(std::uint64_t keep, Worklist& worklist);
  /// The user's handle is gone.
  void abandon() noexcept { abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const noexcept { return abandoned_; }
  [[nodiscard]] bool is_empty() const noexcept { return heap_.blocks() == 0; }

 private:
  struct Request {
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::string label;
    std::uint64_t chunk = 0;  // the size of the class that holds it
  };
  using Lock = std::unique_lock<base::Mutex>;
  /// What has been tried for one request.
  struct Attempt {
    std::optional<Deadline> deadline{};
    std::optional<Error> refusal{};  // the device's
    bool has_waited_enough = false;
  };

  [[nodiscard]] PoolHeap::Chunk* find(const QueueState& queue, const Request& request);
  [[nodiscard]] PoolHeap::Chunk* take(PoolHeap::Chunk* chunk, std::uint64_t& count) noexcept;
  Result<PoolHeap::Chunk*> find_with_patience(Lock& lock, const QueueState& queue, const Request& request);
  Result<void> find_more(Lock& lock, const Request& request, Attempt& attempt);
  [[nodiscard]] std::optional<std::uint64_t> growth(std::uint64_t chunk) const noexcept;
  Result<bool> grow(Lock& lock, const Request& request, Attempt& attempt);
  Result<bool> add_block(Lock& lock, std::uint64_t size, Attempt& attempt);
  Result<bool> release_to_grow(Lock& lock, const Request& request, Attempt& attempt);
  Result<bool> wait(Lock& lock, Attempt& attempt);
  [[nodiscard]] PoolExhaustion exhaustion(const Request& request) const noexcept;
  [[nodiscard]] Error exhausted(const Request& request, const Attempt& attempt) const;
  [[nodiscard]] std::vector<PoolHolder> holders_locked() const;
  [[nodiscard]] std::uint64_t keep(PoolHeap::Chunk& chunk, Request& request) noexcept;

  Incarnation& incarnation_;
  const PoolOptions options_;
  const std::string text_;
  PoolHeap heap_;
  std::uint64_t growing_ = 0;  // bytes that the device is being asked for
  bool abandoned_ = false;
  PoolStatistics counts_;
};

}  // namespace pintle::core
