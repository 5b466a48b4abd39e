// The buffers of a device: made, found, and given back when their last use is finished.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/buffers/aliases.h"
#include "core/buffers/buffer_record.h"
#include "core/buffers/clocks.h"
#include "core/buffers/loan.h"
#include "core/buffers/object_table.h"
#include "core/buffers/queue_order.h"
#include "core/life/life.h"
#include "core/time/worklist.h"
#include "pintle/buffer.h"
#include "pintle/queue.h"

namespace pintle::core {

/// The queues of the device, as buffers and other devices see them. These take the lock.
class Dispatcher {
 public:
  /// Waits until all these uses are finished.
  virtual Result<void> wait_for(const Stamps& stamps, Deadline deadline) = 0;
  /// Submits a list to a queue that is made for it alone, and goes with its work.
  virtual Result<Point> submit_apart(CommandList&& list, SubmitOptions& options, std::string_view label) = 0;

 protected:
  ~Dispatcher() = default;
};

/// Records by id, and the memory that waits for its last use. A memory's backend is asked without any lock.
class BufferTable final : public Deferred, public Loan::Lender {
 public:
  BufferTable(Life& life, Dispatcher& queues);

  [[nodiscard]] Life& life() noexcept { return life_; }
  [[nodiscard]] const Life& life() const noexcept { return life_; }
  /// The live table that views with this number belong to; null when it has gone.
  [[nodiscard]] static std::shared_ptr<BufferTable> find_table(std::uint64_t number);

  // These take the lock.
  Result<Buffer> allocate(DType dtype, const Shape& shape, const BufferOptions& options);
  /// What a buffer is allocated with that is placed and aligned as this one.
  Result<BufferOptions> options_like(std::uint64_t id, std::string label);
  /// A buffer over memory that the backend takes as it is.
  Result<Buffer> wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                             const std::string& label);
  /// The bytes of another device's buffer, as a buffer of this one.
  Result<Buffer> import_memory(const backend::Exported& exported);
  /// Host memory in place, from `offset` on; `keeper` is let go after the last use. With `Access::read` it is sealed.
  Result<Buffer> import_host(std::span<std::byte> bytes, std::uint64_t offset, Access access, DType dtype,
                             const Shape& shape, const std::string& label, std::shared_ptr<const void> keeper);
  void destroy(std::uint64_t id) noexcept;
  Result<void> seal(std::uint64_t id);
  [[nodiscard]] bool is_sealed(std::uint64_t id);
  /// Lets `kept` go with a live buffer, and before what that keeps already.
  void keep(std::uint64_t id, std::shared_ptr<const void> kept);
  /// `stale` for a buffer that is gone, `invalid_argument` for a write to a sealed one.
  [[nodiscard]] Result<void> check_access(std::uint64_t id, Access access);
  /// Where a live buffer's bytes are, for somebody outside who will use them so; `stale`, `invalid_argument` where it
  /// is sealed or shared. They stay there from now on.
  Result<backend::Range> pin(std::uint64_t id, Access access);
  /// Gives a lazy buffer its memory, if nobody has before.
  Result<void> materialize(std::uint64_t id);
  /// The user has mapped the memory.
  void add_map(std::uint64_t id) noexcept;
  /// Unmaps it; false where the user has no map of it.
  bool end_map(std::uint64_t id) noexcept;
  /// Maps a live buffer for another device; `unsupported` where it cannot be mapped.
  Result<std::shared_ptr<Loan>> lend(std::uint64_t id, Access access);
  /// Work in flight that a use by another device comes after, though no point says so.
  [[nodiscard]] std::vector<Point> formation_of(std::uint64_t id, Access access);
  /// Exports a live buffer to another device; `unsupported` where it cannot be exported.
  Result<std::shared_ptr<Loan>> share(std::uint64_t id, Access access, backend::Exported& exported);
  [[nodiscard]] std::string text(std::uint64_t id);
  /// Memory of the backend, asked for again when what has been given back meanwhile is free. Takes no lock itself.
  Result<backend::MemoryId> allocate_memory(const backend::MemoryRequest& request);
  /// Bytes of what is asked for, checked against the device's limits.
  [[nodiscard]] Result<std::uint64_t> check_request(DType dtype, const Shape& shape,
                                                    const BufferOptions& options) const;
  /// Waits for the work that used a pool's memory before this buffer did.
  Result<void> await_memory(std::uint64_t id, Deadline deadline);
  [[nodiscard]] Dispatcher& queues() noexcept { return queues_; }

  // With the lock held:
  [[nodiscard]] BufferRecord* find(std::uint64_t id, const Locked&) noexcept {
    BufferRecord* const record = records_.find(id);
    return record == nullptr || record->is_retired ? nullptr : record;
  }
  /// Also a retired one.
  [[nodiscard]] BufferRecord* find_any(std::uint64_t id, const Locked&) noexcept { return records_.find(id); }
  [[nodiscard]] BufferRecord& any(std::uint64_t id, const Locked&) noexcept { return *records_.find(id); }
  /// Ends a record that nothing has been put in.
  void drop(std::uint64_t id, const Locked&) noexcept { records_.drop(id); }
  /// A record that was made retired joins those whose memory goes when the last use is finished.
  void adopt_retired(std::uint64_t id, const Locked&) noexcept {
    records_.find(id)->next_retired = std::exchange(retired_, id);
  }
  [[nodiscard]] const ObjectTable<BufferRecord>& records(const Locked&) const noexcept { return records_; }
  [[nodiscard]] Error stale(std::uint64_t id) const;
  [[nodiscard]] Error sealed_refusal(std::uint64_t id, const Locked& locked);
  [[nodiscard]] Error shared_refusal(std::uint64_t id, const Locked& locked);
  [[nodiscard]] std::string text(std::uint64_t id, const Locked& locked);
  /// A lazy, sealed or shared buffer has been made at some time.
  [[nodiscard]] bool has_specials(const Locked&) const noexcept { return has_specials_; }
  void note_special(const Locked&) noexcept { has_specials_ = true; }
  /// The only owner of bytes that nothing else uses has them to itself; false where there is somebody else.
  bool settle(BufferRecord& record, const Locked& locked) noexcept;
  /// A place for one more; what is kept there then needs no memory.
  void reserve(const Locked&) { records_.reserve_one(); }
  [[nodiscard]] std::pair<std::uint64_t, BufferRecord*> make(const Locked&) { return records_.make(); }
  /// The user's object for a record that is filled in.
  [[nodiscard]] NewBuffer hand_out(std::uint64_t id, std::uint64_t size, DType dtype, const Shape& shape,
                                   const Locked& locked) noexcept {
    count_held(locked);
    return {this, id, size, dtype, shape};
  }
  [[nodiscard]] NewBuffer keep(BufferRecord record, DType dtype, const Shape& shape, const Locked& locked);
  /// Takes the record from its id; its memory goes when the last use is finished.
  void retire(std::uint64_t id, Worklist& worklist, const Locked& locked) noexcept;
  /// Passes what has become free to the worklist.
  void dispose_finished(Worklist& worklist, const Locked& locked) noexcept;
  /// Nothing is given back to the device any more.
  void lose(Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] bool has_retired(const Locked&) const noexcept { return retired_ != 0 || free_ != 0; }
  /// Calls `visit` for each retired record.
  template <class Visit>
  void for_each_retired(Visit visit, const Locked&) const {
    for (std::uint64_t id = retired_; id != 0;) {
      const BufferRecord& record = *records_.find(id);
      visit(record);
      id = record.next_retired;
    }
  }
  /// A user holds one more buffer or pool; all of these share one lease.
  void count_held(const Locked&) noexcept {
    if (held_++ == 0) held_lease_ = life_.lease();
  }
  /// One less; returns the lease when it was the last, to be dropped without the lock.
  [[nodiscard]] std::shared_ptr<void> count_gone(const Locked&) noexcept {
    return --held_ == 0 ? std::exchange(held_lease_, nullptr) : nullptr;
  }
  /// A loan of a retired buffer has ended. Takes the lock.
  void end_loan() noexcept override;
  [[nodiscard]] Clocks& clocks(const Locked&) noexcept { return clocks_; }
  [[nodiscard]] const Clocks& clocks(const Locked&) const noexcept { return clocks_; }
  [[nodiscard]] QueueOrder& order(const Locked&) noexcept { return order_; }
  /// Imported memory, also of retired buffers.
  [[nodiscard]] std::span<const Alias> aliases(const Locked&) const noexcept { return aliases_; }

 private:
  void run_deferred(Worklist& worklist) noexcept override;
  [[nodiscard]] Result<void> usable(std::uint64_t id);
  bool give_back_one() noexcept;
  [[nodiscard]] bool is_free(const BufferRecord& record) const noexcept;
  void free(std::uint64_t id, BufferRecord& record) noexcept;
  Result<NewBuffer> keep_import(Result<backend::MemoryId> imported, BufferRecord record, std::span<std::byte> host,
                                DType dtype, const Shape& shape);
  [[nodiscard]] Result<void> check_import(std::span<std::byte> bytes, std::uint64_t offset, Access access, DType dtype,
                                          const Shape& shape, std::uint64_t size) const;
  [[nodiscard]] Result<backend::Range> pin_for_loan(std::uint64_t id, Access access);
  [[nodiscard]] bool is_movable(std::uint64_t id);
  template <class Lend>
  Result<std::shared_ptr<Loan>> loan_of(std::uint64_t id, Access access, Lend lend);
  [[nodiscard]] Error exhausted(const Error& error);
  [[nodiscard]] Stamps uses_before(std::uint64_t id);

  Life& life_;
  Dispatcher& queues_;
  ObjectTable<BufferRecord> records_;
  Clocks clocks_;
  QueueOrder order_;
  std::vector<Alias> aliases_;
  std::uint64_t retired_ = 0;  // the first of those that work in flight may use
  std::uint64_t free_ = 0;     // the first of those whose memory is to be given back
  std::uint64_t held_ = 0;
  std::shared_ptr<void> held_lease_;  // while there is one
  bool has_specials_ = false;
};

}  // namespace pintle::core
