// What a user may ask of a buffer.
#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "core/buffers/buffer_table.h"
#include "core/door/describe.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t max_alignment = 4096;

Result<void> check_options(const BufferOptions& options) {
  if (!base::is_power_of_two(options.alignment) || options.alignment > max_alignment) {
    return invalid(
        fmt::format("Alignment ({}) is not a power of two of at most ({}).", options.alignment, max_alignment));
  }
  if (options.placement != Placement::device && options.placement != Placement::host)
    return invalid(fmt::format("Placement ({}) does not exist.", static_cast<int>(options.placement)));
  if (options.allocation != Allocation::eager && options.allocation != Allocation::lazy)
    return invalid(fmt::format("Allocation ({}) does not exist.", static_cast<int>(options.allocation)));
  return {};
}

}  // namespace

Result<std::uint64_t> BufferTable::check_request(DType dtype, const Shape& shape, const BufferOptions& options) const {
  if (!is_dtype(dtype))
    return invalid(fmt::format("DType ({}) is none of {}.", static_cast<int>(dtype), dtype_names()));
  const auto bytes = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
  if (!bytes) {
    return invalid(shape.is_valid()
                       ? fmt::format("Shape {} of {} has more bytes than 64 bits count.", shape.text(), name(dtype))
                       : fmt::format("Rank ({}) is larger than the limit ({}).", shape.rank(), Shape::max_rank));
  }
  if (*bytes == 0) return invalid(fmt::format("Shape {} has size (0); the least is (1).", shape.text()));
  const std::uint64_t most = life_.info().limits.max_allocation;
  if (*bytes > most) {
    return invalid(
        fmt::format("Size ({}) is larger than the largest allocation ({}) of {}.", *bytes, most, life_.text()));
  }
  PINTLE_TRY(check_options(options));
  return *bytes;
}

Result<void> BufferTable::check_import(const HostImport& import, std::uint64_t size) const {
  const auto& [bytes, offset, access, dtype, shape, label, keeper] = import;
  if (access != Access::read && access != Access::write && access != Access::read_write)
    return invalid(fmt::format("Access ({}) does not exist.", static_cast<int>(access)));
  if (bytes.data() == nullptr) return null_memory(size);
  if (!base::range_fits(offset, size, bytes.size())) {
    return invalid(fmt::format("Shape {} of {} has size ({}), and the memory has ({}) from ({}).", shape.text(),
                               name(dtype), size, bytes.size(), offset));
  }
  // Kernels reach the elements through pointers to their type; a complex number is two floats to them.
  const std::uint64_t element = dtype == DType::complex64 ? bytes_of(DType::f32) : bytes_of(dtype);
  if (const auto address = reinterpret_cast<std::uintptr_t>(bytes.data() + offset); address % element != 0) {
    return invalid(fmt::format(
        "Address ({:#x}) of the host memory is no multiple of the size ({}) of {}, which its elements need.", address,
        element, name(dtype)));
  }
  const std::uint64_t needed = life_.info().limits.offset_alignment;
  if (offset % std::max<std::uint64_t>(needed, bytes_of(dtype)) == 0) return {};
  return Error(Errc::unsupported,
               fmt::format("Offset ({}) is no multiple of ({}), which {} needs.", offset, needed, life_.text()));
}

}  // namespace pintle::core
