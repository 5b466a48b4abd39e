// start: a process that opens the device, runs one list and ends, beside a process that does nothing.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "base/platform.h"
#include "bench/figure.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t runs = 10;

Error failed(const std::string& program, const std::string& how) {
  return {Errc::io, fmt::format("Program (\"{}\") {}.", program, how)};
}

/// From the call until the process has ended.
Result<double> milliseconds_of(const std::string& program, const std::string& device) {
  std::string name = program, id = device;
  const std::array<char*, 3> arguments{name.data(), id.data(), nullptr};
  pid_t child = 0;
  const auto start = BenchClock::now();
  if (const int refused = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), ::environ);
      refused != 0) {
    return failed(program, "cannot be started: " + base::system_words(refused));
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child)
    return failed(program, "cannot be waited for: " + base::system_words(errno));
  const double elapsed = nanoseconds_since(start) / 1e6;
  if (status != 0) return failed(program, fmt::format("ends with status {}", status));
  return elapsed;
}

Result<void> block(const std::string& program, const std::string& device, Samples& samples) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    PINTLE_ASSIGN(elapsed, milliseconds_of(program, device));
    if (i != 0) samples.push_back(elapsed);
  }
  return {};
}

/// The helpers are built into the folder of the program that measures.
std::string beside_this_program(std::string_view name) {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / name;
}

}  // namespace

Rows start(const BenchOptions& options) {
  const Subject subject{
      "start", Unit::milliseconds, "an empty process", {Reach::Kind::difference_ns_at_most, 3e6}, Difference::given};
  const std::string ours = beside_this_program("bench_start"), empty = beside_this_program("bench_empty");
  for (const std::string& program : {ours, empty}) {
    if (::access(program.c_str(), X_OK) != 0) {
      return one_skip(
          subject, options,
          fmt::format("Program (\"{}\") is not there; it is built with the benchmarks and not installed.", program));
    }
  }
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  return one_row(
      subject, options, [&](Samples& samples) { return block(ours, options.device, samples); },
      [&](Samples& samples) { return block(empty, options.device, samples); });
}

}  // namespace pintle::bench
