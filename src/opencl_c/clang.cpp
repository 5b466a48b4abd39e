#include "opencl_c/clang.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "base/parse.h"
#include "base/subprocess.h"

namespace pintle::opencl_c {
namespace {

/// The newest version that is looked for under a name of its own, "clang-25"; later ones are found as "clang".
constexpr unsigned newest_name = 25;
constexpr auto version_time = std::chrono::seconds(10);

/// The 19 of "Debian clang version 19.1.7 (3)".
std::optional<unsigned> version_of(const std::string& path) {
  const std::array question{path, std::string("--version")};
  const auto answer = base::run_process(question, Clock::now() + version_time);
  constexpr std::string_view before = "clang version ";
  const auto at = answer ? answer->output.find(before) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(answer->output).substr(at + before.size());
  return base::parse_number<unsigned>(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::string described(std::optional<unsigned> version) {
  return version ? fmt::format(", which has version {}", *version) : ", which does not say its version";
}

}  // namespace

Result<std::string> find_clang(unsigned least) {
  std::string tried;
  for (unsigned version = newest_name; version >= least; --version) {
    const std::string name = fmt::format("clang-{}", version);
    if (auto path = base::find_program(name)) return *std::move(path);
    tried += name + ", ";
  }
  tried += "clang";
  if (auto path = base::find_program("clang")) {
    const auto version = version_of(*path);
    if (version && *version >= least) return *std::move(path);
    tried += described(version);
  }
  return Error(Errc::unavailable, fmt::format("No clang of version {} or later is found (tried {}).", least, tried));
}

}  // namespace pintle::opencl_c
