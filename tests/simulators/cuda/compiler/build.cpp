// clang for the host, over a source of kernels.
#include "compiler/build.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include "compiler/source.h"

namespace pintle::simulator {
namespace {

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

}  // namespace

Built build(const std::string& source, const std::string& name, const BuildOptions& options) {
  const Folder folder;
  const std::string log = folder / "log", preprocessed = folder / "kernels.ii", object = folder / "kernels.so";
  std::ofstream(folder / "kernels.cu") << "# 1 \"" << name << "\"\n" << source;
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
  if (!is_compiled) return {text_of(log), false, {}, {}};
  return {text_of(log), true, entries_in(object), bytes_of(text_of(object))};
}

}  // namespace pintle::simulator
