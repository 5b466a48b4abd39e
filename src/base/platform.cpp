#include "base/platform.h"

#include <pthread.h>
#include <unistd.h>

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

void call_in_forked_children(void (*handler)()) noexcept { pthread_atfork(nullptr, nullptr, handler); }

}  // namespace pintle::base
