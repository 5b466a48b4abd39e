#include "io/pack_includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/quote.h"

namespace pintle::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_text = 64 << 20;
constexpr std::size_t deepest = 64;

/// Follows comments and texts in quotes from line to line.
class Comments {
 public:
  [[nodiscard]] bool is_within() const noexcept { return is_within_; }

  void read(std::string_view line) {
    char quote = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string_view two = line.substr(at, 2);
      if (is_within_) {
        if (two == "*/") is_within_ = false, ++at;
      } else if (quote != 0) {
        if (line[at] == '\\') ++at;
        else if (line[at] == quote) quote = 0;
      } else if (two == "//") {
        return;
      } else if (two == "/*") {
        is_within_ = true, ++at;
      } else if (line[at] == '"' || line[at] == '\'') {
        quote = line[at];
      }
    }
  }

 private:
  bool is_within_ = false;
};

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// What follows `#word` on a line; empty where it is no such line.
std::optional<std::string_view> directive(std::string_view line, std::string_view word) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  const bool ends = line.empty() || std::string_view(" \t\"<").contains(line[0]);
  return ends ? std::optional(trimmed(line)) : std::nullopt;
}

struct Included {
  std::string name;
  bool is_quoted = false;
};

/// The file that an `#include` names; a macro in its place is the compiler's.
std::optional<Included> included_in(std::string_view line) {
  const auto rest = directive(line, "include");
  if (!rest || rest->empty()) return std::nullopt;
  const bool is_quoted = (*rest)[0] == '"';
  if (!is_quoted && (*rest)[0] != '<') return std::nullopt;
  const auto end = rest->find(is_quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  return Included{std::string(rest->substr(1, end - 1)), is_quoted};
}

/// Calls `use` with each line, its number from 1 on, and whether it begins in a comment.
template <class Use>
Result<void> each_line(std::string_view text, Use use) {
  Comments comments;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    PINTLE_TRY(use(line, number, comments.is_within()));
    comments.read(line.ends_with('\n') ? line.substr(0, line.size() - 1) : line);
    text.remove_prefix(line.size());
  }
  return {};
}

std::string_view without_end(std::string_view line) { return line.substr(0, line.find('\n')); }

class Expansion {
 public:
  explicit Expansion(const IncludePlaces& places) : places_(places) {}

  Result<void> add(std::string_view name, std::string_view text, const fs::path& folder) {
    return each_line(text, [&](std::string_view line, std::size_t number, bool is_comment) -> Result<void> {
      const auto included = is_comment ? std::nullopt : included_in(without_end(line));
      if (included) {
        PINTLE_ASSIGN(there, find(*included, folder));
        if (there) {
          PINTLE_TRY(include(*included, *there));
          text_ += fmt::format("#line {} {}\n", number + 1, base::quote(name, 200));
          return {};
        }
      }
      text_ += line;
      return check_size();
    });
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  struct Open {
    fs::path path;
    bool is_guarded;
  };

  [[nodiscard]] Result<std::optional<fs::path>> find(const Included& included, const fs::path& folder) const {
    std::vector<fs::path> folders = places_.folders;
    if (included.is_quoted) folders.insert(folders.begin(), folder);
    std::error_code none;
    for (const fs::path& one : folders) {
      const fs::path path = fs::weakly_canonical((one.empty() ? fs::path(".") : one) / included.name, none);
      if (!fs::is_regular_file(path, none)) continue;
      if (places_.root.empty()) return std::optional(path);
      const fs::path root = fs::weakly_canonical(places_.root, none);
      if (std::ranges::mismatch(root, path).in1 == root.end()) return std::optional(path);
      return Error(Errc::invalid_argument, fmt::format("Included file {} is outside of the folder {}.",
                                                       base::quote(included.name), base::quote(root.string(), 4096)));
    }
    return std::optional<fs::path>();
  }

  /// A file that is open already is not included again where it has a guard.
  Result<void> include(const Included& included, const fs::path& path) {
    const auto open = std::ranges::find(open_, path, &Open::path);
    if (open != open_.end() && open->is_guarded) return {};
    if (open != open_.end() || open_.size() == deepest)
      return Error(Errc::unsupported, fmt::format("Included file {} includes itself, or {} files deep.",
                                                  base::quote(included.name), deepest));
    PINTLE_ASSIGN(bytes, base::read_regular_file(path, longest_text));
    const std::string_view text = base::text_in(bytes);
    const bool is_once = text.find("#pragma once") != std::string_view::npos;
    const bool is_guarded = is_once || text.find("#ifndef") != std::string_view::npos;
    open_.push_back({path, is_guarded});
    if (is_once) open_once(path);
    text_ += fmt::format("#line 1 {}\n", base::quote(included.name, 200));
    PINTLE_TRY(add(included.name, text, path.parent_path()));
    if (!text_.ends_with('\n')) text_ += '\n';
    if (is_once) text_ += "#endif\n";
    open_.pop_back();
    return {};
  }

  /// `#pragma once` says nothing of a part of a text; a macro does.
  void open_once(const fs::path& path) {
    auto place = std::ranges::find(once_, path);
    if (place == once_.end()) place = once_.insert(once_.end(), path);
    const auto index = place - once_.begin();
    text_ += fmt::format("#ifndef PINTLE_INCLUDED_{0}\n#define PINTLE_INCLUDED_{0}\n", index);
  }

  [[nodiscard]] Result<void> check_size() const {
    if (text_.size() <= longest_text) return {};
    return Error(Errc::invalid_argument,
                 fmt::format("The source with its included files ({} bytes) is larger than the limit ({}).",
                             text_.size(), longest_text));
  }

  const IncludePlaces& places_;
  std::string text_;
  std::vector<Open> open_;
  std::vector<fs::path> once_;
};

}  // namespace

Result<std::string> with_includes(std::string_view name, std::string_view text, const IncludePlaces& places) {
  Expansion expansion(places);
  PINTLE_TRY(expansion.add(name, text, places.own));
  return expansion.take();
}

}  // namespace pintle::io
