#include "base/guarded_region.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/contain.h"
#include "base/memory_access.h"

namespace pintle::base {

/// One region, as the handler of signals sees it: nothing but atomics.
struct GuardedRegion::Place {
  std::atomic<std::uintptr_t> begin{0};  ///< Where the pages before begin; 0: nobody's.
  std::atomic<std::uintptr_t> inner{0};  ///< Where the accessible pages begin.
  std::atomic<std::uintptr_t> inner_end{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> read_at{0};  ///< The first address; 0: none.
  std::atomic<std::uintptr_t> written_at{0};
  bool is_taken = false;  // under the table's lock

  [[nodiscard]] bool guards(std::uintptr_t address) const noexcept {
    const std::uintptr_t first = begin.load(std::memory_order_acquire);
    if (first == 0 || address < first || address >= end.load()) return false;
    return address < inner.load() || address >= inner_end.load();
  }
};

struct GuardedRegion::Table {
  static constexpr std::size_t most = 4096;

  /// Null where all places are taken.
  Place* take() noexcept {
    const std::lock_guard lock(mutex);
    const auto place = std::ranges::find(places, false, &Place::is_taken);
    if (place == places.end()) return nullptr;
    place->is_taken = true;
    return &*place;
  }
  void give_back(Place& place) noexcept {
    const std::lock_guard lock(mutex);
    place.is_taken = false;
  }
  void listen() noexcept;
  static void hear(int signal, siginfo_t* info, void* context);
  bool open(std::uintptr_t address, MemoryAccess access) noexcept;
  void pass_on(int signal, siginfo_t* info, void* context) const;

  static constexpr std::array signals{SIGSEGV, SIGBUS};
  std::array<Place, most> places;
  std::array<struct sigaction, signals.size()> before{};
  std::mutex mutex;
  std::once_flag listening;
};

namespace {

constexpr std::byte pattern{0xA5};

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::uintptr_t number_of(const std::byte* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }

void note(std::atomic<std::uintptr_t>& first, std::uintptr_t address) noexcept {
  std::uintptr_t none = 0;
  first.compare_exchange_strong(none, address);
}

}  // namespace

GuardedRegion::Table& GuardedRegion::table() noexcept {
  static Table& table = *new Table;
  return table;
}

/// Installs the handler for the life of the process.
void GuardedRegion::Table::listen() noexcept {
  std::call_once(listening, [this] {
    for (std::size_t index = 0; index < signals.size(); ++index) {
      struct sigaction action{};
      action.sa_sigaction = &Table::hear;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      ::sigaction(signals[index], nullptr, &before[index]);  // known before the first signal can come
      ::sigaction(signals[index], &action, nullptr);
    }
  });
}

/// Runs inside the code that went astray: no lock, no allocation.
void GuardedRegion::Table::hear(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  Table& table = GuardedRegion::table();  // made before the handler was installed
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (!table.open(address, access_of(context))) table.pass_on(signal, info, context);
  errno = error;
}

/// A side that was read becomes readable only, so that the first write is noted too.
bool GuardedRegion::Table::open(std::uintptr_t address, MemoryAccess access) noexcept {
  const auto found = std::ranges::find_if(places, [&](const Place& place) { return place.guards(address); });
  if (found == places.end()) return false;
  const bool is_read = access == MemoryAccess::read;
  note(is_read ? found->read_at : found->written_at, address);
  const bool is_before = address < found->inner.load();
  const std::uintptr_t first = is_before ? found->begin.load() : found->inner_end.load();
  const std::uintptr_t last = is_before ? found->inner.load() : found->end.load();
  const int rights = is_read && found->written_at.load() == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
  return ::mprotect(reinterpret_cast<void*>(first), last - first, rights) == 0;
}

/// A handler that was there before runs; without one the signal ends the process when the code runs into it again.
void GuardedRegion::Table::pass_on(int signal, siginfo_t* info, void* context) const {
  const struct sigaction& old = before[signal == SIGSEGV ? 0 : 1];
  if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(signal, info, context);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(signal);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
}

Result<GuardedRegion> GuardedRegion::create(std::size_t size, std::size_t alignment, std::size_t remainder) {
  const std::size_t page = page_size();
  const std::size_t shift = (0 - size - remainder) % alignment;  // from the end of the range to the guard pages
  const std::size_t inner = (std::max<std::size_t>(size + shift, 1) + page - 1) / page * page;
  const std::size_t whole = inner + 2 * guard_bytes;
  Place* const place = table().take();
  if (place == nullptr)
    return Error(Errc::out_of_memory, fmt::format("({}) guarded regions exist, which is the limit.", Table::most));
  table().listen();
  void* const mapped = ::mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto* const begin = static_cast<std::byte*>(mapped);
  if (mapped == MAP_FAILED || ::mprotect(begin + guard_bytes, inner, PROT_READ | PROT_WRITE) != 0) {
    if (mapped != MAP_FAILED) ::munmap(mapped, whole);
    table().give_back(*place);
    return Error(Errc::out_of_memory, fmt::format("A guarded region of ({}) bytes cannot be mapped.", whole));
  }
  std::byte* const inner_end = begin + guard_bytes + inner;
  std::byte* const data = inner_end - size - shift;
  std::fill(begin + guard_bytes, data, pattern);
  std::fill(data + size, inner_end, pattern);
  place->read_at = place->written_at = 0;
  place->inner = number_of(begin + guard_bytes);
  place->inner_end = number_of(inner_end);
  place->end = number_of(begin + whole);
  place->begin.store(number_of(begin), std::memory_order_release);
  return GuardedRegion(*place, data, size);
}

GuardedRegion::GuardedRegion(GuardedRegion&& other) noexcept
    : place_(std::exchange(other.place_, nullptr)), data_(other.data_), size_(other.size_) {}

GuardedRegion::~GuardedRegion() {
  if (place_ == nullptr) return;
  const std::uintptr_t begin = place_->begin.exchange(0);
  ::munmap(reinterpret_cast<void*>(begin), place_->end.load() - begin);
  table().give_back(*place_);
}

std::span<std::byte> GuardedRegion::pages() const noexcept {
  return {reinterpret_cast<std::byte*>(place_->inner.load()), place_->inner_end.load() - place_->inner.load()};
}

std::optional<GuardedRegion::Touch> GuardedRegion::touched() const noexcept {
  const auto at = [&](std::uintptr_t address) { return static_cast<std::ptrdiff_t>(address - number_of(data_)); };
  if (const auto changed = changed_pattern()) return changed;
  if (const std::uintptr_t address = place_->written_at.load(); address != 0) return Touch{at(address), true};
  if (const std::uintptr_t address = place_->read_at.load(); address != 0) return Touch{at(address), false};
  return std::nullopt;
}

/// The changed bytes that are nearest to the range.
std::optional<GuardedRegion::Touch> GuardedRegion::changed_pattern() const noexcept {
  const std::span<std::byte> all = pages();
  const auto is_changed = [](std::byte byte) { return byte != pattern; };
  const std::span behind(data_ + size_, all.data() + all.size());
  if (const auto found = std::ranges::find_if(behind, is_changed); found != behind.end())
    return Touch{static_cast<std::ptrdiff_t>(size_) + (found - behind.begin()), true};
  const std::span before(all.data(), data_);
  const auto last = std::find_if(before.rbegin(), before.rend(), is_changed);
  if (last == before.rend()) return std::nullopt;
  const auto first = std::find_if_not(last, before.rend(), is_changed);  // where the number begins that is nearest
  return Touch{before.rbegin() - first, true};
}

}  // namespace pintle::base
