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

/// An array in C order and this machine's byte order, whatever the file's order was.
struct Array {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> bytes;
  friend bool operator==(const Array&, const Array&) = default;
};

/// An array whose bytes belong to somebody else.
struct ArrayView {
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// A file and an array in it. The array is valid while this object lives, also when the object is moved.
/// `base::MappedFile` says what other processes can do to the file meanwhile.
struct MappedArray {
  base::MappedFile file;
  ArrayView array;
};

/// Reads C and Fortran order, little and big endian. `invalid_argument` names the offset and what was expected there;
/// it is also the error for bytes behind the array, and for a bool that is neither 0 nor 1.
[[nodiscard]] Result<Array> parse_npy(std::span<const std::byte> bytes);
/// Views the array where it lies in the file. Fails as `parse_npy` does, and with `unsupported` for an array that would
/// have to change: Fortran order of two dimensions or more, and the other byte order.
[[nodiscard]] Result<ArrayView> view_npy(std::span<const std::byte> bytes);
/// Writes version 1.0, which fits every shape of at most eight dimensions. NumPy has no type for bf16, f8_e4m3fn and
/// f8_e5m2: these are written as records of one unsigned field with the name bfloat16, float8_e4m3fn or float8_e5m2.
[[nodiscard]] Result<std::vector<std::byte>> serialize_npy(const Array& array);
[[nodiscard]] Result<Array> read_npy(const std::filesystem::path& path);
/// Maps the file and views it: no element except bools is read before it is used. The elements start at a multiple of
/// 64 bytes where NumPy wrote the file (of 16 before 1.14), and anywhere where other programs did.
[[nodiscard]] Result<MappedArray> map_npy(const std::filesystem::path& path);
/// Writes by atomic rename, and without a copy of the elements.
[[nodiscard]] Result<void> write_npy(const ArrayView& array, const std::filesystem::path& path);
[[nodiscard]] Result<void> write_npy(const Array& array, const std::filesystem::path& path);

}  // namespace pintle::io
