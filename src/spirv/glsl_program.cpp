#include "spirv/glsl_program.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "base/contain.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"

namespace pintle::spirv {
namespace {

constexpr auto compile_time = std::chrono::minutes(2);

/// A compiler's program, and the arguments that say what to make.
struct Dialect {
  const char* program;
  std::array<const char*, 5> words;
};

constexpr std::array dialects{
    Dialect{"glslc", {"-x", "glsl", "-fshader-stage=compute", "--target-env=vulkan1.2", "--target-spv=spv1.5"}},
    Dialect{"glslangValidator", {"-V", "-S", "comp", "--target-env", "vulkan1.2"}},
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

Result<std::vector<std::byte>> compile(const GlslSource& source) {
  PINTLE_ASSIGN(compiler, find());
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string input = folder / "kernel.comp", output = folder / "kernel.spv";
  PINTLE_TRY(base::write_file(input, base::bytes_in(source.text)));
  std::vector<std::string> words{compiler.path};
  words.insert(words.end(), compiler.dialect->words.begin(), compiler.dialect->words.end());
  for (const auto& [name, value] : source.macros) words.push_back(fmt::format("-D{}={}", name, value));
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
