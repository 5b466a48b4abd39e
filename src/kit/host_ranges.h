// Host memory that unfinished submissions will write. A later access to it must wait until the bytes are delivered: the
// device orders its own copies, but not the host's copies from and to staging memory, nor a driver that reads the
// source of an upload when it is enqueued.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pintle::kit {

/// The ranges of all queues of a device. One thread at a time calls anything, as the seam has it of submissions, but
/// for `Writes::reach`: so nothing is locked, and what is reached is forgotten when its room is needed.
class HostRanges {
 public:
  /// The ranges of one queue.
  class Writes {
   public:
    explicit Writes(HostRanges& all) : all_(all) {
      ranges_.reserve(usual);
      all_.queues_.push_back(this);
    }
    Writes(const Writes&) = delete;
    Writes& operator=(const Writes&) = delete;
    ~Writes() { std::erase(all_.queues_, this); }

    /// Notes that the queue will have written `bytes` when it reaches `serial`, not before any noted earlier.
    void add(std::span<const std::byte> bytes, std::uint64_t serial) {
      if (bytes.empty()) return;
      if (is_done()) ranges_.clear();
      else if (ranges_.size() == ranges_.capacity()) forget_reached();
      ranges_.push_back({bytes.data(), bytes.data() + bytes.size(), serial});
    }
    /// Forgets the writes of the submission noted last, which did not start.
    void take_back(std::uint64_t serial) noexcept {
      while (!ranges_.empty() && ranges_.back().serial == serial) ranges_.pop_back();
    }
    /// The host has everything up to `serial`. Any thread may call it.
    void reach(std::uint64_t serial) noexcept {
      std::uint64_t reached = reached_.load(std::memory_order_relaxed);
      while (reached < serial && !reached_.compare_exchange_weak(reached, serial, std::memory_order_release)) {
      }
    }

   private:
    friend class HostRanges;
    struct Range {
      const std::byte* begin;
      const std::byte* end;
      std::uint64_t serial;
    };
    static constexpr std::size_t usual = 64;  // of unfinished downloads; more take memory once

    [[nodiscard]] bool is_done() const noexcept {
      return ranges_.empty() || ranges_.back().serial <= reached_.load(std::memory_order_acquire);
    }
    void forget_reached() {
      const std::uint64_t reached = reached_.load(std::memory_order_relaxed);
      std::erase_if(ranges_, [&](const Range& range) { return range.serial <= reached; });
    }
    [[nodiscard]] bool overlap(const std::byte* begin, const std::byte* end) const noexcept {
      const std::uint64_t reached = reached_.load(std::memory_order_acquire);
      return std::ranges::any_of(ranges_, [&](const Range& range) {
        return range.serial > reached && range.begin < end && begin < range.end;
      });
    }

    HostRanges& all_;
    std::vector<Range> ranges_;  // their serials rise
    std::atomic<std::uint64_t> reached_{0};
  };

  [[nodiscard]] bool is_empty() const noexcept {
    return std::ranges::all_of(queues_, [](const Writes* queue) { return queue->is_done(); });
  }
  [[nodiscard]] bool overlap(std::span<const std::byte> bytes) const noexcept {
    return !bytes.empty() && std::ranges::any_of(queues_, [&](const Writes* queue) {
      return queue->overlap(bytes.data(), bytes.data() + bytes.size());
    });
  }

 private:
  std::vector<Writes*> queues_;
};

}  // namespace pintle::kit
