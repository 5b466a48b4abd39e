// The functions of NVRTC, over clang for the host.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/source.h"
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

using Words = std::vector<std::string>;

// What NVRTC 13.0 lists; sm_70 and older are gone (line 605).
constexpr std::array supported{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr int ptx_version = 90;  // line 595

/// What a caller's options mean.
struct Options {
  int arch = 75;
  bool contracts = true;
  std::string standard = "c++17";
  Words for_clang;
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
    options.standard = *standard;
    const bool is_known = *standard == "c++11" || *standard == "c++14" || *standard == "c++17" || *standard == "c++20";
    return is_known ? "" : "nvrtc: error: invalid value for --std (-std)\n";
  }
  if (const auto contracts = value_of("--fmad")) options.contracts = *contracts == "true";
  else if (const auto folder = value_of("--include-path")) options.for_clang.push_back("-I" + std::string(*folder));
  else if (const auto macro = value_of("--define-macro")) options.for_clang.push_back("-D" + std::string(*macro));
  else return "nvrtc: error: unrecognized option " + std::string(text) + " found\n";
  return "";
}

/// A folder for one compilation.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pintle-nvrtc-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs clang with its words in the file `log`; true where it succeeds.
bool run_clang(const Words& words, const std::string& log) {
  std::vector<char*> arguments;
  Words all{SIMULATOR_CLANG};
  all.insert(all.end(), words.begin(), words.end());
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  pid_t child = 0;
  const int spawned = ::posix_spawn(&child, SIMULATOR_CLANG, &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return spawned == 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// The entries of a compiled object, in the object's order.
std::vector<EntryText> entries_in(const std::string& path) {
  std::vector<EntryText> entries;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return entries;
  const auto* const module = static_cast<const HostModule*>(::dlsym(library, "pintle_simulator_module"));
  for (const HostEntry& entry : std::span(module->entries, module->entry_count)) {
    const std::span parameters(entry.parameters, entry.parameter_count);
    entries.push_back({entry.name, {parameters.begin(), parameters.end()}, entry.max_threads});
  }
  ::dlclose(library);
  return entries;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// A source on its way: preprocessed, made C++ of the host, compiled.
CompilerStatus compile(vendor::cuda::ProgramObject& program, const Options& options) {
  const Folder folder;
  const std::string log = folder / "log", preprocessed = folder / "kernels.ii", object = folder / "kernels.so";
  std::ofstream(folder / "kernels.cu") << "# 1 \"" << program.name << "\"\n" << program.source;
  Words words{"-E",
              "-x",
              "c++",
              "-std=" + options.standard,
              "-include",
              SIMULATOR_PRELUDE,
              "-o",
              preprocessed,
              folder / "kernels.cu"};
  words.insert(words.end(), options.for_clang.begin(), options.for_clang.end());
  const bool is_read = run_clang(words, log);
  const std::string text = text_of(preprocessed);
  const auto kernels = find_kernels(text);
  std::ofstream(folder / "host.ii") << host_source(text, kernels);
  const bool is_compiled =
      is_read && run_clang({"-x", "c++-cpp-output", "-std=" + options.standard, "-O1", "-w", "-fno-exceptions",
                            "-fno-rtti", "-fno-math-errno", "-fno-strict-aliasing", "-fPIC", "-shared", "-nostdlib++",
                            options.contracts ? "-ffp-contract=fast" : "-ffp-contract=off", "-o", object,
                            folder / "host.ii", "-lm"},
                           log);
  program.log = text_of(log);
  if (!is_compiled) return CompilerStatus::compilation;
  Image image;
  image.version = ptx_version;
  image.target = "sm_" + std::to_string(options.arch);
  image.entries = entries_in(object);
  image.object = bytes_of(text_of(object));
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
