#include "core/time/letting_go.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/door/thread_context.h"

namespace pintle::core {

bool must_await(const LettingGo& letting_go) noexcept {
  return letting_go.is_going_on() && no_blocking == 0 && others_wait == 0;
}

void await_all(const LettingGo& letting_go, Deadline deadline) noexcept {
  if (!must_await(letting_go)) return;
  const Deadline last = std::min(deadline, deadline_after(Clock::now(), std::chrono::seconds(1)));
  while (letting_go.is_going_on() && Clock::now() < last) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

}  // namespace pintle::core
