#include "pintle/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/contain.h"
#include "base/parse.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle {
namespace {

constexpr std::array<std::pair<Access, std::string_view>, 3> accesses{{
    {Access::read, "read"},
    {Access::write, "write"},
    {Access::read_write, "read_write"},
}};

constexpr std::size_t most_parameters = 256;
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Reads one signature from left to right. `at_` is where the next token starts.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : text_(text) { skip_spaces(); }

  Result<Entry> entry();

 private:
  Result<void> parameters(Entry& entry);
  Result<Parameter> parameter(const Entry& entry);
  Result<void> buffer(Parameter& parameter);
  Result<void> options(Entry& entry);
  Result<void> group(Grid& grid);
  Result<std::string> identifier(std::string_view expected);
  Result<DType> dtype();
  Result<std::uint32_t> number(std::uint32_t least);
  Result<void> symbol(std::string_view symbol);

  bool take(std::string_view symbol) noexcept;
  [[nodiscard]] std::string_view word() const noexcept;
  void advance(std::size_t count) noexcept;
  void skip_spaces() noexcept;
  [[nodiscard]] std::string found() const;
  [[nodiscard]] Error expected(std::string_view what) const;
  [[nodiscard]] Error twice(std::string_view what, std::size_t column) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

void Reader::skip_spaces() noexcept { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

void Reader::advance(std::size_t count) noexcept {
  at_ += count;
  skip_spaces();
}

std::string_view Reader::word() const noexcept {
  const std::string_view rest = text_.substr(at_);
  return rest.substr(0, rest.find_first_not_of(letters));
}

bool Reader::take(std::string_view symbol) noexcept {
  if (!text_.substr(at_).starts_with(symbol)) return false;
  advance(symbol.size());
  return true;
}

std::string Reader::found() const {
  if (at_ == text_.size()) return "the end";
  const std::string_view next = word();
  return base::quote(next.empty() ? text_.substr(at_, 1) : next, 40);
}

Error Reader::expected(std::string_view what) const {
  return {Errc::invalid_argument, fmt::format("Column {} of the signature {} is {} where {} is expected.", at_ + 1,
                                              base::quote(text_), found(), what)};
}

Error Reader::twice(std::string_view what, std::size_t column) const {
  return {Errc::invalid_argument,
          fmt::format("Column {} of the signature {} gives {} a second time.", column + 1, base::quote(text_), what)};
}

Result<void> Reader::symbol(std::string_view symbol) {
  if (!take(symbol)) return expected(base::quote(symbol));
  return {};
}

Result<std::string> Reader::identifier(std::string_view what) {
  const std::string_view next = word();
  if (!base::is_identifier(next)) return expected(what);
  advance(next.size());
  return std::string(next);
}

Result<DType> Reader::dtype() {
  const std::string_view next = word();
  const auto dtype = parse_dtype(next);
  if (!dtype) return expected(fmt::format("a dtype ({})", dtype_names()));
  advance(next.size());
  return *dtype;
}

Result<std::uint32_t> Reader::number(std::uint32_t least) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const std::string_view next = word();
  const auto value = base::parse_number<std::uint32_t>(next, least, most);
  if (!value) return expected(fmt::format("a number ({} to {})", least, most));
  advance(next.size());
  return *value;
}

Result<void> Reader::buffer(Parameter& parameter) {
  parameter.access = *parse_access(word());
  advance(word().size());
  PINTLE_ASSIGN(dtype, this->dtype());
  parameter.dtype = dtype;
  if (!take("[")) return expected("\"[]\"");
  return symbol("]");
}

Result<Parameter> Reader::parameter(const Entry& entry) {
  const std::size_t column = at_;
  Parameter parameter;
  PINTLE_ASSIGN(name, identifier("a parameter's name"));
  if (std::ranges::find(entry.parameters, name, &Parameter::name) != entry.parameters.end()) {
    return twice(fmt::format("the parameter {}", base::quote(name)), column);
  }
  parameter.name = name;
  PINTLE_TRY(symbol(":"));
  if (parse_access(word())) {
    PINTLE_TRY(buffer(parameter));
    return parameter;
  }
  if (!parse_dtype(word())) return expected(fmt::format("read, write, read_write or a dtype ({})", dtype_names()));
  PINTLE_ASSIGN(dtype, this->dtype());
  parameter.kind = Parameter::Kind::scalar;
  parameter.dtype = dtype;
  return parameter;
}

Result<void> Reader::parameters(Entry& entry) {
  PINTLE_TRY(symbol("("));
  if (take(")")) return {};
  while (true) {
    if (entry.parameters.size() == most_parameters)
      return expected(fmt::format("\")\" ({} parameters are the limit)", most_parameters));
    PINTLE_ASSIGN(parameter, this->parameter(entry));
    entry.parameters.push_back(std::move(parameter));
    if (take(")")) return {};
    if (!take(",")) return expected("\",\" or \")\"");
  }
}

Result<void> Reader::group(Grid& grid) {
  const std::size_t column = at_;
  PINTLE_ASSIGN(x, number(1));
  grid.x = x;
  for (std::uint32_t* side : {&grid.y, &grid.z}) {
    if (!take(",")) break;
    PINTLE_ASSIGN(count, number(1));
    *side = count;
  }
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
  if (plane <= most && plane * grid.z <= most) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Column {} of the signature {} has a group ({},{},{}) of more items than the limit ({}).",
                           column + 1, base::quote(text_), grid.x, grid.y, grid.z, most));
}

Result<void> Reader::options(Entry& entry) {
  bool has_group = false;
  bool has_local = false;
  while (at_ != text_.size()) {
    const std::string_view option = word();
    const std::size_t column = at_;
    if (option != "group" && option != "local") return expected("\"group\", \"local\" or the end");
    bool& seen = option == "group" ? has_group : has_local;
    if (std::exchange(seen, true)) return twice(base::quote(option), column);
    advance(option.size());
    if (option == "group") {
      PINTLE_TRY(group(entry.group_size));
    } else {
      PINTLE_ASSIGN(bytes, number(0));
      entry.local_bytes = bytes;
    }
  }
  return {};
}

Result<Entry> Reader::entry() {
  Entry entry;
  PINTLE_ASSIGN(name, identifier("an entry point's name"));
  entry.name = std::move(name);
  PINTLE_TRY(parameters(entry));
  PINTLE_TRY(options(entry));
  return entry;
}

std::string text_of(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::scalar) return fmt::format("{}: {}", parameter.name, name(parameter.dtype));
  return fmt::format("{}: {} {}[]", parameter.name, name(parameter.access), name(parameter.dtype));
}

std::string text_of(const Grid& grid) {
  if (grid.z != 1) return fmt::format("{},{},{}", grid.x, grid.y, grid.z);
  if (grid.y != 1) return fmt::format("{},{}", grid.x, grid.y);
  return fmt::to_string(grid.x);
}

}  // namespace

std::string_view name(Access access) noexcept {
  for (const auto& [known, text] : accesses) {
    if (known == access) return text;
  }
  return "unknown";
}

std::optional<Access> parse_access(std::string_view name) noexcept {
  for (const auto& [access, known] : accesses) {
    if (known == name) return access;
  }
  return std::nullopt;
}

Result<Entry> Entry::parse(std::string_view signature) {
  return base::contain("reading a signature", [&] { return Reader(signature).entry(); });
}

std::string base::signature_of(const Entry& entry) {
  std::string text = entry.name + "(";
  for (const Parameter& parameter : entry.parameters) {
    if (&parameter != entry.parameters.data()) text += ", ";
    text += text_of(parameter);
  }
  text += ")";
  if (entry.group_size != Grid{}) text += " group " + text_of(entry.group_size);
  if (entry.local_bytes != 0) text += fmt::format(" local {}", entry.local_bytes);
  return text;
}

std::string Entry::signature() const noexcept {
  return base::contain_or(std::string(), [&] { return base::signature_of(*this); });
}

}  // namespace pintle
