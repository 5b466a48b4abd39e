#include "bench/ping_pong.h"

#include <thread>

#include "bench/processors.h"

namespace pintle::bench {
namespace {

void poll_until(const std::atomic<std::uint64_t>& value, std::uint64_t wanted) noexcept {
  while (value.load(std::memory_order_acquire) != wanted) {
  }
}

void sleep_until(const std::atomic<std::uint64_t>& value, std::uint64_t wanted) noexcept {
  value.wait(wanted - 1, std::memory_order_acquire);
}

void publish(std::atomic<std::uint64_t>& value, std::uint64_t next) noexcept {
  value.store(next, std::memory_order_release);
  value.notify_one();
}

}  // namespace

void PingPong::hot(Samples& samples, std::uint32_t batches, std::uint32_t batch) {
  constexpr std::uint64_t warm = 100;
  const Pinned pinned(processor_);
  const std::uint64_t first = ping_.value.load() + 1;
  const std::uint64_t last = first + warm + std::uint64_t{batches} * batch - 1;
  partner_.start([this, first, last] {
    for (std::uint64_t trip = first; trip <= last; ++trip) {
      poll_until(ping_.value, trip);
      pong_.value.store(trip, std::memory_order_release);
    }
  });
  std::uint64_t trip = first;
  const auto go = [&] {
    ping_.value.store(trip, std::memory_order_release);
    poll_until(pong_.value, trip++);
  };
  while (trip < first + warm) go();
  while (trip <= last) {
    const auto start = BenchClock::now();
    for (std::uint32_t i = 0; i < batch; ++i) go();
    samples.push_back(nanoseconds_since(start) / batch);
  }
  partner_.finish();
}

void PingPong::idle(Samples& samples, std::uint32_t trips) {
  constexpr std::uint64_t warm = 2;
  const Pinned pinned(processor_);
  const std::uint64_t first = ping_.value.load() + 1;
  const std::uint64_t last = first + warm + trips - 1;
  partner_.start([this, first, last] {
    for (std::uint64_t trip = first; trip <= last; ++trip) {
      sleep_until(ping_.value, trip);
      publish(pong_.value, trip);
    }
  });
  for (std::uint64_t trip = first; trip <= last; ++trip) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = BenchClock::now();
    publish(ping_.value, trip);
    sleep_until(pong_.value, trip);
    if (trip >= first + warm) samples.push_back(nanoseconds_since(start));
  }
  partner_.finish();
}

}  // namespace pintle::bench
