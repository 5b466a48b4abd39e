#include "cli/child.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/signal_words.h"

namespace pintle::cli {
namespace {

constexpr int first_signal = 128;

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  const auto end = text.find_last_of('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

}  // namespace

Result<base::ProcessOutput> run_child(const std::vector<std::string>& environment,
                                      const std::vector<std::string>& arguments, std::chrono::seconds patience) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return Error(Errc::io, fmt::format("/proc/self/exe cannot be read: {}.", failed.message()));
  const auto env = base::find_program("env");
  if (!env) return Error(Errc::unavailable, "Program env is not in PATH.");
  std::vector<std::string> command{*env};
  command.insert(command.end(), environment.begin(), environment.end());
  command.push_back(self.string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return base::run_process(command, Clock::now() + patience);
}

std::string end_of(const base::ProcessOutput& child) {
  const std::string end = child.status >= first_signal
                              ? fmt::format("ends by {}", base::signal_text(child.status - first_signal))
                              : fmt::format("exits with {}", child.status);
  const std::string said = last_line(child.output);
  return said.empty() ? end : fmt::format("{}; its last words are: {}", end, said);
}

}  // namespace pintle::cli
