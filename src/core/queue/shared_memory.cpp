#include "core/queue/shared_memory.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/life/life.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t trial_size = 256;

/// Memory of a backend that is released with this object. After a loss, which is reported, the device is not called.
class Trial {
 public:
  Trial(Life& device, const Result<backend::MemoryId>& memory) : device_(device), memory_(heard(memory)) {
    if (!memory_) return;
    if (const auto mapped = heard(device_.device().map(*memory_))) bytes_ = *mapped;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    if (device_.is_lost()) return;
    if (!bytes_.empty()) device_.device().unmap(*memory_);
    if (memory_) device_.device().release(*memory_);
  }

  template <class T>
  [[nodiscard]] Result<T> heard(const Result<T>& answer) {
    if (!answer) static_cast<void>(device_.report(answer.error()));
    return answer;
  }

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] backend::MemoryId memory() const noexcept { return *memory_; }

 private:
  Life& device_;
  const Result<backend::MemoryId> memory_;
  std::span<std::byte> bytes_;
};

/// Writes through one memory and reads through the other. No queue is asked, so this waits for no work.
bool try_sharing(Life& owner, Life& here) {
  Trial theirs(owner, owner.device().allocate({trial_size, 1, Placement::host, "trial"}));
  if (theirs.bytes().empty()) return false;
  const auto exported = theirs.heard(owner.device().export_memory(theirs.memory()));
  if (!exported) return false;
  const Trial ours(here, here.device().import_memory(*exported));
  ::close(exported->fd);
  if (ours.bytes().size() < trial_size) return false;
  std::uint8_t next = 1;
  for (std::byte& byte : theirs.bytes()) byte = static_cast<std::byte>(next++);
  return std::ranges::equal(theirs.bytes(), ours.bytes().first(theirs.bytes().size()));
}

bool claims_to_share(const DeviceInfo& owner, const DeviceInfo& here) {
  const auto exports = [](const DeviceInfo& info) {
    return info.capability(Feature::memory_export).support == Support::native;
  };
  return !owner.uuid.empty() && owner.uuid == here.uuid && exports(owner) && exports(here);
}

bool is_open(std::uint64_t number) {
  const auto owner = find_owner(number);
  return owner && !owner->table.expired();
}

}  // namespace

// Two threads may try one pair at once: both find the same answer, and no driver is called under the lock.
bool shares_memory(Life& owner, Life& here) {
  if (!claims_to_share(owner.info(), here.info())) return false;
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<std::uint64_t, std::uint64_t>, bool>;
  const std::pair pair(owner.number(), here.number());
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(pair); found != known.end()) return found->second;
  }
  const bool shares = try_sharing(owner, here);
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& each) { return !is_open(each.first.first) || !is_open(each.first.second); });
  known[pair] = shares;
  return shares;
}

}  // namespace pintle::core
