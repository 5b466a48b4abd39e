#include "io/dlpack.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "io/dlpack_axes.h"
#include "io/dlpack_dtype.h"
#include "io/elements.h"

namespace pintle::io {
namespace {

using namespace vendor::dlpack;

using Strides = std::array<std::int64_t, Shape::max_rank>;

constexpr std::array<std::string_view, 19> device_names{
    "none", "CPU",       "CUDA",      "CUDA host",    "OpenCL", "5",      "6",       "Vulkan", "Metal",   "VPI",
    "ROCm", "ROCm host", "extension", "CUDA managed", "oneAPI", "WebGPU", "Hexagon", "MAIA",   "Trainium"};

Error bad_tensor(std::string_view what) { return {Errc::invalid_argument, fmt::format("DLPack tensor {}.", what)}; }

/// Distances below and above the start of the first element, in bytes. `above` reaches to the end of the last element.
struct Reach {
  std::uint64_t below = 0;
  std::uint64_t above = 0;
};

/// The bytes must fit 63 bits, since strides have a sign.
Result<void> check_bytes(DType dtype, const Shape& shape) {
  const auto bytes = checked_bytes(dtype, shape);
  if (bytes && *bytes <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
  return bad_tensor(fmt::format("of shape {} and {} has more bytes than 63 bits can count", shape.text(), name(dtype)));
}

std::uint64_t magnitude(std::int64_t value) noexcept {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

/// The reach of a shape with elements; empty when it does not fit 64 bits.
std::optional<Reach> reach_of(DType dtype, const Shape& shape, const Strides& strides) noexcept {
  Reach reach{0, bytes_of(dtype)};
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const auto extent = base::checked_mul(shape.dims()[axis] - 1, magnitude(strides[axis]));
    std::uint64_t& side = strides[axis] < 0 ? reach.below : reach.above;
    const auto sum = extent ? base::checked_add(side, *extent) : std::nullopt;
    if (!sum) return std::nullopt;
    side = *sum;
  }
  if (!base::checked_add(reach.below, reach.above)) return std::nullopt;
  return reach;
}

/// The memory of DLPack's kinds of devices that Pintle takes.
struct Kind {
  std::int32_t type;
  TensorMemory memory;
};
constexpr std::array<Kind, 5> kinds{{{device_cpu, TensorMemory::host},
                                     {device_cuda, TensorMemory::cuda},
                                     {device_cuda_host, TensorMemory::host},
                                     {device_rocm, TensorMemory::rocm},
                                     {device_rocm_host, TensorMemory::host}}};

Result<TensorMemory> memory_of(const DLTensor& tensor) {
  const std::int32_t type = tensor.device.device_type;
  if (const auto* const kind = std::ranges::find(kinds, type, &Kind::type); kind != kinds.end()) return kind->memory;
  const bool known = type >= 0 && static_cast<std::size_t>(type) < device_names.size();
  return Error(
      Errc::unsupported,
      fmt::format("DLPack tensor lies on a device of type {} ({}) where the CPU ({}), CUDA ({}) or ROCm ({}) is "
                  "expected.",
                  type, known ? device_names[static_cast<std::size_t>(type)] : "unknown", device_cpu, device_cuda,
                  device_rocm));
}

Result<Shape> shape_of(const DLTensor& tensor) {
  if (tensor.ndim < 0 || static_cast<std::uint32_t>(tensor.ndim) > Shape::max_rank)
    return bad_tensor(fmt::format("has {} dimensions where 0 to {} are expected", tensor.ndim, most_dlpack_axes));
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank != 0 && tensor.shape == nullptr) return bad_tensor(fmt::format("has {} dimensions but no shape", rank));
  std::array<std::uint64_t, Shape::max_rank> dims{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (tensor.shape[axis] < 0)
      return bad_tensor(fmt::format("has a negative dimension {} ({})", axis, tensor.shape[axis]));
    dims[axis] = static_cast<std::uint64_t>(tensor.shape[axis]);
  }
  return Shape(std::span(dims).first(rank));
}

Result<Strides> strides_of(const DLTensor& tensor, DType dtype, const Shape& shape) {
  if (tensor.strides == nullptr) return contiguous_strides(dtype, shape);
  const auto size = static_cast<std::int64_t>(bytes_of(dtype));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Strides strides{};
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t stride = tensor.strides[axis];
    if (stride > most / size || stride < -(most / size))
      return bad_tensor(fmt::format("has a stride {} ({} elements of {} bytes) that overflows", axis, stride, size));
    strides[axis] = stride * size;
  }
  return strides;
}

/// Fills in the place of the elements.
Result<void> locate(const DLTensor& tensor, Tensor& host) {
  if (host.shape.count() == 0) return {};
  if (tensor.data == nullptr) return bad_tensor(fmt::format("of shape {} has no data", host.shape.text()));
  const auto reach = reach_of(host.dtype, host.shape, host.byte_strides);
  const auto start =
      base::checked_add<std::uint64_t>(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset);
  const auto end = reach && start ? base::checked_add(*start, reach->above) : std::nullopt;
  // No element lies at address 0.
  if (!end || reach->below >= *start || *end > std::numeric_limits<std::uintptr_t>::max())
    return bad_tensor(fmt::format("of shape {} reaches outside the address space (byte_offset {})", host.shape.text(),
                                  tensor.byte_offset));
  auto* const first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  host.bytes = std::span(first - reach->below, reach->below + reach->above);
  host.first = reach->below;
  return {};
}

Result<Tensor> described(const DLTensor& given) {
  Tensor host;
  DLTensor tensor = given;
  DlpackAxes axes;
  PINTLE_ASSIGN(memory, memory_of(tensor));
  PINTLE_ASSIGN(dtype, dtype_of_dlpack(tensor.dtype));
  if (tensor.ndim > static_cast<std::int32_t>(Shape::max_rank) && tensor.ndim <= most_dlpack_axes) {
    PINTLE_ASSIGN(fewer, with_fewer_axes(tensor, axes));
    tensor = fewer;
  }
  PINTLE_ASSIGN(shape, shape_of(tensor));
  PINTLE_TRY(check_bytes(dtype, shape));
  PINTLE_ASSIGN(strides, strides_of(tensor, dtype, shape));
  host.memory = memory;
  if (memory != TensorMemory::host) host.device_number = tensor.device.device_id;
  host.dtype = dtype;
  host.shape = shape;
  host.byte_strides = strides;
  PINTLE_TRY(locate(tensor, host));
  return host;
}

Result<Tensor> described(const DLManagedTensor& managed) { return described(managed.dl_tensor); }

Result<Tensor> described(const DLManagedTensorVersioned& managed) {
  if (managed.version.major != version.major) {
    return Error(Errc::unsupported, fmt::format("DLPack tensor has version {}.{} where {}.x is expected.",
                                                managed.version.major, managed.version.minor, version.major));
  }
  PINTLE_ASSIGN(host, described(managed.dl_tensor));
  if ((managed.flags & flag_read_only) != 0) host.access = TensorAccess::read_only;
  return std::move(host);
}

template <class Managed>
Result<Tensor> take(Managed* managed) {
  if (managed == nullptr) return bad_tensor("is a null pointer");
  // If memory runs out, shared_ptr calls the deleter itself.
  return base::contain("taking a DLPack tensor", [&]() -> Result<Tensor> {
    std::shared_ptr<void> owner(managed, [managed](void*) { DlpackDeleter()(managed); });
    PINTLE_ASSIGN(host, described(*managed));
    host.owner = std::move(owner);
    return std::move(host);
  });
}

/// The object behind a consumer's pointer: the struct, and the arrays that it points to.
template <class Managed>
struct Export {
  Managed managed{};
  std::array<std::int64_t, Shape::max_rank> shape{};
  Strides strides{};
  std::shared_ptr<void> owner;
};

Result<void> check_place(const Tensor& tensor) {
  PINTLE_TRY(check_bytes(tensor.dtype, tensor.shape));
  if (tensor.shape.count() == 0) return {};
  const auto reach = reach_of(tensor.dtype, tensor.shape, tensor.byte_strides);
  if (reach && reach->below <= tensor.first && base::range_fits(tensor.first, reach->above, tensor.bytes.size()))
    return {};
  return bad_tensor(fmt::format("of shape {} and {} has elements outside its {} bytes", tensor.shape.text(),
                                name(tensor.dtype), tensor.bytes.size()));
}

DLDevice device_of(const Tensor& tensor) noexcept {
  const auto* const kind = std::ranges::find(kinds, tensor.memory, &Kind::memory);
  return {kind->type, tensor.device_number};
}

template <class Managed>
Result<void> fill(const Tensor& tensor, Export<Managed>& made) {
  PINTLE_ASSIGN(type, dlpack_type_of(tensor.dtype));
  PINTLE_TRY(check_place(tensor));
  const auto size = static_cast<std::int64_t>(bytes_of(tensor.dtype));
  for (std::size_t axis = 0; axis < tensor.shape.rank(); ++axis) {
    const std::uint64_t dim = tensor.shape.dims()[axis];
    if (dim > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return bad_tensor(fmt::format("has a dimension {} ({}) that 63 bits cannot count", axis, dim));
    if (tensor.byte_strides[axis] % size != 0)
      return bad_tensor(fmt::format("has a stride {} ({} bytes) that is no multiple of its elements' size ({})", axis,
                                    tensor.byte_strides[axis], size));
    made.shape[axis] = static_cast<std::int64_t>(dim);
    made.strides[axis] = tensor.byte_strides[axis] / size;
  }
  made.owner = tensor.owner;
  made.managed.manager_ctx = &made;
  made.managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->manager_ctx); };
  made.managed.dl_tensor = {.data = tensor.bytes.empty() ? nullptr : tensor.bytes.data() + tensor.first,
                            .device = device_of(tensor),
                            .ndim = static_cast<std::int32_t>(tensor.shape.rank()),
                            .dtype = type,
                            .shape = made.shape.data(),
                            .strides = made.strides.data(),
                            .byte_offset = 0};
  return {};
}

template <class Managed>
Result<std::unique_ptr<Managed, DlpackDeleter>> export_as(const Tensor& tensor) {
  auto made = std::make_unique<Export<Managed>>();
  PINTLE_TRY(fill(tensor, *made));
  return std::unique_ptr<Managed, DlpackDeleter>(&made.release()->managed);
}

}  // namespace

bool Tensor::is_contiguous() const noexcept {
  const auto wanted = contiguous_strides(dtype, shape);
  for (std::size_t axis = 0; axis < shape.dims().size(); ++axis) {
    if (shape.dims()[axis] != 1 && byte_strides[axis] != wanted[axis] && shape.count() != 0) return false;
  }
  return true;
}

bool Tensor::is_aligned() const noexcept {
  const std::uint64_t alignment = number_bytes(dtype);
  if (bytes.empty()) return true;
  if ((reinterpret_cast<std::uintptr_t>(bytes.data()) + first) % alignment != 0) return false;
  return std::ranges::all_of(std::span(byte_strides).first(shape.dims().size()),
                             [&](std::int64_t stride) { return magnitude(stride) % alignment == 0; });
}

Strides contiguous_strides(DType dtype, const Shape& shape) noexcept {
  Strides strides{};
  if (shape.count().value_or(0) == 0) return strides;
  std::uint64_t stride = bytes_of(dtype);
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= shape.dims()[axis];
  }
  return strides;
}

void DlpackDeleter::operator()(DLManagedTensor* managed) const noexcept {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

void DlpackDeleter::operator()(DLManagedTensorVersioned* managed) const noexcept {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

Result<Tensor> from_dlpack(DLManagedTensorVersioned* managed) { return take(managed); }

Result<Tensor> from_dlpack(DLManagedTensor* managed) { return take(managed); }

Result<DlpackTensor> to_dlpack(const Tensor& tensor) {
  return base::contain("making a DLPack tensor", [&]() -> Result<DlpackTensor> {
    PINTLE_ASSIGN(made, export_as<DLManagedTensorVersioned>(tensor));
    made->version = version;
    made->flags = tensor.access == TensorAccess::read_only ? flag_read_only : 0;
    if (tensor.is_copy) made->flags |= flag_is_copied;
    return std::move(made);
  });
}

Result<OldDlpackTensor> to_old_dlpack(const Tensor& tensor) {
  return base::contain("making a DLPack tensor", [&]() -> Result<OldDlpackTensor> {
    if (tensor.access == TensorAccess::read_only)
      return Error(Errc::unsupported,
                   "Memory that is read-only cannot be handed out as a DLPack tensor without version.");
    if (tensor.dtype == DType::f8_e4m3fn || tensor.dtype == DType::f8_e5m2)
      return Error(Errc::unsupported,
                   fmt::format("DType ({}) has no code in a DLPack tensor without version.", name(tensor.dtype)));
    return export_as<DLManagedTensor>(tensor);
  });
}

}  // namespace pintle::io
