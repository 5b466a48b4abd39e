#include "backends/cuda/clock.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "kit/host_clock.h"

namespace pintle::cuda {

DeviceClock::~DeviceClock() {
  if (stream_ != nullptr && !context_.is_left()) static_cast<void>(context_.api().cuStreamDestroy(stream_));
}

/// The event may lie before the one that the times are counted from, on another stream: the driver tells less than 0.
Result<std::uint64_t> DeviceClock::ticks_of(const Event& event) {
  constexpr std::int64_t longest = 1'000'000'000;
  const std::lock_guard lock(mutex_);
  std::int64_t since = longest;
  if (base_.get() == nullptr) {
    base_ticks_ = kit::host_ticks() - longest;
  } else {
    float milliseconds = 0;
    PINTLE_TRY(context_.call<&Calls::cuEventElapsedTime>(&milliseconds, base_.get()->handle, event.get()->handle));
    since = std::llround(1e6 * double{milliseconds});
  }
  const std::uint64_t ticks = base_ticks_ + static_cast<std::uint64_t>(since);
  if (since < longest) return ticks;
  base_ = event;
  base_ticks_ = ticks;
  return ticks;
}

Result<backend::ClockPair> DeviceClock::calibrate() {
  constexpr auto patience = std::chrono::seconds(5);
  {
    const std::lock_guard lock(mutex_);
    if (stream_ == nullptr)
      PINTLE_TRY(context_.call<&Calls::cuStreamCreate>(&stream_, vendor::cuda::stream_non_blocking));
  }
  PINTLE_ASSIGN(event, take_event());
  const Deadline before = Clock::now();
  PINTLE_TRY(context_.call_plainly<&Calls::cuEventRecord>(event.get()->handle, stream_));
  Status status = Status::CUDA_ERROR_NOT_READY;
  while (status == Status::CUDA_ERROR_NOT_READY && Clock::now() - before < patience) {
    std::this_thread::yield();
    status = context_.api().cuEventQuery(event.get()->handle);
  }
  const Duration half = (Clock::now() - before) / 2;
  if (status == Status::CUDA_ERROR_NOT_READY)
    return Error(Errc::timeout, fmt::format("[{}] does not come to an event on an empty stream within ({} s).",
                                            context_.id(), patience.count()));
  PINTLE_TRY(context_.check(status, "cuEventQuery"));
  PINTLE_ASSIGN(ticks, ticks_of(event));
  return backend::ClockPair{ticks, before + half, half};
}

}  // namespace pintle::cuda
