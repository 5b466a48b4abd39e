// A C interface to io/dlpack.h and pintle/dlpack.h for Python's ctypes.
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/dlpack.h"
#include "pintle/pintle.h"
#include "vendor/dlpack/dlpack.h"

namespace {

using pintle::io::Tensor;

thread_local std::string words;
int memories = 0;

Tensor* kept(pintle::Result<Tensor> tensor) {
  words = tensor ? std::string() : tensor.error().text();
  return tensor ? new Tensor(*std::move(tensor)) : nullptr;
}

/// The cpu device, and a queue on it.
struct Machine {
  pintle::Device device = pintle::must(pintle::open("cpu"));
  pintle::Queue queue = pintle::must(device.create_queue());
};
Machine& machine() {
  static auto* const only = new Machine;  // Python lets go of arrays when it likes
  return *only;
}

pintle::Buffer* kept(pintle::Result<pintle::Buffer> buffer) {
  words = buffer ? std::string() : buffer.error().text();
  return buffer ? new pintle::Buffer(*std::move(buffer)) : nullptr;
}

template <class Made>
auto released(Made made) -> decltype(made->get()) {
  words = made ? std::string() : made.error().text();
  return made ? made->release() : nullptr;
}

}  // namespace

extern "C" {

const char* shim_error() { return words.c_str(); }

Tensor* shim_take(DLManagedTensorVersioned* managed) { return kept(pintle::io::from_dlpack(managed)); }
Tensor* shim_take_old(DLManagedTensor* managed) { return kept(pintle::io::from_dlpack(managed)); }
DLManagedTensorVersioned* shim_make(const Tensor* tensor) { return released(pintle::io::to_dlpack(*tensor)); }
DLManagedTensor* shim_make_old(const Tensor* tensor) { return released(pintle::io::to_old_dlpack(*tensor)); }
void shim_drop(Tensor* tensor) { delete tensor; }

/// A tensor in C order with zeros, whose memory `shim_memories` counts.
Tensor* shim_zeros(const char* dtype, const std::uint64_t* dims, std::size_t rank, int read_only) {
  const pintle::DType type = *pintle::parse_dtype(dtype);
  const pintle::Shape shape(std::span(dims, rank));
  const std::size_t size = *pintle::checked_bytes(type, shape);
  const std::shared_ptr<std::vector<std::byte>> memory(new std::vector<std::byte>(size), [](auto* bytes) {
    --memories;
    delete bytes;
  });
  ++memories;
  return new Tensor{
      .dtype = type,
      .shape = shape,
      .byte_strides = pintle::io::contiguous_strides(type, shape),
      .bytes = std::span(*memory),
      .access = read_only != 0 ? pintle::io::TensorAccess::read_only : pintle::io::TensorAccess::read_write,
      .owner = memory};
}
int shim_memories() { return memories; }

const char* shim_dtype(const Tensor* tensor) { return pintle::name(tensor->dtype).data(); }
std::size_t shim_rank(const Tensor* tensor) { return tensor->shape.rank(); }
std::uint64_t shim_dim(const Tensor* tensor, std::size_t axis) { return tensor->shape.dims()[axis]; }
std::int64_t shim_stride(const Tensor* tensor, std::size_t axis) { return tensor->byte_strides.at(axis); }
std::byte* shim_first(const Tensor* tensor) { return tensor->bytes.data() + tensor->first; }
std::byte* shim_bytes(const Tensor* tensor) { return tensor->bytes.data(); }
std::size_t shim_size(const Tensor* tensor) { return tensor->bytes.size(); }
int shim_read_only(const Tensor* tensor) { return tensor->access == pintle::io::TensorAccess::read_only ? 1 : 0; }
int shim_contiguous(const Tensor* tensor) { return tensor->is_contiguous() ? 1 : 0; }

// Buffers of the cpu device. `copy` takes a copy where the tensor cannot be used in place.
pintle::Buffer* shim_buffer_take(DLManagedTensorVersioned* managed, int copy) {
  auto& [device, queue] = machine();
  return kept(copy != 0 ? pintle::from_dlpack(device, queue, managed) : pintle::from_dlpack(device, managed));
}
pintle::Buffer* shim_buffer_take_old(DLManagedTensor* managed, int copy) {
  auto& [device, queue] = machine();
  return kept(copy != 0 ? pintle::from_dlpack(device, queue, managed) : pintle::from_dlpack(device, managed));
}
/// Gives the buffer up, where that succeeds; `shim_buffer_drop` what is left in any case.
DLManagedTensorVersioned* shim_buffer_make(pintle::Buffer* buffer) {
  return released(pintle::to_dlpack(std::move(*buffer)));
}
DLManagedTensor* shim_buffer_make_old(pintle::Buffer* buffer) {
  return released(pintle::to_old_dlpack(std::move(*buffer)));
}
DLManagedTensorVersioned* shim_buffer_copy(const pintle::Buffer* buffer) {
  return released(pintle::to_dlpack(machine().queue, *buffer));
}
DLManagedTensor* shim_buffer_copy_old(const pintle::Buffer* buffer) {
  return released(pintle::to_old_dlpack(machine().queue, *buffer));
}
/// Elements [first, first + count) become copies of element 0, on the device; 0 where that is refused.
int shim_buffer_spread(const pintle::Buffer* buffer, std::uint64_t first, std::uint64_t count) {
  pintle::CommandList list;
  const auto from = buffer->slice(0, 1);
  for (std::uint64_t i = 0; i < count; ++i) list.copy(*buffer->slice(first + i, 1), *from);
  const auto done = machine().queue.submit_and_wait(std::move(list));
  words = done ? std::string() : done.error().text();
  return done ? 1 : 0;
}
const char* shim_buffer_dtype(const pintle::Buffer* buffer) { return pintle::name(buffer->dtype()).data(); }
std::size_t shim_buffer_rank(const pintle::Buffer* buffer) { return buffer->shape().rank(); }
std::uint64_t shim_buffer_dim(const pintle::Buffer* buffer, std::size_t axis) { return buffer->shape().dims()[axis]; }
int shim_buffer_sealed(const pintle::Buffer* buffer) { return buffer->is_sealed() ? 1 : 0; }
/// Waits until whatever used it is done, so that a tensor's deleter has been called.
void shim_buffer_drop(pintle::Buffer* buffer) {
  delete buffer;
  pintle::must(machine().device.wait_idle());
}
}
