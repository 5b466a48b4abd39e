// safetensors files: named tensors and some metadata. https://huggingface.co/docs/safetensors describes the format.
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

  /// True where `bytes` have the alignment of the dtype. The format does not ask writers for that.
  [[nodiscard]] bool is_aligned() const noexcept;
};

/// A tensor of a file that is not read, since only the format has its dtype.
struct LeftOutTensor {
  std::string name;
  std::string dtype;  ///< As the format calls it: F8_E8M0.

  /// `unsupported`, with both.
  [[nodiscard]] Error error() const;
};

/// The contents of a file.
struct TensorSet {
  std::vector<TensorView> tensors;  ///< In the order of their bytes in the file, where they were read.
  std::map<std::string, std::string> metadata;
  std::vector<LeftOutTensor> left_out{};  ///< Those of a file that was read.

  /// `not_found` for a name that no tensor has, `unsupported` for a tensor that is left out.
  [[nodiscard]] Result<TensorView> tensor(std::string_view name) const;
};

/// A file and views into it. The views are valid while this object lives, also when it is moved. `base::MappedFile`
/// says what other processes can do to the file meanwhile.
struct TensorFile {
  base::MappedFile file;
  TensorSet contents;
};

/// The longest header, in bytes.
inline constexpr std::uint64_t max_safetensors_header = 100'000'000;

/// Reads the header. The tensors are views of `file`, and only the bytes of bools are read. A tensor of a dtype that
/// only the format has (F4, F6_E2M3, F6_E3M2, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ) is left out.
/// `unsupported` for more than eight dimensions.
/// Otherwise `invalid_argument` names the offset, the key or the tensor. The header must be one JSON object without a
/// key twice, and the tensors' ranges must cover all that is behind it, without gap and overlap.
[[nodiscard]] Result<TensorSet> parse_safetensors(std::span<const std::byte> file);
/// Tensors give the same bytes in any order. Those with large elements are written first, which aligns each to its
/// elements, and then they are sorted by name. `invalid_argument` for a name that is there twice, is reserved
/// ("__metadata__") or not UTF-8, and for bytes that do not fit dtype and shape.
[[nodiscard]] Result<std::vector<std::byte>> serialize_safetensors(const TensorSet& set);
/// Maps the file: no tensor's bytes are read before they are used. The log says where tensors are left out.
[[nodiscard]] Result<TensorFile> read_safetensors(const std::filesystem::path& path);
/// Writes by atomic rename, and without a copy of the tensors: they may be views of the very file that is replaced.
[[nodiscard]] Result<void> write_safetensors(const TensorSet& set, const std::filesystem::path& path);

}  // namespace pintle::io
