#include "core/worklist.h"

#include <utility>

#include "core/incarnation.h"
#include "core/queue_state.h"

namespace pintle::core {

void Worklist::run_all() noexcept {
  while (const auto items = std::exchange(items_, nullptr)) {
    items->spent.clear();
    for (const auto& action : items->actions) action();
    for (const auto& queue : items->queues) {
      queue->pump(*this);
      queue->incarnation().drive();
    }
  }
}

}  // namespace pintle::core
