#include "core/time/watchers.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"

namespace pintle::core {
namespace {

// How often a thread looks whether an earlier serial of its queue is to be watched too.
constexpr auto slice = std::chrono::milliseconds(1);

}  // namespace

// Called with the lock held. Takes the watcher of the queue, else an idle one, else a new one.
Watchers::Watcher& Watchers::watcher_for(const Observable& queue) {
  const auto with = [&](const Observable* wanted) {
    return std::ranges::find_if(all_, [&](const auto& watcher) { return watcher->queue.get() == wanted; });
  };
  if (const auto same = with(&queue); same != all_.end()) return **same;
  if (const auto idle = with(nullptr); idle != all_.end()) return **idle;
  all_.reserve(all_.size() + 1);
  auto made = std::make_unique<Watcher>();
  std::thread([this, &watcher = *made] { run(watcher); }).detach();
  return *all_.emplace_back(std::move(made));
}

bool Watchers::watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    Watcher& watcher = watcher_for(*queue);
    watcher.serials.push_back(serial);
    watcher.queue = queue;
    watcher.condition.notify_one();
    return true;
  } catch (const std::exception& refusal) {
    base::log(LogLevel::error, "core", "A thread that watches {} cannot be started: {}.", queue->text(),
              refusal.what());
    return false;
  }
}

void Watchers::run(Watcher& watcher) {
  std::unique_lock lock(mutex_);
  for (;;) {
    watcher.condition.wait(lock, [&] { return watcher.queue != nullptr; });
    const std::uint64_t serial = std::ranges::min(watcher.serials);
    auto queue = watcher.queue;
    lock.unlock();
    const auto waited = queue->wait_native(serial, deadline_after(Clock::now(), slice));
    lock.lock();
    if (!waited && waited.error().code() == Errc::timeout) continue;
    std::erase(watcher.serials, serial);
    if (!watcher.serials.empty()) continue;
    watcher.queue = nullptr;
    lock.unlock();
    queue = nullptr;  // may be the last pointer, whose end is the device's: not under a lock
    lock.lock();
  }
}

}  // namespace pintle::core
