#include "bench/programs.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/platform.h"
#include "bench/measure.h"

namespace pintle::bench {
namespace {

Error failed(const std::string& program, const std::string& how) {
  return {Errc::io, fmt::format("Program (\"{}\") {}.", program, how)};
}

}  // namespace

std::string beside_this_program(std::string_view name) {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / name;
}

std::string why_missing(const std::vector<std::string>& programs) {
  for (const std::string& program : programs) {
    if (::access(program.c_str(), X_OK) != 0)
      return fmt::format("Program (\"{}\") is not there; it is built with the benchmarks and not installed.", program);
  }
  return {};
}

Result<double> milliseconds_of(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string& program = command.front();
  pid_t child = 0;
  const auto start = BenchClock::now();
  if (const int refused = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), ::environ);
      refused != 0) {
    return failed(program, "cannot be started: " + base::system_words(refused));
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child)
    return failed(program, "cannot be waited for: " + base::system_words(errno));
  const double elapsed = nanoseconds_since(start) / 1e6;
  if (status != 0) return failed(program, fmt::format("ends with status {}", status));
  return elapsed;
}

}  // namespace pintle::bench
