#include "core/queue/driving.h"

#include <list>
#include <utility>

#include "base/contain.h"

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

  /// Where there is no memory for it, whoever waits for that queue or polls it drives it.
  void add(std::shared_ptr<Driven> queue) noexcept {
    static_cast<void>(base::contain_or(false, [&] {
      later_.push_back(std::move(queue));
      return true;
    }));
  }
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
bool run_once(Driven& queue) noexcept {
  return base::contain_or(false, [&] { return queue.wait_rest(Deadline::max()).value_or(false); });
}

}  // namespace

void drive(std::shared_ptr<Driven> queue) noexcept {
  if (Driving::current != nullptr) return Driving::current->add(std::move(queue));
  Driving driving;
  for (; queue != nullptr; queue = driving.take()) {
    while (run_once(*queue)) {
    }
  }
}

}  // namespace pintle::core
