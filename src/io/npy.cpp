#include "io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "io/elements.h"
#include "io/npy_header.h"

namespace pintle::io {
namespace {

/// Goes through the elements in C order and finds the place of each in Fortran order.
class FortranWalk {
 public:
  explicit FortranWalk(std::span<const std::uint64_t> dims) : dims_(dims) {
    std::uint64_t stride = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      strides_[axis] = stride;
      stride *= dims[axis];
    }
  }

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

  void next() noexcept {
    for (std::size_t axis = dims_.size(); axis-- > 0;) {
      position_ += strides_[axis];
      if (++index_[axis] < dims_[axis]) return;
      position_ -= dims_[axis] * strides_[axis];
      index_[axis] = 0;
    }
  }

 private:
  std::span<const std::uint64_t> dims_;
  std::array<std::uint64_t, Shape::max_rank> strides_{};
  std::array<std::uint64_t, Shape::max_rank> index_{};
  std::uint64_t position_ = 0;
};

std::vector<std::byte> in_c_order(std::span<const std::byte> data, const Shape& shape, std::uint64_t element) {
  std::vector<std::byte> bytes(data.size());
  FortranWalk walk(shape.dims());
  for (std::uint64_t at = 0; at < bytes.size(); at += element, walk.next()) {
    std::memcpy(bytes.data() + at, data.data() + walk.position() * element, element);
  }
  return bytes;
}

void swap_bytes(std::span<std::byte> bytes, std::uint64_t width) noexcept {
  for (; !bytes.empty(); bytes = bytes.subspan(width)) std::ranges::reverse(bytes.first(width));
}

Result<void> check_bools(std::span<const std::byte> data, std::uint64_t offset) {
  const auto bad = find_no_bool(data);
  if (!bad) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Offset {} of the .npy file holds {} where a bool (0 or 1) is expected.", offset + *bad,
                           std::to_integer<unsigned>(data[*bad])));
}

std::string wanted(const std::optional<std::uint64_t>& size) {
  return size ? fmt::to_string(*size) : "more than 64 bits can count";
}

Result<std::span<const std::byte>> data_of(std::span<const std::byte> file, const NpyHeader& header) {
  const auto size = checked_bytes(header.dtype, header.shape);
  const std::uint64_t rest = file.size() - header.data_offset;
  if (size && *size == rest) return file.subspan(header.data_offset);
  return Error(Errc::invalid_argument,
               fmt::format("Offset {} of the .npy file starts {} bytes of data where the shape {} of {} takes {}.",
                           header.data_offset, rest, header.shape.text(), name(header.dtype), wanted(size)));
}

/// The header and the data that it describes.
struct Contents {
  NpyHeader header;
  std::span<const std::byte> data;
};

Result<Contents> contents_of(std::span<const std::byte> file) {
  PINTLE_ASSIGN(header, parse_npy_header(file));
  PINTLE_ASSIGN(data, data_of(file, header));
  if (header.dtype == DType::boolean) PINTLE_TRY(check_bools(data, header.data_offset));
  return Contents{header, data};
}

Result<Array> parse(std::span<const std::byte> file) {
  PINTLE_ASSIGN(contents, contents_of(file));
  const auto& [header, data] = contents;
  Array array{header.dtype, header.shape, {}};
  if (header.order == ArrayOrder::fortran) {
    array.bytes = in_c_order(data, header.shape, bytes_of(header.dtype));
  } else {
    array.bytes.assign(data.begin(), data.end());
  }
  if (header.endian != std::endian::native) swap_bytes(array.bytes, number_bytes(header.dtype));
  return array;
}

Error needs_a_copy(std::string_view what) {
  return {Errc::unsupported, fmt::format("Array in the .npy file has {}, which only a copy can change.", what)};
}

Result<ArrayView> view(std::span<const std::byte> file) {
  PINTLE_ASSIGN(contents, contents_of(file));
  const auto& [header, data] = contents;
  if (header.order == ArrayOrder::fortran && header.shape.rank() > 1 && !data.empty())
    return needs_a_copy("Fortran order");
  if (header.endian != std::endian::native && number_bytes(header.dtype) > 1 && !data.empty())
    return needs_a_copy(header.endian == std::endian::big ? "big-endian elements" : "little-endian elements");
  return ArrayView{header.dtype, header.shape, data};
}

/// The header of an array. The bytes must fit the shape.
Result<std::string> header_of(const ArrayView& array) {
  const auto size = checked_bytes(array.dtype, array.shape);
  if (size && *size == array.bytes.size()) return serialize_npy_header(array.dtype, array.shape);
  return Error(Errc::invalid_argument,
               fmt::format("Size ({}) of an array's bytes is not what its shape {} of {} takes ({}).",
                           array.bytes.size(), array.shape.text(), name(array.dtype), wanted(size)));
}

Result<std::vector<std::byte>> serialize(const Array& array) {
  PINTLE_ASSIGN(header, header_of({array.dtype, array.shape, array.bytes}));
  const auto head = base::bytes_in(header);
  std::vector<std::byte> file(head.begin(), head.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

std::string reading(const std::filesystem::path& path) {
  return fmt::format("reading {}", base::quote(path.string(), 4096));
}

}  // namespace

Result<Array> parse_npy(std::span<const std::byte> bytes) {
  return base::contain("reading a .npy file", [&] { return parse(bytes); });
}

Result<std::vector<std::byte>> serialize_npy(const Array& array) {
  return base::contain("writing a .npy file", [&] { return serialize(array); });
}

Result<Array> read_npy(const std::filesystem::path& path) {
  return base::contain("reading a .npy file", [&]() -> Result<Array> {
    PINTLE_ASSIGN(bytes, base::read_file(path));
    auto array = parse_npy(bytes);
    if (!array) return array.error().during(reading(path));
    return array;
  });
}

Result<ArrayView> view_npy(std::span<const std::byte> bytes) {
  return base::contain("reading a .npy file", [&] { return view(bytes); });
}

Result<MappedArray> map_npy(const std::filesystem::path& path) {
  return base::contain("reading a .npy file", [&]() -> Result<MappedArray> {
    PINTLE_ASSIGN(file, base::MappedFile::open(path));
    auto array = view_npy(file.bytes());
    if (!array) return array.error().during(reading(path));
    return MappedArray{std::move(file), *array};
  });
}

Result<void> write_npy(const ArrayView& array, const std::filesystem::path& path) {
  return base::contain("writing a .npy file", [&]() -> Result<void> {
    PINTLE_ASSIGN(header, header_of(array));
    return base::write_parts(path, std::array{base::bytes_in(header), array.bytes});
  });
}

Result<void> write_npy(const Array& array, const std::filesystem::path& path) {
  return write_npy(ArrayView{array.dtype, array.shape, array.bytes}, path);
}

}  // namespace pintle::io
