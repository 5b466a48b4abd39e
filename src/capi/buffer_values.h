// What a buffer is made with, as values of the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pintle/c/buffer.h"
#include "pintle/pintle.h"

namespace pintle::capi {

/// The elements of a buffer.
struct Layout {
  DType dtype;
  Shape shape;
};

[[nodiscard]] Result<Layout> layout_of(std::uint32_t dtype, std::size_t rank, const std::uint64_t* dims);
/// Fills the dimensions of a struct; those that the shape does not have are 0.
void fill_dims(std::uint32_t& rank, std::uint64_t (&dims)[Shape::max_rank], const Shape& shape) noexcept;
/// Null: a default for everything.
[[nodiscard]] Result<BufferOptions> options_of(const pintle_buffer_options* options);

}  // namespace pintle::capi
