#include "core/door/keep_for_ever.h"

#include <atomic>
#include <new>
#include <utility>

#include "base/immortal.h"

namespace pintle::core {
namespace {

struct Kept {
  std::shared_ptr<void> object;
  Kept* next;
};
constinit std::atomic<Kept*> all{nullptr};

}  // namespace

void keep_for_ever(std::shared_ptr<void> object) noexcept {
  auto* const kept = new (std::nothrow) Kept{nullptr, all.load()};
  if (kept == nullptr) {
    static_cast<void>(base::Immortal<std::shared_ptr<void>>(std::move(object)));  // where no leak checker finds it
    return;
  }
  kept->object = std::move(object);
  while (!all.compare_exchange_weak(kept->next, kept)) {
  }
}

}  // namespace pintle::core
