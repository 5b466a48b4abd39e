// DLPack over buffers: in place by import, map and native memory, and through copies where that is not possible.
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
#include "pintle/native/cuda.h"
#include "pintle/native/hip.h"
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

io::Tensor tensor_of(DType dtype, const Shape& shape, std::span<std::byte> bytes) {
  io::Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.byte_strides = io::contiguous_strides(dtype, shape);
  tensor.bytes = bytes;
  return tensor;
}

Result<void> check_in_place(const io::Tensor& tensor) {
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

/// A buffer over memory of the device itself, which a driver's call has given.
template <class NativeDevice, class NativeMemory>
Result<Buffer> wrap(const Device& device, const io::Tensor& tensor, std::string_view platform,
                    const std::string& label) {
  const auto native = device.native<NativeDevice>();
  if (!native || native->device != tensor.device_number)
    return Error(Errc::unsupported, fmt::format("DLPack tensor lies on {} device {}, and [{}] is another one.",
                                                platform, tensor.device_number, device.info().id));
  NativeMemory memory;
  memory.address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
  PINTLE_ASSIGN(buffer, device.wrap_native(memory, tensor.dtype, tensor.shape, label, tensor.owner));
  if (tensor.access == io::TensorAccess::read_only) PINTLE_TRY(buffer.seal());
  return std::move(buffer);
}

Result<Buffer> use_in_place(const Device& device, const io::Tensor& tensor, const std::string& label) {
  PINTLE_TRY(check_in_place(tensor));
  if (tensor.memory == io::TensorMemory::cuda)
    return wrap<cuda::CudaDevice, cuda::CudaMemory>(device, tensor, "CUDA", label);
  if (tensor.memory == io::TensorMemory::rocm)
    return wrap<hip::HipDevice, hip::HipMemory>(device, tensor, "ROCm", label);
  const Access access = tensor.access == io::TensorAccess::read_only ? Access::read : Access::read_write;
  return device.import_host(tensor.bytes, access, tensor.dtype, tensor.shape, tensor.owner, label);
}

/// A copy of the tensor whose rows have no gaps: the device takes bytes in C order only.
io::Tensor packed(const io::Tensor& tensor, std::uint64_t size) {
  auto owner = allocate_tensor(size);
  auto whole = tensor_of(tensor.dtype, tensor.shape, {owner.get(), size});
  whole.owner = std::move(owner);
  io::gather(tensor, whole.bytes);
  return whole;
}

/// The tensor's own buffer goes at the return, and what it keeps when the copy is done.
Result<Buffer> copy_on_device(const Device& device, Queue& queue, const io::Tensor& tensor, const std::string& label) {
  PINTLE_ASSIGN(theirs, use_in_place(device, tensor, "DLPack tensor"));
  PINTLE_ASSIGN(buffer, device.allocate(tensor.dtype, tensor.shape, {.label = label}));
  PINTLE_TRY(queue.submit(CommandList{}.copy(buffer, theirs)));
  return std::move(buffer);
}

Result<Buffer> copy_to(const Device& device, Queue& queue, io::Tensor tensor, const std::string& label) {
  if (tensor.memory != io::TensorMemory::host) return copy_on_device(device, queue, tensor, label);
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
    const bool seals = copy == DlpackCopy::allowed && tensor.access == io::TensorAccess::read_only;
    PINTLE_ASSIGN(buffer, copy_to(device, queue, std::move(tensor), label));
    if (seals) PINTLE_TRY(buffer.seal());
    return std::move(buffer);
  });
}

/// A buffer that lives, and is mapped where it can be, as long as the tensor exists.
struct Lent {
  Lent() noexcept = default;
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (!base::in_forked_child()) buffer.unmap();
  }

  Buffer buffer;
};

Result<io::Tensor> mapped(Buffer& buffer) {
  if (!buffer.is_sealed()) {
    PINTLE_ASSIGN(bytes, buffer.map());
    return tensor_of(buffer.dtype(), buffer.shape(), bytes);
  }
  PINTLE_ASSIGN(bytes, buffer.map_read());
  auto tensor = tensor_of(buffer.dtype(), buffer.shape(), {const_cast<std::byte*>(bytes.data()), bytes.size()});
  tensor.access = io::TensorAccess::read_only;
  return tensor;
}

/// The buffer's bytes in memory of the device's own, which nobody maps.
template <class NativeMemory>
Result<io::Tensor> on_device(const Buffer& buffer, io::TensorMemory whose) {
  PINTLE_ASSIGN(native, buffer.native<NativeMemory>());
  auto tensor =
      tensor_of(buffer.dtype(), buffer.shape(), {reinterpret_cast<std::byte*>(native.address), buffer.size_bytes()});
  tensor.memory = whose;
  tensor.device_number = native.device;
  if (buffer.is_sealed()) tensor.access = io::TensorAccess::read_only;
  return tensor;
}

/// In memory of the host where it can be mapped; else of the device, where DLPack has a word for that.
Result<io::Tensor> in_place(Buffer& buffer) {
  auto on_host = mapped(buffer);
  if (on_host || on_host.error().code() != Errc::unsupported) return on_host;
  if (auto its = on_device<cuda::CudaMemory>(buffer, io::TensorMemory::cuda)) return its;
  if (auto its = on_device<hip::HipMemory>(buffer, io::TensorMemory::rocm)) return its;
  return on_host;
}

/// `make` turns a Tensor into a struct. It refuses before the buffer is taken.
template <class Tensor, class Make>
Result<Tensor> lend(Buffer& buffer, const Make& make) {
  return base::contain("making a DLPack tensor", [&]() -> Result<Tensor> {
    const auto lent = std::make_shared<Lent>();
    PINTLE_ASSIGN(tensor, in_place(buffer));
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
    auto tensor = tensor_of(from.dtype(), from.shape(), {owner.get(), from.size_bytes()});
    tensor.owner = std::move(owner);
    tensor.is_copy = true;
    PINTLE_ASSIGN(made, make(tensor));
    PINTLE_TRY(queue.submit_and_wait(CommandList{}.download_retained(tensor.owner, tensor.bytes, from), timeout));
    return Tensor(made.release());
  });
}

constexpr auto make_new = [](const io::Tensor& tensor) { return io::to_dlpack(tensor); };
constexpr auto make_old = [](const io::Tensor& tensor) { return io::to_old_dlpack(tensor); };

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
