// Memory of which each rank of a group has a piece, at the same offsets: put, get, signals, and points.
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

/// A range of a heap, the same on every rank: a name, no memory. A plain value; using it after it is freed is `stale`,
/// with another heap `invalid_argument`.
class SymmetricBuffer {
 public:
  SymmetricBuffer() noexcept = default;

  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// From the start of each rank's piece.
  [[nodiscard]] std::uint64_t offset_bytes() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  /// Elements [first, first + count) as one dimension; `invalid_argument` beyond the end, with both numbers.
  [[nodiscard]] Result<SymmetricBuffer> slice(std::uint64_t first, std::uint64_t count) const;
  /// The range in that rank's piece. The rank is checked where the view is used.
  [[nodiscard]] SymmetricView on(std::uint32_t rank) const noexcept;

 private:
  friend class Inside;
  SymmetricBuffer(std::uint64_t heap, std::uint64_t serial, std::uint64_t offset, std::uint64_t size, DType dtype,
                  const Shape& shape) noexcept
      : heap_(heap), serial_(serial), base_(offset), offset_(offset), size_(size), dtype_(dtype), shape_(shape) {}

  std::uint64_t heap_ = 0;    // the same on every rank, of no other heap
  std::uint64_t serial_ = 0;  // of the allocation: its offset may be another's later
  std::uint64_t base_ = 0;    // of the allocation
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

/// One of a heap's signals: a 64-bit word of every rank, which only rises. A plain value, checked where it is used.
struct SymmetricSignal {
  SymmetricBuffer words;
  std::uint64_t index = 0;
};

/// What `allocate_signals` gives. A plain value.
struct SymmetricSignals {
  [[nodiscard]] std::uint64_t count() const noexcept { return words.size_bytes() / sizeof(std::uint64_t); }
  [[nodiscard]] SymmetricSignal at(std::uint64_t index) const noexcept { return {words, index}; }

  SymmetricBuffer words;
};

struct SymmetricOptions {
  std::string label{};
  Timeout timeout{};               ///< For all ranks to come.
  std::optional<Device> device{};  ///< That uses the own piece; each rank has its own, or none.
};

/// Where a device has the own piece.
enum class Residence : std::uint8_t {
  host = 1,      ///< There is no device.
  in_place = 2,  ///< The device uses the piece itself: what others put there is what it reads.
  staged = 3,    ///< The device has a copy of its own, as new as the last `to_device`.
};
/// "host", "in_place", "staged".
[[nodiscard]] std::string_view name(Residence residence) noexcept;

struct SymmetricUsage {
  std::uint64_t size = 0;     ///< Bytes of each rank's piece.
  std::uint64_t free = 0;     ///< Bytes.
  std::uint64_t largest = 0;  ///< Bytes that one allocation can have now.
};

/// A rank's part of memory that a whole group has. Offsets are the same on every rank, so a rank that has a buffer can
/// reach everybody's. `create`, `allocate`, `allocate_signals`, `free` and `barrier` are collective: every rank calls
/// the same ones in the same order, and they end alike everywhere. Calls that differ are `invalid_argument` with both
/// sides on every rank; `timeout` and `peer_lost` name a rank, and the group has failed. The others concern this rank
/// only.
///
/// `put` and `get` know no order among ranks: to read what another has put, wait for its signal, or for a barrier.
/// Sizes and dtypes are the buffer's exactly; what does not fit, overlaps the range on the other side, or names a rank
/// beyond the group is `invalid_argument`, with nothing written.
///
/// A group's failure ends waits and collective calls; make a new heap of the group that follows, buffers of the old one
/// are refused there. The rank stays in the group while the heap lives. Move-only, on the thread of its group; while
/// that is another's or a GroupQueue's, collective calls and `wait_signal` are refused as the group's operations are:
/// give a GroupQueue a group of its own (`Group::split`).
class SymmetricHeap {
 public:
  /// Collective. `bytes` on each rank; another number on one rank is `invalid_argument`, with the rank and both sizes.
  /// A failure on one rank is the same error on every rank, and names it.
  [[nodiscard]] static Result<SymmetricHeap> create(Group& group, std::uint64_t bytes,
                                                    const SymmetricOptions& options = {});

  SymmetricHeap() noexcept;
  SymmetricHeap(SymmetricHeap&&) noexcept;
  SymmetricHeap& operator=(SymmetricHeap&&) noexcept;
  /// Local. Asynchronous forms that have not begun are `cancelled`; blocks while one copies.
  ~SymmetricHeap();

  [[nodiscard]] std::uint32_t rank() const noexcept;
  [[nodiscard]] std::uint32_t ranks() const noexcept;
  /// `[SymmetricHeap 3 "caches"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] SymmetricUsage usage() const noexcept;

  /// Collective. The same offset on every rank, a multiple of at least 64; contents are undefined. `out_of_memory` has
  /// the size, what is free, and the largest piece.
  [[nodiscard]] Result<SymmetricBuffer> allocate(DType dtype, const Shape& shape, Timeout timeout = {});
  /// Collective. Waits until this rank's asynchronous forms are done; the memory is free when every rank has come.
  /// `invalid_argument` for a slice.
  Result<void> free(const SymmetricBuffer& buffer, Timeout timeout = {});
  /// Collective. `count` words on every rank, all 0.
  [[nodiscard]] Result<SymmetricSignals> allocate_signals(std::uint64_t count, Timeout timeout = {});
  Result<void> free(const SymmetricSignals& signals, Timeout timeout = {});

  /// This rank's own bytes, where others put them: nothing is copied.
  [[nodiscard]] Result<std::span<std::byte>> local(const SymmetricBuffer& buffer);
  /// The same as elements of the buffer's dtype.
  template <Element T>
  [[nodiscard]] Result<std::span<T>> local(const SymmetricBuffer& buffer) {
    PINTLE_ASSIGN(bytes, local_as(buffer, dtype_of<T>()));
    return std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  }

  /// Writes a rank's memory. `from` is free on return; the bytes are there after `flush`, `barrier`, or `put_signal` to
  /// that rank.
  Result<void> put(const SymmetricView& to, Elements from);
  /// Reads a rank's memory; done on return.
  Result<void> get(MutableElements to, const SymmetricView& from);
  /// As `put`, then raises that rank's signal to `value`, and never the other way round: a thread that has seen the
  /// signal sees these bytes, and all that was put to that rank before. A value not above the signal's changes nothing.
  Result<void> put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal, std::uint64_t value);
  /// The signal alone.
  Result<void> raise(const SymmetricSignal& signal, std::uint32_t rank, std::uint64_t value);

  /// These begin when every point of `options.after` is reached, until `options.timeout` from now on, in the order in
  /// which they were called, on one thread of the heap. The point is reached when the bytes are there (of `get`: here).
  /// Memory is lent until it is reached or fails. Once one has failed, so do those behind it: what they announce may
  /// not be there. `flush` answers the first cause and begins afresh. The forms above do not wait for these.
  Result<Point> put(const SymmetricView& to, Elements from, SubmitOptions options);
  Result<Point> get(MutableElements to, const SymmetricView& from, SubmitOptions options);
  Result<Point> put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal, std::uint64_t value,
                           SubmitOptions options);

  /// Blocks until the own word is at least `value`. A `timeout` fails nothing: wait again. `peer_lost` where the rank
  /// `from`, which is to raise the signal, is lost, or any rank where none is named; a rank that has left in good order
  /// counts as lost only when all others have, or when it is named.
  Result<void> wait_signal(const SymmetricSignal& signal, std::uint64_t value, Timeout timeout = {},
                           std::optional<std::uint32_t> from = {});
  /// What the own word is now.
  [[nodiscard]] Result<std::uint64_t> value(const SymmetricSignal& signal) const;

  /// What this rank has put before is seen before what it puts from now on, by each rank. Waits for asynchronous forms.
  Result<void> fence(Timeout timeout = {});
  /// Returns when all that this rank has put is there, and asynchronous forms are done.
  Result<void> flush(Timeout timeout = {});
  /// Collective. `flush` on every rank; returns when all have come. A rank's failed flush is everybody's error.
  Result<void> barrier(Timeout timeout = {});

  /// Where the device has this rank's piece.
  [[nodiscard]] Residence residence() const noexcept;
  /// Why it is staged; empty otherwise.
  [[nodiscard]] std::string_view residence_detail() const noexcept;
  /// The device's bytes of a buffer: the piece itself in place, the device's copy where staged. Order work on it by
  /// points. `invalid_argument` without a device.
  [[nodiscard]] Result<BufferView> on_device(const SymmetricBuffer& buffer) const;
  /// Submits to `queue`, which is of that device, what makes the device's bytes those of the own piece, or the other
  /// way round: a copy where staged, nothing but the order in place. The point is when that is done; the own piece is
  /// not to be written, or read, before.
  Result<Point> to_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options = {});
  Result<Point> from_device(const SymmetricBuffer& buffer, Queue& queue, SubmitOptions options = {});

 private:
  friend class Inside;
  explicit SymmetricHeap(std::unique_ptr<collective::HeapState> state) noexcept;
  /// `invalid_argument` for one that is empty or moved from.
  [[nodiscard]] Result<collective::HeapState*> living() const;
  [[nodiscard]] Result<std::span<std::byte>> local_as(const SymmetricBuffer& buffer, std::optional<DType> dtype);

  std::unique_ptr<collective::HeapState> state_;
};

}  // namespace pintle
