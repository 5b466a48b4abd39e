#include "core/device/device_state.h"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "base/settings.h"
#include "core/life/life.h"

namespace pintle::core {
namespace {

struct Opened {
  std::weak_ptr<DeviceState> device;
  bool is_opening = false;
};

struct OpenDevices {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Opened> all;

  static OpenDevices& instance() {
    static OpenDevices& open = *new OpenDevices;
    return open;
  }
};

/// The right to open an id. Other threads that want this id wait until the right ends.
class Opening {
 public:
  explicit Opening(Opened& opened) noexcept : opened_(opened) { opened_.is_opening = true; }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() {
    OpenDevices& open = OpenDevices::instance();
    const std::lock_guard lock(open.mutex);
    opened_.is_opening = false;
    open.changed.notify_all();
  }

  void keep(const std::shared_ptr<DeviceState>& device) noexcept {
    const std::lock_guard lock(OpenDevices::instance().mutex);
    opened_.device = device;
  }

 private:
  Opened& opened_;  // those of a map stay where they are
};

}  // namespace

Result<std::shared_ptr<DeviceState>> DeviceState::open(registry::DeviceRecipe recipe) {
  PINTLE_ASSIGN(settings, base::settings());
  auto state = std::make_shared<DeviceState>(std::move(recipe));
  PINTLE_ASSIGN(first, state->next(settings->first_serial + 1));
  auto news = state->news_of(*first);
  state->set_current(std::move(first), std::move(news));
  return state;
}

Result<std::shared_ptr<Incarnation>> DeviceState::next(std::uint64_t generation) const {
  auto device = recipe_.open();
  if (!device) return device.error().with_device(recipe_.id, generation).during("opening [" + recipe_.id + "]");
  return Incarnation::open(recipe_.id, generation, *std::move(device));
}

// A driver may open a device again and never have it answer: then only a new process has one that does.
Result<std::shared_ptr<Incarnation>> DeviceState::successor_of(const Life& life) const {
  const std::uint64_t generation = life.generation() + 1;
  auto successor = next(generation);
  const auto answer = successor ? check_up((*successor)->life().keep((*successor)->life())) : Result<void>();
  if (successor && answer) return successor;
  const Error& error = successor ? answer.error() : successor.error();
  if (!is_loss(error.code())) return error;
  const Error poisoned =
      Error(Errc::process_poisoned, fmt::format("[{}] is opened again and does not work: {}", id(), error.message()))
          .with_device(id(), generation)
          .during("recovering [" + id() + "]");
  return error.vendor() ? poisoned.with_vendor(*error.vendor()) : poisoned;
}

std::forward_list<DeviceInfo> DeviceState::news_of(Incarnation& incarnation) const {
  std::forward_list<DeviceInfo> news;
  const DeviceInfo& now = incarnation.life().info();
  if (infos_.empty() || infos_.front() != now) news.push_front(now);
  return news;
}

void DeviceState::set_current(std::shared_ptr<Incarnation> incarnation, std::forward_list<DeviceInfo>&& news) noexcept {
  const std::lock_guard lock(mutex_);
  infos_.splice_after(infos_.before_begin(), news);
  current_.swap(incarnation);  // the caller drops the old one without the lock
  generation_.store(current_->life().generation(), std::memory_order_release);
}

// The swap comes last. Before it threads see the old generation, lost; after it the new one, whole.
Result<void> DeviceState::recover() {
  std::shared_ptr<Incarnation> old;  // destroyed without the lock
  const std::lock_guard lock(recovering_);
  old = current();
  Life& life = old->life();
  if (const auto answer = check_up(life.keep(life)); !life.is_lost()) return answer;
  if (life.loss().code() == Errc::process_poisoned) return life.loss().during("recovering [" + id() + "]");
  PINTLE_ASSIGN(successor, successor_of(life));
  auto news = news_of(*successor);
  life.supersede(successor->life().generation());
  set_current(std::move(successor), std::move(news));
  return {};
}

Result<std::shared_ptr<DeviceState>> open_once(registry::DeviceRecipe recipe) {
  OpenDevices& open = OpenDevices::instance();
  std::unique_lock lock(open.mutex);
  Opened& opened = open.all[recipe.id];
  open.changed.wait(lock, [&] { return !opened.is_opening; });
  if (auto known = opened.device.lock()) return known;
  Opening opening(opened);
  lock.unlock();
  PINTLE_ASSIGN(state, DeviceState::open(std::move(recipe)));
  opening.keep(state);
  return state;
}

}  // namespace pintle::core
