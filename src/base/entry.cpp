#include "pintle/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Reads one signature from left to right. `at_` is where the next token starts.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : text_(text) { skip_spaces(); }

  Result<Entry> entry();

 private:
  Result<void> parameters(Entry& entry);
  Result<Parameter> parameter(const Entry& entry);
  Result<void> type(Parameter& parameter);
  Result<void> optional(Parameter& parameter);
  Result<void> buffer(Parameter& parameter);
  Result<void> shape(Parameter& parameter);
  Result<void> image(Parameter& parameter);
  Result<void> texel_buffer(Parameter& parameter);
  Result<void> local(Parameter& parameter);
  Result<void> bytes(Parameter& parameter);
  Result<void> record(Parameter& parameter);
  Result<Member> member(const Parameter& parameter, std::uint32_t end);
  Result<std::uint32_t> lanes();
  Result<std::uint32_t> alignment();
  Result<void> check_shapes(const Entry& entry) const;
  Result<void> options(Entry& entry);
  Result<void> option(std::string_view option, Entry& entry);
  Result<void> group(Entry& entry);
  Result<std::uint32_t> side(Entry& entry, std::size_t index);
  Result<std::string> identifier(std::string_view expected);
  Result<DType> dtype();
  Result<std::uint32_t> number(std::uint32_t least, std::uint32_t most = std::numeric_limits<std::uint32_t>::max());
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

/// The name of a vector's dtype ends where its "x" and its lanes begin: "f32x4".
std::string_view without_lanes(std::string_view word) noexcept {
  const std::size_t cross = word.find('x');
  return cross == std::string_view::npos || !parse_dtype(word.substr(0, cross)) ? word : word.substr(0, cross);
}

std::uint32_t rounded(std::uint64_t value, std::uint32_t multiple) noexcept {
  return static_cast<std::uint32_t>((value + multiple - 1) / multiple * multiple);
}

/// A vector of three lies like one of four, as in OpenCL C and in shaders.
std::uint32_t alignment_of(DType dtype, std::uint32_t lanes) noexcept {
  return static_cast<std::uint32_t>(bytes_of(dtype)) * (lanes == 3 ? 4 : lanes);
}

Result<DType> Reader::dtype() {
  const std::string_view next = without_lanes(word());
  const auto dtype = parse_dtype(next);
  if (!dtype) return expected(fmt::format("a dtype ({})", dtype_names()));
  advance(next.size());
  return *dtype;
}

/// Behind a dtype: "x4" makes a vector of it.
Result<std::uint32_t> Reader::lanes() {
  const bool is_vector = at_ != 0 && text_[at_ - 1] != ' ' && word().starts_with('x');
  if (!is_vector) return std::uint32_t{1};
  const auto count = base::parse_number<std::uint32_t>(word().substr(1), 2, 16);
  if (!count || (*count != 3 && !std::has_single_bit(*count))) return expected("x2, x3, x4, x8 or x16");
  advance(word().size());
  return *count;
}

Result<std::uint32_t> Reader::number(std::uint32_t least, std::uint32_t most) {
  const std::string_view next = word();
  const auto value = base::parse_number<std::uint32_t>(next, least, most);
  if (!value) return expected(fmt::format("a number ({} to {})", least, most));
  advance(next.size());
  return *value;
}

/// What stands behind "align"; 0 where it does not stand there.
Result<std::uint32_t> Reader::alignment() {
  if (word() != "align") return std::uint32_t{0};
  advance(word().size());
  const auto bytes = base::parse_number<std::uint32_t>(word(), 1, 4096);
  if (!bytes || !std::has_single_bit(*bytes)) return expected("a power of two (1 to 4096)");
  advance(word().size());
  return *bytes;
}

Result<void> Reader::shape(Parameter& parameter) {
  PINTLE_TRY(symbol("["));
  if (take("]")) return {};
  while (true) {
    if (parameter.shape.size() == Shape::max_rank)
      return expected(fmt::format("\"]\" ({} sides are the limit)", Shape::max_rank));
    const auto size = base::parse_number<std::uint64_t>(word(), 1, std::uint64_t{1} << 48);
    if (!size && !base::is_identifier(word())) return expected("\"]\", a size or the name of a scalar");
    parameter.shape.push_back({size ? *size : 0, size ? std::string() : std::string(word())});
    advance(word().size());
    if (take("]")) return {};
    if (!take(",")) return expected("\",\" or \"]\"");
  }
}

/// `image2d rgba8`, behind what kernels do with it; without a texel any image of so many dimensions.
Result<void> Reader::image(Parameter& parameter) {
  parameter.kind = Parameter::Kind::image;
  parameter.dimensions = word() == "image2d" ? 2 : 3;
  advance(word().size());
  parameter.texel = parse_texel(word());
  if (!parameter.texel && !word().empty() && word() != "sampled")
    return expected(fmt::format("sampled or a texel ({})", texel_names()));
  if (parameter.texel) advance(word().size());
  parameter.is_sampled = word() == "sampled";
  if (parameter.is_sampled && parameter.access != Access::read)
    return expected("\",\" or \")\" (an image that is written has no sampler)");
  if (parameter.is_sampled) advance(word().size());
  return {};
}

/// `texel_buffer r32f`, behind what kernels do with it; without a texel any.
Result<void> Reader::texel_buffer(Parameter& parameter) {
  parameter.kind = Parameter::Kind::texel_buffer;
  advance(word().size());
  parameter.texel = parse_texel(word());
  if (!parameter.texel && !word().empty()) return expected(fmt::format("a texel ({})", texel_names()));
  advance(word().size());
  return {};
}

/// What a launch may leave out is a buffer: nothing else comes to a kernel as a pointer that may be null.
Result<void> Reader::optional(Parameter& parameter) {
  parameter.is_optional = true;
  advance(word().size());
  return parse_access(word()) ? buffer(parameter)
                              : expected("read, write or read_write (only a buffer may be optional)");
}

Result<void> Reader::buffer(Parameter& parameter) {
  parameter.access = *parse_access(word());
  advance(word().size());
  if (parameter.is_optional && !parse_dtype(without_lanes(word())))
    return expected(fmt::format("a dtype ({}; only a buffer may be optional)", dtype_names()));
  if (word() == "image2d" || word() == "image3d") return image(parameter);
  if (word() == "texel_buffer") return texel_buffer(parameter);
  PINTLE_ASSIGN(dtype, this->dtype());
  parameter.dtype = dtype;
  if (word() == "x3" && text_[at_ - 1] != ' ') {  // of other vectors the numbers are the elements: there is no gap
    parameter.lanes = 3;
    advance(2);
  }
  if (!text_.substr(at_).starts_with("[")) return expected("\"[]\"");
  PINTLE_TRY(shape(parameter));
  PINTLE_ASSIGN(alignment, this->alignment());
  parameter.alignment = std::max(alignment, parameter.lanes == 1 ? std::uint32_t{1} : alignment_of(dtype, 3));
  return {};
}

Result<void> Reader::local(Parameter& parameter) {
  parameter.kind = Parameter::Kind::local;
  advance(word().size());
  PINTLE_ASSIGN(dtype, this->dtype());
  parameter.dtype = dtype;
  if (!take("[")) return expected("\"[]\"");
  return symbol("]");
}

/// Bytes of a size, of which nothing else is said: `bytes[24] align 8`.
Result<void> Reader::bytes(Parameter& parameter) {
  parameter.kind = Parameter::Kind::value;
  parameter.dtype = DType::u8;
  advance(word().size());
  PINTLE_TRY(symbol("["));
  PINTLE_ASSIGN(size, number(1, Entry::max_value_bytes));
  parameter.bytes = size;
  PINTLE_TRY(symbol("]"));
  PINTLE_ASSIGN(alignment, this->alignment());
  parameter.alignment = alignment != 0 ? alignment : size % 4 == 0 ? 4 : 1;
  return {};
}

/// A member lies at the next multiple of its alignment, as in C, or where "at" says.
Result<Member> Reader::member(const Parameter& parameter, std::uint32_t end) {
  Member member;
  const std::size_t column = at_;
  PINTLE_ASSIGN(name, identifier("a member's name"));
  if (std::ranges::find(parameter.members, name, &Member::name) != parameter.members.end())
    return twice(fmt::format("the member {}", base::quote(name)), column);
  member.name = name;
  PINTLE_TRY(symbol(":"));
  PINTLE_ASSIGN(dtype, this->dtype());
  PINTLE_ASSIGN(lanes, this->lanes());
  member.dtype = dtype;
  member.lanes = lanes;
  member.offset = rounded(end, alignment_of(dtype, lanes));
  if (word() != "at") return member;
  advance(word().size());
  PINTLE_ASSIGN(offset, number(end, Entry::max_value_bytes));
  member.offset = offset;
  return member;
}

/// A struct: `{ x: f32, a: f32x3 at 16, b: f32 }`. It ends at a multiple of its greatest alignment.
Result<void> Reader::record(Parameter& parameter) {
  const std::size_t column = at_;
  parameter.kind = Parameter::Kind::value;
  parameter.dtype = DType::u8;
  std::uint32_t end = 0;
  advance(1);
  do {
    PINTLE_ASSIGN(member, this->member(parameter, end));
    end = member.offset + static_cast<std::uint32_t>(bytes_of(member.dtype)) * member.lanes;
    const std::uint32_t own = alignment_of(member.dtype, member.lanes);
    // A member that "at" puts elsewhere asks for no more than its place has.
    const std::uint32_t place = member.offset == 0 ? own : std::uint32_t{1} << std::countr_zero(member.offset);
    parameter.alignment = std::max(parameter.alignment, std::min(own, place));
    parameter.members.push_back(std::move(member));
  } while (take(","));
  PINTLE_TRY(symbol("}"));
  parameter.bytes = rounded(end, parameter.alignment);
  if (parameter.bytes <= Entry::max_value_bytes) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Column {} of the signature {} has a struct ({} bytes) that is larger than the limit ({}).",
                           column + 1, base::quote(text_), parameter.bytes, Entry::max_value_bytes));
}

Result<void> Reader::type(Parameter& parameter) {
  if (parse_access(word())) return buffer(parameter);
  if (word() == "optional") return optional(parameter);
  if (word() == "local") return local(parameter);
  if (word() == "bytes") return bytes(parameter);
  if (word() == "sampler") {
    parameter.kind = Parameter::Kind::sampler;
    advance(word().size());
    return {};
  }
  if (text_.substr(at_).starts_with('{')) return record(parameter);
  if (!parse_dtype(without_lanes(word())))
    return expected(
        fmt::format("read, write, read_write, optional, local, bytes, sampler, \"{{\" or a dtype ({})", dtype_names()));
  PINTLE_ASSIGN(dtype, this->dtype());
  PINTLE_ASSIGN(lanes, this->lanes());
  parameter.dtype = dtype;
  parameter.kind = lanes == 1 ? Parameter::Kind::scalar : Parameter::Kind::value;
  if (lanes == 1) return {};
  parameter.lanes = lanes;
  parameter.bytes = static_cast<std::uint32_t>(bytes_of(dtype)) * lanes;
  parameter.alignment = alignment_of(dtype, lanes);
  return {};
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
  PINTLE_TRY(type(parameter));
  return parameter;
}

bool is_integer(DType dtype) noexcept { return dtype >= DType::i8 && dtype <= DType::u64; }

/// The sides of shapes are integer scalars, which may stand behind the buffer.
Result<void> Reader::check_shapes(const Entry& entry) const {
  for (const Parameter& parameter : entry.parameters) {
    for (const Side& side : parameter.shape) {
      if (side.scalar.empty()) continue;
      const auto found = std::ranges::find(entry.parameters, side.scalar, &Parameter::name);
      if (found != entry.parameters.end() && found->kind == Parameter::Kind::scalar && is_integer(found->dtype))
        continue;
      return Error(
          Errc::invalid_argument,
          fmt::format("The signature {} has the side {} of the parameter {}, which is no integer scalar of it.",
                      base::quote(text_), base::quote(side.scalar), base::quote(parameter.name)));
    }
  }
  return {};
}

Result<void> Reader::parameters(Entry& entry) {
  PINTLE_TRY(symbol("("));
  if (take(")")) return {};
  while (true) {
    if (entry.parameters.size() == Entry::max_parameters)
      return expected(fmt::format("\")\" ({} parameters are the limit)", Entry::max_parameters));
    PINTLE_ASSIGN(parameter, this->parameter(entry));
    entry.parameters.push_back(std::move(parameter));
    if (take(")")) return {};
    if (!take(",")) return expected("\",\" or \")\"");
  }
}

/// A number, or a constant with its default; behind the first side the constant may be named again.
Result<std::uint32_t> Reader::side(Entry& entry, std::size_t index) {
  if (!base::is_identifier(word())) return number(1);
  const std::array<std::uint32_t, 3> sizes{entry.group_size.x, entry.group_size.y, entry.group_size.z};
  const std::string name(word());
  const auto first = std::ranges::find(entry.group_constants, name);
  advance(name.size());
  const bool is_known = first != entry.group_constants.end();
  entry.group_constants[index] = name;
  if (is_known && !text_.substr(at_).starts_with('='))
    return sizes[static_cast<std::size_t>(first - entry.group_constants.begin())];
  if (is_known) return twice(fmt::format("the default of {}", base::quote(name)), at_);
  PINTLE_TRY(symbol("="));
  return number(1);
}

Result<void> Reader::group(Entry& entry) {
  const std::size_t column = at_;
  Grid& grid = entry.group_size;
  PINTLE_ASSIGN(x, side(entry, 0));
  grid.x = x;
  std::size_t index = 1;
  for (std::uint32_t* side : {&grid.y, &grid.z}) {
    if (!take(",")) break;
    PINTLE_ASSIGN(count, this->side(entry, index++));
    *side = count;
  }
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
  if (plane <= most && plane * grid.z <= most) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Column {} of the signature {} has a group ({},{},{}) of more items than the limit ({}).",
                           column + 1, base::quote(text_), grid.x, grid.y, grid.z, most));
}

Result<void> Reader::option(std::string_view option, Entry& entry) {
  if (option == "group") return group(entry);
  if (option == "local") {
    PINTLE_ASSIGN(bytes, number(0));
    entry.local_bytes = bytes;
    return {};
  }
  const auto size = base::parse_number<std::uint32_t>(word(), 1, 1024);
  if (!size || !std::has_single_bit(*size)) return expected("a power of two (1 to 1024)");
  entry.subgroup_size = *size;
  advance(word().size());
  return {};
}

Result<void> Reader::options(Entry& entry) {
  std::vector<std::string_view> seen;
  while (at_ != text_.size()) {
    const std::string_view option = word();
    const std::size_t column = at_;
    if (option != "group" && option != "local" && option != "subgroup")
      return expected("\"group\", \"local\", \"subgroup\" or the end");
    if (std::ranges::find(seen, option) != seen.end()) return twice(base::quote(option), column);
    seen.push_back(option);
    advance(option.size());
    PINTLE_TRY(this->option(option, entry));
  }
  return {};
}

Result<Entry> Reader::entry() {
  Entry entry;
  PINTLE_ASSIGN(name, identifier("an entry point's name"));
  entry.name = std::move(name);
  PINTLE_TRY(parameters(entry));
  PINTLE_TRY(options(entry));
  PINTLE_TRY(check_shapes(entry));
  return entry;
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

std::string Entry::signature() const noexcept {
  return base::contain_or(std::string(), [&] { return base::signature_of(*this); });
}

}  // namespace pintle
