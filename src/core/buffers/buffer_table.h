// The buffers of a device: they are made, found, and given back when their last use is finished.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/buffers/buffer_records.h"
#include "pintle/buffer.h"
#include "pintle/image.h"
#include "pintle/queue.h"

namespace pintle::core {

/// Bytes of the host that a buffer is to lie over.
struct HostImport {
  std::span<std::byte> bytes;
  std::uint64_t offset = 0;  ///< Where the buffer begins in the bytes.
  Access access = Access::read;
  DType dtype = DType::u8;
  Shape shape;
  std::string label;
  std::shared_ptr<const void> keeper;  ///< Let go after the last use.
};

/// What users ask of a device's buffers. The backend is called without any lock.
class BufferTable final : public BufferRecords {
 public:
  using BufferRecords::BufferRecords;

  /// The live table that views with this number belong to; null when the table has gone.
  [[nodiscard]] static std::shared_ptr<BufferTable> find_table(std::uint64_t number);

  // These functions take the lock.
  Result<Buffer> allocate(DType dtype, const Shape& shape, const BufferOptions& options);
  /// An image, whose number is one of the buffers'. Also: `unsupported` where the device has none of this texel.
  Result<Image> image(const ImageExtent& extent, Texel texel, const ImageOptions& options);
  /// The options for a new buffer with the placement and alignment of this one.
  Result<BufferOptions> options_like(std::uint64_t id, std::string label);
  /// A buffer over memory that the backend takes as it is. `keeper` is let go after the last use.
  Result<Buffer> wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                             const std::string& label, std::shared_ptr<const void> keeper);
  /// The bytes of another device's buffer, as a buffer of this one.
  Result<Buffer> import_memory(const backend::Exported& exported);
  /// Host memory in place. With `Access::read` it is sealed.
  Result<Buffer> import_host(const HostImport& source);
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
  /// The size in bytes of a request, checked against the device's limits.
  [[nodiscard]] Result<std::uint64_t> check_request(DType dtype, const Shape& shape,
                                                    const BufferOptions& options) const;
  /// Waits for the work that used the buffer's memory before, where it is a pool's.
  Result<void> await_memory(std::uint64_t id, Deadline deadline);

  // With the lock held:
  /// `unsupported` for resolved texel buffers that begin in their memory where the device cannot take them: a buffer of
  /// a pool may lie anywhere in a block.
  [[nodiscard]] Result<void> check_texels(std::span<const backend::Argument> arguments, const Locked& locked) {
    const Limits& limits = life_.info().limits;
    const bool begins_right = limits.texel_alignment <= limits.offset_alignment;  // wherever a buffer begins
    return begins_right ? Result<void>() : check_texel_places(arguments, locked);
  }
  /// What the user's object for a filled record is built from.
  [[nodiscard]] NewBuffer hand_out(std::uint64_t id, std::uint64_t size, DType dtype, const Shape& shape,
                                   const Locked& locked) noexcept {
    count_held(locked);
    return {this, id, size, dtype, shape};
  }

 private:
  [[nodiscard]] NewBuffer keep(BufferRecord record, DType dtype, const Shape& shape, const Locked& locked);
  [[nodiscard]] Result<void> usable(std::uint64_t id);
  /// Has the device import the source for the record. `doing` is for the error: "wrapping memory for".
  Result<Buffer> import(const backend::MemorySource& source, BufferRecord record, DType dtype, const Shape& shape,
                        std::string_view doing);
  [[nodiscard]] Result<void> check_image(const ImageExtent& extent, Texel texel, Access access) const;
  [[nodiscard]] Result<void> check_import(const HostImport& import, std::uint64_t size) const;
  template <class Lend>
  Result<std::shared_ptr<Loan>> loan_of(std::uint64_t id, Access access, Lend lend);
  [[nodiscard]] Result<void> check_texel_places(std::span<const backend::Argument> arguments, const Locked& locked);
  /// Allocates from the backend, and tries again after finished work has given memory back. Takes no lock itself.
  Result<backend::MemoryId> allocate_memory(backend::MemoryRequest request, const Timeout& timeout);
  [[nodiscard]] Error exhausted(const Error& error);
  [[nodiscard]] Stamps uses_before(std::uint64_t id);
};

}  // namespace pintle::core
