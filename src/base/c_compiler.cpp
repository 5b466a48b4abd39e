#include "base/c_compiler.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::base {
namespace {

namespace files = std::filesystem;

constexpr auto version_time = std::chrono::seconds(10);
constexpr auto compile_time = std::chrono::minutes(2);

Result<std::string> find_compiler(std::span<const std::string> names) {
  std::string tried;
  for (const std::string& name : names) {
    if (auto path = find_program(name)) return *std::move(path);
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", quote(name));
  }
  return Error(
      Errc::unavailable,
      fmt::format("No C compiler is found (tried {}). Install gcc or clang, or name one in PINTLE_CC.", tried));
}

Result<CCompiler> ask_compiler(const std::string& path) {
  const std::array question{path, std::string("--version")};
  PINTLE_ASSIGN(answer, run_process(question, Clock::now() + version_time));
  if (answer.status == 0) return CCompiler{path, answer.output};
  return Error(Errc::unavailable, fmt::format("C compiler {} does not say its version (status {}): {}",
                                              quote(path, 4096), answer.status, answer.output));
}

/// Each compiler is asked once, and again when its file has changed.
Result<CCompiler> find() {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<std::string, files::file_time_type>, CCompiler>;
  PINTLE_ASSIGN(settings, base::settings());
  const std::vector<std::string> names =
      settings->cc.empty() ? std::vector<std::string>{"cc", "gcc", "clang"} : std::vector<std::string>{settings->cc};
  PINTLE_ASSIGN(path, find_compiler(names));
  std::error_code none;
  const std::pair key(path, files::last_write_time(path, none));
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  PINTLE_ASSIGN(asked, ask_compiler(path));
  return known.emplace(key, asked).first->second;
}

Result<std::vector<std::byte>> compile(std::string_view name, std::span<const std::string> command,
                                       std::string_view text) {
  PINTLE_ASSIGN(folder, TemporaryFolder::create());
  const std::string source = folder / "source.c", object = folder / "object.so";
  PINTLE_TRY(write_file(source, bytes_in(text)));
  std::vector<std::string> words(command.begin(), command.end());
  words.insert(words.end(), {"-x", "c", "-o", object, source, "-lm"});
  const auto compiled = run_process(words, Clock::now() + compile_time);
  if (!compiled) {
    const Errc code = compiled.error().code() == Errc::timeout ? Errc::build_failed : compiled.error().code();
    return Error(code, fmt::format("[Program {}] cannot be compiled: {}", quote(name), compiled.error().message()));
  }
  if (compiled->status == 0) return read_file(object);
  return Error(Errc::build_failed, fmt::format("[Program {}] does not compile ({} ends with status {}):\n{}",
                                               quote(name), words[0], compiled->status, compiled->output));
}

}  // namespace

Result<CCompiler> find_c_compiler() {
  return contain("finding the C compiler", [] { return find(); });
}

Result<std::vector<std::byte>> compile_c(std::string_view name, std::span<const std::string> command,
                                         std::string_view source) {
  return contain("compiling", [&] { return compile(name, command, source); });
}

}  // namespace pintle::base
