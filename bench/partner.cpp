#include "bench/partner.h"

#include <utility>

#include "bench/processors.h"

namespace pintle::bench {

Partner::Partner(std::optional<int> processor) : thread_([this, processor] { serve(processor); }) {}

Partner::~Partner() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Partner::start(std::function<void()> errand) {
  {
    const std::lock_guard lock(mutex_);
    errand_ = std::move(errand);
  }
  changed_.notify_all();
}

void Partner::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !errand_; });
}

void Partner::serve(std::optional<int> processor) {
  std::optional<Pinned> pinned;
  if (processor) pinned.emplace(*processor);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return errand_ || ended_; });
    if (!errand_) return;
    lock.unlock();
    errand_();
    lock.lock();
    errand_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace pintle::bench
