// A C interface to io/dlpack.h for Python's ctypes.
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/dlpack.h"
#include "vendor/dlpack/dlpack.h"

namespace {

using pintle::io::HostTensor;

thread_local std::string words;
int memories = 0;

HostTensor* kept(pintle::Result<HostTensor> tensor) {
  words = tensor ? std::string() : tensor.error().text();
  return tensor ? new HostTensor(*std::move(tensor)) : nullptr;
}

template <class Made>
auto released(Made made) -> decltype(made->get()) {
  words = made ? std::string() : made.error().text();
  return made ? made->release() : nullptr;
}

}  // namespace

extern "C" {

const char* shim_error() { return words.c_str(); }

HostTensor* shim_take(DLManagedTensorVersioned* managed) { return kept(pintle::io::from_dlpack(managed)); }
HostTensor* shim_take_old(DLManagedTensor* managed) { return kept(pintle::io::from_dlpack(managed)); }
DLManagedTensorVersioned* shim_make(const HostTensor* tensor) { return released(pintle::io::to_dlpack(*tensor)); }
DLManagedTensor* shim_make_old(const HostTensor* tensor) { return released(pintle::io::to_old_dlpack(*tensor)); }
void shim_drop(HostTensor* tensor) { delete tensor; }

/// A tensor in C order with zeros, whose memory `shim_memories` counts.
HostTensor* shim_zeros(const char* dtype, const std::uint64_t* dims, std::size_t rank, int read_only) {
  const pintle::DType type = *pintle::parse_dtype(dtype);
  const pintle::Shape shape(std::span(dims, rank));
  const std::size_t size = *pintle::checked_bytes(type, shape);
  const std::shared_ptr<std::vector<std::byte>> memory(new std::vector<std::byte>(size), [](auto* bytes) {
    --memories;
    delete bytes;
  });
  ++memories;
  return new HostTensor{
      .dtype = type,
      .shape = shape,
      .byte_strides = pintle::io::contiguous_strides(type, shape),
      .bytes = std::span(*memory),
      .access = read_only != 0 ? pintle::io::HostAccess::read_only : pintle::io::HostAccess::read_write,
      .owner = memory};
}
int shim_memories() { return memories; }

const char* shim_dtype(const HostTensor* tensor) { return pintle::name(tensor->dtype).data(); }
std::size_t shim_rank(const HostTensor* tensor) { return tensor->shape.rank(); }
std::uint64_t shim_dim(const HostTensor* tensor, std::size_t axis) { return tensor->shape.dims()[axis]; }
std::int64_t shim_stride(const HostTensor* tensor, std::size_t axis) { return tensor->byte_strides.at(axis); }
std::byte* shim_first(const HostTensor* tensor) { return tensor->bytes.data() + tensor->first; }
std::byte* shim_bytes(const HostTensor* tensor) { return tensor->bytes.data(); }
std::size_t shim_size(const HostTensor* tensor) { return tensor->bytes.size(); }
int shim_read_only(const HostTensor* tensor) { return tensor->access == pintle::io::HostAccess::read_only ? 1 : 0; }
int shim_contiguous(const HostTensor* tensor) { return tensor->is_contiguous() ? 1 : 0; }
}
