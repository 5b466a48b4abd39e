// DLPack: buffers handed to other libraries of this process, and tensors taken from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/fwd.h"

// DLPack's own structs, as its `dlpack.h` declares them: that from before version 1, and that of version 1.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace pintle {

/// Calls the tensor's own deleter.
struct DlpackDeleter {
  void operator()(DLManagedTensor* managed) const noexcept;
  void operator()(DLManagedTensorVersioned* managed) const noexcept;
};
/// A tensor that is not handed out yet. `release()` it to a consumer, which calls its deleter on any thread.
using DlpackTensor = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;
using OldDlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;

/// When the tensor's elements are copied to memory of the device.
enum class DlpackCopy : std::uint8_t {
  allowed = 1,  ///< Only where the device cannot use them in place: the buffer may share them or not.
  always = 2,   ///< Always: the buffer shares nothing, and is never sealed.
};

/// Makes a buffer over a tensor of another library, without a copy: in host memory, or in memory of the device itself
/// on `cuda` (kDLCUDA) and `hip` (kDLROCM). The tensor is taken over whatever the answer: on an error its deleter has
/// been called, once, before the return; otherwise it is called after the last use of the buffer. A read-only tensor
/// makes a sealed buffer. Thread-safe. DLPack has no points, so the caller orders the accesses: work that writes the
/// tensor must be done before the call; nobody else may use the tensor while commands write the buffer, or write it
/// while commands read the buffer.
///
/// Errors: `unsupported` where the device cannot use the memory in place (`Device::import_host`), where the elements
/// are not in C order without gaps or not aligned, for memory of another device, and for an element type or a major
/// version that Pintle does not have; `invalid_argument` for a tensor without elements, a null pointer, sizes or
/// addresses that overflow, and memory of another CUDA context than the device's (PyTorch and CuPy use the primary one:
/// open `cuda:0?primary`).
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, DLManagedTensorVersioned* managed,
                                         std::string label = {});
/// Takes the struct without version, which does not say whether the tensor may be written: the buffer is not sealed.
/// Otherwise as above.
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, DLManagedTensor* managed, std::string label = {});

/// Makes a buffer over the tensor in place, or a buffer with a copy of its elements, as `copy` says. A copy is possible
/// from any strides in host memory: `queue`, one of the device's, copies it after everything submitted to it before. A
/// tensor that is copied must not change until `queue.last()` is reached; then its deleter is called, on any thread.
/// Blocks only while the queue is full. Otherwise as above.
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensorVersioned* managed,
                                         DlpackCopy copy = DlpackCopy::allowed, std::string label = {});
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensor* managed,
                                         DlpackCopy copy = DlpackCopy::allowed, std::string label = {});

/// Hands out the buffer's own bytes as a tensor: in host memory where the buffer can be mapped, and mapped it is until
/// the tensor's deleter is called, which destroys the buffer; else in memory of the device, on `cuda` (kDLCUDA) and
/// `hip` (kDLROCM). The call takes the buffer; on an error it leaves the buffer alone. A sealed buffer gives a
/// read-only tensor. Wait for the last command that uses the buffer first, as for `Buffer::map`. Errors: those of
/// `Buffer::map`; where it is `unsupported`, copy. Views stay valid until the deleter is called, so work may go on
/// where the consumer knows of it.
[[nodiscard]] Result<DlpackTensor> to_dlpack(Buffer&& buffer);
/// Hands out the struct without version. `unsupported` for a sealed buffer, since the struct cannot say read-only, and
/// for the f8 dtypes.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(Buffer&& buffer);

/// Copies the view's elements to a tensor in host memory that belongs to the consumer alone, from any device. Blocks
/// until everything submitted to `queue` before is done, or until `timeout`. `invalid_argument` for a view without
/// elements.
[[nodiscard]] Result<DlpackTensor> to_dlpack(Queue& queue, const BufferView& from, Timeout timeout = {});
/// Copies to the struct without version. `unsupported` for the f8 dtypes.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(Queue& queue, const BufferView& from, Timeout timeout = {});

}  // namespace pintle
