#include "threads.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

#include "crash.h"

namespace pintle::differential {
namespace {

void* run_work(void* work) {
  (*static_cast<std::function<void()>*>(work))();
  return nullptr;
}

void run_on_threads(int count, std::size_t stack, std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  for (pthread_t& thread : threads)
    if (pthread_create(&thread, &attributes, run_work, &work) != 0)
      throw Exception(Error(Errc::unavailable, "A thread cannot be made."));
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

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
  run_on_threads(options.threads, options.stack, work);
  return result;
}

}  // namespace pintle::differential
