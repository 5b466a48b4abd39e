// Strict JSON: errors name the offset of bad syntax, a key twice, an unknown key, or the path of a value that does not
// fit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::io {

/// A value of at most 16 levels. Its destruction needs no memory; that of nlohmann's own type does.
class JsonDocument {
 public:
  JsonDocument() noexcept = default;
  JsonDocument(JsonDocument&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  JsonDocument& operator=(JsonDocument&&) = delete;
  ~JsonDocument() { empty(value_); }

  [[nodiscard]] nlohmann::json& value() noexcept { return value_; }
  [[nodiscard]] const nlohmann::json& value() const noexcept { return value_; }

 private:
  static void empty(nlohmann::json& value) noexcept;

  nlohmann::json value_;
};

/// `invalid_argument` names the offset. A key twice and nesting deeper than 16 levels are refused.
[[nodiscard]] Result<JsonDocument> parse_json(std::string_view text);

/// The text as a JSON string with its quotes; empty when the text is not UTF-8.
[[nodiscard]] std::optional<std::string> json_string(const std::string& text);

/// A value inside a document, with its path: "$.variants[1].file". The document must outlive the view.
class JsonView {
 public:
  explicit JsonView(const JsonDocument& document) : JsonView(document.value(), "$") {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool has(std::string_view key) const;
  /// Refuses a value that is no object, and keys that are not in the list.
  [[nodiscard]] Result<void> has_only(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] Result<JsonView> member(std::string_view key) const;
  [[nodiscard]] Result<std::vector<JsonView>> items() const;
  /// An object's keys and values, by ascending key.
  [[nodiscard]] Result<std::vector<std::pair<std::string, JsonView>>> members() const;
  [[nodiscard]] Result<std::string> text() const;
  [[nodiscard]] Result<std::uint64_t> number() const;
  /// `invalid_argument`: names the value here and what is expected instead.
  [[nodiscard]] Error expected(std::string_view what) const;

 private:
  JsonView(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace pintle::io
