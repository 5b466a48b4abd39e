#include <fmt/format.h>

#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include "backends/vulkan/glsl_compiler.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "kit/code_cache.h"

namespace pintle::vulkan {
namespace {

constexpr auto compile_time = std::chrono::minutes(2);

/// A program, and how it is told what to make.
struct Dialect {
  const char* program;
  std::array<const char*, 5> words;
};

constexpr std::array dialects{
    Dialect{"glslc", {"-x", "glsl", "-fshader-stage=compute", "--target-env=vulkan1.2", "--target-spv=spv1.5"}},
    Dialect{"glslangValidator", {"-V", "-S", "comp", "--target-env", "vulkan1.2"}},
};

class GlslProgram final : public GlslCompiler {
 public:
  GlslProgram(std::string path, const Dialect& dialect) : path_(std::move(path)), dialect_(dialect) {}

  Result<std::string> identity() override {
    const std::lock_guard lock(mutex_);
    if (!identity_) {
      const std::array<std::string, 2> words{path_, "--version"};
      PINTLE_ASSIGN(asked, base::run_process(words, Clock::now() + compile_time));
      identity_ = fmt::format("{} {}", path_, asked.output);
    }
    return *identity_;
  }

  Result<std::vector<std::byte>> compile(const GlslSource& source) override {
    PINTLE_ASSIGN(input, kit::CodeCache::temporary(".comp", base::bytes_in(source.text)));
    PINTLE_ASSIGN(output, kit::CodeCache::temporary(".spv", {}));
    std::vector<std::string> words{path_};
    words.insert(words.end(), dialect_.words.begin(), dialect_.words.end());
    for (const auto& [name, value] : source.macros) words.push_back(fmt::format("-D{}={}", name, value));
    words.insert(words.end(), {"-o", output.path().string(), input.path().string()});
    PINTLE_ASSIGN(ran, base::run_process(words, Clock::now() + compile_time));
    if (ran.status == 0) return base::read_file(output.path());
    return Error(Errc::build_failed, renamed(std::move(ran.output), input.path().string(), source.file));
  }

 private:
  /// The compiler's words speak of a temporary file.
  static std::string renamed(std::string words, const std::string& from, const std::string& to) {
    for (auto at = words.find(from); at != std::string::npos; at = words.find(from, at + to.size()))
      words.replace(at, from.size(), to);
    return words;
  }

  const std::string path_;
  const Dialect& dialect_;
  std::mutex mutex_;
  std::optional<std::string> identity_;
};

}  // namespace

Result<std::unique_ptr<GlslCompiler>> find_glsl_program() {
  for (const Dialect& dialect : dialects) {
    if (auto path = base::find_program(dialect.program))
      return std::unique_ptr<GlslCompiler>(std::make_unique<GlslProgram>(*std::move(path), dialect));
  }
  return Error(Errc::unavailable, "Neither libshaderc can be opened nor is glslc or glslangValidator in PATH.");
}

}  // namespace pintle::vulkan
