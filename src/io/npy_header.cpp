#include "io/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/quote.h"
#include "io/file_kind.h"

namespace pintle::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t alignment = 64;

struct Descr {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Descr, 13> descrs{{
    {"b1", DType::boolean},
    {"i1", DType::i8},
    {"i2", DType::i16},
    {"i4", DType::i32},
    {"i8", DType::i64},
    {"u1", DType::u8},
    {"u2", DType::u16},
    {"u4", DType::u32},
    {"u8", DType::u64},
    {"f2", DType::f16},
    {"f4", DType::f32},
    {"f8", DType::f64},
    {"c8", DType::complex64},
}};

// NumPy has no type of its own for these. A record with one field keeps their name, and NumPy alone can read them:
// a["bfloat16"].view(ml_dtypes.bfloat16). The field has the name of the type in ml_dtypes.
struct Field {
  std::string_view name;
  std::string_view descr;
  DType dtype;
};

constexpr std::array<Field, 3> fields{{
    {"bfloat16", "u2", DType::bf16},
    {"float8_e4m3fn", "u1", DType::f8_e4m3fn},
    {"float8_e5m2", "u1", DType::f8_e5m2},
}};

// NumPy's codes for types of other packages. Each stands for several types, and NumPy itself cannot read f1.
constexpr std::array<std::string_view, 3> nameless{"V1", "V2", "f1"};

template <class Rows>
std::string names_of(const Rows& rows) {
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

Error expected_at(std::uint64_t offset, std::string_view what, std::string_view found) {
  return {Errc::invalid_argument,
          fmt::format("Offset {} of the .npy file holds {} where {} is expected.", offset, found, what)};
}

/// Reads the dictionary, which is a Python literal. `base_` is the dictionary's offset in the file.
class DictReader {
 public:
  DictReader(std::string_view text, std::uint64_t base) noexcept : text_(text), base_(base) {}

  Result<NpyHeader> header();

 private:
  enum Key : unsigned { descr_key = 1, order_key = 2, shape_key = 4, all_keys = 7 };

  Result<void> item(NpyHeader& header);
  Result<Key> key();
  Result<void> descr(NpyHeader& header);
  Result<void> field(NpyHeader& header, std::size_t start);
  Result<void> order(NpyHeader& header);
  Result<void> shape(NpyHeader& header);
  Result<std::uint64_t> dimension();
  Result<std::string_view> quoted_text(std::string_view expected);
  Result<void> end();

  void skip_spaces() noexcept { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(std::string_view symbol) noexcept;
  [[nodiscard]] Error expected(std::string_view what) const { return expected_from(at_, what); }
  [[nodiscard]] Error expected_from(std::size_t at, std::string_view what) const;

  std::string_view text_;
  std::uint64_t base_;
  std::size_t at_ = 0;
  unsigned seen_ = 0;
};

bool DictReader::take(std::string_view symbol) noexcept {
  skip_spaces();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  skip_spaces();
  return true;
}

Error DictReader::expected_from(std::size_t at, std::string_view what) const {
  const std::string_view rest = text_.substr(at);
  return expected_at(base_ + at, what, rest.empty() ? "the header's end" : base::quote(rest, 16));
}

Result<std::string_view> DictReader::quoted_text(std::string_view what) {
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with('\'') && !rest.starts_with('"')) return expected(what);
  const std::size_t end = rest.find(rest.front(), 1);
  if (end == std::string_view::npos) return expected(what);
  at_ += end + 1;
  return rest.substr(1, end - 1);
}

Result<DictReader::Key> DictReader::key() {
  const std::size_t start = at_;
  PINTLE_ASSIGN(name, quoted_text("a quoted key"));
  const Key key = name == "descr" ? descr_key : name == "fortran_order" ? order_key : shape_key;
  if (key == shape_key && name != "shape") return expected_from(start, "'descr', 'fortran_order' or 'shape'");
  if ((seen_ & key) != 0) return expected_from(start, "each key once");
  seen_ |= key;
  if (!take(":")) return expected("\":\"");
  return key;
}

std::optional<std::endian> endian_of(char mark) noexcept {
  if (mark == '<') return std::endian::little;
  if (mark == '>') return std::endian::big;
  if (mark == '=' || mark == '|') return std::endian::native;
  return std::nullopt;
}

/// Reads [('bfloat16', '<u2')].
Result<void> DictReader::field(NpyHeader& header, std::size_t start) {
  const std::string wanted = fmt::format("a dtype or a record of one field ({})", names_of(fields));
  if (!take("(")) return expected_from(start, wanted);
  PINTLE_ASSIGN(name, quoted_text("a quoted name of a field"));
  const bool comma = take(",");
  PINTLE_ASSIGN(text, quoted_text("a quoted dtype"));
  const bool closed = take(")");
  take(",");
  const auto endian = text.empty() ? std::nullopt : endian_of(text.front());
  const auto row = std::ranges::find(fields, name, &Field::name);
  if (!comma || !closed || !take("]") || !endian || row == fields.end() || row->descr != text.substr(1))
    return expected_from(start, wanted);
  header.endian = *endian;
  header.dtype = row->dtype;
  return {};
}

Result<void> DictReader::descr(NpyHeader& header) {
  const std::size_t start = at_;
  if (take("[")) return field(header, start);
  PINTLE_ASSIGN(text, quoted_text("a quoted dtype"));
  const auto endian = text.empty() ? std::nullopt : endian_of(text.front());
  const std::string_view kind = text.empty() ? text : text.substr(1);
  if (std::ranges::find(nameless, kind) != nameless.end()) {
    return expected_from(start,
                         fmt::format("a dtype with a name, as no bfloat16 or fp8 has that is not saved as a record "
                                     "of one field ({}),",
                                     names_of(fields)));
  }
  const auto row = std::ranges::find(descrs, kind, &Descr::name);
  if (!endian || row == descrs.end()) {
    return expected_from(start, fmt::format("a byte order (<, >, = or |) and a dtype ({})", names_of(descrs)));
  }
  header.endian = *endian;
  header.dtype = row->dtype;
  return {};
}

Result<void> DictReader::order(NpyHeader& header) {
  if (take("True")) {
    header.order = ArrayOrder::fortran;
    return {};
  }
  if (take("False")) return {};
  return expected("True or False");
}

Result<std::uint64_t> DictReader::dimension() {
  const std::string_view rest = text_.substr(at_);
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  const auto count = base::parse_number<std::uint64_t>(digits);
  if (!count) return expected("a dimension (0 to 18446744073709551615)");
  at_ += digits.size();
  static_cast<void>(take("L"));  // Python 2 wrote long numbers with an L
  skip_spaces();
  return *count;
}

Result<void> DictReader::shape(NpyHeader& header) {
  const std::size_t start = at_;
  if (!take("(")) return expected("\"(\"");
  std::array<std::uint64_t, Shape::max_rank> dims{};
  std::size_t rank = 0;
  bool comma = true;
  while (!take(")")) {
    if (!comma) return expected("\",\" or \")\"");
    if (rank == dims.size()) return expected(fmt::format("\")\" ({} dimensions are the limit)", Shape::max_rank));
    PINTLE_ASSIGN(dim, dimension());
    dims[rank++] = dim;
    comma = take(",");
  }
  // In Python "(3)" is a number, not a tuple.
  if (rank == 1 && !comma) return expected_from(start, "a tuple such as (3,)");
  header.shape = Shape(std::span(dims).first(rank));
  return {};
}

Result<void> DictReader::item(NpyHeader& header) {
  PINTLE_ASSIGN(next, key());
  if (next == descr_key) return descr(header);
  if (next == order_key) return order(header);
  return shape(header);
}

Result<void> DictReader::end() {
  if (seen_ != all_keys) return expected("each of 'descr', 'fortran_order' and 'shape'");
  if (!take("}")) return expected("\"}\"");
  skip_spaces();
  if (at_ != text_.size()) return expected("nothing but spaces");
  return {};
}

Result<NpyHeader> DictReader::header() {
  NpyHeader header;
  if (!take("{")) return expected("\"{\"");
  while (seen_ != all_keys) {
    PINTLE_TRY(item(header));
    skip_spaces();
    if (!take(",")) break;
  }
  PINTLE_TRY(end());
  return header;
}

/// The number of bytes between the version and the dictionary: 2 in version 1, 4 in later ones.
Result<std::uint64_t> length_field(std::span<const std::byte> file) {
  const auto major = base::load_little<std::uint8_t>(file, 6);
  const auto minor = base::load_little<std::uint8_t>(file, 7);
  if (!major || !minor) return expected_at(file.size(), "a version (1.0, 2.0 or 3.0)", "the file's end");
  if (*major >= 1 && *major <= 3 && *minor == 0) return *major == 1 ? 2 : 4;
  return expected_at(6, "a version (1.0, 2.0 or 3.0)", fmt::format("{}.{}", *major, *minor));
}

Result<std::string_view> dictionary(std::span<const std::byte> file, std::uint64_t start, std::uint64_t field) {
  const std::uint64_t at = start - field;
  const auto short_length = base::load_little<std::uint16_t>(file, at);
  const auto long_length = base::load_little<std::uint32_t>(file, at);
  const auto length = field == 2 && short_length ? std::optional<std::uint32_t>(*short_length) : long_length;
  if ((field == 2 && !short_length) || !length) {
    return expected_at(at, fmt::format("the header's length ({} bytes)", field), "the file's end");
  }
  if (base::range_fits(start, *length, file.size())) return base::text_in(file.subspan(start, *length));
  return expected_at(at, fmt::format("at most the rest of the file ({} bytes)", file.size() - start),
                     fmt::format("the header's length ({})", *length));
}

char endian_mark(DType dtype) noexcept {
  if (bytes_of(dtype) == 1) return '|';
  return std::endian::native == std::endian::little ? '<' : '>';
}

std::string tuple(const Shape& shape) {
  std::string text;
  for (const std::uint64_t dim : shape.dims()) text += fmt::format("{}{}", text.empty() ? "" : ", ", dim);
  return shape.rank() == 1 ? text + "," : text;
}

/// The dtype's text in the dictionary; empty for a number that is no dtype.
std::string descr_of(DType dtype) {
  const char mark = endian_mark(dtype);
  if (const auto row = std::ranges::find(descrs, dtype, &Descr::dtype); row != descrs.end())
    return fmt::format("'{}{}'", mark, row->name);
  const auto row = std::ranges::find(fields, dtype, &Field::dtype);
  return row == fields.end() ? std::string() : fmt::format("[('{}', '{}{}')]", row->name, mark, row->descr);
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file) {
  const std::string_view text = base::text_in(file);
  if (!text.starts_with(magic)) {
    const std::string found = text.empty() ? "the file's end" : base::quote(text.substr(0, magic.size()));
    return expected_at(0, base::quote(magic), kind_of_file(file).value_or(found));
  }
  PINTLE_ASSIGN(field, length_field(file));
  const std::uint64_t start = magic.size() + 2 + field;
  PINTLE_ASSIGN(dict, dictionary(file, start, field));
  PINTLE_ASSIGN(header, DictReader(dict, start).header());
  header.data_offset = start + dict.size();
  return header;
}

Result<std::string> serialize_npy_header(DType dtype, const Shape& shape) {
  const std::string descr = descr_of(dtype);
  if (descr.empty()) {
    return Error(Errc::invalid_argument,
                 fmt::format("DType ({}) of a .npy file is unknown.", static_cast<unsigned>(dtype)));
  }
  std::string dict = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, tuple(shape));
  constexpr std::uint64_t before = magic.size() + 4;
  while ((before + dict.size() + 1) % alignment != 0) dict += ' ';
  dict += '\n';
  const auto length = base::little(static_cast<std::uint16_t>(dict.size()));
  std::string header(magic);
  header += std::string_view("\x01\x00", 2);
  header += base::text_in(length);
  return header + dict;
}

}  // namespace pintle::io
