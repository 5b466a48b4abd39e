#include "cli/arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/quote.h"
#include "pintle/convert.h"

namespace pintle::cli {
namespace {

Error refused(std::string_view text, std::string_view expected) {
  return {Errc::invalid_argument, fmt::format("Value {} is not valid; it takes {}.", base::quote(text), expected)};
}

/// Reads the numbers of a list "1,2,3". False where a part is no number or out of range.
template <class T>
bool read_list(std::string_view text, T least, std::vector<T>& numbers) {
  while (true) {
    const auto comma = text.find(',');
    const auto number = base::parse_number<T>(text.substr(0, comma), least);
    if (!number) return false;
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// One to three counts, each at least 1.
template <class T>
Result<std::array<T, 3>> read_counts(std::string_view text) {
  std::vector<T> numbers;
  if (!read_list<T>(text, 1, numbers) || numbers.size() > 3) {
    return refused(text, fmt::format("X[,Y[,Z]], each from 1 to {}", std::numeric_limits<T>::max()));
  }
  numbers.resize(3, 1);
  return std::array<T, 3>{numbers[0], numbers[1], numbers[2]};
}

Result<std::pair<std::string_view, std::string_view>> read_name(std::string_view text, std::string_view expected) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  if (equals == std::string_view::npos || equals + 1 == text.size() || !base::is_identifier(name))
    return refused(text, expected);
  return std::pair(name, text.substr(equals + 1));
}

template <class T>
Result<ScalarValue> read_number(std::string_view text, DType dtype) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc() && stop == end) return ScalarValue::of(value);
  const auto range = fmt::format("{} to {}", std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
  return refused(text, fmt::format("a number of dtype {} ({})", name(dtype), range));
}

/// The number in hexadecimal digits behind "0x".
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + 2, end, value, 16);
  return code == std::errc() && stop == end && text.size() > 2 ? std::optional(value) : std::nullopt;
}

template <class T>
std::optional<ScalarValue> whole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stop == end ? std::optional(ScalarValue::of(value)) : std::nullopt;
}

/// A constant without a dtype: the first of i32, u32, i64, u64 that holds it, else an f64.
Result<ScalarValue> guess(std::string_view text) {
  if (text == "true" || text == "false") return ScalarValue::of(text == "true");
  std::string digits(text);
  if (const auto value = hexadecimal(text)) digits = fmt::to_string(*value);
  for (const auto& value : {whole<std::int32_t>(digits), whole<std::uint32_t>(digits), whole<std::int64_t>(digits),
                            whole<std::uint64_t>(digits), whole<double>(digits)})
    if (value) return *value;
  return refused(text, "a whole number, a real one, true or false, or DTYPE:VALUE");
}

/// A number that is rounded to a small type.
Result<ScalarValue> read_small(std::string_view text, DType dtype) {
  PINTLE_ASSIGN(wide, read_number<double>(text, DType::f64));
  ScalarValue value(dtype, {});
  PINTLE_TRY(
      convert(std::span(value.bytes.bytes).first(bytes_of(dtype)), wide.bytes.bytes, Convert{DType::f64, dtype}));
  return value;
}

Result<ScalarValue> read_boolean(std::string_view text) {
  if (text == "true" || text == "1") return ScalarValue::of(true);
  if (text == "false" || text == "0") return ScalarValue::of(false);
  return refused(text, "true or false");
}

}  // namespace

Result<InputArgument> parse_input(std::string_view text) {
  constexpr std::string_view expected = "NAME=file.npy, NAME=number, NAME=1,2,3 or NAME.MEMBER=number";
  const std::string_view name = text.substr(0, text.find('='));
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    PINTLE_ASSIGN(parts, read_name(text, expected));
    return InputArgument{std::string(parts.first), std::string(parts.second)};
  }
  PINTLE_ASSIGN(parts, read_name(text.substr(dot + 1), expected));
  if (!base::is_identifier(name.substr(0, dot))) return refused(text, expected);
  return InputArgument{std::string(name.substr(0, dot)), std::string(parts.second), std::string(parts.first)};
}

Result<ConstantArgument> parse_constant(std::string_view text) {
  PINTLE_ASSIGN(parts, read_name(text, "NAME=16, NAME=0x10, NAME=16.0, NAME=true or NAME=u8:3"));
  const auto colon = parts.second.find(':');
  if (colon == std::string_view::npos) {
    PINTLE_ASSIGN(value, guess(parts.second));
    return ConstantArgument{std::string(parts.first), value};
  }
  const auto dtype = parse_dtype(parts.second.substr(0, colon));
  if (!dtype) return refused(parts.second, fmt::format("DTYPE:VALUE with one of the dtypes {}", dtype_names()));
  PINTLE_ASSIGN(value, parse_scalar(parts.second.substr(colon + 1), *dtype));
  return ConstantArgument{std::string(parts.first), value};
}

Result<MacroArgument> parse_define(std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (!base::is_identifier(name)) return refused(text, "NAME or NAME=TEXT");
  return MacroArgument{std::string(name),
                       equals == std::string_view::npos ? "1" : std::string(text.substr(equals + 1))};
}

Result<std::vector<std::byte>> parse_vector(std::string_view text, DType dtype, std::uint32_t lanes) {
  std::vector<std::byte> bytes;
  std::uint32_t count = 0;
  for (std::string_view rest = text;; ++count) {
    const auto comma = rest.find(',');
    PINTLE_ASSIGN(value, parse_scalar(rest.substr(0, comma), dtype));
    const auto* const first = value.bytes.bytes.data();
    bytes.insert(bytes.end(), first, first + bytes_of(dtype));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (count + 1 == lanes) return bytes;
  return refused(text, fmt::format("{} numbers of dtype {}", lanes, name(dtype)));
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const auto count = base::parse_number<std::uint64_t>(text, 1);
  if (count) return *count;
  return refused(text, "a number of elements, from 1 on");
}

Result<OutputArgument> parse_output(std::string_view text) {
  constexpr std::string_view expected = "NAME=f32[1024,1024]:file.npy";
  PINTLE_ASSIGN(parts, read_name(text, expected));
  const std::string_view rest = parts.second;
  const auto open = rest.find('[');
  const auto close = rest.find("]:");
  if (open > close || close == std::string_view::npos || close + 2 == rest.size()) return refused(text, expected);
  const auto dtype = parse_dtype(rest.substr(0, open));
  if (!dtype) return refused(text, fmt::format("{}, with one of the dtypes {}", expected, dtype_names()));
  std::vector<std::uint64_t> dims;
  const auto list = rest.substr(open + 1, close - open - 1);
  if (!list.empty() && !read_list<std::uint64_t>(list, 0, dims)) return refused(text, expected);
  const Shape shape{std::span<const std::uint64_t>(dims)};
  if (!shape.is_valid()) return refused(text, fmt::format("at most {} dimensions", Shape::max_rank));
  if (!checked_bytes(*dtype, shape)) return refused(text, "a shape whose bytes fit 64 bits");
  return OutputArgument{std::string(parts.first), *dtype, shape, std::string(rest.substr(close + 2))};
}

Result<Grid> parse_grid(std::string_view text) {
  PINTLE_ASSIGN(counts, read_counts<std::uint32_t>(text));
  return Grid{counts[0], counts[1], counts[2]};
}

Result<Cover> parse_items(std::string_view text) {
  PINTLE_ASSIGN(counts, read_counts<std::uint64_t>(text));
  return Cover{counts[0], counts[1], counts[2]};
}

Result<ScalarValue> parse_scalar(std::string_view text, DType dtype) {
  switch (dtype) {
    case DType::boolean: return read_boolean(text);
    case DType::i8: return read_number<std::int8_t>(text, dtype);
    case DType::i16: return read_number<std::int16_t>(text, dtype);
    case DType::i32: return read_number<std::int32_t>(text, dtype);
    case DType::i64: return read_number<std::int64_t>(text, dtype);
    case DType::u8: return read_number<std::uint8_t>(text, dtype);
    case DType::u16: return read_number<std::uint16_t>(text, dtype);
    case DType::u32: return read_number<std::uint32_t>(text, dtype);
    case DType::u64: return read_number<std::uint64_t>(text, dtype);
    case DType::f32: return read_number<float>(text, dtype);
    case DType::f64: return read_number<double>(text, dtype);
    case DType::f16:
    case DType::bf16: return read_small(text, dtype);
    default: break;
  }
  return Error(Errc::unsupported,
               fmt::format("A scalar of dtype {} cannot be given on the command line.", name(dtype)));
}

}  // namespace pintle::cli
