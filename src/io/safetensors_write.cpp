// Writing: the layout is in safetensors.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "io/elements.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "io/safetensors_dtype.h"

namespace pintle::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t alignment = 8;  // of the data in the file, as the format's own library aligns it

Error bad_tensor(std::string_view name, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("Tensor {} {}.", base::quote(name), what)};
}

Result<void> check_tensor(const TensorView& tensor) {
  if (tensor.name == "__metadata__") return bad_tensor(tensor.name, "has a name that the format reserves");
  if (!tensor.shape.is_valid()) {
    return bad_tensor(
        tensor.name, fmt::format("has more dimensions ({}) than the limit ({})", tensor.shape.rank(), Shape::max_rank));
  }
  const auto size = checked_bytes(tensor.dtype, tensor.shape);
  if (safetensors_name(tensor.dtype).empty()) return bad_tensor(tensor.name, "has an unknown dtype");
  if (size != tensor.bytes.size()) {
    return bad_tensor(tensor.name, fmt::format("has {} bytes, but its shape {} of {} takes {}", tensor.bytes.size(),
                                               tensor.shape.text(), name(tensor.dtype),
                                               size ? fmt::to_string(*size) : "more than 64 bits can count"));
  }
  if (tensor.dtype != DType::boolean) return {};
  const auto bad = find_no_bool(tensor.bytes);
  if (!bad) return {};
  return bad_tensor(tensor.name, fmt::format("holds {} at index {} where a bool (0 or 1) is expected",
                                             std::to_integer<unsigned>(tensor.bytes[*bad]), *bad));
}

/// Sorts the tensors as in the file, and checks that each name is there once.
Result<std::vector<const TensorView*>> ordered(const TensorSet& set) {
  std::vector<const TensorView*> tensors;
  for (const TensorView& tensor : set.tensors) {
    PINTLE_TRY(check_tensor(tensor));
    tensors.push_back(&tensor);
  }
  std::ranges::sort(tensors, {}, [](const TensorView* tensor) -> const std::string& { return tensor->name; });
  const auto twice = std::ranges::adjacent_find(tensors, {}, [](const TensorView* tensor) { return tensor->name; });
  if (twice != tensors.end()) return bad_tensor((*twice)->name, "is there twice");
  std::ranges::sort(tensors, {}, [](const TensorView* tensor) {
    return std::pair<std::size_t, std::string_view>(safetensors_rank(tensor->dtype), tensor->name);
  });
  return tensors;
}

Result<std::string> metadata_text(const TensorSet& set) {
  std::string text;
  for (const auto& [key, value] : set.metadata) {
    const auto name = json_string(key);
    const auto words = json_string(value);
    if (!name || !words) {
      return Error(Errc::invalid_argument,
                   fmt::format("Metadata {} is {}, which is not UTF-8.", base::quote(key), base::quote(value)));
    }
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", *name, *words);
  }
  return text;
}

/// Makes the length and the header, padded with spaces.
Result<std::string> header_of(const TensorSet& set, std::span<const TensorView* const> tensors) {
  PINTLE_ASSIGN(metadata, metadata_text(set));
  std::string text = metadata.empty() ? "{" : fmt::format("{{\"__metadata__\":{{{}}}", metadata);
  std::uint64_t end = 0;
  for (const TensorView* tensor : tensors) {
    const auto name = json_string(tensor->name);
    if (!name) return bad_tensor(tensor->name, "has a name that is not UTF-8");
    const auto next = base::checked_add<std::uint64_t>(end, tensor->bytes.size());
    if (!next) return bad_tensor(tensor->name, "does not fit: all bytes together are more than 64 bits can count");
    text +=
        fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", text.size() == 1 ? "" : ",",
                    *name, safetensors_name(tensor->dtype), fmt::join(tensor->shape.dims(), ","), end, *next);
    end = *next;
  }
  text += '}';
  while (text.size() % alignment != 0) text += ' ';
  if (text.size() <= max_safetensors_header)
    return std::string(base::text_in(base::little<std::uint64_t>(text.size()))) + text;
  return Error(Errc::invalid_argument,
               fmt::format("Header of the safetensors file has {} bytes, more than the limit ({}).", text.size(),
                           max_safetensors_header));
}

/// The pieces of the file. The first piece is a view of `header`, which the caller keeps.
Result<std::vector<Bytes>> parts_of(const TensorSet& set, std::string& header) {
  PINTLE_ASSIGN(tensors, ordered(set));
  PINTLE_ASSIGN(text, header_of(set, tensors));
  header = std::move(text);
  std::vector<Bytes> parts{base::bytes_in(header)};
  for (const TensorView* tensor : tensors) parts.push_back(tensor->bytes);
  return parts;
}

}  // namespace

Result<std::vector<std::byte>> serialize_safetensors(const TensorSet& set) {
  return base::contain("writing a safetensors file", [&]() -> Result<std::vector<std::byte>> {
    std::string header;
    PINTLE_ASSIGN(parts, parts_of(set, header));
    std::vector<std::byte> file;
    for (const Bytes part : parts) file.insert(file.end(), part.begin(), part.end());
    return file;
  });
}

Result<void> write_safetensors(const TensorSet& set, const std::filesystem::path& path) {
  return base::contain("writing a safetensors file", [&]() -> Result<void> {
    std::string header;
    PINTLE_ASSIGN(parts, parts_of(set, header));
    return base::write_parts(path, parts);
  });
}

}  // namespace pintle::io
