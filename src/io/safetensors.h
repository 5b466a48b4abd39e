// safetensors files: named tensors and a few words about them. https://huggingface.co/docs/safetensors has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::io {

/// One tensor in C order and little-endian. Its bytes belong to somebody else.
struct TensorView {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> bytes;

  /// True where `bytes` start at a multiple of what the dtype needs. The format asks no writer for that.
  [[nodiscard]] bool is_aligned() const noexcept;
};

/// What a file holds.
struct TensorSet {
  std::vector<TensorView> tensors;  ///< As their bytes follow one another, where they were read.
  std::map<std::string, std::string> metadata;

  /// `not_found` for a name that no tensor has.
  [[nodiscard]] Result<TensorView> tensor(std::string_view name) const;
};

/// A file and views into it: they are valid as long as this lives, wherever it is moved to. See `base::MappedFile` for
/// what other processes can do to the file meanwhile.
struct TensorFile {
  base::MappedFile file;
  TensorSet contents;
};

/// The longest header, in bytes.
inline constexpr std::uint64_t max_safetensors_header = 100'000'000;

/// Reads the header; the tensors are views of `file`, and of their bytes only those of bools are looked at.
/// `unsupported` for a dtype of the format that Pintle has not (F4, F6_E2M3, F6_E3M2, F8_E8M0, F8_E4M3FNUZ,
/// F8_E5M2FNUZ) and for more than eight dimensions;
/// otherwise `invalid_argument` names the offset, the key or the tensor: the header is one JSON object without a key
/// twice, and the tensors' ranges cover all that is behind it, without hole and overlap.
[[nodiscard]] Result<TensorSet> parse_safetensors(std::span<const std::byte> file);
/// The same tensors give the same bytes, whatever their order: those with large elements first, which aligns each to
/// its elements, then by name. `invalid_argument` for a name that is there twice, is reserved ("__metadata__") or not
/// UTF-8, and for bytes that are not what dtype and shape say.
[[nodiscard]] Result<std::vector<std::byte>> serialize_safetensors(const TensorSet& set);
/// Maps the file: no tensor's bytes are read before they are used.
[[nodiscard]] Result<TensorFile> read_safetensors(const std::filesystem::path& path);
/// By atomic rename and without a copy of the tensors, which may be views of the very file that is replaced.
[[nodiscard]] Result<void> write_safetensors(const TensorSet& set, const std::filesystem::path& path);

}  // namespace pintle::io
