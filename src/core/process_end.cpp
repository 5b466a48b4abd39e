#include "core/process_end.h"

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "core/incarnation.h"

namespace pintle::core {
namespace {

struct Opened {
  std::mutex mutex;
  std::vector<std::weak_ptr<Incarnation>> incarnations;

  static Opened& instance() {
    static Opened& opened = *new Opened;
    return opened;
  }
};

void end_all() {
  if (base::in_forked_child()) return;
  std::vector<std::weak_ptr<Incarnation>> ending;
  {
    std::lock_guard lock(Opened::instance().mutex);
    ending = std::exchange(Opened::instance().incarnations, {});
  }
  for (const auto& each : ending) {
    if (const auto incarnation = each.lock()) incarnation->end();
  }
}

}  // namespace

void end_with_process(const std::shared_ptr<Incarnation>& incarnation) {
  {
    std::lock_guard lock(Opened::instance().mutex);
    auto& all = Opened::instance().incarnations;
    std::erase_if(all, [](const auto& each) { return each.expired(); });
    all.push_back(incarnation);
  }
  // Each time: what is registered last runs first, and the device may have brought one more library.
  std::atexit(end_all);
}

}  // namespace pintle::core
