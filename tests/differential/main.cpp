// Random programs on one device or two, beside a model of what the documentation says. README.md has the rules.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "crash.h"
#include "generator.h"
#include "record.h"
#include "run.h"
#include "shrink.h"
#include "surroundings.h"
#include "threads.h"
#include "turn.h"

namespace pintle::differential {
namespace {

struct Options {
  std::string device = "cpu";
  std::string other;
  std::optional<std::uint64_t> seed;
  std::uint64_t first = 0;
  std::uint64_t count = ~std::uint64_t{0};
  double seconds = DIFFERENTIAL_SECONDS;
  int threads = 1;
  std::size_t stack = 0;
  bool ends_at_exit = false;
  bool forks = false;
  bool sends_signals = false;
  std::string record;
  std::string commit = "-";
  std::string seeds;
  int failures = 1;
  int repeat = 1;
  double shrink_seconds = 20;
  bool lists = false;
  GeneratorOptions generator{};
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string flags(const GeneratorOptions& how) {
  std::string all;
  for (const std::string& kind : how.without) all += " --without " + kind;
  return all;
}

void print(const Case& given) {
  for (std::size_t i = 0; i < given.program.size(); ++i) fmt::print("{:4} {}\n", i, text(given.program[i]));
}

class Fuzzer {
 public:
  Fuzzer(World& world, const Options& options) : world_(world), options_(options) {}

  /// True when the program failed.
  bool try_seed(std::uint64_t seed, const GeneratorOptions& how) {
    name_seed(seed);
    const Case given = Generator(seed, world_.abilities(), how).make();
    if (options_.lists) print(given);
    ++programs_;
    steps_ += given.program.size();
    const auto failure = run(world_, given);
    if (!failure) return false;
    fmt::print("FAILS: {} --seed {}{}, at step {} of {}: {}\n", world_.text(), seed, flags(how), failure->step,
               given.program.size(), failure->what);
    std::fflush(stdout);
    show(given, *failure, seed);
    ++failures_;
    return true;
  }

  [[nodiscard]] int failures() const { return failures_; }
  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  void show(const Case& given, const Failure& failure, std::uint64_t seed) {
    if (options_.shrink_seconds <= 0) return;
    name_seed(seed);
    const Duration before = patience();
    be_impatient(std::chrono::seconds(1));
    const Case small = shrink(world_, given, failure, options_.shrink_seconds);
    std::optional<Failure> again;
    for (int i = 0; i < 5 && !again; ++i) again = run(world_, small);
    fmt::print(
        "{} steps are left{}\n", small.program.size(),
        again ? fmt::format("; at step {}: {}", again->step, again->what) : std::string(", which fail now and then"));
    print(small);
    be_impatient(before);
    std::fflush(stdout);
  }

  World& world_;
  const Options& options_;
  int failures_ = 0;
  std::uint64_t programs_ = 0;
  std::uint64_t steps_ = 0;
};

struct KeptSeed {
  std::uint64_t seed = 0;
  GeneratorOptions generator{};
};

/// Those that failed before on these devices: a line has the devices, the seed, `without=KIND` for each, and why.
std::vector<KeptSeed> kept_seeds(const std::string& file, const std::string& devices) {
  std::vector<KeptSeed> seeds;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    KeptSeed kept;
    if (!(words >> name >> kept.seed) || name != devices) continue;
    for (std::string word; words >> word && word.starts_with("without=");)
      kept.generator.without.insert(word.substr(word.find('=') + 1));
    seeds.push_back(std::move(kept));
  }
  return seeds;
}

/// Another one for each turn of a check, and far from the next turn's; where there is no turn, the time.
std::uint64_t any_seed() {
  constexpr unsigned bits = 32;  // of the programs that a turn has room for
  if (const auto number = turn()) return (*number + 1) << bits;
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

std::uint64_t first_seed(const Options& options) {
  if (options.seed) return *options.seed;
  return options.first != 0 ? options.first : any_seed();
}

int fuzz_in_threads(World& world, const Options& options) {
  world.is_shared = true;
  ThreadsOptions how{
      .threads = options.threads, .stack = options.stack, .count = options.count, .seconds = options.seconds};
  how.first = first_seed(options);
  if (options.seed) how.count = 1;
  how.generator = options.generator;
  const double start = seconds_now();
  const ThreadsResult result = run_in_threads(world, how);
  fmt::print("{} by {} threads: {} programs in {:.1f} s from seed {}\n", world.text(), options.threads, result.programs,
             seconds_now() - start, how.first);
  if (!result.failure) return 0;
  fmt::print("FAILS beside others: {} --seed {}, at step {}: {}\n", world.text(), result.seed, result.failure->step,
             result.failure->what);
  print(Generator(result.seed, world.abilities(), how.generator).make());
  return 1;
}

std::vector<std::string> devices(const Options& options) {
  std::vector<std::string> ids{options.device};
  if (!options.other.empty()) ids.push_back(options.other);
  return ids;
}

bool fuzz_in_surroundings(const Options& options) {
  SurroundingsOptions how{.devices = devices(options), .count = options.count, .seconds = options.seconds};
  how.first = first_seed(options);
  if (options.seed) how.count = 1;
  how.generator = options.generator;
  return options.forks ? run_in_children(how) : end_at_exit(how);
}

int fuzz(const Options& options) {
  if (options.ends_at_exit || options.forks) return fuzz_in_surroundings(options) ? 0 : 1;
  World world(devices(options));
  watch_for_crashes(world.text() + flags(options.generator), static_cast<unsigned>(options.shrink_seconds) + 120);
  world.polls_before_looking = options.generator.without.contains("transitive");
  std::optional<Signals> signals;
  if (options.sends_signals) signals.emplace();
  if (options.threads > 1 || options.stack != 0) return fuzz_in_threads(world, options);
  Fuzzer fuzzer(world, options);
  const double start = seconds_now();
  const std::uint64_t first = first_seed(options);
  if (options.seed) {
    for (int i = 0; i < options.repeat && fuzzer.failures() == 0; ++i)
      fuzzer.try_seed(*options.seed, options.generator);
  } else {
    for (const KeptSeed& kept : kept_seeds(options.seeds, world.text()))
      if (fuzzer.failures() < options.failures) fuzzer.try_seed(kept.seed, kept.generator);
    for (std::uint64_t i = 0; i < options.count && seconds_now() - start < options.seconds; ++i) {
      if (fuzzer.failures() >= options.failures) break;
      fuzzer.try_seed(first + i, options.generator);
    }
  }
  name_seed(0);
  const double seconds = seconds_now() - start;
  fmt::print("{}: {} programs of {:.0f} steps in {:.1f} s ({:.0f} a second) from seed {}, {} failed\n", world.text(),
             fuzzer.programs(),
             static_cast<double>(fuzzer.steps()) / static_cast<double>(std::max<std::uint64_t>(fuzzer.programs(), 1)),
             seconds, static_cast<double>(fuzzer.programs()) / seconds, first, fuzzer.failures());
  if (!options.record.empty())
    add_to_record(options.record, {options.commit, world.text(), seconds / 60, fuzzer.programs(), fuzzer.failures()});
  return fuzzer.failures() == 0 ? 0 : 1;
}

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

Options parse(int count, char** words) {
  Options options;
  if (const char* seconds = std::getenv("PINTLE_DIFFERENTIAL_SECONDS")) options.seconds = std::atof(seconds);
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--list") {
      options.lists = true;
      continue;
    }
    if (word == "--at-exit" || word == "--in-child" || word == "--signals") {
      (word == "--at-exit"    ? options.ends_at_exit
       : word == "--in-child" ? options.forks
                              : options.sends_signals) = true;
      continue;
    }
    if (i + 1 == count)
      throw Exception(Error(Errc::invalid_argument, fmt::format("Option \"{}\" has no value.", word)));
    const char* const value = words[++i];
    if (word == "--device") options.device = value;
    else if (word == "--other") options.other = value;
    else if (word == "--seed") options.seed = number(value);
    else if (word == "--from") options.first = number(value);
    else if (word == "--count") options.count = number(value);
    else if (word == "--seconds") options.seconds = std::atof(value);
    else if (word == "--share") options.seconds *= std::atof(value);
    else if (word == "--seeds") options.seeds = value;
    else if (word == "--failures") options.failures = std::atoi(value);
    else if (word == "--stack") options.stack = number(value);
    else if (word == "--record") options.record = value;
    else if (word == "--commit") options.commit = value;
    else if (word == "--threads") options.threads = std::atoi(value);
    else if (word == "--without") options.generator.without.insert(value);
    else if (word == "--repeat") options.repeat = std::atoi(value);
    else if (word == "--shrink") options.shrink_seconds = std::atof(value);
    else throw Exception(Error(Errc::invalid_argument, fmt::format("There is no option \"{}\".", word)));
  }
  return options;
}

}  // namespace
}  // namespace pintle::differential

int main(int count, char** words) {
  try {
    return pintle::differential::fuzz(pintle::differential::parse(count, words));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "differential: %s\n", exception.what());
    return 2;
  }
}
