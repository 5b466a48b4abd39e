#include "pintle/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/parse.h"
#include "base/quote.h"

namespace pintle {
namespace {

constexpr std::string_view magic = "pintle-plan 1";

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

std::string named(const PlannedValue& value) { return fmt::format("[Value {}]", base::quote(value.name)); }

Result<void> check_value(const PlannedValue& value, std::span<const std::uint64_t> chunks) {
  if (value.name.empty()) return wrong("A planned value has no name.");
  if (!std::has_single_bit(value.alignment))
    return wrong(fmt::format("The alignment ({}) of {} is no power of two.", value.alignment, named(value)));
  if (value.assignment == Assignment::external || value.size == 0) return {};
  if (value.offset % value.alignment != 0) {
    return wrong(fmt::format("The offset ({}) of {} is no multiple of its alignment ({}).", value.offset, named(value),
                             value.alignment));
  }
  if (value.chunk >= chunks.size())
    return wrong(fmt::format("The chunk ({}) of {} is not below the number of chunks ({}).", value.chunk, named(value),
                             chunks.size()));
  if (base::range_fits(value.offset, value.size, chunks[value.chunk])) return {};
  return wrong(fmt::format("The offset ({}) of {} with its size ({}) exceeds its chunk ({}).", value.offset,
                           named(value), value.size, chunks[value.chunk]));
}

Result<std::uint64_t> sum_of(std::span<const std::uint64_t> chunks) {
  std::uint64_t total = 0;
  for (const std::uint64_t chunk : chunks) {
    const auto next = base::checked_add(total, chunk);
    if (!next) return wrong(fmt::format("The sizes of the chunks overflow at a chunk of {} bytes.", chunk));
    total = *next;
  }
  return total;
}

// Text: words with a space between. A name is last on its line; "%" and bytes that are not printable ASCII are %XX in
// it.

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (code > 0x20 && code < 0x7f && c != '%') text += c;
    else text += fmt::format("%{:02x}", code);
  }
  return text;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    unsigned code = 0;
    const char* const begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, code, 16).ptr != begin + 2) return std::nullopt;
    name += static_cast<char>(code);
    i += 2;
  }
  return escaped(name) == text ? std::optional(name) : std::nullopt;
}

std::string_view word_of(Assignment placement) {
  switch (placement) {
    case Assignment::planned: return "planned";
    case Assignment::fixed: return "fixed";
    case Assignment::external: return "external";
  }
  return "";
}

/// Reads lines of words, strictly.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  [[nodiscard]] Error bad(std::string_view what) const {
    return wrong(fmt::format("Line {} of the plan is {}; {} is expected.", number_, base::quote(line_), what));
  }
  /// The next line, as words.
  [[nodiscard]] Result<std::vector<std::string_view>> line(std::size_t words, std::string_view what) {
    ++number_;
    const auto end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    if (end == std::string_view::npos) return bad(fmt::format("{} and an end of line", what));
    rest_.remove_prefix(end + 1);
    std::vector<std::string_view> found;
    for (std::string_view left = line_;;) {
      const auto space = left.find(' ');
      found.push_back(left.substr(0, space));
      if (space == std::string_view::npos) break;
      left.remove_prefix(space + 1);
    }
    if (found.size() != words) return bad(what);
    return found;
  }

 private:
  std::string_view rest_, line_;
  std::uint64_t number_ = 0;
};

struct Header {
  std::uint64_t total = 0, lower_bound = 0;
  std::vector<std::uint64_t> chunks{};
};

/// Reads a line with a name and a number.
Result<std::uint64_t> number_line(Reader& reader, std::string_view key) {
  const std::string what = fmt::format("\"{} NUMBER\"", key);
  PINTLE_ASSIGN(words, reader.line(2, what));
  const auto number = base::parse_number<std::uint64_t>(words[1]);
  if (words[0] != key || !number) return reader.bad(what);
  return *number;
}

Result<Header> read_header(Reader& reader) {
  const std::string what = base::quote(magic);
  PINTLE_ASSIGN(words, reader.line(2, what));
  if (words[0] != "pintle-plan" || words[1] != "1") return reader.bad(what);
  Header header;
  PINTLE_ASSIGN(total, number_line(reader, "total"));
  PINTLE_ASSIGN(lower_bound, number_line(reader, "lower_bound"));
  PINTLE_ASSIGN(chunks, number_line(reader, "chunks"));
  header.total = total;
  header.lower_bound = lower_bound;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    PINTLE_ASSIGN(chunk, number_line(reader, "chunk"));
    header.chunks.push_back(chunk);
  }
  return header;
}

Result<PlannedValue> read_value(Reader& reader) {
  constexpr std::string_view what = "\"planned|fixed|external CHUNK OFFSET SIZE ALIGNMENT NAME\"";
  PINTLE_ASSIGN(words, reader.line(6, what));
  const auto chunk = base::parse_number<std::uint32_t>(words[1]);
  const auto offset = base::parse_number<std::uint64_t>(words[2]);
  const auto size = base::parse_number<std::uint64_t>(words[3]);
  const auto alignment = base::parse_number<std::uint64_t>(words[4]);
  auto name = unescaped(words[5]);
  if (!chunk || !offset || !size || !alignment || !name) return reader.bad(what);
  for (const Assignment placement : {Assignment::planned, Assignment::fixed, Assignment::external}) {
    if (words[0] == word_of(placement))
      return PlannedValue{*std::move(name), *size, *alignment, placement, *chunk, *offset};
  }
  return reader.bad(what);
}

}  // namespace

Result<Plan> Plan::create(std::vector<PlannedValue> values, std::vector<std::uint64_t> chunks,
                          std::uint64_t lower_bound) {
  return base::contain("putting a plan together", [&]() -> Result<Plan> {
    PINTLE_ASSIGN(total, sum_of(chunks));
    if (lower_bound > total)
      return wrong(fmt::format("The lower bound ({}) exceeds the total ({}).", lower_bound, total));
    for (const PlannedValue& value : values) PINTLE_TRY(check_value(value, chunks));
    Plan plan;
    plan.by_name_.resize(values.size());
    std::iota(plan.by_name_.begin(), plan.by_name_.end(), 0u);
    const auto name = [&](std::uint32_t i) -> const std::string& { return values[i].name; };
    std::ranges::sort(plan.by_name_, {}, name);
    const auto twice = std::ranges::adjacent_find(plan.by_name_, {}, name);
    if (twice != plan.by_name_.end()) return wrong(fmt::format("{} is there twice.", named(values[*twice])));
    plan.values_ = std::move(values);
    plan.chunks_ = std::move(chunks);
    plan.total_ = total;
    plan.lower_bound_ = lower_bound;
    return plan;
  });
}

Result<std::uint32_t> Plan::find(std::string_view name) const {
  const auto of = [&](std::uint32_t i) -> std::string_view { return values_[i].name; };
  const auto place = std::ranges::lower_bound(by_name_, name, {}, of);
  if (place != by_name_.end() && of(*place) == name) return *place;
  return base::contain("finding a value", [&]() -> Result<std::uint32_t> {
    return Error(Errc::not_found,
                 fmt::format("The plan has no value {} among its {}.", base::quote(name), values_.size()));
  });
}

std::string Plan::text() const noexcept {
  return base::contain_or(std::string(), [&] {
    auto text = fmt::memory_buffer();
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{}\ntotal {}\nlower_bound {}\nchunks {}\n", magic, total_, lower_bound_, chunks_.size());
    for (const std::uint64_t chunk : chunks_) fmt::format_to(out, "chunk {}\n", chunk);
    for (const PlannedValue& value : values_) {
      fmt::format_to(out, "{} {} {} {} {} {}\n", word_of(value.assignment), value.chunk, value.offset, value.size,
                     value.alignment, escaped(value.name));
    }
    return fmt::to_string(text);
  });
}

Result<Plan> Plan::parse(std::string_view text) {
  return base::contain("reading a plan", [&]() -> Result<Plan> {
    Reader reader(text);
    PINTLE_ASSIGN(header, read_header(reader));
    std::vector<PlannedValue> values;
    while (!reader.is_at_end()) {
      PINTLE_ASSIGN(value, read_value(reader));
      if (const auto right = check_value(value, header.chunks); !right)
        return right.error().during(
            fmt::format("reading line {} of the plan", 5 + header.chunks.size() + values.size()));
      values.push_back(std::move(value));
    }
    PINTLE_ASSIGN(plan, create(std::move(values), std::move(header.chunks), header.lower_bound));
    if (plan.total() == header.total) return std::move(plan);
    return wrong(
        fmt::format("The total ({}) of the plan is not the sum of its chunks ({}).", header.total, plan.total()));
  });
}

}  // namespace pintle
