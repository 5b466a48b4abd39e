// The functions of NVRTC, over clang for the host.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/build.h"
#include "exports.h"
#include "image.h"
#include "vendor/cuda/types.h"

using pintle::vendor::cuda::CompilerStatus;
using pintle::vendor::cuda::Program;

namespace pintle::vendor::cuda {

struct ProgramObject {
  std::string source;
  std::string name;
  std::string log;
  std::string ptx;
};

}  // namespace pintle::vendor::cuda

namespace pintle::simulator {
namespace {

// What NVRTC 13.0 lists; sm_70 and older are gone (line 605).
constexpr std::array supported{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr int ptx_version = 90;  // line 595

/// What a caller's options mean.
struct Options {
  int arch = 75;
  BuildOptions build;
};

bool read_arch(std::string_view value, Options& options) {
  for (const int arch : supported) {
    if (value != "compute_" + std::to_string(arch) && value != "sm_" + std::to_string(arch)) continue;
    options.arch = arch;
    return true;
  }
  return false;
}

/// The log of a refused option; empty where it is taken.
std::string read_option(std::string_view text, Options& options) {
  const auto value_of = [&](std::string_view name) -> std::optional<std::string_view> {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return std::nullopt;
    return text.substr(name.size() + 1);
  };
  if (const auto arch = value_of("--gpu-architecture")) {
    return read_arch(*arch, options) ? "" : "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
  }
  if (const auto standard = value_of("--std")) {
    options.build.standard = *standard;
    const bool is_known = *standard == "c++11" || *standard == "c++14" || *standard == "c++17" || *standard == "c++20";
    return is_known ? "" : "nvrtc: error: invalid value for --std (-std)\n";
  }
  if (const auto contracts = value_of("--fmad")) options.build.contracts = *contracts == "true";
  else if (const auto folder = value_of("--include-path"))
    options.build.for_clang.push_back("-I" + std::string(*folder));
  else if (const auto macro = value_of("--define-macro")) options.build.for_clang.push_back("-D" + std::string(*macro));
  else return "nvrtc: error: unrecognized option " + std::string(text) + " found\n";
  return "";
}

/// A source on its way: preprocessed, made C++ of the host, compiled.
CompilerStatus compile(vendor::cuda::ProgramObject& program, const Options& options) {
  Built built = build(program.source, program.name, options.build);
  program.log = std::move(built.log);
  if (!built.is_right) return CompilerStatus::compilation;
  Image image;
  image.version = ptx_version;
  image.target = "sm_" + std::to_string(options.arch);
  image.entries = std::move(built.entries);
  image.object = std::move(built.object);
  program.ptx = print_image(image);
  return CompilerStatus::success;
}

CompilerStatus give(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return CompilerStatus::success;
}

}  // namespace
}  // namespace pintle::simulator

namespace simulator = pintle::simulator;

PINTLE_SIMULATED CompilerStatus nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(simulator::supported.size());
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcGetSupportedArchs(int* archs) {
  std::ranges::copy(simulator::supported, archs);
  return CompilerStatus::success;
}

PINTLE_SIMULATED const char* nvrtcGetErrorString(CompilerStatus status) {
  switch (status) {
    case CompilerStatus::success: return "NVRTC_SUCCESS";
    case CompilerStatus::compilation: return "NVRTC_ERROR_COMPILATION";
    case CompilerStatus::invalid_option: return "NVRTC_ERROR_INVALID_OPTION";
    default: return "NVRTC_ERROR_INVALID_INPUT";
  }
}

PINTLE_SIMULATED CompilerStatus nvrtcCreateProgram(Program* program, const char* source, const char* name,
                                                   int header_count, const char* const*, const char* const*) {
  if (program == nullptr || source == nullptr || header_count != 0) return CompilerStatus::invalid_input;
  *program = new pintle::vendor::cuda::ProgramObject{source, name == nullptr ? "default_program" : name, {}, {}};
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcDestroyProgram(Program* program) {
  if (program == nullptr || *program == nullptr) return CompilerStatus::invalid_program;
  delete *program;
  *program = nullptr;
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcCompileProgram(Program program, int count, const char* const* options) {
  simulator::Options read;
  for (int index = 0; index < count; ++index) {
    program->log = simulator::read_option(options[index], read);
    if (!program->log.empty()) return CompilerStatus::invalid_option;
  }
  return simulator::compile(*program, read);
}

PINTLE_SIMULATED CompilerStatus nvrtcGetProgramLogSize(Program program, std::size_t* size) {
  *size = program->log.size() + 1;
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcGetProgramLog(Program program, char* log) {
  return simulator::give(program->log, log);
}

PINTLE_SIMULATED CompilerStatus nvrtcGetPTXSize(Program program, std::size_t* size) {
  *size = program->ptx.size() + 1;
  return CompilerStatus::success;
}

PINTLE_SIMULATED CompilerStatus nvrtcGetPTX(Program program, char* ptx) { return simulator::give(program->ptx, ptx); }
