// submit: what the host pays for one replay of a recorded list.
#include <mutex>
#include <utility>

#include "bench/figure.h"
#include "bench/partner.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t bursts = 50;
constexpr std::uint32_t burst = 100;

Result<void> submit_burst(Rig& rig, const Recording& recording) {
  for (std::uint32_t i = 0; i < burst; ++i) PINTLE_TRY(rig.queue.replay(recording));
  return {};
}

/// The worker is awake: it has just finished the burst before.
Result<void> submit_block(Rig& rig, const Recording& recording, Samples& samples) {
  PINTLE_TRY(submit_burst(rig, recording));
  PINTLE_TRY(rig.queue.last().wait());
  for (std::uint32_t i = 0; i < bursts; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(submit_burst(rig, recording));
    samples.push_back(nanoseconds_since(start) / burst);
    PINTLE_TRY(rig.queue.last().wait());
  }
  return {};
}

void lock_block(std::mutex& mutex, Samples& samples) {
  for (std::uint32_t i = 0; i <= bursts; ++i) {
    const auto start = BenchClock::now();
    for (std::uint32_t j = 0; j < burst; ++j) {
      mutex.lock();
      mutex.unlock();
    }
    if (i != 0) samples.push_back(nanoseconds_since(start) / burst);
  }
}

}  // namespace

Rows submit(const BenchOptions& options) {
  const Subject subject{"submit",
                        Unit::nanoseconds,
                        "lock and unlock of a mutex while a second thread lives",
                        {Reach::Kind::ratio_at_most, 8}};
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  CommandList list;
  list.exec(rig.nothing, Grid{1, 1, 1});
  PINTLE_ASSIGN(recording, rig.device.record(std::move(list)));
  Partner second;
  std::mutex mutex;
  const auto reference = [&](Samples& samples) -> Result<void> {
    lock_block(mutex, samples);
    return {};
  };
  return one_row(subject, options, [&](Samples& samples) { return submit_block(rig, recording, samples); }, reference);
}

}  // namespace pintle::bench
