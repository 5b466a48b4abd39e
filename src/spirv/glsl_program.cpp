#include "spirv/glsl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::spirv {
namespace {

constexpr auto compile_time = std::chrono::minutes(2);

/// A compiler's program, and how it takes what is made.
struct Dialect {
  const char* program;
  std::array<const char*, 3> words;
  const char* environment;  ///< Before "vulkan1.2".
  const char* version;      ///< Before "460".
  bool is_joined;           ///< An option and its value are one word.
};

constexpr std::array dialects{
    Dialect{"glslc", {"-x", "glsl", "-fshader-stage=compute"}, "--target-env=", "-std=", true},
    Dialect{"glslangValidator", {"-V", "-S", "comp"}, "--target-env", "--glsl-version", false},
};

struct Found {
  std::string path;
  const Dialect* dialect = nullptr;
};

Result<Found> find() {
  for (const Dialect& dialect : dialects) {
    if (auto path = base::find_program(dialect.program)) return Found{*std::move(path), &dialect};
  }
  return Error(Errc::unavailable, "Neither glslc nor glslangValidator is in PATH.");
}

/// Puts the source's name for the name of a temporary file in the compiler's words.
std::string renamed(std::string words, const std::string& from, const std::string& to) {
  for (auto at = words.find(from); at != std::string::npos; at = words.find(from, at + to.size()))
    words.replace(at, from.size(), to);
  return words;
}

void add(std::vector<std::string>& words, const Dialect& dialect, const char* option, const std::string& value) {
  if (dialect.is_joined) {
    words.push_back(option + value);
  } else {
    words.emplace_back(option);
    words.push_back(value);
  }
}

std::vector<std::string> words_for(const Found& compiler, const GlslSource& source) {
  const Dialect& dialect = *compiler.dialect;
  std::vector<std::string> words{compiler.path};
  words.insert(words.end(), dialect.words.begin(), dialect.words.end());
  const bool is_environment = source.language.starts_with("vulkan");
  add(words, dialect, dialect.environment, is_environment ? source.language : "vulkan1.2");
  if (!source.language.empty() && !is_environment) add(words, dialect, dialect.version, source.language);
  for (const std::string& folder : source.include_folders) words.push_back("-I" + folder);
  for (const auto& [name, value] : source.macros) words.push_back(fmt::format("-D{}={}", name, value));
  return words;
}

/// A language is one word of letters, digits and points, so that no compiler takes it for another option.
Result<void> check_language(const std::string& language) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '.';
  };
  if (std::ranges::all_of(language, fits)) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Language {} of a GLSL source is no version (\"460\") and no target (\"vulkan1.2\").",
                           base::quote(language)));
}

Result<std::vector<std::byte>> compile(const GlslSource& source) {
  PINTLE_TRY(check_language(source.language));
  PINTLE_ASSIGN(compiler, find());
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string input = folder / "kernel.comp", output = folder / "kernel.spv";
  PINTLE_TRY(base::write_file(input, base::bytes_in(source.text)));
  std::vector<std::string> words = words_for(compiler, source);
  words.insert(words.end(), {"-o", output, input});
  PINTLE_ASSIGN(ran, base::run_process(words, Clock::now() + compile_time));
  if (ran.status == 0) return base::read_file(output);
  return Error(Errc::build_failed, renamed(std::move(ran.output), input, source.file));
}

}  // namespace

Result<std::string> find_glsl_program() {
  return base::contain("looking for a GLSL compiler", []() -> Result<std::string> {
    PINTLE_ASSIGN(compiler, find());
    const auto size = std::filesystem::file_size(compiler.path);
    const auto changed = std::filesystem::last_write_time(compiler.path).time_since_epoch().count();
    return fmt::format("{} {} {}", compiler.path, size, changed);
  });
}

Result<std::vector<std::byte>> compile_glsl(const GlslSource& source) {
  return base::contain("compiling", [&] { return compile(source); });
}

}  // namespace pintle::spirv
