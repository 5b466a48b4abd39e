#include "base/platform.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <system_error>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to the program

namespace pintle::base {

std::vector<std::string> environment() {
  std::vector<std::string> strings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) strings.emplace_back(*entry);
  return strings;
}

std::string system_words(int number) { return std::generic_category().message(number); }

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(getpid()); }

std::uint32_t current_processor() noexcept { return static_cast<std::uint32_t>(std::max(sched_getcpu(), 0)); }

std::string machine() {
  utsname system{};
  if (::uname(&system) != 0) return "unknown";
  std::string name = system.sysname;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return fmt::format("{}-{}", system.machine, name);
}

void call_in_forked_children(void (*handler)()) noexcept { pthread_atfork(nullptr, nullptr, handler); }

}  // namespace pintle::base
