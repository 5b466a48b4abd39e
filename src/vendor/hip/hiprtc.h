// HIP's run-time compiler as a table of functions, opened at run time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dylib.h"
#include "pintle/error.h"
#include "vendor/cuda/compiler_input.h"
#include "vendor/hip/types.h"

namespace pintle::vendor::hip {

using cuda::CompilerInput;

/// The runtime itself has the functions before 7; 5 has no library of the compiler's own in Debian.
inline constexpr std::array compiler_names{"libhiprtc.so.7",   "libhiprtc.so.6",   "libhiprtc.so",
                                           "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Compiler {
  base::Dylib library;
#define FUNCTION(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "vendor/hip/hiprtc_symbols.inc"
#undef FUNCTION

  /// `unavailable` has the loader's words on each name; `not_found` names the function that an old compiler lacks.
  [[nodiscard]] static Result<Compiler> open(std::span<const char* const> names = compiler_names);

  /// "libhiprtc.so.6 9.0". Those of 5 and 6 all say 9.0, so that it tells no two of them apart.
  [[nodiscard]] Result<std::string> identity() const;
  /// A code object. `build_failed` has only the compiler's words.
  [[nodiscard]] Result<std::vector<std::byte>> compile(const CompilerInput& input) const;

 private:
  [[nodiscard]] Error failure(CompilerStatus status, Errc code, std::string message) const {
    return Error(code, std::move(message))
        .with_vendor({library.name(), static_cast<std::int64_t>(status), hiprtcGetErrorString(status)});
  }
  [[nodiscard]] Result<void> check(CompilerStatus status, const char* call) const {
    if (status == CompilerStatus::success) return {};
    const Errc code = status == CompilerStatus::out_of_memory ? Errc::out_of_memory : Errc::internal;
    return failure(status, code, std::string("HIP's compiler refuses the call (") + call + ").");
  }
  /// What `get(program, to)` writes, whose size `ask` tells.
  template <class Ask, class Get>
  [[nodiscard]] Result<std::vector<std::byte>> bytes_of(Program program, Ask ask, Get get) const {
    std::size_t size = 0;
    PINTLE_TRY(check(ask(program, &size), "hiprtcGet...Size"));
    std::vector<std::byte> bytes(size);
    if (size != 0) PINTLE_TRY(check(get(program, reinterpret_cast<char*>(bytes.data())), "hiprtcGet..."));
    return bytes;
  }
  /// What the compiler said, up to the NUL behind it.
  [[nodiscard]] Result<std::string> log_of(Program program) const {
    PINTLE_ASSIGN(bytes, bytes_of(program, hiprtcGetProgramLogSize, hiprtcGetProgramLog));
    return std::string(reinterpret_cast<const char*>(bytes.data()),
                       static_cast<std::size_t>(std::ranges::find(bytes, std::byte{0}) - bytes.begin()));
  }
};

inline Result<Compiler> Compiler::open(std::span<const char* const> names) {
  PINTLE_ASSIGN(library, base::Dylib::open_any(names));
  Compiler table;
#define FUNCTION(name, ...) PINTLE_TRY(library.find(#name, table.name));
#include "vendor/hip/hiprtc_symbols.inc"
#undef FUNCTION
  table.library = std::move(library);
  return table;
}

inline Result<std::string> Compiler::identity() const {
  int major = 0, minor = 0;
  PINTLE_TRY(check(hiprtcVersion(&major, &minor), "hiprtcVersion"));
  return library.name() + " " + std::to_string(major) + "." + std::to_string(minor);
}

inline Result<std::vector<std::byte>> Compiler::compile(const CompilerInput& input) const {
  Program made = nullptr;
  PINTLE_TRY(check(hiprtcCreateProgram(&made, input.text.c_str(), input.file.c_str(), 0, nullptr, nullptr),
                   "hiprtcCreateProgram"));
  const auto destroy = [this](Program program) { static_cast<void>(hiprtcDestroyProgram(&program)); };
  const std::unique_ptr<ProgramObject, decltype(destroy)> program(made, destroy);
  std::vector<const char*> options;
  for (const std::string& option : input.options) options.push_back(option.c_str());
  const auto status = hiprtcCompileProgram(made, static_cast<int>(options.size()), options.data());
  if (status == CompilerStatus::success) return bytes_of(made, hiprtcGetCodeSize, hiprtcGetCode);
  PINTLE_ASSIGN(log, log_of(made));
  return failure(status, Errc::build_failed, log.empty() ? "the compiler says nothing" : std::move(log));
}

}  // namespace pintle::vendor::hip
