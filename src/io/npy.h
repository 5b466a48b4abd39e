// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/mapped_file.h"
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

/// The same with bytes that belong to somebody else.
struct ArrayView {
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// A file and an array in it, which is valid as long as this lives, wherever it is moved to. See `base::MappedFile` for
/// what other processes can do to the file meanwhile.
struct MappedArray {
  base::MappedFile file;
  ArrayView array;
};

/// Reads C and Fortran order, little and big endian. `invalid_argument` names the offset and what was expected there;
/// so do bytes behind the array, and a bool that is neither 0 nor 1.
[[nodiscard]] Result<Array> parse_npy(std::span<const std::byte> bytes);
/// The array where it lies in the file. As `parse_npy`, but `unsupported` for what it would have to change: Fortran
/// order of two dimensions or more, and the other byte order.
[[nodiscard]] Result<ArrayView> view_npy(std::span<const std::byte> bytes);
/// Version 1.0, which every shape of at most eight dimensions fits. NumPy has no type for bf16, f8_e4m3fn and f8_e5m2:
/// they are written as records of one unsigned field that is called bfloat16, float8_e4m3fn or float8_e5m2.
[[nodiscard]] Result<std::vector<std::byte>> serialize_npy(const Array& array);
[[nodiscard]] Result<Array> read_npy(const std::filesystem::path& path);
/// Maps the file and views it: no element but bools is read before it is used. The elements start at a multiple of 64
/// bytes where NumPy wrote them (of 16 before 1.14), and anywhere where others did.
[[nodiscard]] Result<MappedArray> map_npy(const std::filesystem::path& path);
/// By atomic rename, and without a copy of the elements.
[[nodiscard]] Result<void> write_npy(const ArrayView& array, const std::filesystem::path& path);
[[nodiscard]] Result<void> write_npy(const Array& array, const std::filesystem::path& path);

}  // namespace pintle::io
