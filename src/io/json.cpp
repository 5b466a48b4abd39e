#include "io/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <spanstream>

#include "base/quote.h"

namespace pintle::io {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 16;

/// The part that a key adds to a path.
std::string step(std::string_view key) {
  return base::is_identifier(key) ? fmt::format(".{}", key) : fmt::format("[{}]", base::quote(key));
}

/// One level of a parse: an array and an index, or an object and a key.
struct Level {
  bool array = false;
  std::size_t count = 0;
  std::string key;
  std::set<std::string> keys;
};

/// Refuses input that the library itself accepts: a key twice, and unlimited nesting. False ends the parse.
class Watcher : public nlohmann::json_sax<json> {
 public:
  std::optional<Error> error;

  bool null() override { return value(); }
  bool boolean(bool /*value*/) override { return value(); }
  bool number_integer(number_integer_t /*value*/) override { return value(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return value(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return value(); }
  bool string(string_t& /*value*/) override { return value(); }
  bool binary(binary_t& /*value*/) override { return value(); }
  bool start_object(std::size_t /*count*/) override { return descend({}); }
  bool start_array(std::size_t /*count*/) override {
    return descend({.array = true, .count = 0, .key = {}, .keys = {}});
  }
  bool end_object() override { return ascend(); }
  bool end_array() override { return ascend(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.keys.insert(name).second) return true;
    levels_.pop_back();
    return refuse(fmt::format("Key {} at the JSON path {} is there twice.", base::quote(name), path()));
  }

  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& exception) override {
    return refuse(fmt::format("Offset {} of the JSON text is no valid JSON: {}.", position == 0 ? 0 : position - 1,
                              base::quote(words_of(exception), 200)));
  }

 private:
  /// The library's words without its own prefix.
  static std::string_view words_of(const json::exception& exception) {
    const std::string_view words = exception.what();
    const std::size_t syntax = words.find("syntax error");
    if (syntax != std::string_view::npos) return words.substr(syntax);
    const std::size_t prefix = words.find("] ");
    return prefix == std::string_view::npos ? words : words.substr(prefix + 2);
  }

  [[nodiscard]] std::string path() const {
    std::string path = "$";
    for (const Level& level : levels_) path += level.array ? fmt::format("[{}]", level.count - 1) : step(level.key);
    return path;
  }

  bool refuse(std::string message) {
    error.emplace(Errc::invalid_argument, std::move(message));
    return false;
  }
  bool value() {
    if (!levels_.empty()) ++levels_.back().count;
    return true;
  }
  bool descend(Level level) {
    value();
    if (levels_.size() == deepest) {
      return refuse(fmt::format("JSON path {} is nested deeper than the limit ({}).", path(), deepest));
    }
    levels_.push_back(std::move(level));
    return true;
  }
  bool ascend() {
    levels_.pop_back();
    return true;
  }

  std::vector<Level> levels_;
};

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return base::quote(value.get_ref<const std::string&>());
  return value.dump();
}

}  // namespace

// Works from the leaves up, so that every destroyed value is empty.
void JsonDocument::empty(json& value) noexcept {
  if (!value.is_structured()) return;
  for (json& part : value) {
    empty(part);
    part = nullptr;
  }
  value.clear();
}

Result<JsonDocument> parse_json(std::string_view text) {
  // The library ends at a zero byte, whatever follows it.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return Error(Errc::invalid_argument, fmt::format("Offset {} of the JSON text is a zero byte.", zero));
  Watcher watcher;
  if (!json::sax_parse(text, &watcher)) {
    return watcher.error.value_or(Error(Errc::invalid_argument, "JSON text is not valid."));
  }
  JsonDocument document;
  std::ispanstream(text) >> document.value();  // parsed in place: what a failure leaves of it is emptied
  return document;
}

std::optional<std::string> json_string(const std::string& text) {
  try {
    return json(text).dump();
  } catch (const json::type_error&) {
    return std::nullopt;
  }
}

bool JsonView::has(std::string_view key) const { return value_->is_object() && value_->contains(key); }

Result<void> JsonView::has_only(std::initializer_list<std::string_view> keys) const {
  if (!value_->is_object()) return expected("an object");
  for (const auto& item : value_->items()) {
    if (std::ranges::find(keys, item.key()) != keys.end()) continue;
    return Error(Errc::invalid_argument, fmt::format("Key {} at the JSON path {} is unknown; the known ones are {}.",
                                                     base::quote(item.key()), path_, fmt::join(keys, ", ")));
  }
  return {};
}

Result<JsonView> JsonView::member(std::string_view key) const {
  if (!value_->is_object()) return expected("an object");
  const auto found = value_->find(key);
  if (found != value_->end()) return JsonView(*found, fmt::format("{}.{}", path_, key));
  return Error(Errc::invalid_argument, fmt::format("Key {} is missing at the JSON path {}.", base::quote(key), path_));
}

Result<std::vector<JsonView>> JsonView::items() const {
  if (!value_->is_array()) return expected("an array");
  std::vector<JsonView> views;
  for (const json& item : *value_) views.push_back(JsonView(item, fmt::format("{}[{}]", path_, views.size())));
  return views;
}

Result<std::vector<std::pair<std::string, JsonView>>> JsonView::members() const {
  if (!value_->is_object()) return expected("an object");
  std::vector<std::pair<std::string, JsonView>> views;
  for (const auto& item : value_->items())
    views.emplace_back(item.key(), JsonView(item.value(), path_ + step(item.key())));
  return views;
}

Result<std::string> JsonView::text() const {
  if (!value_->is_string()) return expected("a string");
  return value_->get<std::string>();
}

Result<std::uint64_t> JsonView::number() const {
  if (!value_->is_number_unsigned()) return expected("a number (0 to 18446744073709551615)");
  return value_->get<std::uint64_t>();
}

Error JsonView::expected(std::string_view what) const {
  return {Errc::invalid_argument,
          fmt::format("JSON path {} holds {} where {} is expected.", path_, shown(*value_), what)};
}

}  // namespace pintle::io
