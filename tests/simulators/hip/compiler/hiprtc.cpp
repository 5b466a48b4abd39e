// The functions of hiprtc, over clang for the host.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "code_object_image.h"
#include "compiler/build.h"
#include "exports.h"
#include "vendor/hip/types.h"

namespace pintle::vendor::cuda {

struct ProgramObject {
  std::string source;
  std::string name;
  std::string log;
  std::vector<std::byte> code;
};

}  // namespace pintle::vendor::cuda

namespace pintle::vendor::hip {

// Declared after the table of the backend, so that a definition of another type does not compile.
extern "C" {
#define FUNCTION(name, ...) std::type_identity_t<__VA_ARGS__> name;
#include "vendor/hip/hiprtc_symbols.inc"
#undef FUNCTION
}

namespace {

/// The architectures of 5.2.3's bitcode; a newer one ends the process there.
constexpr std::array known{"gfx906", "gfx908", "gfx90a", "gfx1030"};

struct Options {
  std::string architecture = "gfx906";
  simulator::BuildOptions build;
};

/// The log of a refused option; empty where it is taken.
std::string read_option(std::string_view text, Options& options) {
  const auto take = [&](std::string_view name, std::string& to) {
    if (!text.starts_with(name)) return false;
    to = text.substr(name.size());
    return true;
  };
  std::string value;
  if (take("--offload-arch=", options.architecture) || take("-std=", options.build.standard)) return "";
  if (take("-ffp-contract=", value)) options.build.contracts = value != "off";
  else if (text.starts_with("-I") || text.starts_with("-D")) options.build.for_clang.emplace_back(text);
  else return "error: unknown argument: '" + std::string(text) + "'\n";
  return "";
}

/// Pointers are of global memory.
simulator::CodeEntry entry_of(const simulator::EntryText& text) {
  simulator::CodeEntry entry;
  entry.name = text.name;
  if (text.max_threads != 0) entry.max_threads = static_cast<std::uint32_t>(text.max_threads);
  for (const simulator::ParameterLayout& parameter : text.parameters)
    entry.arguments.push_back(
        {parameter.size, parameter.alignment, parameter.size == 8 ? "global_buffer" : "by_value"});
  entry.arguments.push_back({8, 8, "hidden_none"});
  return entry;
}

CompilerStatus compile(ProgramObject& program, const Options& options) {
  const std::string processor = options.architecture.substr(0, options.architecture.find(':'));
  const bool is_known = std::ranges::find(known, processor) != known.end();
  if (!is_known) std::abort();  // as 5.2.3 does for gfx1100
  simulator::Built built = simulator::build(program.source, program.name, options.build);
  program.log = std::move(built.log);
  if (!built.is_right) return CompilerStatus::compilation;
  simulator::CodeImage image;
  image.target = options.architecture;
  for (const simulator::EntryText& entry : built.entries) image.entries.push_back(entry_of(entry));
  image.object = std::move(built.object);
  program.code = simulator::print_code_object(image);
  return CompilerStatus::success;
}

}  // namespace

PINTLE_SIMULATED_HIP CompilerStatus hiprtcVersion(int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP const char* hiprtcGetErrorString(CompilerStatus status) {
  switch (status) {
    case CompilerStatus::success: return "HIPRTC_SUCCESS";
    case CompilerStatus::compilation: return "HIPRTC_ERROR_COMPILATION";
    case CompilerStatus::invalid_option: return "HIPRTC_ERROR_INVALID_OPTION";
    default: return "HIPRTC_ERROR_INVALID_INPUT";
  }
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcCreateProgram(Program* program, const char* source, const char* name,
                                                        int header_count, const char* const*, const char* const*) {
  if (program == nullptr || source == nullptr || header_count != 0) return CompilerStatus::invalid_input;
  *program = new ProgramObject{source, name == nullptr ? "CompileSource" : name, {}, {}};
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcDestroyProgram(Program* program) {
  if (program == nullptr || *program == nullptr) return CompilerStatus::invalid_program;
  delete *program;
  *program = nullptr;
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcCompileProgram(Program program, int count, const char* const* options) {
  Options read;
  for (int index = 0; index < count; ++index) {
    program->log = read_option(options[index], read);
    if (!program->log.empty()) return CompilerStatus::invalid_option;
  }
  return compile(*program, read);
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcGetProgramLogSize(Program program, std::size_t* size) {
  *size = program->log.size() + 1;
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcGetProgramLog(Program program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcGetCodeSize(Program program, std::size_t* size) {
  *size = program->code.size();
  return CompilerStatus::success;
}

PINTLE_SIMULATED_HIP CompilerStatus hiprtcGetCode(Program program, char* code) {
  std::memcpy(code, program->code.data(), program->code.size());
  return CompilerStatus::success;
}

}  // namespace pintle::vendor::hip
