#include "base/c_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/log.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::base {
namespace {

namespace files = std::filesystem;

constexpr auto version_time = std::chrono::seconds(10);
constexpr auto compile_time = std::chrono::minutes(2);

using Names = std::vector<std::string>;

std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", quote(name));
  return text;
}

Result<CCompiler> ask_compiler(const std::string& path) {
  const std::array question{path, std::string("--version")};
  PINTLE_ASSIGN(answer, run_process(question, Clock::now() + version_time));
  if (answer.status == 0) return CCompiler{path, answer.output, {path}};
  return Error(Errc::unavailable, fmt::format("C compiler {} does not say its version (status {}): {}",
                                              quote(path, 4096), answer.status, answer.output));
}

/// Each compiler is asked once, and again when its file has changed.
Result<CCompiler> compiler_at(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<std::string, files::file_time_type>, CCompiler>;
  std::error_code none;
  const std::pair key(path, files::last_write_time(path, none));
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  PINTLE_ASSIGN(asked, ask_compiler(path));
  return known.emplace(key, asked).first->second;
}

Result<CCompiler> first_of(const Names& names) {
  for (const std::string& name : names) {
    if (const auto path = find_program(name)) return compiler_at(*path);
  }
  return Error(
      Errc::unavailable,
      fmt::format("No C compiler is found (tried {}). Install gcc or clang, or name one in PINTLE_CC.", listed(names)));
}

bool is_family(const CCompiler& compiler, std::string_view family) {
  const auto says = [&](std::string_view word) { return compiler.version.find(word) != std::string::npos; };
  return says("clang") ? family == "clang" : family == "gcc" && says("Free Software Foundation");
}

Result<CCompiler> first_of(const Names& names, const std::string& family) {
  for (const std::string& name : names) {
    const auto path = find_program(name);
    if (!path) continue;
    auto compiler = compiler_at(*path);
    if (compiler && is_family(*compiler, family)) return compiler;
  }
  return Error(Errc::unavailable,
               fmt::format("The source needs the C compiler {0}, which none of these is: {1}. Install "
                           "{0}, or name one in PINTLE_CC.",
                           family, listed(names)));
}

/// The name in "// pintle: compiler clang"; empty where the first lines have none.
std::string_view wanted_compiler(std::string_view source) {
  constexpr int first_lines = 10;
  constexpr std::string_view mark = "// pintle: compiler ";
  for (int line = 0; line < first_lines && !source.empty(); ++line) {
    std::string_view text = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(text.size() + 1, source.size()));
    if (!text.starts_with(mark)) continue;
    text.remove_prefix(mark.size());
    return text.substr(0, text.find_last_not_of(" \r") + 1);
  }
  return {};
}

Result<CCompiler> find(std::string_view source) {
  PINTLE_ASSIGN(settings, base::settings());
  const std::string wanted(wanted_compiler(source));
  if (!wanted.empty() && wanted != "gcc" && wanted != "clang") {
    return Error(Errc::build_failed,
                 fmt::format("The source needs the C compiler {}, which is none of gcc and clang.", quote(wanted)));
  }
  Names names;
  if (!settings->cc.empty()) names.push_back(settings->cc);
  if (!wanted.empty()) names.insert(names.end(), {wanted, "cc"});
  else if (names.empty()) names = {"cc", "gcc", "clang"};
  PINTLE_ASSIGN(compiler, wanted.empty() ? first_of(names) : first_of(names, wanted));
  if (settings->warnings_are_errors) compiler.command.emplace_back("-Werror");
  return compiler;
}

/// One run of the compiler, in a folder of its own.
struct Compiling {
  ProcessOutput said;
  TemporaryFolder folder;
};

Result<Compiling> run(std::string_view name, std::vector<std::string> words, const std::vector<std::string>& last,
                      std::string_view text) {
  PINTLE_ASSIGN(folder, TemporaryFolder::create());
  const std::string source = folder / "source.c";
  PINTLE_TRY(write_file(source, bytes_in(text)));
  words.insert(words.end(), {"-x", "c", "-o", folder / "result", source});
  words.insert(words.end(), last.begin(), last.end());
  auto said = run_process(words, Clock::now() + compile_time);
  if (said) return Compiling{*std::move(said), std::move(folder)};
  const Errc code = said.error().code() == Errc::timeout ? Errc::build_failed : said.error().code();
  return Error(code, fmt::format("[Program {}] cannot be compiled: {}", quote(name), said.error().message()));
}

Error does_not_compile(std::string_view name, std::string_view compiler, const ProcessOutput& said) {
  return {Errc::build_failed, fmt::format("[Program {}] does not compile ({} ends with status {}):\n{}", quote(name),
                                          compiler, said.status, said.output)};
}

void tell_warnings(std::string_view name, std::string_view words) {
  constexpr std::size_t most = 8192;
  if (words.empty()) return;
  log(LogLevel::warn, "c", "[Program {}] compiles with warnings:\n{}", quote(name), words.substr(0, most));
}

Result<std::vector<std::byte>> compile(std::string_view name, std::span<const std::string> command,
                                       std::string_view text) {
  PINTLE_ASSIGN(done, run(name, {command.begin(), command.end()}, {"-lm"}, text));
  if (done.said.status != 0) return does_not_compile(name, command[0], done.said);
  tell_warnings(name, done.said.output);
  return read_file(done.folder / "result");
}

/// The command without what only a whole compilation takes: clang warns of it.
std::vector<std::string> in_part(std::span<const std::string> command, std::initializer_list<std::string> options) {
  std::vector<std::string> words;
  for (const std::string& word : command)
    if (word != "-shared" && word != "-Werror") words.push_back(word);
  words.insert(words.end(), options);
  return words;
}

Result<std::string> preprocess(std::string_view name, std::span<const std::string> command, std::string_view text) {
  PINTLE_ASSIGN(done, run(name, in_part(command, {"-E", "-P"}), {}, text));
  if (done.said.status != 0) return does_not_compile(name, command[0], done.said);
  PINTLE_ASSIGN(bytes, read_file(done.folder / "result"));
  return std::string(text_in(bytes));
}

}  // namespace

Result<CCompiler> find_c_compiler(std::string_view source) {
  return contain("finding the C compiler", [&] { return find(source); });
}

Result<std::vector<std::byte>> compile_c(std::string_view name, std::span<const std::string> command,
                                         std::string_view source) {
  return contain("compiling", [&] { return compile(name, command, source); });
}

Result<std::string> check_c(std::string_view name, std::span<const std::string> command, std::string_view source) {
  return contain("compiling", [&]() -> Result<std::string> {
    PINTLE_ASSIGN(done, run(name, in_part(command, {"-fsyntax-only"}), {}, source));
    return std::move(done.said.output);
  });
}

Result<std::string> preprocess_c(std::string_view name, std::span<const std::string> command, std::string_view source) {
  return contain("compiling", [&] { return preprocess(name, command, source); });
}

}  // namespace pintle::base
