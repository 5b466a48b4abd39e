#include "kit/before_exit.h"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "base/contain.h"
#include "base/fork.h"

namespace pintle::kit {
namespace {

constexpr auto patience = std::chrono::seconds(4);  // for all devices

struct All {
  std::mutex mutex;
  std::vector<BeforeExit*> entries;

  static All& instance() {
    static All& all = *new All;
    return all;
  }
};

/// Only the main thread's object counts: other threads may end at any time.
struct LastObject {
  bool is_made = false;

  ~LastObject() {
    if (::gettid() != ::getpid() || base::in_forked_child()) return;
    const std::lock_guard lock(All::instance().mutex);
    const Deadline deadline = deadline_after(Clock::now(), patience);
    for (BeforeExit* const each : All::instance().entries) each->wait(deadline);
  }
};

thread_local LastObject last_object;

}  // namespace

BeforeExit::BeforeExit(backend::Device& device, StepQueues& queues) : device_(device), queues_(queues) {
  last_object.is_made = true;
  const std::lock_guard lock(All::instance().mutex);
  All::instance().entries.push_back(this);
}

BeforeExit::~BeforeExit() {
  const std::lock_guard lock(All::instance().mutex);
  std::erase(All::instance().entries, this);
}

void BeforeExit::wait(Deadline deadline) noexcept {
  static_cast<void>(base::contain("finishing work", [&]() -> Result<void> {
    for (const auto& [queue, serial] : queues_.accepted()) static_cast<void>(device_.wait(queue, serial, deadline));
    return {};
  }));
}

}  // namespace pintle::kit
