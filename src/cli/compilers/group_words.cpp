#include "cli/compilers/group_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pintle::cli {
namespace {

bool begins_word(char letter) noexcept {
  return letter == '_' || std::isalpha(static_cast<unsigned char>(letter)) != 0;
}
bool continues_word(char letter) noexcept {
  return begins_word(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

/// The identifiers of a C text, with their lines.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// Empty at the end.
  std::string_view next() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) skip(rest_.find('\n'));
      else if (rest_.starts_with("/*")) skip_behind(rest_.find("*/", 2), 2);
      else if (rest_[0] == '"' || rest_[0] == '\'') skip_behind(end_of_literal(), 1);
      else if (begins_word(rest_[0])) return word();
      else if (std::isdigit(static_cast<unsigned char>(rest_[0])) != 0) word();  // with its suffix: 0x1p3f
      else skip(1);
    }
    return {};
  }

 private:
  void skip(std::size_t count) {
    const std::string_view gone = rest_.substr(0, count);
    line_ += static_cast<std::size_t>(std::ranges::count(gone, '\n'));
    rest_.remove_prefix(gone.size());
  }
  void skip_behind(std::size_t at, std::size_t length) { skip(at == std::string_view::npos ? at : at + length); }
  [[nodiscard]] std::size_t end_of_literal() const noexcept {
    std::size_t at = 1;
    while (at < rest_.size() && rest_[at] != rest_[0] && rest_[at] != '\n') at += rest_[at] == '\\' ? 2 : 1;
    return at;
  }
  std::string_view word() {
    const auto end = std::ranges::find_if_not(rest_, continues_word);
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    return found;
  }

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace

std::optional<std::string> needs_a_group(std::string_view source) {
  Words words(source);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "barrier" || word == "work_group_barrier")
      return fmt::format("uses {}() in line {}", word, words.line());
    if (word == "local" || word == "__local") return fmt::format("has local memory in line {}", words.line());
    if (word.starts_with("work_group_") || word.starts_with("sub_group_"))
      return fmt::format("uses {}() in line {}", word, words.line());
  }
  return std::nullopt;
}

}  // namespace pintle::cli
