// Signals of a symmetric heap: words that others raise, and this rank waits for.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/contain.h"
#include "base/timeout.h"
#include "collective/group/waiting.h"
#include "collective/heap/heap_signal.h"
#include "collective/heap/heap_state.h"
#include "pintle/symmetric.h"

namespace pintle {
namespace collective {

Result<void> raise(HeapState& heap, const Place& word, std::uint64_t value) {
  if (value == 0) return {};
  PINTLE_TRY(heap.window().raise(word.rank, word.offset, value));
  heap.group().ring(word.rank);
  return {};
}

namespace {

/// The time between two looks for lost ranks, by a rank that waits for no rank in particular.
constexpr Duration look_every = std::chrono::milliseconds(10);

/// What ends such a wait: a rank has died, or all others have left in good order.
[[nodiscard]] std::optional<Error> loss_in(GroupState& group) {
  std::uint32_t left = 0;
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    if (rank == group.rank()) continue;
    if (group.has_left(rank)) {
      ++left;
    } else if (const auto how = group.transport().loss(rank)) {
      return Error(Errc::peer_lost, fmt::format("Rank {} of {} is lost while rank {} waits for a signal: {}.", rank,
                                                group.text(), group.rank(), *how));
    }
  }
  if (left == 0 || left + 1 < group.ranks()) return std::nullopt;
  return Error(Errc::peer_lost, fmt::format("All other ranks of {} have left while rank {} waits for a signal.",
                                            group.text(), group.rank()));
}

/// The steps of a wait for the own word. A word that a rank has raised counts, though the rank is lost afterwards.
class SignalWait {
 public:
  SignalWait(HeapState& heap, const Place& word, std::uint64_t value, std::optional<std::uint32_t> from)
      : group_(heap.group()),
        word_(heap.window().word(word.offset)),
        value_(value),
        from_(from),
        waiting_(group_, Deadline::max()) {}  // a deadline of its own would fail the group

  [[nodiscard]] bool is_there() const noexcept { return word_.load(std::memory_order_seq_cst) >= value_; }
  Result<void> pause(Deadline now) {
    if (from_) return waiting_.pause(std::span(&*from_, 1));
    if (now >= next_look_) {
      next_look_ = now + look_every;
      if (const auto loss = loss_in(group_); loss && !is_there()) return group_.fail(*loss);
    }
    return waiting_.pause({});
  }

 private:
  GroupState& group_;
  const std::atomic_ref<std::uint64_t> word_;
  const std::uint64_t value_;
  const std::optional<std::uint32_t> from_;
  Waiting waiting_;
  Deadline next_look_ = Deadline::min();
};

Result<void> wait(HeapState& heap, const SymmetricSignal& signal, std::uint64_t value, Deadline deadline,
                  std::optional<std::uint32_t> from) {
  const std::uint32_t rank = heap.group().rank();
  PINTLE_ASSIGN(place, heap.place_of(signal, rank));
  if (from) PINTLE_TRY(heap.place_of(signal, *from));
  const auto use = heap.group().use();
  if (!use) return use.error();
  SignalWait wait(heap, place, value, from);
  while (!wait.is_there()) {
    const Deadline now = Clock::now();
    if (now >= deadline) {
      return Error(Errc::timeout, fmt::format("{} is at {} where rank {} waits for {}, past its deadline{}.",
                                              heap.text(signal), heap.window().word(place.offset).load(), rank, value,
                                              from ? fmt::format("; rank {} is late", *from) : std::string()));
    }
    PINTLE_TRY(wait.pause(now));
  }
  return {};
}

}  // namespace
}  // namespace collective

using collective::HeapCall;

Result<SymmetricSignals> SymmetricHeap::allocate_signals(std::uint64_t count, Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("allocating signals", timeout, [&](Deadline deadline) -> Result<SymmetricSignals> {
    SymmetricSignals signals;
    PINTLE_ASSIGN(words, state->allocate(HeapCall::allocate_signals, DType::u64, Shape{count}, deadline));
    signals.words = words;
    return signals;
  });
}

Result<void> SymmetricHeap::free(const SymmetricSignals& signals, Timeout timeout) {
  return free(signals.words, timeout);
}

Result<void> SymmetricHeap::put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal,
                                       std::uint64_t value) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a put with a signal", [&]() -> Result<void> {
    PINTLE_ASSIGN(place, state->place_of(to, from));
    PINTLE_ASSIGN(word, state->place_of(signal, to.rank));
    PINTLE_TRY(state->window().put(place.rank, place.offset, from.bytes()));
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

Result<void> SymmetricHeap::wait_signal(const SymmetricSignal& signal, std::uint64_t value, Timeout timeout,
                                        std::optional<std::uint32_t> from) {
  PINTLE_ASSIGN(state, living());
  return base::enter("waiting for a signal", timeout,
                     [&](Deadline deadline) { return collective::wait(*state, signal, value, deadline, from); });
}

Result<std::uint64_t> SymmetricHeap::value(const SymmetricSignal& signal) const {
  PINTLE_ASSIGN(state, living());
  return base::contain("reading a signal", [&]() -> Result<std::uint64_t> {
    PINTLE_ASSIGN(place, state->place_of(signal, state->group().rank()));
    state->window().progress();  // otherwise a rank that asks again and again keeps MPI from working
    return state->window().word(place.offset).load(std::memory_order_acquire);
  });
}

}  // namespace pintle
