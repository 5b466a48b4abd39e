// Random calls, right and wrong: README.md.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "calls.h"
#include "crash.h"
#include "kernels.h"

using namespace pintle;

namespace {

struct Options {
  std::string device = "cpu";
  double seconds = 4;
  std::optional<std::uint64_t> seed;
};

[[noreturn]] void refuse(std::string_view word) {
  fmt::print(stderr, "wrong_calls: option \"{}\" is unknown or has no value\n", word);
  std::exit(2);
}

Options options_of(int count, char** words) {
  Options options;
  for (int index = 1; index < count; index += 2) {
    const std::string_view name = words[index];
    if (index + 1 == count) refuse(name);
    if (name == "--device") options.device = words[index + 1];
    else if (name == "--seconds") options.seconds = std::strtod(words[index + 1], nullptr);
    else if (name == "--seed") options.seed = std::strtoull(words[index + 1], nullptr, 10);
    else refuse(name);
  }
  return options;
}

Result<int> run(const Options& options, wrong_calls::Counts& counts) {
  constexpr int calls = 60;
  PINTLE_ASSIGN(device, open(options.device));
  PINTLE_ASSIGN(pack, differential::kernels_pack());
  const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
  int programs = 0;
  for (std::uint64_t seed = options.seed.value_or(1); programs == 0 || (!options.seed && Clock::now() < end); ++seed) {
    differential::name_seed(seed);
    auto done = wrong_calls::Calls(device, pack, seed, counts).run(calls);
    if (!done) return done.error().during(fmt::format("running --device {} --seed {}", options.device, seed));
    ++programs;
  }
  return programs;
}

}  // namespace

int main(int count, char** words) {
  const Options options = options_of(count, words);
  differential::watch_for_crashes(options.device, 60);
  wrong_calls::Counts counts;
  const auto programs = run(options, counts);
  std::uint64_t refused = 0;
  for (const auto& [code, times] : counts.refused) {
    fmt::print("{}: {}\n", name(code), times);
    refused += times;
  }
  if (programs)
    fmt::print("{} programs on {}: {} calls work, {} are refused\n", *programs, options.device, counts.done, refused);
  else fmt::print(stderr, "{}\n", programs.error().text());
  return programs && counts.done != 0 && refused != 0 ? 0 : 1;
}
