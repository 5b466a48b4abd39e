// Buffers handed to and taken from other libraries of this process through DLPack.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/fwd.h"

// DLPack's own structs, as its `dlpack.h` declares them: of version 1, and from before.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace pintle {

struct DlpackDeleter {
  void operator()(DLManagedTensor* managed) const noexcept;
  void operator()(DLManagedTensorVersioned* managed) const noexcept;
};
/// What is not handed out yet: `release()` it to a consumer, which calls its deleter, on whatever thread.
using DlpackTensor = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;
using OldDlpackTensor = std::unique_ptr<DLManagedTensor, DlpackDeleter>;

/// When the tensor's elements are copied to memory of the device.
enum class DlpackCopy : std::uint8_t {
  allowed = 1,  ///< Where the device cannot use them in place: a buffer may share them or not.
  always = 2,   ///< Everywhere: the buffer shares nothing, and is never sealed.
};

/// A buffer over a tensor of another library in host memory, with no copy. The tensor is taken over whatever the
/// answer: on an error its deleter has been called, once, before the return; otherwise it is after the last use of the
/// buffer. A tensor that is read-only makes a sealed buffer. DLPack has no points: what writes the tensor must be done,
/// and nobody else may use it while commands write the buffer, or write it while they read. `unsupported` where the
/// device cannot use it in place (`Device::import_host`), the elements are not in C order without gaps or not aligned,
/// memory is not the CPU's, or for an element type or major version that Pintle has not; `invalid_argument` for a
/// tensor without elements, a null pointer, and sizes or addresses that overflow. Thread-safe.
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, DLManagedTensorVersioned* managed,
                                         std::string label = {});
/// A tensor without a version does not say whether it may be written: the buffer is not sealed.
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, DLManagedTensor* managed, std::string label = {});

/// The same where it may be copied, also from other strides: `queue`, which is one of the device, uploads it behind
/// what it has. The tensor must not change until `queue.last()` is reached; then its deleter is called, on whatever
/// thread. Blocks only when the queue is full.
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensorVersioned* managed,
                                         DlpackCopy copy = DlpackCopy::allowed, std::string label = {});
[[nodiscard]] Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensor* managed,
                                         DlpackCopy copy = DlpackCopy::allowed, std::string label = {});

/// The buffer's own bytes as a tensor in host memory, mapped until its deleter is called, which destroys the buffer: it
/// is taken, and left alone on an error. A sealed buffer gives a read-only tensor. Wait for the last command that uses
/// the buffer first, as for `Buffer::map`; the errors are that call's: `unsupported` where the host cannot map it (then
/// copy). Views stay valid until the deleter, so work may go on where the consumer knows of it.
[[nodiscard]] Result<DlpackTensor> to_dlpack(Buffer&& buffer);
/// The struct without version. `unsupported` for a sealed buffer, since it cannot say read-only, and for fp8.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(Buffer&& buffer);

/// A copy of the view's elements, which belongs to the consumer alone, for any device. Blocks until everything that
/// `queue` has is done, or `timeout`. A view without elements is `invalid_argument`.
[[nodiscard]] Result<DlpackTensor> to_dlpack(Queue& queue, const BufferView& from, Timeout timeout = {});
/// The struct without version; `unsupported` for fp8.
[[nodiscard]] Result<OldDlpackTensor> to_old_dlpack(Queue& queue, const BufferView& from, Timeout timeout = {});

}  // namespace pintle
