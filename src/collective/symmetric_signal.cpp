// Signals of a symmetric heap: words that others raise, and this rank waits for.
#include <fmt/format.h>

#include <atomic>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/contain.h"
#include "collective/heap_signal.h"
#include "collective/heap_state.h"
#include "collective/waiting.h"
#include "pintle/symmetric.h"

namespace pintle {
namespace collective {

Result<void> raise(HeapState& heap, const Place& word, std::uint64_t value) {
  if (value == 0) return {};
  Window& window = heap.window();
  if (!window.is_addressable()) PINTLE_TRY(window.flush());  // what was put before is there first
  std::uint64_t expected = value - 1;                        // a guess: signals mostly count
  while (true) {
    PINTLE_ASSIGN(found, window.compare_exchange(word.rank, word.offset, expected, value));
    if (found == expected || found >= value) break;
    expected = found;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // before looking whether that rank sleeps
  heap.group().ring(word.rank);
  return {};
}

namespace {

/// Ranks of which one is still to come: the one that is named; else all that have not left; else all.
class Awaited {
 public:
  Awaited(GroupState& group, std::optional<std::uint32_t> from) : group_(group) {
    if (from) {
      all_ = {*from};
      return;
    }
    all_.resize(group.ranks());
    std::iota(all_.begin(), all_.end(), 0u);
    all_.erase(all_.begin() + group.rank());
  }
  [[nodiscard]] std::span<const std::uint32_t> now() {
    if (all_.size() < 2) return all_;
    there_.clear();
    for (const std::uint32_t rank : all_) {
      if (!group_.has_left(rank)) there_.push_back(rank);
    }
    return there_.empty() ? all_ : there_;
  }
  /// "; rank 3 is late", where only one can be.
  [[nodiscard]] std::string text() const {
    return all_.size() == 1 ? fmt::format("; rank {} is late", all_.front()) : std::string();
  }

 private:
  GroupState& group_;
  std::vector<std::uint32_t> all_, there_;
};

Result<void> wait(HeapState& heap, const SymmetricSignal& signal, std::uint64_t value, const SymmetricWait& options) {
  const Deadline deadline = options.timeout.deadline();
  PINTLE_ASSIGN(place, heap.place_of(signal, heap.group().rank()));
  if (options.from) PINTLE_TRY(heap.place_of(signal, *options.from));
  const auto word = heap.window().word(place.offset);
  Waiting waiting(heap.group(), Deadline::max());  // its own deadline would fail the group
  Awaited awaited(heap.group(), options.from);
  while (word.load(std::memory_order_seq_cst) < value) {
    if (Clock::now() >= deadline) {
      return Error(Errc::timeout, fmt::format("{} is at {} where rank {} waits for {}, past its deadline{}.",
                                              heap.text(signal), word.load(), place.rank, value, awaited.text()));
    }
    PINTLE_TRY(waiting.pause(awaited.now()));
  }
  return {};
}

}  // namespace
}  // namespace collective

using collective::HeapCall;

Result<SymmetricSignals> SymmetricHeap::allocate_signals(std::uint64_t count, Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::contain("allocating signals", [&]() -> Result<SymmetricSignals> {
    SymmetricSignals signals;
    PINTLE_ASSIGN(words, state->allocate(HeapCall::allocate_signals, DType::u64, Shape{count}, timeout.deadline()));
    signals.words_ = words;
    return signals;
  });
}

Result<void> SymmetricHeap::free(const SymmetricSignals& signals, Timeout timeout) {
  return free(signals.words_, timeout);
}

Result<void> SymmetricHeap::put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal,
                                       std::uint64_t value) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a put with a signal", [&]() -> Result<void> {
    PINTLE_ASSIGN(place, state->place_of(to, from));
    PINTLE_ASSIGN(word, state->place_of(signal, to.rank));
    PINTLE_TRY(state->window().put(place.rank, place.offset, from.bytes));
    return collective::raise(*state, word, value);
  });
}

Result<void> SymmetricHeap::raise(const SymmetricSignal& signal, std::uint32_t rank, std::uint64_t value) {
  PINTLE_ASSIGN(state, living());
  return base::contain("raising a signal", [&]() -> Result<void> {
    PINTLE_ASSIGN(word, state->place_of(signal, rank));
    return collective::raise(*state, word, value);
  });
}

Result<void> SymmetricHeap::wait_signal(const SymmetricSignal& signal, std::uint64_t value,
                                        const SymmetricWait& options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("waiting for a signal", [&] { return collective::wait(*state, signal, value, options); });
}

Result<std::uint64_t> SymmetricHeap::value(const SymmetricSignal& signal) const {
  PINTLE_ASSIGN(state, living());
  return base::contain("reading a signal", [&]() -> Result<std::uint64_t> {
    PINTLE_ASSIGN(place, state->place_of(signal, state->group().rank()));
    return state->window().word(place.offset).load(std::memory_order_acquire);
  });
}

}  // namespace pintle
