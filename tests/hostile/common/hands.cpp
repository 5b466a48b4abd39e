#include "common/hands.h"

#include <thread>

#include "common/habits.h"

namespace pintle::hostile {

Hands& Hands::instance() {
  static Hands& hands = *new Hands;
  return hands;
}

Hands::Hands() {
  for (int i = 0; i < 3; ++i) std::thread([this] { serve(); }).detach();
}

void Hands::later(std::function<void()> work) {
  const std::uint64_t number = next_number();
  const std::chrono::microseconds delay(number % 2 == 0 ? 0 : number / 2 % 500);
  {
    const std::lock_guard lock(mutex_);
    due_.emplace(Clock::now() + delay, std::move(work));
  }
  changed_.notify_one();
}

void Hands::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (due_.empty()) {
      changed_.wait(lock);
    } else if (const auto first = due_.begin()->first; first > Clock::now()) {
      changed_.wait_until(lock, first);
    } else {
      const auto work = due_.extract(due_.begin());
      lock.unlock();
      work.mapped()();
      lock.lock();
    }
  }
}

}  // namespace pintle::hostile
