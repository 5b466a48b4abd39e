#include "pintle/buffer.h"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"

namespace pintle {

Result<BufferView> BufferView::slice(std::uint64_t first, std::uint64_t count) const {
  if (incarnation_ == 0) return core::empty_object("BufferView");
  const std::uint64_t elements = size_ / bytes_of(dtype_);
  if (!base::range_fits(first, count, elements)) {
    const auto end = base::checked_add(first, count);
    return Error(Errc::invalid_argument,
                 fmt::format("Slice of ({}) elements from ({}) ends at ({}), beyond the ({}) elements of the view.",
                             count, first, end ? std::to_string(*end) : "more than 64 bits count", elements));
  }
  BufferView part = *this;
  part.offset_ += first * bytes_of(dtype_);
  part.size_ = count * bytes_of(dtype_);
  part.shape_ = Shape{count};
  return part;
}

Result<BufferView> BufferView::as(DType dtype, const Shape& shape) const {
  if (incarnation_ == 0) return core::empty_object("BufferView");
  const auto bytes = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
  if (bytes != size_) {
    return Error(Errc::invalid_argument,
                 fmt::format("Shape {} of {} has size ({}), not the size ({}) of the view.", shape.text(), name(dtype),
                             bytes ? std::to_string(*bytes) : "beyond 64 bits", size_));
  }
  if (offset_ % bytes_of(dtype) != 0) {
    return Error(Errc::invalid_argument, fmt::format("Offset ({}) is not a multiple of the element size ({}) of {}.",
                                                     offset_, bytes_of(dtype), name(dtype)));
  }
  BufferView other = *this;
  other.dtype_ = dtype;
  other.shape_ = shape;
  return other;
}

Buffer::Buffer(const core::NewBuffer& made) noexcept : incarnation_(made.incarnation) {
  view_.incarnation_ = incarnation_->number();
  view_.buffer_ = made.id;
  view_.size_ = made.size;
  view_.dtype_ = made.dtype;
  view_.shape_ = made.shape;
}

void Buffer::destroy(core::Incarnation& incarnation, std::uint64_t buffer) noexcept {
  incarnation.destroy_buffer(buffer);
}

std::string Buffer::text() const {
  return incarnation_ != nullptr ? incarnation_->buffer_text(view_.buffer_) : "[Buffer]";
}

Result<std::span<std::byte>> Buffer::map() { return map_for(Access::read_write); }

Result<std::span<const std::byte>> Buffer::map_read() {
  PINTLE_ASSIGN(bytes, map_for(Access::read));
  return bytes;
}

Result<std::span<std::byte>> Buffer::map_for(Access access) {
  if (incarnation_ == nullptr) return core::empty_object("Buffer");
  PINTLE_ASSIGN(place, incarnation_->pin(view_.buffer_, access));
  PINTLE_TRY(incarnation_->await_memory(view_.buffer_, Timeout().deadline()));
  auto mapped = incarnation_->device().map(place.memory);
  if (!mapped && mapped.error().code() == Errc::unsupported) {
    return Error(Errc::unsupported, fmt::format("{} cannot be mapped: {}.", text(),
                                                incarnation_->info().capability(Feature::mapped_memory).detail));
  }
  if (!mapped) return incarnation_->report(mapped.error()).during("mapping " + text());
  return mapped->subspan(place.offset, place.size);
}

void Buffer::unmap() noexcept {
  if (incarnation_ == nullptr) return;
  const auto place = incarnation_->place_of(view_.buffer_);
  if (place && place->memory != backend::MemoryId::none) incarnation_->device().unmap(place->memory);
}

Result<void> Buffer::seal() {
  if (incarnation_ == nullptr) return core::empty_object("Buffer");
  return incarnation_->seal(view_.buffer_);
}

bool Buffer::is_sealed() const { return incarnation_ != nullptr && incarnation_->is_sealed(view_.buffer_); }

Result<void> Buffer::keep(std::shared_ptr<const void> kept) {
  if (incarnation_ == nullptr) return core::empty_object("Buffer");
  return base::contain("keeping something with a buffer", [&]() -> Result<void> {
    incarnation_->keep(view_.buffer_, std::move(kept));
    return {};
  });
}

Result<std::uint64_t> Buffer::fill_native(std::string_view type, void* out) const {
  if (incarnation_ == nullptr) return core::empty_object("Buffer");
  PINTLE_ASSIGN(place, incarnation_->pin(view_.buffer_, Access::read));
  auto filled = incarnation_->device().native(type, static_cast<std::uint64_t>(place.memory), out);
  if (!filled) return incarnation_->report(filled.error()).during(core::native_text(type, text()));
  return place.offset;
}

}  // namespace pintle
