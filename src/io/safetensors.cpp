// Reading.
//    0  length of the header, 8 bytes, little-endian
//    8  header: a JSON object, {"NAME":{"dtype":"F32","shape":[2,3],"data_offsets":[BEGIN,END]},...}, with spaces
//    behind
//       it; "__metadata__" is an object of strings
//       the tensors' bytes; the offsets count from here
#include "io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/log.h"
#include "base/quote.h"
#include "io/elements.h"
#include "io/file_kind.h"
#include "io/json.h"
#include "io/safetensors_dtype.h"

namespace pintle::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t length_bytes = 8;

Error expected_at(std::uint64_t offset, std::string_view found, std::string_view what) {
  return {Errc::invalid_argument,
          fmt::format("Offset {} of the safetensors file holds {} where {} is expected.", offset, found, what)};
}

Error bad_tensor(std::string_view name, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("Tensor {} {}.", base::quote(name), what)};
}

/// A tensor whose place has not been checked.
struct Entry {
  TensorView view;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string foreign{};  ///< The dtype's name where only the format has it.
};

Result<std::string_view> header_in(Bytes file) {
  const auto length = base::load_little<std::uint64_t>(file, 0);
  if (!length) return expected_at(file.size(), "the file's end", "the header's length (8 bytes)");
  const std::string found = fmt::format("the header's length ({})", *length);
  if (*length > max_safetensors_header)
    return expected_at(0, found, fmt::format("at most the limit ({} bytes)", max_safetensors_header));
  if (!base::range_fits(length_bytes, *length, file.size()))
    return expected_at(0, found, fmt::format("at most the rest of the file ({} bytes)", file.size() - length_bytes));
  const std::string_view text = base::text_in(file.subspan(length_bytes, *length));
  if (text.starts_with('{')) return text;
  return expected_at(length_bytes, text.empty() ? "an empty header" : base::quote(text, 16), "\"{\"");
}

/// A file of another format is called by its name, not by a header that it does not have.
Result<std::string_view> header_of(Bytes file) {
  const auto text = header_in(file);
  if (text) return text;
  if (const auto kind = kind_of_file(file)) return expected_at(0, *kind, "the header's length (8 bytes)");
  return text;
}

Result<void> read_dtype(const JsonView& view, Entry& entry) {
  PINTLE_ASSIGN(member, view.member("dtype"));
  PINTLE_ASSIGN(name, member.text());
  if (foreign_bits(name) != 0) {
    entry.foreign = name;
    return {};
  }
  PINTLE_ASSIGN(dtype, parse_safetensors_dtype(name));
  entry.view.dtype = dtype;
  return {};
}

Result<Shape> shape_in(const JsonView& entry) {
  PINTLE_ASSIGN(view, entry.member("shape"));
  PINTLE_ASSIGN(items, view.items());
  if (items.size() > Shape::max_rank) {
    return Error(Errc::unsupported, fmt::format("JSON path {} has more dimensions ({}) than the limit ({}).",
                                                view.path(), items.size(), Shape::max_rank));
  }
  std::array<std::uint64_t, Shape::max_rank> dims{};
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    PINTLE_ASSIGN(dim, items[axis].number());
    dims[axis] = dim;
  }
  return Shape(std::span(dims).first(items.size()));
}

Result<std::pair<std::uint64_t, std::uint64_t>> offsets_in(const JsonView& entry) {
  PINTLE_ASSIGN(view, entry.member("data_offsets"));
  PINTLE_ASSIGN(items, view.items());
  if (items.size() != 2) {
    return Error(
        Errc::invalid_argument,
        fmt::format("JSON path {} holds {} numbers where 2 (begin and end) are expected.", view.path(), items.size()));
  }
  PINTLE_ASSIGN(begin, items[0].number());
  PINTLE_ASSIGN(end, items[1].number());
  if (begin <= end) return std::pair(begin, end);
  return Error(Errc::invalid_argument,
               fmt::format("JSON path {} begins at {}, behind its end ({}).", view.path(), begin, end));
}

/// Empty where 64 bits cannot count the bytes, or where the elements end within one.
std::optional<std::uint64_t> size_of(const Entry& entry) noexcept {
  if (entry.foreign.empty()) return checked_bytes(entry.view.dtype, entry.view.shape);
  const auto count = entry.view.shape.count();
  const auto bits = count ? base::checked_mul(*count, std::uint64_t{foreign_bits(entry.foreign)}) : std::nullopt;
  return bits && *bits % 8 == 0 ? std::optional(*bits / 8) : std::nullopt;
}

Result<void> check_size(const Entry& entry) {
  const std::uint64_t found = entry.end - entry.begin;
  const auto wanted = size_of(entry);
  if (wanted == found) return {};
  return bad_tensor(entry.view.name,
                    fmt::format("has {} bytes (offsets {} to {}), but its shape {} of {} takes {}", found, entry.begin,
                                entry.end, entry.view.shape.text(),
                                entry.foreign.empty() ? name(entry.view.dtype) : std::string_view(entry.foreign),
                                wanted                  ? fmt::to_string(*wanted)
                                : entry.foreign.empty() ? "more than 64 bits can count"
                                                        : "no whole number"));
}

Result<Entry> parse_entry(const std::string& name, const JsonView& view) {
  PINTLE_TRY(view.has_only({"dtype", "shape", "data_offsets"}));
  Entry entry{{name, DType::u8, {}, {}}};
  PINTLE_TRY(read_dtype(view, entry));
  PINTLE_ASSIGN(shape, shape_in(view));
  PINTLE_ASSIGN(offsets, offsets_in(view));
  entry.view.shape = shape;
  std::tie(entry.begin, entry.end) = offsets;
  PINTLE_TRY(check_size(entry));
  return entry;
}

Result<std::map<std::string, std::string>> parse_metadata(const JsonView& view) {
  PINTLE_ASSIGN(members, view.members());
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : members) {
    PINTLE_ASSIGN(text, value.text());
    metadata.emplace(key, std::move(text));
  }
  return metadata;
}

Result<void> check_bools(const TensorView& tensor, std::uint64_t offset) {
  if (tensor.dtype != DType::boolean) return {};
  const auto bad = find_no_bool(tensor.bytes);
  if (!bad) return {};
  return expected_at(offset + *bad, fmt::to_string(std::to_integer<unsigned>(tensor.bytes[*bad])),
                     fmt::format("a bool (0 or 1) of tensor {}", base::quote(tensor.name)));
}

/// Gives each tensor its bytes, in ascending order. Checks that they cover `data`, which begins at `start` in the file.
Result<void> place(std::vector<Entry> entries, Bytes data, std::uint64_t start, TensorSet& set) {
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::tie(entry.begin, entry.end, entry.view.name); });
  std::uint64_t end = 0;
  for (Entry& entry : entries) {
    const std::string_view fault = entry.begin < end ? "overlaps the tensor before it" : "leaves a hole before it";
    if (entry.begin != end)
      return bad_tensor(entry.view.name,
                        fmt::format("{}: it begins at {} where {} is expected", fault, entry.begin, end));
    if (entry.end > data.size())
      return bad_tensor(entry.view.name, fmt::format("ends at {}, behind the end of the file's data ({} bytes)",
                                                     entry.end, data.size()));
    end = entry.end;
    if (!entry.foreign.empty()) {
      set.left_out.push_back({std::move(entry.view.name), std::move(entry.foreign)});
      continue;
    }
    entry.view.bytes = data.subspan(entry.begin, entry.end - entry.begin);
    PINTLE_TRY(check_bools(entry.view, start + entry.begin));
    set.tensors.push_back(std::move(entry.view));
  }
  if (end == data.size()) return {};
  return expected_at(start + end, fmt::format("bytes ({}) of no tensor", data.size() - end), "the end");
}

Result<TensorSet> parse_header(const JsonView& header, Bytes data, std::uint64_t start) {
  PINTLE_ASSIGN(members, header.members());
  TensorSet set;
  std::vector<Entry> entries;
  for (const auto& [key, value] : members) {
    if (key == "__metadata__") {
      PINTLE_ASSIGN(metadata, parse_metadata(value));
      set.metadata = std::move(metadata);
      continue;
    }
    auto entry = parse_entry(key, value);
    if (!entry) return entry.error().during(fmt::format("reading tensor {}", base::quote(key)));
    entries.push_back(*std::move(entry));
  }
  PINTLE_TRY(place(std::move(entries), data, start, set));
  return set;
}

Result<TensorSet> parse(Bytes file) {
  PINTLE_ASSIGN(text, header_of(file));
  const auto document = parse_json(text);
  if (!document) return document.error().during("reading the header at offset 8 of the safetensors file");
  const std::uint64_t start = length_bytes + text.size();
  return parse_header(JsonView(*document), file.subspan(start), start);
}

/// Once for a file, with the first of the tensors.
void tell_left_out(const TensorSet& set, const std::filesystem::path& path) {
  if (set.left_out.empty()) return;
  const auto& [name, dtype] = set.left_out.front();
  base::log(LogLevel::warn, "safetensors",
            "{} is read without ({}) of its tensors, whose dtypes Pintle does not have: {} has {}.",
            base::quote(path.string(), 4096), set.left_out.size(), base::quote(name), dtype);
}

}  // namespace

bool TensorView::is_aligned() const noexcept {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % number_bytes(dtype) == 0;
}

Result<TensorView> TensorSet::tensor(std::string_view name) const {
  return base::contain("finding a tensor", [&]() -> Result<TensorView> {
    const auto found = std::ranges::find(tensors, name, &TensorView::name);
    if (found != tensors.end()) return *found;
    const auto out = std::ranges::find(left_out, name, &LeftOutTensor::name);
    if (out != left_out.end()) return out->error();
    return Error(Errc::not_found,
                 fmt::format("No tensor is called {}; there are {}.", base::quote(name), tensors.size()));
  });
}

Error LeftOutTensor::error() const {
  return {Errc::unsupported, fmt::format("Tensor {} has the dtype {}, which Pintle does not have: the file is read "
                                         "without this tensor.",
                                         base::quote(name), dtype)};
}

Result<TensorSet> parse_safetensors(Bytes file) {
  return base::contain("reading a safetensors file", [&] { return parse(file); });
}

Result<TensorFile> read_safetensors(const std::filesystem::path& path) {
  return base::contain("reading a safetensors file", [&]() -> Result<TensorFile> {
    PINTLE_ASSIGN(file, base::MappedFile::open(path));
    auto set = parse_safetensors(file.bytes());
    if (!set) return set.error().during(fmt::format("reading {}", base::quote(path.string(), 4096)));
    tell_left_out(*set, path);
    return TensorFile{std::move(file), *std::move(set)};
  });
}

}  // namespace pintle::io
