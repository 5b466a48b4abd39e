// The header of a .npy file: the meaning of the array's bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::io {

enum class ArrayOrder : std::uint8_t { c, fortran };

struct NpyHeader {
  DType dtype = DType::f32;
  std::endian endian = std::endian::native;
  ArrayOrder order = ArrayOrder::c;
  Shape shape;
  std::uint64_t data_offset = 0;  ///< Where the elements start in the file.
};

[[nodiscard]] Result<NpyHeader> parse_npy_header(std::span<const std::byte> file);
/// Writes magic, version 1.0, length and dictionary, padded to 64 bytes.
[[nodiscard]] Result<std::string> serialize_npy_header(DType dtype, const Shape& shape);

}  // namespace pintle::io
