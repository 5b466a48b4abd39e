#include "io/plan_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/contain.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/quote.h"

namespace pintle::io {
namespace {

enum Column : std::size_t { id, lower, upper, size, alignment };
constexpr std::array<std::string_view, 5> column_names{"id", "lower", "upper", "size", "alignment"};
constexpr std::size_t needed_columns = 4;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // spreadsheets write it at the start of UTF-8

/// A text between commas, and the column where it begins.
struct Field {
  std::string_view text;
  std::size_t column = 1;
};

struct Line {
  std::vector<Field> fields{};
  std::size_t number = 0;
  std::size_t length = 0;
};

Error wrong(std::size_t line, std::size_t column, std::string_view sentence) {
  return {Errc::invalid_argument, fmt::format("Line {}, column {}: {}", line, column, sentence)};
}

Field trimmed(std::string_view text, std::size_t column) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1), ++column;
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return {text, column};
}

/// The lines that are not empty.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line, 1).text.empty()) continue;
    Line one{.number = number, .length = line.size()};
    for (std::size_t begin = 0; begin <= line.size();) {
      const auto comma = std::min(line.find(',', begin), line.size());
      one.fields.push_back(trimmed(line.substr(begin, comma - begin), begin + 1));
      begin = comma + 1;
    }
    lines.push_back(std::move(one));
  }
  return lines;
}

/// The index of the field in each column; empty for a missing column.
using Columns = std::array<std::optional<std::size_t>, column_names.size()>;

Result<Columns> columns_of(const Line& header) {
  Columns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const Field& field = header.fields[i];
    const auto name = std::ranges::find(column_names, field.text);
    if (name == column_names.end()) {
      return wrong(
          header.number, field.column,
          fmt::format("{} is none of the columns id, lower, upper, size, alignment.", base::quote(field.text)));
    }
    auto& place = columns[static_cast<std::size_t>(name - column_names.begin())];
    if (place) return wrong(header.number, field.column, fmt::format("Column {} is there twice.", base::quote(*name)));
    place = i;
  }
  for (std::size_t i = 0; i < needed_columns; ++i) {
    if (columns[i]) continue;
    return wrong(header.number, header.length + 1,
                 fmt::format("The header has no column {}.", base::quote(column_names[i])));
  }
  return columns;
}

/// Whether the id is read back as it was written.
bool is_plain(std::string_view name) {
  return !name.empty() && trimmed(name, 1).text.size() == name.size() &&
         name.find_first_of(",\"\r\n") == std::string::npos;
}

/// One line of values.
class Row {
 public:
  Row(const Line& line, const Columns& columns) : line_(line), columns_(columns) {}

  [[nodiscard]] const Field& field(Column column) const { return line_.fields[*columns_[column]]; }
  [[nodiscard]] Error bad(Column column, std::string_view sentence) const {
    return wrong(line_.number, field(column).column, sentence);
  }
  [[nodiscard]] Result<std::uint64_t> number(Column column) const {
    const auto number = base::parse_number<std::uint64_t>(field(column).text);
    if (number) return *number;
    return bad(column, fmt::format("{} {} is no whole number from 0 to 18446744073709551615.",
                                   base::quote(column_names[column]), base::quote(field(column).text)));
  }
  [[nodiscard]] Result<PlanValue> value() const;

 private:
  const Line& line_;
  const Columns& columns_;
};

Result<PlanValue> Row::value() const {
  PlanValue value;
  value.name = field(id).text;
  if (value.name.empty()) return bad(id, "The id is empty.");
  if (!is_plain(value.name)) return bad(id, "The id has a quote or an end of line, which are not read here.");
  PINTLE_ASSIGN(begin, number(lower));
  PINTLE_ASSIGN(end, number(upper));
  PINTLE_ASSIGN(bytes, number(size));
  if (begin >= end) return bad(upper, fmt::format("Upper ({}) is not above lower ({}); it is exclusive.", end, begin));
  value.lower = begin;
  value.upper = end;
  value.size = bytes;
  if (!columns_[alignment]) return value;
  PINTLE_ASSIGN(multiple, number(alignment));
  if (!std::has_single_bit(multiple))
    return bad(alignment, fmt::format("The alignment ({}) is no power of two.", multiple));
  value.alignment = multiple;
  return value;
}

Result<void> check_fields(const Line& line, const Line& header) {
  const std::size_t given = line.fields.size(), expected = header.fields.size();
  if (given == expected) return {};
  const std::size_t column = given > expected ? line.fields[expected].column : line.length + 1;
  return wrong(line.number, column, fmt::format("The line has {} fields; the header has {}.", given, expected));
}

}  // namespace

Result<PlanProblem> parse_plan_csv(std::string_view text) {
  return base::contain("reading values to lay out", [&]() -> Result<PlanProblem> {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const auto lines = lines_of(text);
    if (lines.empty()) return wrong(1, 1, "There is no header; it names the columns id, lower, upper and size.");
    PINTLE_ASSIGN(columns, columns_of(lines[0]));
    PlanProblem problem;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      PINTLE_TRY(check_fields(lines[i], lines[0]));
      const Row row(lines[i], columns);
      PINTLE_ASSIGN(value, row.value());
      const auto [place, is_new] = seen.emplace(row.field(id).text, lines[i].number);
      if (!is_new)
        return row.bad(id,
                       fmt::format("The id {} is that of line {} already.", base::quote(value.name), place->second));
      problem.values.push_back(std::move(value));
    }
    return problem;
  });
}

Result<std::string> serialize_plan_csv(const PlanProblem& problem) {
  return base::contain("writing values to lay out", [&]() -> Result<std::string> {
    fmt::memory_buffer text;
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{}\n", fmt::join(column_names, ","));
    for (const PlanValue& value : problem.values) {
      if (!is_plain(value.name))
        return Error(Errc::unsupported, fmt::format("The name {} cannot be written as CSV.", base::quote(value.name)));
      fmt::format_to(out, "{},{},{},{},{}\n", value.name, value.lower, value.upper, value.size, value.alignment);
    }
    return fmt::to_string(text);
  });
}

Result<PlanProblem> read_plan_csv(const std::filesystem::path& path) {
  PINTLE_ASSIGN(bytes, base::read_file(path));
  auto problem = parse_plan_csv(base::text_in(bytes));
  if (!problem) return problem.error().during(fmt::format("reading {}", base::quote(path.string())));
  return problem;
}

}  // namespace pintle::io
