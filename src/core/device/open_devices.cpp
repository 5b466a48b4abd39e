#include "core/device/open_devices.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace pintle::core {
namespace {

struct Entry {
  std::weak_ptr<DeviceState> device;
  bool is_opening = false;
};

struct OpenDevices {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> entries;

  static OpenDevices& instance() {
    static OpenDevices& open = *new OpenDevices;
    return open;
  }
};

/// The right to open an id. Other threads that want this id wait until the right ends.
class Opening {
 public:
  explicit Opening(Entry& entry) noexcept : entry_(entry) { entry_.is_opening = true; }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() {
    OpenDevices& open = OpenDevices::instance();
    const std::lock_guard lock(open.mutex);
    entry_.is_opening = false;
    open.changed.notify_all();
  }

  void keep(const std::shared_ptr<DeviceState>& device) noexcept {
    const std::lock_guard lock(OpenDevices::instance().mutex);
    entry_.device = device;
  }

 private:
  Entry& entry_;  // entries stay where they are
};

}  // namespace

Result<std::shared_ptr<DeviceState>> open_once(DeviceRecipe recipe) {
  OpenDevices& open = OpenDevices::instance();
  std::unique_lock lock(open.mutex);
  Entry& entry = open.entries[recipe.id];
  open.changed.wait(lock, [&] { return !entry.is_opening; });
  if (auto known = entry.device.lock()) return known;
  Opening opening(entry);
  lock.unlock();
  PINTLE_ASSIGN(state, DeviceState::open(std::move(recipe)));
  opening.keep(state);
  return state;
}

}  // namespace pintle::core
