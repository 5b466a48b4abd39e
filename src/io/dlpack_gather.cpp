// Elements with strides, written in C order.
#include <array>
#include <cstring>

#include "io/dlpack.h"

namespace pintle::io {
namespace {

// Offsets wrap on the way back to the start of an axis, so they are unsigned. Every offset that is read is in range.

template <std::size_t Size>
void copy_elements(std::byte* to, const std::byte* from, std::uint64_t count, std::uint64_t stride) noexcept {
  for (std::uint64_t i = 0, at = 0; i < count; ++i, at += stride) {
    std::memcpy(to + i * Size, from + static_cast<std::int64_t>(at), Size);
  }
}

void copy_row(std::byte* to, const std::byte* from, std::uint64_t count, std::uint64_t stride,
              std::uint64_t size) noexcept {
  if (stride == size) std::memcpy(to, from, count * size);
  else if (size == 1) copy_elements<1>(to, from, count, stride);
  else if (size == 2) copy_elements<2>(to, from, count, stride);
  else if (size == 4) copy_elements<4>(to, from, count, stride);
  else copy_elements<8>(to, from, count, stride);
}

/// Finds where each row of the tensor begins, axis by axis from the last but one. False behind the last row.
class Rows {
 public:
  explicit Rows(const Tensor& tensor) noexcept : tensor_(tensor), at_(tensor.first) {}

  [[nodiscard]] std::uint64_t at() const noexcept { return at_; }
  bool advance() noexcept {
    const auto dims = tensor_.shape.dims();
    for (std::size_t axis = dims.size() - 1; axis-- > 0;) {
      const auto stride = static_cast<std::uint64_t>(tensor_.byte_strides[axis]);
      at_ += stride;
      if (++index_[axis] < dims[axis]) return true;
      at_ -= stride * dims[axis];
      index_[axis] = 0;
    }
    return false;
  }

 private:
  const Tensor& tensor_;
  std::array<std::uint64_t, Shape::max_rank> index_{};
  std::uint64_t at_;
};

}  // namespace

void gather(const Tensor& from, std::span<std::byte> to) noexcept {
  if (to.empty()) return;
  const std::uint64_t size = bytes_of(from.dtype);
  const auto dims = from.shape.dims();
  if (dims.empty()) return copy_row(to.data(), from.bytes.data() + from.first, 1, size, size);
  const auto stride = static_cast<std::uint64_t>(from.byte_strides[dims.size() - 1]);
  Rows rows(from);
  std::byte* row = to.data();
  do {
    copy_row(row, from.bytes.data() + rows.at(), dims.back(), stride, size);
    row += dims.back() * size;
  } while (rows.advance());
}

}  // namespace pintle::io
