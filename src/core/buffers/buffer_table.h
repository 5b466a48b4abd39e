// The buffers of a device: they are made, found, and given back when their last use is finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
#include "pintle/image.h"
#include "pintle/queue.h"

namespace pintle::core {

/// The queues of the device, as buffers and other devices see them. These functions take the lock, save the last two.
class Dispatcher {
 public:
  /// Waits until all these uses are finished.
  virtual Result<void> wait_for(const Stamps& stamps, Deadline deadline) = 0;
  /// Submits a list to a queue that is made for this list alone. The queue goes when its work is finished.
  virtual Result<Point> submit_apart(CommandList&& list, SubmitOptions& options, std::string_view label) = 0;
  /// Has the end of these uses observed soon, though nobody asks. Needs no memory.
  virtual void look_after(const Stamps& stamps, const Locked& locked) noexcept = 0;
  /// Passes what has become free to the worklist.
  virtual void dispose_finished(Worklist& worklist, const Locked& locked) noexcept = 0;

 protected:
  ~Dispatcher() = default;
};

/// The records of buffers by id, and the memory that waits for its last use. The backend is called without any lock.
class BufferTable final : public Deferred, public Loan::Lender {
 public:
  BufferTable(Life& life, Dispatcher& queues);

  [[nodiscard]] Life& life() noexcept { return life_; }
  [[nodiscard]] const Life& life() const noexcept { return life_; }
  /// The live table that views with this number belong to; null when the table has gone.
  [[nodiscard]] static std::shared_ptr<BufferTable> find_table(std::uint64_t number);

  // These functions take the lock.
  Result<Buffer> allocate(DType dtype, const Shape& shape, const BufferOptions& options);
  /// An image, whose number is one of the buffers'. Also: `unsupported` where the device has none of this texel.
  Result<Image> image(const ImageExtent& extent, Texel texel, const ImageOptions& options);
  /// The options for a new buffer with the placement and alignment of this one.
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
  /// Keeps `kept` alive as long as the live buffer. What the buffer kept before is let go first.
  void keep(std::uint64_t id, std::shared_ptr<const void> kept);
  /// `stale` for a buffer that is gone, `invalid_argument` for a write to a sealed one.
  [[nodiscard]] Result<void> check_access(std::uint64_t id, Access access);
  /// Where a live buffer's bytes are. `stale` for a buffer that is gone; `invalid_argument` where `access` writes and
  /// the buffer is sealed.
  Result<backend::Range> place_of(std::uint64_t id, Access access);
  /// Gives a lazy buffer its memory, unless it has memory already.
  Result<void> materialize(std::uint64_t id);
  /// Whether there may be a lazy buffer without memory. Takes no lock.
  [[nodiscard]] bool has_lazy() const noexcept { return lazy_.load(std::memory_order_relaxed) != 0; }
  /// Counts a map by the user.
  void add_map(std::uint64_t id) noexcept;
  /// Undoes one map; false where the user has no map of the buffer.
  bool end_map(std::uint64_t id) noexcept;
  /// Maps a live buffer for another device; `unsupported` where it cannot be mapped.
  Result<std::shared_ptr<Loan>> lend(std::uint64_t id, Access access);
  /// The end of the copy that makes the bytes, for a use by another device; nothing where no fork was made.
  [[nodiscard]] std::optional<Point> formed(std::uint64_t id);
  /// Notes the end of the copy that makes the bytes. Later uses wait for it.
  void note_formed(std::uint64_t id, const Point& formed);
  /// Exports a live buffer to another device; `unsupported` where it cannot be exported.
  Result<std::shared_ptr<Loan>> share(std::uint64_t id, Access access, backend::Exported& exported);
  [[nodiscard]] std::string text(std::uint64_t id);
  /// Allocates from the backend, and tries again after finished work has given memory back. Takes no lock itself.
  Result<backend::MemoryId> allocate_memory(const backend::MemoryRequest& request);
  /// The size in bytes of a request, checked against the device's limits.
  [[nodiscard]] Result<std::uint64_t> check_request(DType dtype, const Shape& shape,
                                                    const BufferOptions& options) const;
  /// Waits for the work that used the buffer's memory before, where it is a pool's.
  Result<void> await_memory(std::uint64_t id, Deadline deadline);
  [[nodiscard]] Dispatcher& queues() noexcept { return queues_; }

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
  /// `unsupported` for resolved texel buffers that begin in their memory where the device cannot take them: a buffer of
  /// a pool may lie anywhere in a block.
  [[nodiscard]] Result<void> check_texels(std::span<const backend::Argument> arguments, const Locked& locked);
  [[nodiscard]] std::string text(std::uint64_t id, const Locked& locked);
  /// Makes room for one more record, so that the next `make` needs no memory.
  void reserve(const Locked&) { records_.reserve_one(); }
  [[nodiscard]] std::pair<std::uint64_t, BufferRecord*> make(const Locked&) { return records_.make(); }
  /// What the user's object for a filled record is built from.
  [[nodiscard]] NewBuffer hand_out(std::uint64_t id, std::uint64_t size, DType dtype, const Shape& shape,
                                   const Locked& locked) noexcept {
    count_held(locked);
    return {this, id, size, dtype, shape};
  }
  [[nodiscard]] NewBuffer keep(BufferRecord record, DType dtype, const Shape& shape, const Locked& locked);
  /// Ends the id. The memory goes when its last use is finished.
  void retire(std::uint64_t id, Worklist& worklist, const Locked& locked) noexcept;
  /// Passes memory that has become free to the worklist.
  void dispose_finished(Worklist& worklist, const Locked& locked) noexcept;
  /// From now on nothing is given back to the device.
  void lose(Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] bool has_retired(const Locked&) const noexcept { return retired_ != 0 || free_ != 0; }
  /// A user holds one more buffer or pool; all of these share one lease.
  void count_held(const Locked&) noexcept {
    if (held_++ == 0) held_lease_ = life_.lease();
  }
  /// Counts one less. Returns the lease after the last; the caller drops it without the lock.
  [[nodiscard]] std::shared_ptr<void> count_gone(const Locked&) noexcept {
    return --held_ == 0 ? std::exchange(held_lease_, nullptr) : nullptr;
  }
  /// A loan of a retired buffer has ended. Takes the lock.
  void end_loan() noexcept override;
  [[nodiscard]] Clocks& clocks(const Locked&) noexcept { return clocks_; }
  [[nodiscard]] const Clocks& clocks(const Locked&) const noexcept { return clocks_; }
  [[nodiscard]] QueueOrder& order(const Locked&) noexcept { return order_; }
  /// Imported memory, that of retired buffers included.
  [[nodiscard]] std::span<const Alias> aliases(const Locked&) const noexcept { return aliases_; }

 private:
  void run_deferred(Worklist& worklist) noexcept override;
  [[nodiscard]] Result<void> usable(std::uint64_t id);
  bool give_back_one() noexcept;
  [[nodiscard]] bool is_free(const BufferRecord& record) const noexcept;
  void free(std::uint64_t id, BufferRecord& record) noexcept;
  Result<NewBuffer> keep_import(Result<backend::MemoryId> imported, BufferRecord record, std::span<std::byte> host,
                                DType dtype, const Shape& shape);
  [[nodiscard]] Result<void> check_image(const ImageExtent& extent, Texel texel, Access access) const;
  [[nodiscard]] Result<void> check_import(std::span<std::byte> bytes, std::uint64_t offset, Access access, DType dtype,
                                          const Shape& shape, std::uint64_t size) const;
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
  std::uint64_t retired_ = 0;  // the first record that work in flight may use
  std::uint64_t free_ = 0;     // the first record whose memory is to be given back
  std::uint64_t held_ = 0;
  std::shared_ptr<void> held_lease_;       // set while `held_` is above zero
  std::atomic<std::uint64_t> lazy_{0};     // live buffers without memory
  std::string_view gone_kind_ = "Buffer";  // what a record was that is no more, as far as it is known
};

}  // namespace pintle::core
