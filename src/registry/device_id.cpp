#include "registry/device_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/contain.h"
#include "base/device_name.h"
#include "base/parse.h"
#include "base/quote.h"

namespace pintle::registry {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::string_view uuid_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

/// Bytes above ASCII are part of a path's UTF-8.
bool in_value(char c) noexcept {
  const auto code = static_cast<unsigned char>(c);
  return code >= 0x20 && code != 0x7f && c != '&' && c != '(' && c != ')';
}

/// Reads an id from left to right; layers wait on a stack for their closing parenthesis.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : text_(text) {}

  Result<DeviceId> id();

 private:
  Result<void> device(std::string name, std::size_t column);
  Result<void> place();
  Result<void> ordinal(std::string_view word);
  Result<void> close_layers();
  Result<std::vector<IdOption>> options();
  Result<void> option(std::vector<IdOption>& options);
  Result<std::string> name(std::string_view what);

  bool take(char symbol) noexcept;
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
  [[nodiscard]] std::string_view word(std::string_view letters) const noexcept;
  [[nodiscard]] Error expected(std::string_view what) const;
  [[nodiscard]] Error wrong(std::size_t column, std::string_view sentence) const;

  std::string_view text_;
  std::size_t at_ = 0;
  DeviceId id_;
};

std::string_view Reader::word(std::string_view letters) const noexcept {
  return rest().substr(0, rest().find_first_not_of(letters));
}

bool Reader::take(char symbol) noexcept {
  if (!rest().starts_with(symbol)) return false;
  ++at_;
  return true;
}

Error Reader::wrong(std::size_t column, std::string_view sentence) const {
  return Error(Errc::invalid_argument,
               fmt::format("Column {} of the device id {} {}.", column + 1, base::quote(text_), sentence));
}

Error Reader::expected(std::string_view what) const {
  const std::string found = at_ == text_.size() ? "the end" : base::quote(rest().substr(0, 1));
  return wrong(at_, fmt::format("is {} where {} is expected", found, what));
}

Result<std::string> Reader::name(std::string_view what) {
  const std::string_view next = word(name_letters);
  if (next.empty() || digits.find(next.front()) != digits.npos || next.front() == '_') return expected(what);
  at_ += next.size();
  return base::lower(next);
}

Result<void> Reader::option(std::vector<IdOption>& options) {
  const std::size_t column = at_;
  PINTLE_ASSIGN(key, name("an option's key"));
  IdOption option{std::move(key), {}};
  if (take('=')) {
    const auto end = std::ranges::find_if_not(rest(), in_value);
    option.value.assign(rest().begin(), end);
    if (option.value.empty()) return expected("an option's value");
    at_ += option.value.size();
  }
  const auto place = std::ranges::lower_bound(options, option.key, {}, &IdOption::key);
  if (place != options.end() && place->key == option.key) {
    return wrong(column, fmt::format("gives the option {} a second time", base::quote(option.key)));
  }
  options.insert(place, std::move(option));
  return {};
}

Result<std::vector<IdOption>> Reader::options() {
  std::vector<IdOption> options;
  if (!take('?')) return options;
  do {
    PINTLE_TRY(option(options));
  } while (take('&'));
  return options;
}

Result<void> Reader::ordinal(std::string_view word) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  id_.ordinal = base::parse_number<std::uint32_t>(word);
  if (!id_.ordinal)
    return wrong(at_, fmt::format("has an ordinal ({}) beyond the limit ({})", base::quote(word, 40), most));
  if (word.size() > 1 && word.front() == '0') {
    return wrong(at_, fmt::format("has an ordinal ({}) with a leading zero", base::quote(word, 40)));
  }
  return {};
}

/// Reads what is behind the colon.
Result<void> Reader::place() {
  const std::string_view next = word(uuid_letters);
  if (next.empty() || next.front() == '-') return expected("a name, an ordinal or the beginning of a uuid");
  if (next.find_first_not_of(digits) == next.npos) PINTLE_TRY(ordinal(next));
  else id_.word = base::lower(next);
  at_ += next.size();
  return {};
}

Result<void> Reader::device(std::string name, std::size_t column) {
  id_.backend = std::move(name);
  if (take(':')) PINTLE_TRY(place());
  PINTLE_ASSIGN(options, this->options());
  id_.options = std::move(options);
  if (!id_.is_best() || (!id_.ordinal && id_.word.empty() && id_.options.empty())) return {};
  return wrong(column, "is \"best\", which takes neither name, ordinal, uuid nor options");
}

Result<void> Reader::close_layers() {
  for (std::size_t i = id_.layers.size(); i-- > 0;) {
    if (!take(')')) return expected("\")\"");
    PINTLE_ASSIGN(options, this->options());
    id_.layers[i].options = std::move(options);
  }
  return {};
}

Result<DeviceId> Reader::id() {
  while (true) {
    const std::size_t column = at_;
    PINTLE_ASSIGN(name, this->name("the name of a backend or layer"));
    if (!take('(')) {
      PINTLE_TRY(device(std::move(name), column));
      break;
    }
    if (id_.layers.size() == DeviceId::max_layers) {
      return wrong(column, fmt::format("opens more layers than the limit ({})", DeviceId::max_layers));
    }
    id_.layers.push_back({std::move(name), {}});
  }
  PINTLE_TRY(close_layers());
  if (at_ != text_.size()) return expected("the end");
  return std::move(id_);
}

void append(std::string& text, const std::vector<IdOption>& options) {
  char separator = '?';
  for (const auto& [key, value] : options) {
    text += std::exchange(separator, '&');
    text += key;
    if (!value.empty()) text += "=" + value;
  }
}

}  // namespace

Result<DeviceId> DeviceId::parse(std::string_view text) {
  return base::contain("reading a device id", [&]() -> Result<DeviceId> {
    if (text.size() <= max_length) return Reader(text).id();
    return Error(Errc::invalid_argument, fmt::format("Length ({}) of the device id {} is larger than the limit ({}).",
                                                     text.size(), base::quote(text, 40), max_length));
  });
}

std::string DeviceId::text() const {
  std::string text;
  for (const IdLayer& layer : layers) text += layer.name + "(";
  text += backend;
  if (ordinal) text += fmt::format(":{}", *ordinal);
  if (!word.empty()) text += ":" + word;
  append(text, options);
  for (std::size_t i = layers.size(); i-- > 0;) {
    text += ")";
    append(text, layers[i].options);
  }
  return text;
}

}  // namespace pintle::registry
