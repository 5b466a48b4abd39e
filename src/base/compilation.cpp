#include "base/compilation.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "base/signal_words.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::base {
namespace {

constexpr auto longest = std::chrono::minutes(2);

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

std::string text_of_status(int status) {
  constexpr int first_signal = 128;
  return status > first_signal ? "by " + signal_text(status - first_signal) : fmt::format("with status {}", status);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// The name at the beginning of `text`.
std::string_view name_in(std::string_view text) { return text.substr(0, text.find_first_not_of(name_letters)); }

}  // namespace

Result<std::vector<std::byte>> run_compiler(const Compilation& compilation) {
  PINTLE_ASSIGN(folder, TemporaryFolder::create());
  const std::string source = folder / compilation.file, result = folder / "result.out";
  PINTLE_TRY(write_file(source, bytes_in(compilation.text)));
  std::vector<std::string> words = compilation.command;
  words.insert(words.end(), {compilation.output, result, source});
  PINTLE_ASSIGN(ended, run_process(words, Clock::now() + longest));
  if (ended.status == 0) return read_file(result);
  return Error(Errc::build_failed,
               fmt::format("Source {} does not compile ({} ends {}):\n{}", quote(compilation.file), last_part(words[0]),
                           text_of_status(ended.status), without(std::move(ended.output), folder / "")));
}

std::vector<std::string> names_behind(std::string_view text, std::string_view before) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (auto at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    std::string name(name_in(text.substr(at + before.size())));
    if (!name.empty() && seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> perhaps_constants(std::string_view words) {
  constexpr std::size_t enough = 1 << 16;  // of the compiler's words; each name is looked for in all of them
  words = words.substr(0, enough);
  std::set<std::string> names;
  for (const std::string_view quotes : {"'", "\xe2\x80\x98"}) {
    for (const std::string& name : names_behind(words, quotes)) {
      const bool is_unknown = words.find(fmt::format("undeclared identifier '{}'", name)) != std::string_view::npos ||
                              words.find(name + "' undeclared") != std::string_view::npos ||
                              words.find(name + "\xe2\x80\x99 undeclared") != std::string_view::npos;
      if (is_unknown && name.find_first_not_of(capitals) == std::string::npos) names.insert(name);
    }
  }
  std::vector<std::string> macros;
  for (const std::string& name : names) macros.push_back("-D" + name + "=1");
  return macros;
}

}  // namespace pintle::base
