#include "pintle/buffer.h"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.h"
#include "base/inside.h"
#include "core/buffers/buffer_table.h"
#include "core/door/door.h"

namespace pintle {
namespace {

Error slice_refusal(std::uint64_t incarnation, std::uint64_t first, std::uint64_t count,
                    std::uint64_t elements) noexcept {
  return base::contain("slicing a view",
                       [&]() -> Result<void> {
                         if (incarnation == 0) return core::empty_object("BufferView");
                         const auto end = base::checked_add(first, count);
                         return core::invalid(fmt::format(
                             "Slice of ({}) elements from ({}) ends at ({}), beyond the ({}) elements of the view.",
                             count, first, end ? std::to_string(*end) : "more than 64 bits count", elements));
                       })
      .error();
}

}  // namespace

Result<BufferView> BufferView::slice(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t elements = size_ / bytes_of(dtype_);
  if (incarnation_ == 0 || !base::range_fits(first, count, elements))
    return slice_refusal(incarnation_, first, count, elements);
  BufferView part = *this;
  part.offset_ += first * bytes_of(dtype_);
  part.size_ = count * bytes_of(dtype_);
  part.shape_ = Shape{count};
  return part;
}

Result<BufferView> BufferView::as(DType dtype, const Shape& shape) const {
  return base::contain("viewing bytes as another dtype", [&]() -> Result<BufferView> {
    if (incarnation_ == 0) return core::empty_object("BufferView");
    const auto bytes = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
    if (bytes != size_) {
      return core::invalid(fmt::format("Shape {} of {} has size ({}), not the size ({}) of the view.", shape.text(),
                                       name(dtype), bytes ? std::to_string(*bytes) : "beyond 64 bits", size_));
    }
    if (offset_ % bytes_of(dtype) != 0) {
      return core::invalid(fmt::format("Offset ({}) is not a multiple of the element size ({}) of {}.", offset_,
                                       bytes_of(dtype), name(dtype)));
    }
    BufferView other = *this;
    other.dtype_ = dtype;
    other.shape_ = shape;
    return other;
  });
}

core::NewBuffer::operator Buffer() const noexcept {
  return Inside::make<Buffer>(*table, Inside::make<BufferView>(table->life().number(), id, size, dtype, shape));
}

void Buffer::destroy(core::BufferTable& table, const BufferView& view) noexcept { table.destroy(Inside::buffer(view)); }

std::string Buffer::text() const noexcept {
  return core::enter_or(table_, std::string("[Buffer]"), [&] { return table_->text(Inside::buffer(view_)); });
}

Result<std::span<std::byte>> Buffer::map() { return map_for(Access::read_write); }

Result<std::span<const std::byte>> Buffer::map_read() {
  PINTLE_ASSIGN(bytes, map_for(Access::read));
  return bytes;
}

Result<std::span<std::byte>> Buffer::map_for(Access access) {
  return core::enter(table_, "Buffer", "mapping a buffer", [&]() -> Result<std::span<std::byte>> {
    core::Life& life = table_->life();
    PINTLE_ASSIGN(place, table_->place_of(Inside::buffer(view_), access));
    PINTLE_TRY(table_->await_memory(Inside::buffer(view_), Timeout().deadline()));
    auto mapped = life.device().map(place.memory);
    if (mapped) table_->add_map(Inside::buffer(view_));
    if (mapped) return mapped->subspan(place.offset, place.size);
    const std::string& why = life.info().capability(Feature::mapped_memory).detail;
    if (mapped.error().code() != Errc::unsupported || why.empty())
      return life.report(mapped.error()).during("mapping " + text());
    return Error(Errc::unsupported, fmt::format("{} cannot be mapped: {}.", text(), why));
  });
}

void Buffer::unmap() noexcept {
  static_cast<void>(core::enter(table_, "Buffer", "unmapping a buffer", [&]() -> Result<void> {
    table_->end_map(Inside::buffer(view_));
    return {};
  }));
}

Result<void> Buffer::seal() {
  return core::enter(table_, "Buffer", "sealing a buffer", [&] { return table_->seal(Inside::buffer(view_)); });
}

bool Buffer::is_sealed() const noexcept {
  return core::enter_or(table_, false, [&] { return table_->is_sealed(Inside::buffer(view_)); });
}

Result<void> Buffer::keep(std::shared_ptr<const void> kept) {
  return core::enter(table_, "Buffer", "keeping something with a buffer", [&]() -> Result<void> {
    table_->keep(Inside::buffer(view_), std::move(kept));
    return {};
  });
}

Result<std::uint64_t> Buffer::fill_native(std::string_view type, void* out) const {
  return core::enter(table_, "Buffer", "asking for a native type", [&]() -> Result<std::uint64_t> {
    PINTLE_ASSIGN(place, table_->place_of(Inside::buffer(view_), Access::read));
    PINTLE_TRY(core::fill_native(table_->life(), type, static_cast<std::uint64_t>(place.memory), out, text()));
    return place.offset;
  });
}

}  // namespace pintle
