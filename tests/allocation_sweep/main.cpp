// The sweep of allocations: every scenario and every operation again for the n-th allocation of the library's own, with
// that one failing. Nothing is thrown, nothing ends or hangs, every error says that memory ran out, and the next clean
// run on the same device is right and leaves nothing behind. AddressSanitizer's build sees what leaks on the host.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "allocation_sweep/frames.h"
#include "allocation_sweep/sweep.h"

namespace pintle::allocation_sweep {
namespace {

constexpr std::string_view usage =
    "usage: allocation_sweep DEVICE [--every N] [--first K] [--mode once|lasting|threads] [--only NAME]\n"
    "                        [--of scenarios|operations|first_use] [--keep-open]\n";

std::optional<std::uint64_t> number(std::string_view text) {
  const std::string digits(text);
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(digits.c_str(), &end, 10);
  return end == digits.c_str() + digits.size() && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<Mode> mode_of(std::string_view text) {
  if (text == "once") return Mode::once;
  if (text == "lasting") return Mode::lasting;
  if (text == "threads") return Mode::threads;
  return std::nullopt;
}

template <class T>
bool take(T& to, std::optional<T> value) {
  if (value) to = *value;
  return value.has_value();
}

bool take(Options& options, std::string_view name, std::string_view value) {
  if (name == "--every") return take(options.every, number(value));
  if (name == "--first") return take(options.first, number(value));
  if (name == "--mode") return take(options.mode, mode_of(value));
  if (name == "--only") options.only = value;
  else if (name == "--of") options.of = value;
  else return false;
  return true;
}

std::optional<Options> parse(std::span<char* const> arguments) {
  if (arguments.size() < 2) return std::nullopt;
  Options options{.device = arguments[1]};
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--keep-open") options.keeps_open = true;
    else if (i + 1 == arguments.size() || !take(options, name, arguments[++i])) return std::nullopt;
  }
  return options;
}

}  // namespace
}  // namespace pintle::allocation_sweep

int main(int count, char** arguments) {
  using namespace pintle::allocation_sweep;
  auto options = parse(std::span(arguments, static_cast<std::size_t>(count)));
  if (!options) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  if (const char* every = std::getenv("PINTLE_SWEEP_EVERY")) options->every = number(every).value_or(options->every);
  read_symbols();
  return sweep(*options);
}
