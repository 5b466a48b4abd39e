// DLPack over buffers: in place by import and map, and through copies where that is not possible.
#include "pintle/dlpack.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/fork.h"
#include "io/dlpack.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/queue.h"

namespace pintle::memory {
namespace {

/// The alignment that DLPack promises for an address. Some consumers copy where it does not hold.
constexpr std::size_t dlpack_alignment = 256;

/// Zeros, since a device may execute nothing. calloc gets large memory without writing it.
std::shared_ptr<std::byte> allocate_tensor(std::uint64_t size) {
  const auto room = base::checked_add<std::uint64_t>(size, dlpack_alignment);
  void* const memory = room ? std::calloc(*room, 1) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  const std::shared_ptr<void> owner(memory, std::free);
  void* aligned = memory;
  std::size_t space = *room;
  std::align(dlpack_alignment, size, aligned, space);
  return {owner, static_cast<std::byte*>(aligned)};
}

io::HostTensor host_tensor(DType dtype, const Shape& shape, std::span<std::byte> bytes) {
  io::HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.byte_strides = io::contiguous_strides(dtype, shape);
  tensor.bytes = bytes;
  return tensor;
}

Result<void> check_in_place(const io::HostTensor& tensor) {
  if (!tensor.is_contiguous()) {
    return Error(
        Errc::unsupported,
        fmt::format("DLPack tensor of shape {} is not in C order without gaps (strides of "
                    "[{}] bytes), so no buffer can use it in place.",
                    tensor.shape.text(), fmt::join(std::span(tensor.byte_strides).first(tensor.shape.rank()), ",")));
  }
  if (tensor.is_aligned()) return {};
  return Error(Errc::unsupported,
               fmt::format("DLPack tensor at ({}) is not aligned for its elements ({}), so no buffer can use it in "
                           "place.",
                           static_cast<const void*>(tensor.bytes.data()), name(tensor.dtype)));
}

Result<Buffer> use_in_place(const Device& device, const io::HostTensor& tensor, const std::string& label) {
  PINTLE_TRY(check_in_place(tensor));
  const Access access = tensor.access == io::HostAccess::read_only ? Access::read : Access::read_write;
  return device.import_host(tensor.bytes, access, tensor.dtype, tensor.shape, tensor.owner, label);
}

/// A copy of the tensor whose rows have no gaps: the device takes bytes in C order only.
io::HostTensor packed(const io::HostTensor& tensor, std::uint64_t size) {
  auto owner = allocate_tensor(size);
  auto whole = host_tensor(tensor.dtype, tensor.shape, {owner.get(), size});
  whole.owner = std::move(owner);
  io::gather(tensor, whole.bytes);
  return whole;
}

Result<Buffer> copy_to(const Device& device, Queue& queue, io::HostTensor tensor, const std::string& label) {
  PINTLE_ASSIGN(buffer, device.allocate(tensor.dtype, tensor.shape, {.label = label}));
  if (!tensor.is_contiguous()) tensor = packed(tensor, buffer.size_bytes());
  PINTLE_TRY(queue.submit(CommandList{}.upload_retained(buffer, std::move(tensor.owner), tensor.bytes)));
  return std::move(buffer);
}

template <class Managed>
Result<Buffer> take(const Device& device, Managed* managed, const std::string& label) {
  return base::contain("taking a DLPack tensor", [&]() -> Result<Buffer> {
    PINTLE_ASSIGN(tensor, io::from_dlpack(managed));
    return use_in_place(device, tensor, label);
  });
}

template <class Managed>
Result<Buffer> take(const Device& device, Queue& queue, Managed* managed, DlpackCopy copy, const std::string& label) {
  return base::contain("taking a DLPack tensor", [&]() -> Result<Buffer> {
    PINTLE_ASSIGN(tensor, io::from_dlpack(managed));
    if (copy == DlpackCopy::allowed) {
      auto shared = use_in_place(device, tensor, label);
      if (shared || shared.error().code() != Errc::unsupported) return shared;
    }
    const bool seals = copy == DlpackCopy::allowed && tensor.access == io::HostAccess::read_only;
    PINTLE_ASSIGN(buffer, copy_to(device, queue, std::move(tensor), label));
    if (seals) PINTLE_TRY(buffer.seal());
    return std::move(buffer);
  });
}

/// A buffer that is mapped as long as the tensor exists.
struct Lent {
  Lent() noexcept = default;
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (!base::in_forked_child()) buffer.unmap();
  }

  Buffer buffer;
};

Result<io::HostTensor> mapped(Buffer& buffer) {
  if (!buffer.is_sealed()) {
    PINTLE_ASSIGN(bytes, buffer.map());
    return host_tensor(buffer.dtype(), buffer.shape(), bytes);
  }
  PINTLE_ASSIGN(bytes, buffer.map_read());
  auto tensor = host_tensor(buffer.dtype(), buffer.shape(), {const_cast<std::byte*>(bytes.data()), bytes.size()});
  tensor.access = io::HostAccess::read_only;
  return tensor;
}

/// `make` turns a HostTensor into a struct. It refuses before the buffer is taken.
template <class Tensor, class Make>
Result<Tensor> lend(Buffer& buffer, const Make& make) {
  return base::contain("making a DLPack tensor", [&]() -> Result<Tensor> {
    const auto lent = std::make_shared<Lent>();
    PINTLE_ASSIGN(tensor, mapped(buffer));
    tensor.owner = lent;
    auto made = make(tensor);
    if (!made) {
      buffer.unmap();
      return made.error().during("handing out " + buffer.text());
    }
    lent->buffer = std::move(buffer);
    return Tensor(made->release());
  });
}

template <class Tensor, class Make>
Result<Tensor> copy_out(Queue& queue, const BufferView& from, const Timeout& timeout, const Make& make) {
  return base::contain("making a DLPack tensor", [&]() -> Result<Tensor> {
    auto owner = allocate_tensor(from.size_bytes());
    auto tensor = host_tensor(from.dtype(), from.shape(), {owner.get(), from.size_bytes()});
    tensor.owner = std::move(owner);
    tensor.is_copy = true;
    PINTLE_ASSIGN(made, make(tensor));
    PINTLE_TRY(queue.submit_and_wait(CommandList{}.download_retained(tensor.owner, tensor.bytes, from), timeout));
    return Tensor(made.release());
  });
}

constexpr auto make_new = [](const io::HostTensor& tensor) { return io::to_dlpack(tensor); };
constexpr auto make_old = [](const io::HostTensor& tensor) { return io::to_old_dlpack(tensor); };

}  // namespace
}  // namespace pintle::memory

namespace pintle {

void DlpackDeleter::operator()(DLManagedTensor* managed) const noexcept { io::DlpackDeleter()(managed); }

void DlpackDeleter::operator()(DLManagedTensorVersioned* managed) const noexcept { io::DlpackDeleter()(managed); }

Result<Buffer> from_dlpack(const Device& device, DLManagedTensorVersioned* managed, std::string label) {
  return memory::take(device, managed, label);
}

Result<Buffer> from_dlpack(const Device& device, DLManagedTensor* managed, std::string label) {
  return memory::take(device, managed, label);
}

Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensorVersioned* managed, DlpackCopy copy,
                           std::string label) {
  return memory::take(device, queue, managed, copy, label);
}

Result<Buffer> from_dlpack(const Device& device, Queue& queue, DLManagedTensor* managed, DlpackCopy copy,
                           std::string label) {
  return memory::take(device, queue, managed, copy, label);
}

Result<DlpackTensor> to_dlpack(Buffer&& buffer) { return memory::lend<DlpackTensor>(buffer, memory::make_new); }

Result<OldDlpackTensor> to_old_dlpack(Buffer&& buffer) {
  return memory::lend<OldDlpackTensor>(buffer, memory::make_old);
}

Result<DlpackTensor> to_dlpack(Queue& queue, const BufferView& from, Timeout timeout) {
  return memory::copy_out<DlpackTensor>(queue, from, timeout, memory::make_new);
}

Result<OldDlpackTensor> to_old_dlpack(Queue& queue, const BufferView& from, Timeout timeout) {
  return memory::copy_out<OldDlpackTensor>(queue, from, timeout, memory::make_old);
}

}  // namespace pintle
