#include "cli/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "base/contain.h"
#include "base/signal_words.h"

namespace pintle::cli {
namespace {

constexpr int first_signal = 128;

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  const auto end = text.find_last_of('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

/// Without this command's own last words, which name the signal that the status has, and without a full stop.
std::string said_by(const base::ProcessOutput& child) {
  std::string said = last_line(child.words);
  if (has_crashed(child) && said.starts_with("pintle: Signal "))
    said = last_line(child.words.substr(0, child.words.rfind(said)));
  if (!has_crashed(child) && said.empty()) said = last_line(child.output);
  if (said.ends_with('.')) said.pop_back();
  return said;
}

}  // namespace

Result<base::ProcessOutput> run_child(const std::vector<std::string>& environment,
                                      const std::vector<std::string>& arguments, std::chrono::seconds patience) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return Error(Errc::io, fmt::format("/proc/self/exe cannot be read: {}.", failed.message()));
  std::vector<std::string> command;
  if (!environment.empty()) {
    const auto env = base::find_program("env");
    if (!env) return Error(Errc::unavailable, "Program env is not in PATH.");
    command.push_back(*env);
    command.insert(command.end(), environment.begin(), environment.end());
  }
  command.push_back(self.string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return base::run_process(command, Clock::now() + patience, base::StandardError::apart);
}

bool has_crashed(const base::ProcessOutput& child) noexcept { return child.status > first_signal; }

std::string end_of(const base::ProcessOutput& child) {
  const std::string end = has_crashed(child) ? fmt::format("ends by {}", base::signal_text(child.status - first_signal))
                                             : fmt::format("exits with {}", child.status);
  const std::string said = said_by(child);
  return said.empty() ? end : fmt::format("{}; its last words are: {}", end, said);
}

/// A driver may print before it and behind it.
Json document_of(const base::ProcessOutput& child, const char* key) {
  const auto read = base::contain("reading what a process prints", [&]() -> Result<Json> {
    std::istringstream text(child.output.substr(std::min(child.output.find('{'), child.output.size())));
    Json document;
    text >> document;
    return document;
  });
  return read && read->is_object() && read->contains(key) ? *read : Json(Json::value_t::discarded);
}

}  // namespace pintle::cli
