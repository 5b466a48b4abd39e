// The records of a device's buffers, by id: found, lent to other devices, destroyed, and given back when their last use
// and their last loan are over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffers/buffer_record.h"
#include "core/buffers/clocks.h"
#include "core/life/life.h"
#include "core/time/worklist.h"
#include "kit/object_table.h"
#include "pintle/queue.h"
#include "pintle/resource.h"

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
  [[nodiscard]] const kit::ObjectTable<BufferRecord>& records(const Locked&) const noexcept { return records_; }
  [[nodiscard]] Error stale(std::uint64_t id) const;
  [[nodiscard]] Error sealed_refusal(std::uint64_t id, const Locked& locked);
  [[nodiscard]] std::string text(std::uint64_t id, const Locked& locked);
  /// The live buffers that have memory, the largest first: those of the pool, or all where it is null.
  [[nodiscard]] std::vector<ResourceHolder> holders(const PoolState* pool, const Locked&) const;
  /// The first few of them in words: `[Buffer 1] (4096 bytes), [Buffer 2] (16 bytes)`. Empty where there is none.
  [[nodiscard]] std::string largest_holders(const PoolState* pool, const Locked& locked) const;
  /// Makes room for one more record, so that the next `make` needs no memory.
  void reserve(const Locked&) { records_.reserve_one(); }
  [[nodiscard]] std::pair<std::uint64_t, BufferRecord*> make(const Locked&) { return records_.make(); }
  /// Passes memory that has become free to the worklist.
  void dispose_finished(Worklist& worklist, const Locked& locked) noexcept;
  /// From now on nothing is given back to the device.
  void lose(Worklist& worklist, const Locked& locked) noexcept;
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

  /// Ends the id. The memory goes when its last use is finished.
  void retire(std::uint64_t id, Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] bool has_retired(const Locked&) const noexcept { return retired_ != 0 || free_ != 0; }

  Life& life_;
  Dispatcher& queues_;
  kit::ObjectTable<BufferRecord> records_;
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

/// Memory of the backend that no record owns yet: given back, unless somebody takes it. The caller holds no lock.
class Unowned {
 public:
  Unowned(Life& life, backend::MemoryId memory) noexcept : life_(life), memory_(memory) {}
  Unowned(const Unowned&) = delete;
  Unowned& operator=(const Unowned&) = delete;
  ~Unowned() {
    if (memory_ != backend::MemoryId::none && !life_.is_lost()) life_.device().release(memory_);
  }
  [[nodiscard]] backend::MemoryId take() noexcept { return std::exchange(memory_, backend::MemoryId::none); }

 private:
  Life& life_;
  backend::MemoryId memory_;
};

/// A buffer's bytes, lent to another device, and shared by all borrowers there. The memory stays until the last
/// borrower is done, and so does a map of it.
class Loan {
 public:
  /// `use` is let go when the memory has been unmapped. The loan itself expires earlier.
  Loan(std::shared_ptr<BufferRecords> lender, const backend::Range& place, std::shared_ptr<void> use) noexcept
      : lender_(std::move(lender)), place_(place), use_(std::move(use)) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  /// Maps the memory, once. The address does not change.
  Result<void> map();
  /// The bytes that have been mapped; empty before.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<BufferRecords> lender_;  // it is told when the last borrower is done, with no lock held
  backend::Range place_;
  std::shared_ptr<void> use_;
  std::mutex mutex_;
  std::span<std::byte> bytes_;
};

}  // namespace pintle::core
