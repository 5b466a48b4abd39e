#include "base/platform.h"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <system_error>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to the program

namespace pintle::base {

namespace {

constinit std::atomic<bool> pretends_raised{false};

}  // namespace

Rights rights() noexcept {
  static const bool is_raised = ::getauxval(AT_SECURE) != 0;
  return is_raised || pretends_raised.load(std::memory_order_relaxed) ? Rights::raised : Rights::own;
}

void pretend_rights(Rights rights) noexcept { pretends_raised = rights == Rights::raised; }

const char* variable(const char* name) noexcept { return rights() == Rights::own ? std::getenv(name) : nullptr; }

std::vector<std::string> environment() {
  std::vector<std::string> strings;
  if (rights() == Rights::raised) return strings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) strings.emplace_back(*entry);
  return strings;
}

std::string system_words(int number) { return std::generic_category().message(number); }

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(getpid()); }

std::uint32_t current_processor() noexcept { return static_cast<std::uint32_t>(std::max(sched_getcpu(), 0)); }

void leave_processor(std::uint32_t processor) noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  if (processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
#else
  static_cast<void>(processor);
#endif
}

std::string machine() {
  utsname system{};
  if (::uname(&system) != 0) return "unknown";
  std::string name = system.sysname;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return fmt::format("{}-{}", system.machine, name);
}

unsigned processor_level() noexcept {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 4;
  if (__builtin_cpu_supports("x86-64-v3")) return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
#else
  return 0;
#endif
}

void call_in_forked_children(void (*handler)()) noexcept { pthread_atfork(nullptr, nullptr, handler); }

std::uint64_t libraries_loaded() noexcept {
  std::uint64_t count = 0;
  const auto look = [](dl_phdr_info* info, std::size_t, void* out) {
    *static_cast<std::uint64_t*>(out) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(look, &count);
  return count;
}

}  // namespace pintle::base
