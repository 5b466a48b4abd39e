#include "core/buffers/pools.h"

#include <algorithm>
#include <utility>

#include "base/timeout.h"
#include "core/door/object_names.h"
#include "core/life/handle.h"

namespace pintle::core {

Result<std::shared_ptr<PoolState>> Pools::create(PoolOptions options) {
  Life& life = table_.life();
  PINTLE_TRY(base::check(options.patience));
  PINTLE_TRY(life.usable());
  std::uint64_t number = 0;
  {
    const Locked locked = life.lock();
    number = next_++;
    all_.reserve(all_.size() + 1);
  }
  const std::string text = object_text("Pool", number, options.label);
  auto pool = std::make_shared<PoolState>(table_, std::move(options), text);
  auto handle = make_handle(life, pool, [this](const auto& gone) { abandon(*gone); });
  const Locked locked = life.lock();
  all_.push_back({std::move(pool), false});
  table_.order(locked).begin();
  table_.count_held(locked);  // so that buffers may come and go without a lease of their own
  return handle;
}

void Pools::abandon(const PoolState& pool) noexcept {
  if (base::in_forked_child()) return;
  std::shared_ptr<void> last;
  Worklist worklist;
  const Locked locked = table_.life().lock();
  const auto entry = std::ranges::find(all_, &pool, [](const Entry& each) { return each.pool.get(); });
  if (entry == all_.end()) return;
  last = table_.count_gone(locked);
  entry->is_abandoned = true;
  ++table_.abandoned(locked);
  dispose(worklist, locked);
  entry->pool->abandon(locked);
}

void Pools::dispose(Worklist& worklist, const Locked&) noexcept { worklist.add(table_.life().keep(*this)); }

void Pools::run_deferred(Worklist&) noexcept {
  std::size_t place = 0;
  while (const auto pool = next_abandoned(place)) static_cast<void>(pool->release_free(0));
  drop_empty();
}

std::shared_ptr<PoolState> Pools::next_abandoned(std::size_t& place) noexcept {
  const Locked locked = table_.life().lock();
  while (place < all_.size()) {
    const Entry& entry = all_[place++];
    if (entry.is_abandoned) return entry.pool;
  }
  return nullptr;
}

void Pools::drop_empty() noexcept {
  for (;;) {
    std::shared_ptr<PoolState> dropped;  // destroyed without the lock: its callback is the user's
    const Locked locked = table_.life().lock();
    const auto empty = std::ranges::find_if(all_, [&](const Entry& entry) {
      return entry.is_abandoned && (table_.life().is_lost() ? false : entry.pool->is_empty(locked));
    });
    if (empty == all_.end()) return;
    dropped = std::move(empty->pool);
    all_.erase(empty);
    --table_.abandoned(locked);
  }
}

}  // namespace pintle::core
