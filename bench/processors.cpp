#include "bench/processors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace pintle::bench {
namespace {

/// "1234 (name) R ...": the letter behind the last parenthesis.
bool is_running(const std::filesystem::path& task) {
  std::ifstream input(task / "stat");
  std::string line;
  std::getline(input, line);
  const auto end = line.rfind(')');
  return end != std::string::npos && end + 2 < line.size() && line[end + 2] == 'R';
}

/// The name of a thread that runs, other than the calling one.
std::optional<std::string> running_thread() {
  const std::string own = std::to_string(::gettid());
  std::error_code gone;  // a thread may end meanwhile
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    const std::string name = task.path().filename();
    if (name != own && is_running(task.path())) return name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::array<int, 2>> two_processors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  std::array<int, 2> found{};
  std::size_t count = 0;
  for (std::size_t processor = 0; processor < CPU_SETSIZE && count < found.size(); ++processor) {
    if (CPU_ISSET(processor, &allowed)) found[count++] = static_cast<int>(processor);
  }
  return count == found.size() ? std::optional(found) : std::nullopt;
}

Pinned::Pinned(int processor) noexcept {
  ::sched_getaffinity(0, sizeof before_, &before_);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(processor), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

Pinned::~Pinned() { ::sched_setaffinity(0, sizeof before_, &before_); }

Result<void> wait_until_alone() {
  using namespace std::chrono_literals;
  constexpr auto patience = 5s;
  const auto give_up = std::chrono::steady_clock::now() + patience;
  while (true) {
    const auto running = running_thread();
    if (!running) return {};
    if (std::chrono::steady_clock::now() > give_up) {
      return Error(Errc::timeout,
                   fmt::format("Thread ({}) of this process still runs after {} s; blocks are measured alone.",
                               *running, patience.count()));
    }
    std::this_thread::sleep_for(200us);
  }
}

}  // namespace pintle::bench
