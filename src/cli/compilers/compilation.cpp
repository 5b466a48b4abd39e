#include "cli/compilers/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "base/signal_words.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::cli {
namespace {

constexpr auto longest = std::chrono::minutes(2);

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

/// Slang says "error[E36107]:". A linker names what is missing in a line of its own, and only a later line says that
/// this is an error.
bool is_error(std::string_view line) {
  constexpr std::array<std::string_view, 3> marks{"error:", "error[", "undefined reference"};
  return std::ranges::any_of(marks, [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
}

std::string text_of_status(int status) {
  constexpr int first_signal = 128;
  return status > first_signal ? "by " + base::signal_text(status - first_signal)
                               : fmt::format("with status {}", status);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<Code> run(const Compilation& compilation) {
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string source = folder / compilation.file, result = folder / "result.out";
  PINTLE_TRY(base::write_file(source, base::bytes_in(compilation.text)));
  std::vector<std::string> words = compilation.command;
  words.insert(words.end(), {compilation.output, result, source});
  PINTLE_ASSIGN(ended, base::run_process(words, Clock::now() + longest));
  if (ended.status == 0) return base::read_file(result);
  return Error(
      Errc::build_failed,
      fmt::format("Source {} does not compile ({} ends {}):\n{}", base::quote(compilation.file), last_part(words[0]),
                  text_of_status(ended.status), without(std::move(ended.output), folder / "")));
}

std::string behind_prelude(std::string_view prelude, std::string_view file, std::string_view text) {
  return fmt::format("{}\n#line 1 {}\n{}\n", prelude, base::quote(file, 200), text);
}

std::string opencl_standard(const io::PackSource& source) {
  return "-cl-std=" + (source.version.empty() ? "CL2.0" : source.version);
}

std::string first_error(std::string_view words) {
  std::string_view first;
  while (!words.empty()) {
    const auto end = std::min(words.find('\n'), words.size());
    const std::string_view line = words.substr(0, end);
    if (is_error(line)) return std::string(line);
    if (first.empty()) first = line;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return std::string(first);
}

}  // namespace pintle::cli
