#include "core/time/watchers.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"

namespace pintle::core {
namespace {

// How long a thread waits for its oldest queue before it looks at the others, and for an earlier serial.
constexpr auto slice = std::chrono::milliseconds(1);

}  // namespace

// Called with the lock held. Takes the watcher of the device, else an idle one, else a new one.
Watchers::Watcher& Watchers::watcher_for(const void* device) {
  const auto of = [&](const void* wanted) {
    return std::ranges::find_if(all_, [&](const auto& watcher) {
      return (watcher->watches.empty() ? nullptr : watcher->watches.front().queue->device()) == wanted;
    });
  };
  if (const auto same = of(device); same != all_.end()) return **same;
  if (const auto idle = of(nullptr); idle != all_.end()) return **idle;
  all_.reserve(all_.size() + 1);
  auto made = std::make_unique<Watcher>();
  std::thread([this, &watcher = *made] { run(watcher); }).detach();
  return *all_.emplace_back(std::move(made));
}

bool Watchers::watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    Watcher& watcher = watcher_for(queue->device());
    const auto same = std::ranges::find(watcher.watches, queue, &Watch::queue);
    same != watcher.watches.end() ? same->serials.push_back(serial) : watcher.watches.push_back({queue, {serial}});
    watcher.condition.notify_one();
    return true;
  } catch (const std::exception& refusal) {
    base::log(LogLevel::error, "core", "No thread watches {}: {}.", queue->text(), refusal.what());
    return false;
  }
}

// Looks at one queue, and waits until then. True when it is not watched any more. A watcher's thread alone removes.
bool Watchers::look(Watcher& watcher, std::size_t place, Deadline until) {
  std::unique_lock lock(mutex_);
  const auto queue = watcher.watches[place].queue;  // perhaps the last pointer in the end: not under the lock
  const std::uint64_t serial = std::ranges::min(watcher.watches[place].serials);
  lock.unlock();
  const auto waited = queue->wait_native(serial, until);
  lock.lock();
  Watch& watch = watcher.watches[place];
  if (waited || waited.error().code() != Errc::timeout) std::erase(watch.serials, serial);
  if (!watch.serials.empty()) return false;
  watcher.watches.erase(watcher.watches.begin() + static_cast<std::ptrdiff_t>(place));
  lock.unlock();
  return true;
}

void Watchers::run(Watcher& watcher) {
  for (;;) {
    std::unique_lock lock(mutex_);
    watcher.condition.wait(lock, [&] { return !watcher.watches.empty(); });
    std::size_t left = watcher.watches.size();
    lock.unlock();
    Deadline until = deadline_after(Clock::now(), slice);
    for (std::size_t place = 0; left != 0; --left, until = Clock::now()) place += look(watcher, place, until) ? 0U : 1U;
  }
}

}  // namespace pintle::core
