#include "core/worklist.h"

#include <utility>

#include "core/incarnation.h"
#include "core/queue_state.h"

namespace pintle::core {

void Worklist::run() noexcept {
  while (!queues_.empty() || !spent_.empty() || !actions_.empty()) {
    spent_.clear();
    for (const auto& action : std::exchange(actions_, {})) action();
    for (const auto& queue : std::exchange(queues_, {})) {
      queue->pump(*this);
      queue->incarnation().drive();
    }
  }
}

}  // namespace pintle::core
