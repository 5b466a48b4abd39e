// Which commands of a queue wait until the host has the bytes that they read.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kit/host_ranges.h"
#include "kit/kinds.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Which copies touch host memory at another moment than the device runs them.
enum class HostCopies : std::uint8_t {
  uploads,  ///< A driver may read the source when the upload is enqueued, and writes a download's target in order.
  all,      ///< The host copies from and to staging memory.
};

/// The commands of one queue that touch host memory which unfinished work writes. Such a command is *late*: it may
/// start only when everything before it is done and the host has the bytes. One thread at a time notes and forgets.
class HostOrder {
 public:
  HostOrder(HostRanges& written, backend::QueueId queue, HostCopies copies) noexcept
      : written_(written), queue_(queue), copies_(copies) {}
  HostOrder(const HostOrder&) = delete;
  HostOrder& operator=(const HostOrder&) = delete;
  ~HostOrder() { written_.forget(queue_, 0, ~std::uint64_t{0}); }

  /// Looks at a list that will have written its downloads when `serial` is reached, and marks what is late in it: also
  /// what reads a download of the list itself. `recorded(replay)` returns the recording's list. Allocates only for a
  /// late command, and where more downloads are unfinished than ever before. Answers what the list has, so that nobody
  /// has to look again.
  template <class Recorded>
  Kinds note(const backend::Commands& list, std::uint64_t serial, Recorded recorded) {
    Kinds kinds = 0;
    for (const backend::Command& command : list.commands) {
      kinds |= kind_of(command);
      if (!may_touch_host(command)) continue;  // one look: nearly all commands of most lists do not
      if (const auto* const replay = std::get_if<backend::Replay>(&command.operation))
        note_replay(command, *replay, recorded(*replay), serial);
      else note_copy(command, serial);
    }
    return kinds;
  }
  [[nodiscard]] bool is_late(const backend::Command& command) const noexcept {
    return has_late_.load(std::memory_order_acquire) && is_marked(command);
  }
  /// Forgets the mark of a command that starts.
  void start(const backend::Command& command) noexcept;
  /// Forgets a list that `note` has seen and nobody will run.
  void forget(const backend::Commands& list, std::uint64_t serial) noexcept;
  /// The host has everything up to `serial`. Any thread may call it.
  void reach(std::uint64_t serial) noexcept { written_.forget(queue_, 0, serial); }

 private:
  /// False also for an upload while no download is unfinished.
  [[nodiscard]] bool may_touch_host(const backend::Command& command) const noexcept {
    constexpr Kinds upload = kinds_of<backend::Upload>, others = kinds_of<backend::Download, backend::Replay>;
    const Kinds own = kind_of(command);
    return (own & (upload | others)) != 0 && ((own & others) != 0 || !written_.is_empty());
  }
  void note_copy(const backend::Command& command, std::uint64_t serial);
  void note_replay(const backend::Command& command, const backend::Replay& replay, const backend::Commands& list,
                   std::uint64_t serial);
  void mark(const backend::Command& command);
  [[nodiscard]] bool is_marked(const backend::Command& command) const noexcept;

  HostRanges& written_;
  const backend::QueueId queue_;
  const HostCopies copies_;
  std::atomic<bool> has_late_{false};
  mutable std::mutex mutex_;
  std::vector<const backend::Command*> late_;
};

/// Whether a replay of the list might read, in an upload, what a download of it writes: such a list cannot be replayed
/// as one command.
[[nodiscard]] bool reads_own_downloads(const backend::Commands& list);

}  // namespace pintle::kit
