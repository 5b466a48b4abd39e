#include "crash.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace pintle::differential {
namespace {

std::atomic<std::uint64_t> current{0};
unsigned limit = 0;
std::array<char, 512> devices_text{};

void write_text(const char* text) noexcept {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

// Only what a signal handler may call.
void report(int number) noexcept {
  std::array<char, 24> digits{};
  std::size_t at = digits.size() - 1;
  std::uint64_t seed = current;
  do {
    digits[--at] = static_cast<char>('0' + seed % 10);
    seed /= 10;
  } while (seed != 0 && at != 0);
  write_text(number == SIGALRM ? "\nHANGS: " : "\nCRASHES: ");
  write_text(devices_text.data());
  write_text(" --seed ");
  write_text(&digits[at]);
  write_text("\n");
  signal(number, SIG_DFL);
  if (number == SIGALRM) raise(SIGABRT);
  raise(number);
}

}  // namespace

void watch_for_crashes(const std::string& devices, unsigned seconds) {
  limit = seconds;
  std::strncpy(devices_text.data(), devices.c_str(), devices_text.size() - 1);
  static std::array<char, 65536> stack;  // the program's own may be what has run out
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_handler = report;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) sigaction(number, &action, nullptr);
}

void name_seed(std::uint64_t seed) noexcept {
  current = seed;
  alarm(limit);
}

}  // namespace pintle::differential
