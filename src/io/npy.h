// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::io {

/// An array in C order and this machine's byte order, whatever the file had.
struct Array {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> bytes;
  friend bool operator==(const Array&, const Array&) = default;
};

/// Reads C and Fortran order, little and big endian. `invalid_argument` names the offset and what was expected there;
/// so do bytes behind the array, and a bool that is neither 0 nor 1.
[[nodiscard]] Result<Array> parse_npy(std::span<const std::byte> bytes);
/// Version 1.0, which every shape of at most eight dimensions fits. `unsupported` for a dtype that NumPy cannot name
/// (bf16, fp8).
[[nodiscard]] Result<std::vector<std::byte>> serialize_npy(const Array& array);
[[nodiscard]] Result<Array> read_npy(const std::filesystem::path& path);
/// By atomic rename.
[[nodiscard]] Result<void> write_npy(const Array& array, const std::filesystem::path& path);

}  // namespace pintle::io
