#include "core/time/worklist.h"

#include <utility>

#include "core/device/incarnation.h"
#include "core/queue/queue_state.h"

namespace pintle::core {

void Worklist::bury(CommandList&& list) {
  list.commands_ = {};
  list.arguments_ = {};
  spent_.insert(spent_.end(), list.host_functions_.begin(), list.host_functions_.end());
  list.host_functions_.clear();
  if (spent_.empty()) return spent_.swap(list.retained_);
  spent_.insert(spent_.end(), std::move_iterator(list.retained_.begin()), std::move_iterator(list.retained_.end()));
  list.retained_.clear();
}

void Worklist::run_all() noexcept {
  spent_.clear();
  while (const auto items = std::exchange(items_, nullptr)) {
    for (const auto& action : items->actions) action();
    for (const auto& queue : items->queues) {
      queue->pump(*this);
      queue->incarnation().drive();
    }
    spent_.clear();
  }
}

}  // namespace pintle::core
