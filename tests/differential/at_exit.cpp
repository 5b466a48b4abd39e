#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "crash.h"
#include "processes.h"
#include "surroundings.h"

namespace pintle::differential {
namespace {

/// Longer than all devices may drain.
constexpr double longest_end = 30;

/// What owns the program's objects, and lets them go, when the process ends.
enum class Owner : std::uint8_t { nobody, early_handler, late_handler };
constexpr std::uint64_t owners = 3;

// Reached by exit handlers; what the program lent to devices is never let go.
World* world = nullptr;
Run* running = nullptr;

void let_go() {
  if (running != nullptr) running->let_go();
  if (world == nullptr) return;
  for (int device = 0; device < world->size(); ++device) world->close(device);
}

int run_to_the_end_of_process(const SurroundingsOptions& options, std::uint64_t seed) {
  Random random(seed * 2 + 1);
  const auto owner = static_cast<Owner>(random.below(owners));
  // The handler that is registered first runs last, behind those of Pintle and of the vendors.
  if (owner == Owner::early_handler) static_cast<void>(std::atexit(let_go));
  world = new World(options.devices);
  if (owner == Owner::late_handler) static_cast<void>(std::atexit(let_go));
  GeneratorOptions generator = options.generator;
  generator.without.insert("latch");  // devices would be waited for as long as they may
  const Case given = Generator(seed, world->abilities(), generator).make();
  const std::size_t last = random.below(given.program.size());
  std::size_t at = 0;
  running = new Run(*world, *new Case(given));
  try {
    for (; at <= last; ++at) running->step(given.program[at], given.outcomes[at]);
  } catch (const Failure& failure) {
    fmt::print("at step {}: {}\n", at, failure.what);
    return 1;
  }
  world->remove_file();
  std::exit(0);
}

}  // namespace

bool end_at_exit(const SurroundingsOptions& options) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  std::uint64_t programs = 0;
  std::string devices;
  for (const std::string& id : options.devices) devices += (devices.empty() ? "" : "+") + id;
  for (; programs < options.count && std::chrono::steady_clock::now() < end; ++programs) {
    const std::uint64_t seed = options.first + programs;
    const std::string wrong = run_in_child([&] { return run_to_the_end_of_process(options, seed); }, longest_end);
    if (wrong.empty()) continue;
    fmt::print("FAILS: {} --at-exit --seed {}: the process {}\n", devices, seed, wrong);
    return false;
  }
  fmt::print("{}: {} processes ended with work in flight, from seed {}\n", devices, programs, options.first);
  return true;
}

}  // namespace pintle::differential
