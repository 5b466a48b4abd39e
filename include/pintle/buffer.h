// Device bytes with a dtype and a shape, and windows on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/access.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/placement.h"

namespace pintle {

/// When a buffer gets its memory.
enum class Allocation : std::uint8_t {
  eager = 1,  ///< When it is made.
  lazy = 2,   ///< When it is first submitted, recorded, mapped or asked for: that call may answer `out_of_memory`.
};

struct BufferOptions {
  std::string label{};
  Placement placement = Placement::device;
  std::uint64_t alignment = 1;  ///< Bytes; a power of two, at most 4096. The device's own minimum always holds.
  Allocation allocation = Allocation::eager;
};

/// A window on a buffer: an id and a range, never a pointer. Using it after the buffer is destroyed is `stale`.
/// A plain value; thread-safe as such.
class BufferView {
 public:
  BufferView() noexcept = default;

  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// From the buffer's start.
  [[nodiscard]] std::uint64_t offset_bytes() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  /// Elements [first, first + count) as one dimension; `invalid_argument` beyond the end, with both numbers.
  [[nodiscard]] Result<BufferView> slice(std::uint64_t first, std::uint64_t count) const;
  /// The same bytes read as another dtype and shape of the same size. The offset must suit the dtype.
  [[nodiscard]] Result<BufferView> as(DType dtype, const Shape& shape) const;

 private:
  friend class Inside;

  BufferView(std::uint64_t incarnation, std::uint64_t buffer, std::uint64_t size, DType dtype,
             const Shape& shape) noexcept
      : incarnation_(incarnation), buffer_(buffer), size_(size), dtype_(dtype), shape_(shape) {}

  std::uint64_t incarnation_ = 0;  // unique in the process, so a view of another device or generation is told apart
  std::uint64_t buffer_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  DType dtype_ = DType::u8;
  Shape shape_{0};
};

/// Owns device memory. Destruction never blocks: the memory is freed when the last submission using it is reached.
/// Move-only; a moved-from or destroyed buffer is refused by name. One thread at a time; views may be used from any.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept
      : table_(std::exchange(other.table_, nullptr)), view_(std::exchange(other.view_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    const std::uint64_t before = view_.buffer_;
    core::BufferTable* const its = std::exchange(table_, std::exchange(other.table_, nullptr));
    view_ = std::exchange(other.view_, {});
    if (its != nullptr) destroy(*its, before);  // last: what it kept may own `other`
    return *this;
  }
  ~Buffer() {
    if (table_ != nullptr) destroy(*table_, view_.buffer_);
  }

  [[nodiscard]] DType dtype() const noexcept { return view_.dtype(); }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return view_.size_bytes(); }
  /// As it appears in messages: `[Buffer 12 "view matrix"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] const BufferView& view() const noexcept { return view_; }
  operator const BufferView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Result<BufferView> slice(std::uint64_t first, std::uint64_t count) const {
    return view_.slice(first, count);
  }

  /// The host's address of a buffer placed on the host (or of any where the device maps all); `unsupported` otherwise.
  /// Reading or writing it is ordered by points only: wait for the last command that uses the buffer first.
  /// A sealed buffer is `invalid_argument` (`map_read`), and so is one that shares its bytes with a fork
  /// (`Queue::unshare`). For memory of a pool, the call waits until the work that used it before has finished.
  [[nodiscard]] Result<std::span<std::byte>> map();
  /// The same to read only; a sealed buffer may share its bytes.
  [[nodiscard]] Result<std::span<const std::byte>> map_read();
  /// Ends a `map` or `map_read`. Harmless when there is none.
  void unmap() noexcept;

  /// From now on a command that writes the buffer is `invalid_argument`, also in recordings made before; work in flight
  /// goes on. For ever.
  Result<void> seal();
  [[nodiscard]] bool is_sealed() const noexcept;

  /// Lets `kept` go when this buffer is destroyed or freed, however many times it has moved: after its memory has been
  /// given back, and after what it kept before. Work in flight may still use the memory then.
  Result<void> keep(std::shared_ptr<const void> kept);

  /// Backend-specific access: `buffer.native<cpu::CpuMemory>()`. `unsupported` on another backend. A struct of memory
  /// has `narrow(offset, size)`, which is told where the buffer lies in what a pool has from the device.
  template <class T>
  [[nodiscard]] Result<T> native() const {
    T out;
    PINTLE_ASSIGN(offset, fill_native(T::native_type, &out));
    if constexpr (requires { out.narrow(offset, size_bytes()); }) out.narrow(offset, size_bytes());
    return out;
  }

 private:
  friend class Inside;
  Buffer(core::BufferTable& table, const BufferView& view) noexcept : table_(&table), view_(view) {}
  static void destroy(core::BufferTable& table, std::uint64_t buffer) noexcept;
  Result<std::uint64_t> fill_native(std::string_view type, void* out) const;
  [[nodiscard]] Result<std::span<std::byte>> map_for(Access access);

  core::BufferTable* table_ = nullptr;  // lives as long as a buffer of it
  BufferView view_;
};

}  // namespace pintle
