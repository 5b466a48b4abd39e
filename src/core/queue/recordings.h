// The recordings of a device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/queue/recording_state.h"

namespace pintle::core {

/// A recording lives until its handle is gone and its last replay is finished.
class Recordings final : public Deferred {
 public:
  explicit Recordings(BufferTable& table) noexcept : table_(table) {}

  /// A user's handle to a new recording. Takes the lock.
  Result<std::shared_ptr<RecordingState>> create(CommandList list);

  // With the lock held:
  /// Passes recordings without a handle and without unfinished replays to the worklist.
  void dispose(Worklist& worklist, const Locked&) noexcept;

 private:
  struct Entry {
    std::shared_ptr<RecordingState> recording;
    bool is_abandoned = false;
  };

  void run_deferred(Worklist& worklist) noexcept override;
  void abandon(const RecordingState& recording) noexcept;
  Result<void> check(const CommandList& list) const;
  [[nodiscard]] bool is_over(const Entry& entry, const Locked& locked) const noexcept;
  [[nodiscard]] std::shared_ptr<RecordingState> take_finished() noexcept;

  BufferTable& table_;
  std::vector<Entry> all_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace pintle::core
