#include "core/device/process_end.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/platform.h"
#include "pintle/deadline.h"

namespace pintle::core {
namespace {

struct Entry {
  std::weak_ptr<Life::Body> device;
  std::weak_ptr<const void> presence;
};

struct Opened {
  std::mutex mutex;
  std::vector<Entry> entries;

  static Opened& instance() {
    static Opened& opened = *new Opened;
    return opened;
  }
};

constexpr auto patience = std::chrono::seconds(5);  // for all devices

/// Another thread dropped the last owner of the device, and is still inside the driver that is about to go.
void wait_until_closed(const Entry& entry, Deadline deadline) {
  while (!entry.presence.expired() && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void end_all() {
  if (base::in_forked_child()) return;
  std::vector<Entry> ending;
  {
    std::lock_guard lock(Opened::instance().mutex);
    ending = std::exchange(Opened::instance().entries, {});
  }
  const Deadline deadline = deadline_after(Clock::now(), patience);
  for (const Entry& each : ending) {
    if (const auto device = each.device.lock()) device->end(deadline);
    else wait_until_closed(each, deadline);
  }
}

}  // namespace

void end_with_process(std::weak_ptr<Life::Body> device, std::weak_ptr<const void> presence) {
  {
    std::lock_guard lock(Opened::instance().mutex);
    auto& all = Opened::instance().entries;
    std::erase_if(all, [](const Entry& each) { return each.presence.expired(); });
    all.push_back({std::move(device), std::move(presence)});
  }
  // `exit` runs the last registered function first, so this one is registered again after each library that the device
  // may have loaded. A registration cannot be undone.
  static std::atomic<std::uint64_t> known{0};
  const std::uint64_t loaded = base::libraries_loaded();
  if (known.exchange(loaded) != loaded) std::atexit(end_all);
}

}  // namespace pintle::core
