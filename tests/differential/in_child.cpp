#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "crash.h"
#include "processes.h"
#include "surroundings.h"

namespace pintle::differential {
namespace {

constexpr double longest_child = 60;

std::string text(const SurroundingsOptions& options) {
  std::string all;
  for (const std::string& id : options.devices) all += (all.empty() ? "" : "+") + id;
  return all;
}

int report(std::uint64_t seed, const Failure& failure) {
  fmt::print("FAILS: --in-child --seed {}, at step {}: {}\n", seed, failure.step, failure.what);
  return 1;
}

/// As in any process.
int run_some(const SurroundingsOptions& options, std::uint64_t count) {
  World world(options.devices);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = options.first + i;
    const auto failure = run(world, Generator(seed, world.abilities(), options.generator).make());
    if (failure) return report(seed, *failure);
  }
  return 0;
}

int check_child(Run& here) {
  try {
    here.check_forked();
    here.let_go();
  } catch (const Failure& failure) {
    fmt::print("the forked child: {}\n", failure.what);
    return 1;
  }
  return 0;
}

/// True when the program is right although the process forks before one of its steps.
bool run_and_fork(World& world, const SurroundingsOptions& options, std::uint64_t seed) {
  name_seed(seed);
  const Case given = Generator(seed, world.abilities(), options.generator).make();
  const std::size_t place = Random(seed).below(given.program.size());
  std::string wrong;
  const auto failure = run(world, given, [&](Run& here, std::size_t at) {
    if (at == place) wrong = run_in_child([&] { return check_child(here); }, longest_child);
  });
  if (failure) return report(seed, *failure) == 0;
  if (!wrong.empty()) fmt::print("FAILS: {} --in-child --seed {}: the child {}\n", text(options), seed, wrong);
  return wrong.empty();
}

}  // namespace

bool run_in_children(const SurroundingsOptions& options) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  constexpr std::uint64_t first_programs = 20;
  const std::string wrong = run_in_child([&] { return run_some(options, first_programs); }, longest_child);
  if (!wrong.empty()) {
    fmt::print("FAILS: {} --in-child: programs in the child of a fresh process: it {}\n", text(options), wrong);
    return false;
  }
  World world(options.devices);
  std::uint64_t programs = 0;
  for (; programs < options.count && std::chrono::steady_clock::now() < end; ++programs)
    if (!run_and_fork(world, options, options.first + programs)) return false;
  name_seed(0);
  fmt::print("{}: {} programs forked, from seed {}\n", text(options), programs, options.first);
  return true;
}

}  // namespace pintle::differential
