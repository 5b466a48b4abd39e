// CUDA's run-time compiler as a table of functions, opened at run time.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dylib.h"
#include "pintle/error.h"
#include "vendor/cuda/compiler_input.h"
#include "vendor/cuda/types.h"

namespace pintle::vendor::cuda {

/// The last is where the toolkit puts it, which is rarely among the loader's folders.
inline constexpr std::array compiler_names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                           "/usr/local/cuda/lib64/libnvrtc.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Compiler {
  base::Dylib library;
#define FUNCTION(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "vendor/cuda/nvrtc_symbols.inc"
#undef FUNCTION

  /// `unavailable` has the loader's words on each name; `not_found` names the function that an old compiler lacks.
  [[nodiscard]] static Result<Compiler> open(std::span<const char* const> names = compiler_names);

  /// The capabilities that it makes code for: 90 for 9.0.
  [[nodiscard]] Result<std::vector<int>> architectures() const;
  /// "libnvrtc.so.13 13.0".
  [[nodiscard]] Result<std::string> identity() const;
  /// PTX. `build_failed` has only the compiler's words.
  [[nodiscard]] Result<std::string> compile(const CompilerInput& input) const;

 private:
  [[nodiscard]] Error failure(CompilerStatus status, Errc code, std::string message) const {
    return Error(code, std::move(message))
        .with_vendor({library.name(), static_cast<std::int64_t>(status), nvrtcGetErrorString(status)});
  }
  [[nodiscard]] Result<void> check(CompilerStatus status, const char* call) const {
    if (status == CompilerStatus::success) return {};
    const Errc code = status == CompilerStatus::out_of_memory ? Errc::out_of_memory : Errc::internal;
    return failure(status, code, std::string("CUDA's compiler refuses the call (") + call + ").");
  }
  /// What `get(program, to)` writes, whose size with the NUL behind it `ask` tells.
  template <class Ask, class Get>
  [[nodiscard]] Result<std::string> text_of(Program program, Ask ask, Get get) const {
    std::size_t size = 0;
    PINTLE_TRY(check(ask(program, &size), "nvrtcGet...Size"));
    std::string text(std::max<std::size_t>(size, 1), '\0');
    PINTLE_TRY(check(get(program, text.data()), "nvrtcGet..."));
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
};

inline Result<Compiler> Compiler::open(std::span<const char* const> names) {
  PINTLE_ASSIGN(library, base::Dylib::open_any(names));
  Compiler table;
#define FUNCTION(name, ...) PINTLE_TRY(library.find(#name, table.name));
#include "vendor/cuda/nvrtc_symbols.inc"
#undef FUNCTION
  table.library = std::move(library);
  return table;
}

inline Result<std::vector<int>> Compiler::architectures() const {
  int count = 0;
  PINTLE_TRY(check(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs"));
  std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
  if (!known.empty()) PINTLE_TRY(check(nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs"));
  return known;
}

inline Result<std::string> Compiler::identity() const {
  int major = 0, minor = 0;
  PINTLE_TRY(check(nvrtcVersion(&major, &minor), "nvrtcVersion"));
  return library.name() + " " + std::to_string(major) + "." + std::to_string(minor);
}

inline Result<std::string> Compiler::compile(const CompilerInput& input) const {
  Program made = nullptr;
  PINTLE_TRY(check(nvrtcCreateProgram(&made, input.text.c_str(), input.file.c_str(), 0, nullptr, nullptr),
                   "nvrtcCreateProgram"));
  const auto destroy = [this](Program program) { static_cast<void>(nvrtcDestroyProgram(&program)); };
  const std::unique_ptr<ProgramObject, decltype(destroy)> program(made, destroy);
  std::vector<const char*> options;
  for (const std::string& option : input.options) options.push_back(option.c_str());
  const auto status = nvrtcCompileProgram(made, static_cast<int>(options.size()), options.data());
  if (status == CompilerStatus::success) return text_of(made, nvrtcGetPTXSize, nvrtcGetPTX);
  PINTLE_ASSIGN(log, text_of(made, nvrtcGetProgramLogSize, nvrtcGetProgramLog));
  return failure(status, Errc::build_failed, log.empty() ? "the compiler says nothing" : std::move(log));
}

}  // namespace pintle::vendor::cuda
