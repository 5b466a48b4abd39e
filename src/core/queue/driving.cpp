#include "core/queue/driving.h"

#include <list>
#include <utility>

namespace pintle::core {
namespace {

// What a thread has yet to drive. On the stack of the outermost drive, since a device may outlive the thread's own
// objects.
class Driving {
 public:
  Driving() noexcept { current = this; }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;
  ~Driving() { current = nullptr; }

  void add(std::shared_ptr<Driven> queue) { later_.push_back(std::move(queue)); }
  [[nodiscard]] std::shared_ptr<Driven> take() noexcept {
    if (later_.empty()) return nullptr;
    auto next = std::move(later_.front());
    later_.pop_front();
    return next;
  }

  static thread_local constinit Driving* current;

 private:
  std::list<std::shared_ptr<Driven>> later_;
};
thread_local constinit Driving* Driving::current = nullptr;

// True when something has been finished, so that there may be more.
bool run_once(Driven& queue) {
  const auto waited = queue.wait_rest(Deadline::max());
  return waited && *waited;
}

}  // namespace

void drive(std::shared_ptr<Driven> queue) {
  if (Driving::current != nullptr) return Driving::current->add(std::move(queue));
  Driving driving;
  for (; queue != nullptr; queue = driving.take()) {
    while (run_once(*queue)) {
    }
  }
}

}  // namespace pintle::core
