#include "core/door/keep_for_ever.h"

#include <atomic>
#include <utility>

namespace pintle::core {
namespace {

struct Kept {
  std::shared_ptr<void> object;
  Kept* next;
};
constinit std::atomic<Kept*> all{nullptr};

}  // namespace

void keep_for_ever(std::shared_ptr<void> object) noexcept {
  auto* const kept = new Kept{std::move(object), all.load()};
  while (!all.compare_exchange_weak(kept->next, kept)) {
  }
}

}  // namespace pintle::core
