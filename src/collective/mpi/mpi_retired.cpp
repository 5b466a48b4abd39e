#include "collective/mpi/mpi_retired.h"

#include <algorithm>
#include <mutex>

#include "base/mutex.h"

namespace pintle::collective {
namespace {

struct Retired {
  base::Mutex mutex;
  std::list<MpiWindowRecord> windows;
};

Retired& retired() {
  static Retired& all = *new Retired;
  return all;
}

std::list<MpiWindowRecord> take(std::uint64_t id) noexcept {
  Retired& all = retired();
  std::list<MpiWindowRecord> taken;
  const std::scoped_lock lock(all.mutex);
  const auto found = std::ranges::find(all.windows, id, &MpiWindowRecord::id);
  if (found != all.windows.end()) taken.splice(taken.end(), all.windows, found);
  return taken;
}

}  // namespace

MpiLease::~MpiLease() {
  Retired& all = retired();
  const std::scoped_lock lock(all.mutex);
  all.windows.splice(all.windows.end(), record_);
}

std::vector<MpiWindowRecord> retired_windows(std::span<const std::uint32_t> members, std::size_t most) {
  Retired& all = retired();
  std::vector<MpiWindowRecord> found;
  {
    const std::scoped_lock lock(all.mutex);
    std::ranges::copy_if(all.windows, std::back_inserter(found),
                         [&](const MpiWindowRecord& record) { return std::ranges::includes(members, record.members); });
  }
  std::ranges::sort(found, {}, &MpiWindowRecord::id);
  if (found.size() > most) found.resize(most);
  return found;
}

void free_retired(std::span<const std::uint64_t> ids) {
  for (const std::uint64_t id : ids)
    for (const MpiWindowRecord& record : take(id)) record.functions->free_window(record.window);
}

}  // namespace pintle::collective
