// Symmetric memory: each rank of a group has a piece of it, with the same offsets. Put, get, signals, and points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/device.h"
#include "pintle/dtype.h"
#include "pintle/elements.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/signal.h"
#include "pintle/submit_options.h"

namespace pintle {

namespace collective {
class HeapState;
}  // namespace collective

struct SymmetricView;

/// A range of a heap, the same on every rank. It names memory and owns none. A plain value. A call that uses it after
/// it is freed is `stale`; with another heap, `invalid_argument`.
class SymmetricBuffer {
 public:
  SymmetricBuffer() noexcept = default;

  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// Bytes from the start of each rank's piece.
  [[nodiscard]] std::uint64_t offset_bytes() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  /// The elements [first, first + count) as one dimension. `invalid_argument` beyond the end, with both numbers.
  [[nodiscard]] Result<SymmetricBuffer> slice(std::uint64_t first, std::uint64_t count) const;
  /// This range in the piece of `rank`. The rank is checked where the view is used.
  [[nodiscard]] SymmetricView on(std::uint32_t rank) const noexcept;

 private:
  friend class Inside;
  SymmetricBuffer(std::uint64_t heap, std::uint64_t serial, std::uint64_t offset, std::uint64_t size, DType dtype,
                  const Shape& shape) noexcept
      : heap_(heap), serial_(serial), base_(offset), offset_(offset), size_(size), dtype_(dtype), shape_(shape) {}

  std::uint64_t heap_ = 0;    // the heap's name: the same on every rank, and no other heap has it
  std::uint64_t serial_ = 0;  // the allocation's number: a later allocation may have its offset
  std::uint64_t base_ = 0;    // the allocation's offset
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  DType dtype_ = DType::u8;
  Shape shape_{0};
};

/// A buffer's range in one rank's piece.
struct SymmetricView {
  SymmetricBuffer buffer;
  std::uint32_t rank = 0;
};

inline SymmetricView SymmetricBuffer::on(std::uint32_t rank) const noexcept { return {*this, rank}; }

/// One signal of a heap: a 64-bit word on every rank, which only rises. A plain value, checked where it is used.
struct SymmetricSignal {
  SymmetricBuffer words;
  std::uint64_t index = 0;
};

/// The signals that `allocate_signals` returns. A plain value.
struct SymmetricSignals {
  [[nodiscard]] std::uint64_t count() const noexcept { return words.size_bytes() / sizeof(std::uint64_t); }
  [[nodiscard]] SymmetricSignal at(std::uint64_t index) const noexcept { return {words, index}; }

  SymmetricBuffer words;
};

/// How a heap is made.
struct SymmetricOptions {
  std::string label{};
  Timeout timeout{};               ///< The time that the ranks have to come.
  std::optional<Device> device{};  ///< The device that uses this rank's piece. Each rank has its own, or none.
};

/// The place where a device has its rank's piece.
enum class Residence : std::uint8_t {
  host = 1,      ///< There is no device.
  in_place = 2,  ///< The device uses the piece itself, so it reads what other ranks put there.
  staged = 3,    ///< The device has a copy of its own, as new as the last `to_device`.
};
/// The name: "host", "in_place", "staged".
[[nodiscard]] std::string_view name(Residence residence) noexcept;

/// How much of a heap is allocated, on each rank.
struct SymmetricUsage {
  std::uint64_t size = 0;     ///< Bytes of each rank's piece.
  std::uint64_t free = 0;     ///< Bytes that are not allocated.
  std::uint64_t largest = 0;  ///< Bytes that one allocation can have now.
};

/// A rank's part of memory that a whole group has. Offsets are the same on every rank, so a rank that has a buffer can
/// reach the buffer's bytes on every rank. `create`, `allocate`, `allocate_signals`, `free` and `barrier` are
/// collective: every rank calls the same ones in the same order, and they end alike on all ranks. Calls that differ are
/// `invalid_argument` on every rank, with both calls. `timeout` and `peer_lost` name a rank, and the group has failed
/// then. All other calls concern this rank only.
///
/// `put` and `get` have no order among ranks: to read what another rank has put, wait for its signal, or for a barrier.
/// Sizes and dtypes must be exactly the buffer's. `invalid_argument`, with nothing written, for host memory that does
/// not fit or overlaps the range on the other side, and for a rank beyond the group.
///
/// A failure of the group ends waits and collective calls. Make a new heap of the group that follows; it refuses
/// buffers of the old heap. The rank stays in the group while the heap lives. Move-only; used on the thread of its
/// group. While another thread or a GroupQueue has the group, collective calls and `wait_signal` are
/// `invalid_argument`, as operations of the group are: give a GroupQueue a group of its own (`Group::split`).
class SymmetricHeap {
 public:
  /// Collective. Makes a heap of `bytes` on each rank. `invalid_argument`, with the rank and both sizes, where one rank
  /// asks for another number. A failure on one rank is the same error on every rank, with that rank.
  [[nodiscard]] static Result<SymmetricHeap> create(Group& group, std::uint64_t bytes,
                                                    const SymmetricOptions& options = {});

  SymmetricHeap() noexcept;
  SymmetricHeap(SymmetricHeap&&) noexcept;
  SymmetricHeap& operator=(SymmetricHeap&&) noexcept;
  /// Concerns this rank only. Asynchronous forms that have not begun are `cancelled`; blocks while one of them copies.
  ~SymmetricHeap();

  [[nodiscard]] std::uint32_t rank() const noexcept;
  [[nodiscard]] std::uint32_t ranks() const noexcept;
  /// Its name in messages: `[SymmetricHeap 3 "caches"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] SymmetricUsage usage() const noexcept;

  /// Collective. Allocates at the same offset on every rank, a multiple of at least 64 bytes, with undefined contents.
  /// `out_of_memory` has the size, the free bytes and the largest piece.
  [[nodiscard]] Result<SymmetricBuffer> allocate(DType dtype, const Shape& shape, Timeout timeout = {});
  /// Collective. Blocks until the asynchronous forms of this rank are done and every rank has come; the memory is free
  /// then. `invalid_argument` for a slice.
  Result<void> free(const SymmetricBuffer& buffer, Timeout timeout = {});
  /// Collective. Allocates `count` signals: words on every rank, all 0.
  [[nodiscard]] Result<SymmetricSignals> allocate_signals(std::uint64_t count, Timeout timeout = {});
  /// Collective. Frees signals, as `free` of a buffer does.
  Result<void> free(const SymmetricSignals& signals, Timeout timeout = {});

  /// This rank's own bytes of the buffer, where other ranks put theirs. Nothing is copied.
  [[nodiscard]] Result<std::span<std::byte>> local(const SymmetricBuffer& buffer);
  /// This rank's own elements of the buffer, whose dtype must be T's.
  template <Element T>
  [[nodiscard]] Result<std::span<T>> local(const SymmetricBuffer& buffer) {
    PINTLE_ASSIGN(bytes, local_as(buffer, dtype_of<T>()));
    return std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  }

  /// Writes to the piece of a rank. The caller may reuse `from` on return. The bytes are there after `flush`,
  /// `barrier`, or a `put_signal` to that rank.
  Result<void> put(const SymmetricView& to, Elements from);
  /// Reads from the piece of a rank; done on return.
  Result<void> get(MutableElements to, const SymmetricView& from);
  /// Writes as `put` does, then raises that rank's signal to `value`, and never the other way round: a thread that has
  /// seen the signal sees these bytes, and all that were put to that rank before. A value that is not above the
  /// signal's changes nothing.
  Result<void> put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal, std::uint64_t value);
  /// Raises that rank's signal to `value`, without any bytes.
  Result<void> raise(const SymmetricSignal& signal, std::uint32_t rank, std::uint64_t value);

  /// The asynchronous forms. One thread of the heap runs them, in the order in which they were called. Each begins when
  /// every point of `options.after` is reached; `options.timeout` bounds that wait, from the call on. The point is
  /// reached when the bytes are there: for `get`, in `to`. The host memory is lent until the point is reached or fails.
  /// Once one form has failed, those behind it fail too, since the bytes that they announce may not be there. `flush`
  /// answers the first cause and begins afresh. The forms above do not wait for these.
  Result<Point> put(const SymmetricView& to, Elements from, SubmitOptions options);
  Result<Point> get(MutableElements to, const SymmetricView& from, SubmitOptions options);
  Result<Point> put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal, std::uint64_t value,
                           SubmitOptions options);

  /// Blocks until this rank's word is at least `value`. A `timeout` fails nothing: wait again. `peer_lost` where the
  /// rank `from`, which is to raise the signal, is lost, or where any rank is lost if none is named. A rank that has
  /// left in good order counts as lost only when all others have left, or when it is `from`.
  Result<void> wait_signal(const SymmetricSignal& signal, std::uint64_t value, Timeout timeout = {},
                           std::optional<std::uint32_t> from = {});
  /// The value of this rank's word now.
  [[nodiscard]] Result<std::uint64_t> value(const SymmetricSignal& signal) const;

  /// Orders the puts of this rank: every rank sees what was put before the fence before it sees what is put after.
  /// Blocks until the asynchronous forms of this rank are done.
  Result<void> fence(Timeout timeout = {});
  /// Blocks until everything that this rank has put is there, and its asynchronous forms are done.
  Result<void> flush(Timeout timeout = {});
  /// Collective. Flushes on every rank, and blocks until all ranks have come. A flush that fails on one rank is the
  /// error of every rank.
  Result<void> barrier(Timeout timeout = {});

  /// Where the device has this rank's piece.
  [[nodiscard]] Residence residence() const noexcept;
  /// The reason for `Residence::staged`; empty otherwise.
  [[nodiscard]] std::string_view residence_detail() const noexcept;
  /// The device's bytes of a buffer: the piece itself in place, the device's copy where staged. Points order work on
  /// it. `invalid_argument` without a device.
  [[nodiscard]] Result<BufferView> on_device(const SymmetricBuffer& buffer) const;
  /// Submits to `queue`, one of that device's, the update of the device's bytes from this rank's piece: a copy where
  /// staged, nothing but the order in place. The caller must not write the bytes in the piece before the point is
  /// reached.
  Result<Point> to_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options = {});
  /// Submits to `queue` the update of this rank's piece from the device's bytes: a copy where staged, nothing but the
  /// order in place. The caller must not use the bytes in the piece before the point is reached.
  Result<Point> from_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options = {});

 private:
  friend class Inside;
  explicit SymmetricHeap(std::unique_ptr<collective::HeapState> state) noexcept;
  /// The state of the heap; `invalid_argument` for a heap that is empty or moved from.
  [[nodiscard]] Result<collective::HeapState*> living() const;
  [[nodiscard]] Result<std::span<std::byte>> local_as(const SymmetricBuffer& buffer, std::optional<DType> dtype);

  std::unique_ptr<collective::HeapState> state_;
};

}  // namespace pintle
