#include "common/habits.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "turn.h"

namespace pintle::hostile {
namespace {

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

}  // namespace

bool is_on(std::string_view habit, bool is_usual) {
  std::string_view wanted = variable("HOSTILE");
  if (wanted.empty()) return is_usual;
  while (!wanted.empty()) {
    const auto end = wanted.find(',');
    if (wanted.substr(0, end) == habit) return true;
    wanted = end == std::string_view::npos ? std::string_view() : wanted.substr(end + 1);
  }
  return false;
}

std::uint64_t first_seed() {
  const std::string given(variable("HOSTILE_SEED"));
  return given.empty() ? turn().value_or(0) : std::strtoull(given.c_str(), nullptr, 10);
}

bool is_nonsense(std::string_view nonsense) { return variable("HOSTILE_NONSENSE") == nonsense; }

std::uint64_t next_number() noexcept {
  static const std::uint64_t seed = first_seed();
  static std::atomic<std::uint64_t> asked{0};
  std::uint64_t bits = (seed << 32) + ++asked;  // splitmix64
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

void end_process(const std::string& text) {
  std::fprintf(stderr, "hostile: %s.\n", text.c_str());
  std::abort();
}

}  // namespace pintle::hostile
