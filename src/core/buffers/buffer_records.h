// The records of a device's buffers, by id: found, destroyed, and given back when their last use is finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffers/aliases.h"
#include "core/buffers/buffer_record.h"
#include "core/buffers/clocks.h"
#include "core/buffers/object_table.h"
#include "core/buffers/queue_order.h"
#include "core/life/life.h"
#include "core/time/worklist.h"
#include "pintle/queue.h"

namespace pintle::core {

class Observer;
class QueueState;

/// The queues of the device, as buffers, other devices and one of the queues see them: `Queues`, in a later room. The
/// interface turns that arrow around.
class Dispatcher {
 public:
  // These functions take the lock.
  /// Waits until all these uses are finished.
  virtual Result<void> wait_for(const Stamps& stamps, Deadline deadline) = 0;
  /// A handle to a mover: an idle one, or a new one. No other list's work is on it.
  virtual Result<std::shared_ptr<QueueState>> take_mover() = 0;
  /// Asks the backend how far every queue is. Needs no memory.
  virtual Result<void> ask_all() = 0;

  // With the lock held, and without memory:
  /// Has the end of these uses observed soon, though nobody asks.
  virtual void look_after(const Stamps& stamps, const Locked& locked) noexcept = 0;
  /// Passes what has become free to the worklist: memory, recordings, queues that have ended.
  virtual void dispose_finished(Worklist& worklist, const Locked& locked) noexcept = 0;
  /// Passes a queue that has neither a handle nor work to the worklist. False where it is kept for other work.
  [[nodiscard]] virtual bool end(Observer& queue, Worklist& worklist, const Locked& locked) noexcept = 0;

 protected:
  ~Dispatcher() = default;
};

/// The records, and the memory that waits for its last use. The backend is called without any lock.
class BufferRecords : public Deferred {
 public:
  BufferRecords(Life& life, Dispatcher& queues);

  [[nodiscard]] Life& life() noexcept { return life_; }
  [[nodiscard]] const Life& life() const noexcept { return life_; }
  [[nodiscard]] Dispatcher& queues() noexcept { return queues_; }

  // These functions take the lock.
  [[nodiscard]] std::string text(std::uint64_t id);
  /// A loan of a retired buffer has ended.
  void end_loan() noexcept;

  // With the lock held:
  [[nodiscard]] BufferRecord* find(std::uint64_t id, const Locked&) noexcept {
    BufferRecord* const record = records_.find(id);
    return record == nullptr || record->is_retired ? nullptr : record;
  }
  /// Finds retired records too.
  [[nodiscard]] BufferRecord* find_any(std::uint64_t id, const Locked&) noexcept { return records_.find(id); }
  [[nodiscard]] const ObjectTable<BufferRecord>& records(const Locked&) const noexcept { return records_; }
  [[nodiscard]] Error stale(std::uint64_t id) const;
  [[nodiscard]] Error sealed_refusal(std::uint64_t id, const Locked& locked);
  [[nodiscard]] std::string text(std::uint64_t id, const Locked& locked);
  /// Makes room for one more record, so that the next `make` needs no memory.
  void reserve(const Locked&) { records_.reserve_one(); }
  [[nodiscard]] std::pair<std::uint64_t, BufferRecord*> make(const Locked&) { return records_.make(); }
  /// Ends the id. The memory goes when its last use is finished.
  void retire(std::uint64_t id, Worklist& worklist, const Locked& locked) noexcept;
  /// Passes memory that has become free to the worklist.
  void dispose_finished(Worklist& worklist, const Locked& locked) noexcept;
  /// From now on nothing is given back to the device.
  void lose(Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] bool has_retired(const Locked&) const noexcept { return retired_ != 0 || free_ != 0; }
  /// Pools and recordings without a handle, counted by their owners.
  [[nodiscard]] std::size_t& abandoned(const Locked&) noexcept { return abandoned_; }
  /// Whether something that the user has dropped waits for the end of work: memory, a recording, a pool.
  [[nodiscard]] bool has_dropped(const Locked& locked) const noexcept { return has_retired(locked) || abandoned_ != 0; }
  /// A user holds one more buffer or pool; all of these share one lease.
  void count_held(const Locked&) noexcept {
    if (held_++ == 0) held_lease_ = life_.lease();
  }
  /// Counts one less. Returns the lease after the last; the caller drops it without the lock.
  [[nodiscard]] std::shared_ptr<void> count_gone(const Locked&) noexcept {
    return --held_ == 0 ? std::exchange(held_lease_, nullptr) : nullptr;
  }
  [[nodiscard]] Clocks& clocks(const Locked&) noexcept { return clocks_; }
  [[nodiscard]] QueueOrder& order(const Locked&) noexcept { return order_; }
  /// Imported memory, that of retired buffers included.
  [[nodiscard]] std::span<const Alias> aliases(const Locked&) const noexcept { return aliases_; }

 protected:
  ~BufferRecords() = default;

  Life& life_;
  Dispatcher& queues_;
  ObjectTable<BufferRecord> records_;
  std::vector<Alias> aliases_;
  std::atomic<std::uint64_t> lazy_{0};     // live buffers without memory
  std::string_view gone_kind_ = "Buffer";  // what a record was that is no more, as far as it is known

 private:
  void run_deferred(Worklist& worklist) noexcept override;
  bool give_back_one() noexcept;
  [[nodiscard]] bool is_free(const BufferRecord& record) const noexcept;
  void free(std::uint64_t id, BufferRecord& record) noexcept;

  Clocks clocks_;
  QueueOrder order_;
  std::uint64_t retired_ = 0;  // the first record that work in flight may use
  std::uint64_t free_ = 0;     // the first record whose memory is to be given back
  std::uint64_t held_ = 0;
  std::size_t abandoned_ = 0;
  std::shared_ptr<void> held_lease_;  // set while `held_` is above zero
};

}  // namespace pintle::core
