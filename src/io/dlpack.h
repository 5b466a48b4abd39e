// Tensors exchanged with other libraries of this process through DLPack: in host memory, or in that of a GPU.
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

enum class TensorAccess : std::uint8_t { read_only, read_write };

/// Whose addresses a tensor's are. Pinned memory is the host's.
enum class TensorMemory : std::uint8_t { host, cuda, rocm };

/// Elements in memory, and the owner that keeps the memory. Copies share the memory.
struct Tensor {
  DType dtype = DType::f32;
  Shape shape;
  /// The distance between neighbours in each dimension, in bytes. It may be negative or 0.
  std::array<std::int64_t, Shape::max_rank> byte_strides{};
  /// All bytes from the lowest to the highest of any element; none where the shape has no element.
  std::span<std::byte> bytes;
  /// The place of element [0,0,...] in `bytes`. It is 0 unless a stride is negative.
  std::uint64_t first = 0;
  TensorAccess access = TensorAccess::read_write;
  /// The host touches the bytes of its own memory alone.
  TensorMemory memory = TensorMemory::host;
  std::int32_t device_number = 0;  ///< The driver's, of memory that is not the host's.
  /// True for elements that were copied for the tensor's receiver alone. Only `to_dlpack` reads it.
  bool is_copy = false;
  /// The last copy of it lets the memory go, on any thread.
  std::shared_ptr<void> owner;

  /// True for C order without gaps: then `bytes` are the elements.
  [[nodiscard]] bool is_contiguous() const noexcept;
  /// True where every element has the alignment of its dtype. DLPack does not ask for that.
  [[nodiscard]] bool is_aligned() const noexcept;
};

/// The strides of C order without gaps, in bytes; all 0 where the shape has no element. The bytes of the shape must fit
/// 63 bits.
[[nodiscard]] std::array<std::int64_t, Shape::max_rank> contiguous_strides(DType dtype, const Shape& shape) noexcept;

/// Both functions take the tensor over, whatever they return. On an error its deleter has been called, once, before
/// they return; otherwise `owner` will call it. They do not read the elements. `invalid_argument` for a null pointer,
/// for a rank or dimension out of range, and for sizes or addresses that overflow. `unsupported` for another major
/// version (only the deleter of such a tensor is used), for memory that is neither the CPU's (pinned memory of CUDA and
/// ROCm is) nor a CUDA or ROCm device's, for several lanes, for an element type that Pintle does not have, and for 9 to
/// 16 dimensions of which more than eight are left when neighbours without a gap become one. A tensor without a version
/// does not say whether it may be written: it is read_write.
[[nodiscard]] Result<Tensor> from_dlpack(DLManagedTensorVersioned* managed);
[[nodiscard]] Result<Tensor> from_dlpack(DLManagedTensor* managed);

/// Writes the elements of a tensor in host memory in C order. `to` has room for exactly these, and they lie in
/// `from.bytes`.
void gather(const Tensor& from, std::span<std::byte> to) noexcept;

struct DlpackDeleter {
  void operator()(DLManagedTensor* managed) const noexcept;
  void operator()(DLManagedTensorVersioned* managed) const noexcept;
};
/// Tensors that have no consumer yet: `release()` gives one to a consumer, which calls its deleter.
using OldDlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;
using DlpackTensor = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;

/// A tensor of version 1.1 for another library. It keeps a copy of `owner` until its deleter is called. Strides are
/// always written, and byte_offset is 0, since some consumers ignore byte_offset. `invalid_argument` where the strides
/// are no multiples of the element, or where `bytes` do not hold the elements.
[[nodiscard]] Result<DlpackTensor> to_dlpack(const Tensor& tensor);
/// The struct without a version, for libraries older than DLPack 1.0. `unsupported` for read-only memory, which the
/// struct cannot express, and for fp8, for which it has no codes.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(const Tensor& tensor);

}  // namespace pintle::io
