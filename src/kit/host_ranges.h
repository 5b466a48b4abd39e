// Host memory that unfinished submissions will write. A later access to it must wait until the bytes are delivered: the
// device orders its own copies, but not the host's copies from and to staging memory, nor a driver that reads the
// source of an upload when it is enqueued.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// The ranges of all queues of a device. Thread-safe.
class HostRanges {
 public:
  HostRanges() { ranges_.reserve(usual); }

  [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  /// Notes that `queue` will have written `bytes` when its timeline reaches `value`.
  void add(std::span<const std::byte> bytes, backend::QueueId queue, std::uint64_t value) {
    if (bytes.empty()) return;
    const std::lock_guard lock(mutex_);
    ranges_.push_back({bytes.data(), bytes.data() + bytes.size(), queue, value});
    count_.store(ranges_.size(), std::memory_order_relaxed);
  }
  [[nodiscard]] bool overlap(std::span<const std::byte> bytes) {
    if (is_empty() || bytes.empty()) return false;
    const std::byte* const end = bytes.data() + bytes.size();
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(ranges_,
                               [&](const Range& range) { return range.begin < end && bytes.data() < range.end; });
  }
  /// Forgets the writes of `queue` at values in [first, last]: they are done, or will not be done.
  void forget(backend::QueueId queue, std::uint64_t first, std::uint64_t last) noexcept {
    if (is_empty()) return;
    const std::lock_guard lock(mutex_);
    std::erase_if(ranges_, [&](const Range& range) {
      return range.queue == queue && range.value >= first && range.value <= last;
    });
    count_.store(ranges_.size(), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t usual = 64;  // of unfinished downloads; more take memory once

  struct Range {
    const std::byte* begin;
    const std::byte* end;
    backend::QueueId queue;
    std::uint64_t value;
  };

  std::mutex mutex_;
  std::vector<Range> ranges_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace pintle::kit
