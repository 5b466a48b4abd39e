#include "backends/webgpu/flights.h"

#include <algorithm>
#include <cstring>

#include "base/contain.h"

namespace pintle::webgpu {
namespace {

using std::chrono::microseconds;

struct Called {
  static void back(std::uint32_t status, wg::StringView, void* awaited, void* failed) {
    if (status != wg::succeeded) static_cast<std::atomic<bool>*>(failed)->store(true, std::memory_order_relaxed);
    static_cast<std::atomic<std::uint32_t>*>(awaited)->fetch_sub(1, std::memory_order_release);
  }
};

}  // namespace

void Flight::bring_home(const Staged& from, std::byte* to, std::uint64_t size) {
  auto found = std::ranges::find(home_, from.buffer, &Homecoming::buffer);
  if (found == home_.end()) found = home_.insert(home_.end(), Homecoming{from.buffer, 0, {}});
  found->parts.push_back({to, from.offset, size});
  found->size = std::max(found->size, (from.offset + size + 7) / 8 * 8);
}

Flights::~Flights() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (poller_.joinable()) poller_.join();
  look();
  abandon();
}

/// A callback that has not come may still come, and writes into its flight.
void Flights::abandon() noexcept {
  for (auto& flight : running_) static_cast<void>(new (std::nothrow) std::shared_ptr<Flight>(std::move(flight)));
  running_.clear();
}

Result<void> Flights::submit(const std::shared_ptr<Flight>& flight) {
  const wg::Table& api = context_.api;
  flight->awaited_.store(static_cast<std::uint32_t>(flight->home_.size() + 1), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    if (progress_ == Progress::own && !poller_.joinable()) poller_ = std::thread([this] { serve(); });
    running_.push_back(flight);
    if (is_asleep_) changed_.notify_one();
  }
  const auto callback = [&]<class Callback>(Callback made) {
    made.mode = wg::CallbackMode::allow_process_events;
    made.call = &Called::back;
    made.first = &flight->awaited_;
    made.second = &flight->has_failed_;
    return made;
  };
  const auto entered = base::contain("submitting", [&]() -> Result<bool> { return context_.host().enter(); });
  if (!entered || !*entered) {
    forget(flight);
    return entered ? context_.loss() : entered.error();
  }
  for (const Write& write : flight->staging.writes())
    api.QueueWriteBuffer(context_.queue(), write.to.buffer, write.to.offset, write.data, write.size);
  context_.host().leave();
  const wg::CommandBuffer commands = flight->commands.get();
  api.QueueSubmit(context_.queue(), 1, &commands);
  flight->commands = {};
  for (const Homecoming& home : flight->home_)
    api.BufferMapAsync(home.buffer, wg::map_mode_read, 0, home.size, callback(wg::MapCallback{}));
  api.QueueOnSubmittedWorkDone(context_.queue(), callback(wg::WorkCallback{}));
  return {};
}

/// It was not submitted.
void Flights::forget(const std::shared_ptr<Flight>& flight) {
  const std::lock_guard lock(mutex_);
  std::erase(running_, flight);
}

bool Flights::look() noexcept {
  const std::unique_lock looking(looking_, std::try_to_lock);
  if (!looking) return false;
  context_.pump();
  bool has_finished = false;
  while (true) {
    std::shared_ptr<Flight> flight;
    {
      const std::lock_guard lock(mutex_);
      if (running_.empty() || running_.front()->awaited_.load(std::memory_order_acquire) != 0) return has_finished;
      flight = running_.front();
    }
    if (!finish(*flight)) return has_finished;
    has_finished = true;
    const std::lock_guard lock(mutex_);
    if (!running_.empty() && running_.front() == flight) running_.pop_front();  // a loss may have emptied it
  }
}

/// Some implementations say of work that a loss has ended that it has succeeded, so the loss is asked first. False
/// where the device is lost: then nobody is told anything here.
bool Flights::finish(Flight& flight) noexcept {
  if (!context_.alive()) return false;
  if (flight.has_failed_.load(std::memory_order_relaxed)) {
    static_cast<void>(context_.lose({Errc::device_lost, "Work of the queue has failed."}));
    return false;
  }
  const auto delivered = base::contain("delivering downloads", [&]() -> Result<void> {
    if (flight.home_.empty()) return {};
    if (!context_.host().enter()) return context_.loss();
    deliver(flight);
    context_.host().leave();
    return {};
  });
  if (!delivered) return false;
  flight.staging.reset();
  flight.queries.clear();
  std::vector<kit::EventTold> told;
  {
    const std::lock_guard lock(flight.mutex_);
    flight.is_done_.store(true, std::memory_order_release);
    told.swap(flight.told_);
  }
  awaiting_.fetch_sub(told.size(), std::memory_order_relaxed);  // each has hurried
  for (const kit::EventTold& one : told) one.call(one.state, nullptr);
  return true;
}

void Flights::deliver(Flight& flight) {
  for (const Homecoming& home : flight.home_) {
    const void* const bytes = context_.api.BufferGetConstMappedRange(home.buffer, 0, home.size);
    for (const Homecoming::Part& part : home.parts)
      std::memcpy(part.to, static_cast<const std::byte*>(bytes) + part.offset, part.size);
    context_.api.BufferUnmap(home.buffer);
  }
}

void Flights::hurry() noexcept {
  if (awaiting_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  std::unique_lock lock(mutex_);
  lock.unlock();  // the poller has seen the count by now, or waits for the call below
  changed_.notify_one();
}

/// Whoever waits for work looks himself at first, and a second thread that looks takes time from a device in software.
/// So this one looks seldom until somebody waits to be told; then often at first, since most work is short. Between
/// submissions that follow each other it does not sleep until it is woken, which would cost each of them a call.
void Flights::serve() noexcept {
  constexpr microseconds shortest(20), longest(500);
  constexpr std::chrono::milliseconds linger(20);
  std::unique_lock lock(mutex_);
  Deadline busy_until = Clock::now();
  microseconds nap = longest;
  bool was_awaited = false;
  while (!is_closing_) {
    if (!running_.empty()) {
      busy_until = Clock::now() + linger;
    } else if (Clock::now() > busy_until) {
      is_asleep_ = true;
      changed_.wait(lock, [&] { return is_closing_ || !running_.empty(); });
      is_asleep_ = false;
      continue;
    }
    const bool is_awaited = awaiting_.load(std::memory_order_relaxed) != 0;
    const auto must_hurry = [&] { return !is_awaited && awaiting_.load(std::memory_order_relaxed) != 0; };
    if (!is_awaited) nap = longest;
    else if (!was_awaited) nap = shortest;
    was_awaited = is_awaited;
    if (changed_.wait_for(lock, nap, [&] { return is_closing_ || must_hurry(); }) || running_.empty()) continue;
    lock.unlock();
    const bool has_finished = look();
    lock.lock();
    if (!context_.alive()) abandon();
    nap = has_finished ? shortest : std::min(nap * 3 / 2, longest);
  }
}

Result<bool> FlightRules::is_done(const Event& event) const {
  if (event->is_done_.load(std::memory_order_acquire)) return true;
  flights->look();
  PINTLE_TRY(loss->check());
  return event->is_done_.load(std::memory_order_acquire);
}

bool FlightRules::tell(const Event& event, kit::EventTold told) const noexcept {
  const auto noted = base::contain("noting a wait", [&]() -> Result<bool> {
    const std::lock_guard lock(event->mutex_);
    if (event->is_done_.load(std::memory_order_acquire)) return false;
    event->told_.push_back(told);
    flights->hurry();
    return true;
  });
  if (!noted) return false;
  if (!*noted) told.call(told.state, nullptr);
  return true;
}

}  // namespace pintle::webgpu
