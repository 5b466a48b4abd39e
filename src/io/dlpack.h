// Tensors in host memory, handed to and taken from other libraries of this process through DLPack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pintle/dtype.h"
#include "pintle/error.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace pintle::io {

enum class HostAccess : std::uint8_t { read_only, read_write };

/// Elements in host memory, and what keeps them there. Copies share the memory.
struct HostTensor {
  DType dtype = DType::f32;
  Shape shape;
  /// From one element to the next of each dimension, in bytes; negative ones and 0 are possible.
  std::array<std::int64_t, Shape::max_rank> byte_strides{};
  /// From the lowest to the highest byte of any element; none where the shape has no element.
  std::span<std::byte> bytes;
  /// Where the element [0,0,...] lies in `bytes`; not 0 only where a stride is negative.
  std::uint64_t first = 0;
  HostAccess access = HostAccess::read_write;
  /// True for elements that were copied for the tensor's receiver, and are nobody else's. Only `to_dlpack` looks.
  bool is_copy = false;
  /// The last copy of it lets the memory go, on whatever thread that is.
  std::shared_ptr<void> owner;

  /// True for C order without gaps: then `bytes` are the elements.
  [[nodiscard]] bool is_contiguous() const noexcept;
  /// True where every element lies at a multiple of what its dtype needs. Nothing in DLPack asks for that.
  [[nodiscard]] bool is_aligned() const noexcept;
};

/// The strides of C order without gaps, in bytes; 0 throughout where the shape has no element. The bytes of the shape
/// fit 63 bits.
[[nodiscard]] std::array<std::int64_t, Shape::max_rank> contiguous_strides(DType dtype, const Shape& shape) noexcept;

/// Both take the tensor over, whatever they answer: on an error its deleter has been called, once, before they return;
/// otherwise `owner` will call it. Nothing of the elements is read. `invalid_argument` for a null pointer, a rank or
/// dimension out of range, and sizes or addresses that overflow; `unsupported` for another major version (of which only
/// the deleter is touched), for memory that is not the CPU's, for several lanes, and for an element type that Pintle
/// does not have. A tensor without a version does not say whether it may be written: it is read_write.
[[nodiscard]] Result<HostTensor> from_dlpack(DLManagedTensorVersioned* managed);
[[nodiscard]] Result<HostTensor> from_dlpack(DLManagedTensor* managed);

/// The elements in C order. `to` has room for exactly those; they lie in `from.bytes`.
void gather(const HostTensor& from, std::span<std::byte> to) noexcept;

struct DlpackDeleter {
  void operator()(DLManagedTensor* managed) const noexcept;
  void operator()(DLManagedTensorVersioned* managed) const noexcept;
};
/// What was built and not handed out yet: `release()` it to a consumer, which calls its deleter.
using OldDlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;
using DlpackTensor = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;

/// A tensor of version 1.1 for another library, which keeps a copy of `owner` until its deleter is called. Strides are
/// always written out, and byte_offset is 0, since some consumers overlook it. `invalid_argument` where the strides are
/// no multiples of the element or `bytes` do not hold the elements.
[[nodiscard]] Result<DlpackTensor> to_dlpack(const HostTensor& tensor);
/// The struct without version, for libraries from before DLPack 1.0. `unsupported` for read-only memory, which it
/// cannot say, and for fp8, whose codes it has not.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(const HostTensor& tensor);

}  // namespace pintle::io
