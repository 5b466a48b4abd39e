#include "threads.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "crash.h"

namespace pintle::differential {

ThreadsResult run_in_threads(World& world, const ThreadsOptions& options) {
  ThreadsResult result;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  GeneratorOptions generator = options.generator;
  generator.closes_devices = false;   // others use them
  generator.without.insert("latch");  // several programs would close one each
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  const auto work = [&] {
    while (!failed && std::chrono::steady_clock::now() < end) {
      const std::uint64_t number = next++;
      if (number >= options.count) return;
      const std::uint64_t seed = options.first + number;
      name_seed(seed);
      auto failure = run(world, Generator(seed, world.abilities(), generator).make());
      std::lock_guard lock(mutex);
      ++result.programs;
      if (!failure || failed.exchange(true)) continue;
      result.failure = std::move(failure);
      result.seed = seed;
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < options.threads; ++i) workers.emplace_back(work);
  workers.clear();
  return result;
}

}  // namespace pintle::differential
