#include "core/life/owners.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/fork.h"
#include "base/settings.h"

namespace pintle::core {
namespace {

// Ended lives that are remembered, so that errors name device and generation. A view of an older life is stale as well.
constexpr std::size_t most_ended = 256;

struct Owners {
  std::mutex mutex;
  std::uint64_t next = first_serial() + 1;
  std::map<std::uint64_t, Owner> all;
  std::size_t ended = 0;

  static Owners& instance() {
    static Owners& owners = *new Owners;
    return owners;
  }

  void forget_oldest() noexcept {
    for (auto each = all.begin(); each != all.end(); ++each) {
      if (!each->second.table.expired()) continue;
      all.erase(each);
      --ended;
      return;
    }
  }
};

}  // namespace

std::uint64_t first_serial() {
  const auto settings = base::settings();
  return settings ? (*settings)->first_serial : 0;
}

std::uint64_t add_owner(const std::string& id, std::uint64_t generation) {
  Owners& owners = Owners::instance();
  const std::lock_guard lock(owners.mutex);
  owners.all[owners.next] = {id, generation, {}};
  return owners.next++;
}

void set_owner(std::uint64_t number, std::weak_ptr<void> table) {
  Owners& owners = Owners::instance();
  const std::lock_guard lock(owners.mutex);
  owners.all[number].table = std::move(table);
}

void end_owner(std::uint64_t number) noexcept {
  Owners& owners = Owners::instance();
  const std::lock_guard lock(owners.mutex);
  const auto found = owners.all.find(number);
  if (found == owners.all.end()) return;
  found->second.table.reset();
  if (++owners.ended > most_ended) owners.forget_oldest();
}

std::optional<Owner> find_owner(std::uint64_t number) {
  if (base::in_forked_child()) return std::nullopt;  // the thread that had the lock is not in this process
  Owners& owners = Owners::instance();
  const std::lock_guard lock(owners.mutex);
  const auto found = owners.all.find(number);
  return found == owners.all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pintle::core
