#include "capi/buffer_values.h"

#include <algorithm>
#include <span>

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/structs.h"

namespace pintle::capi {

Result<Layout> layout_of(std::uint32_t dtype, std::size_t rank, const std::uint64_t* dims) {
  if (rank != 0) PINTLE_TRY(given(dims, "dims"));
  PINTLE_ASSIGN(type, enumerator(dtype, DType::complex64, "dtype"));
  // A shape refuses more dimensions than it has without reading them, and so does the device.
  const std::size_t read = rank > Shape::max_rank ? Shape::max_rank + 1 : rank;
  return Layout{type, Shape(std::span(dims, read))};
}

void fill_dims(std::uint32_t& rank, std::uint64_t (&dims)[Shape::max_rank], const Shape& shape) noexcept {
  const std::span<const std::uint64_t> known = shape.dims();
  rank = static_cast<std::uint32_t>(known.size());
  std::ranges::fill(dims, 0);
  std::ranges::copy(known, dims);
}

Result<BufferOptions> options_of(const pintle_buffer_options* options) {
  BufferOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_buffer_options"));
  PINTLE_ASSIGN(placement, enumerator_or(out.placement, in->placement, Placement::host, "placement"));
  PINTLE_ASSIGN(allocation, enumerator_or(out.allocation, in->allocation, Allocation::lazy, "allocation"));
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.placement = placement;
  out.allocation = allocation;
  if (in->alignment != 0) out.alignment = in->alignment;
  out.label = text_or_none(in->label);
  out.timeout = timeout;
  return out;
}

}  // namespace pintle::capi
