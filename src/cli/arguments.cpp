#include "cli/arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/quote.h"

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

Result<ScalarValue> read_boolean(std::string_view text) {
  if (text == "true" || text == "1") return ScalarValue::of(true);
  if (text == "false" || text == "0") return ScalarValue::of(false);
  return refused(text, "true or false");
}

}  // namespace

Result<InputArgument> parse_input(std::string_view text) {
  PINTLE_ASSIGN(parts, read_name(text, "NAME=file.npy or NAME=number"));
  return InputArgument{std::string(parts.first), std::string(parts.second)};
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
    default: break;
  }
  return Error(Errc::unsupported,
               fmt::format("A scalar of dtype {} cannot be given on the command line.", name(dtype)));
}

}  // namespace pintle::cli
