// Transfers of a symmetric heap that wait for points and give one.
#include <utility>

#include "base/contain.h"
#include "collective/heap/heap_signal.h"
#include "collective/heap/heap_state.h"
#include "pintle/symmetric.h"

namespace pintle {

// Everything is checked at the call: the worker's thread may not ask the heap. `free` waits until the worker has
// settled, so bytes that are copied later are still allocated.

Result<Point> SymmetricHeap::put(const SymmetricView& to, Elements from, SubmitOptions options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a put", [&]() -> Result<Point> {
    PINTLE_ASSIGN(place, state->place_of(to, from));
    return state->worker().add(std::move(options), [state, place, from]() -> Result<void> {
      PINTLE_TRY(state->window().put(place.rank, place.offset, from.bytes()));
      return state->window().flush();
    });
  });
}

Result<Point> SymmetricHeap::get(MutableElements to, const SymmetricView& from, SubmitOptions options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a get", [&]() -> Result<Point> {
    PINTLE_ASSIGN(place, state->place_of(from, to));
    return state->worker().add(std::move(options), [state, place, to]() -> Result<void> {
      return state->window().get(place.rank, place.offset, to.bytes());
    });
  });
}

Result<Point> SymmetricHeap::put_signal(const SymmetricView& to, Elements from, const SymmetricSignal& signal,
                                        std::uint64_t value, SubmitOptions options) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a put with a signal", [&]() -> Result<Point> {
    PINTLE_ASSIGN(place, state->place_of(to, from));
    PINTLE_ASSIGN(word, state->place_of(signal, to.rank));
    return state->worker().add(std::move(options), [state, place, word, from, value]() -> Result<void> {
      PINTLE_TRY(state->window().put(place.rank, place.offset, from.bytes()));
      PINTLE_TRY(collective::raise(*state, word, value));
      return state->window().flush();
    });
  });
}

}  // namespace pintle
