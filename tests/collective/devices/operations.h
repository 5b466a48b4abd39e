// The operations of a Group and of a GroupQueue under one roof, and what each is to give, worked out without either.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "pintle/pintle.h"

namespace devices {

enum class Operation : std::uint8_t {
  all_reduce,
  reduce,
  reduce_scatter,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  ring,  ///< Each sends to the next and receives from the one before.
};
inline constexpr std::array names{"all_reduce", "reduce",    "reduce_scatter", "all_gather", "gather",
                                  "scatter",    "broadcast", "all_to_all",     "ring"};

struct Place {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;

  [[nodiscard]] std::uint32_t next() const noexcept { return (rank + 1) % ranks; }
  [[nodiscard]] std::uint32_t previous() const noexcept { return (rank + ranks - 1) % ranks; }
};

/// `count` is of one part.
struct Call {
  Operation operation{};
  std::uint64_t count = 0;
  std::uint32_t root = 0;

  [[nodiscard]] bool is(std::initializer_list<Operation> which) const noexcept {
    return std::ranges::find(which, operation) != which.end();
  }
  [[nodiscard]] std::uint64_t parts_from(Place place) const noexcept {
    return is({Operation::reduce_scatter, Operation::scatter, Operation::all_to_all}) ? place.ranks : 1;
  }
  [[nodiscard]] std::uint64_t parts_to(Place place) const noexcept {
    return is({Operation::all_gather, Operation::gather, Operation::all_to_all}) ? place.ranks : 1;
  }
  /// Every rank has memory to write; where nothing comes, it is left alone. A broadcast's root gives, and gets nothing.
  [[nodiscard]] bool writes(Place place) const noexcept {
    if (operation == Operation::broadcast) return place.rank != root;
    return !is({Operation::reduce, Operation::gather}) || place.rank == root;
  }
};

/// Element `index` of what a rank gives: sums of them are exact in f32, and wrap in u8 as unsigned numbers do.
inline std::uint64_t number(std::uint64_t rank, std::uint64_t index) { return (index * 31 + rank * 1009 + 7) % 10007; }

template <class T>
std::vector<T> given(std::uint64_t rank, std::uint64_t first, std::uint64_t count) {
  std::vector<T> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<T>(number(rank, first + i));
  return values;
}

template <class T>
std::vector<T> sums(std::uint32_t ranks, std::uint64_t first, std::uint64_t count) {
  std::vector<T> values(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t sum = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) sum += number(rank, first + i);
    values[i] = static_cast<T>(sum);
  }
  return values;
}

/// What a rank that is written to has after the call.
template <class T>
std::vector<T> expected(const Call& call, Place place) {
  const std::uint64_t own = place.rank * call.count;
  switch (call.operation) {
    case Operation::all_reduce:
    case Operation::reduce: return sums<T>(place.ranks, 0, call.count);
    case Operation::reduce_scatter: return sums<T>(place.ranks, own, call.count);
    case Operation::scatter: return given<T>(call.root, own, call.count);
    case Operation::broadcast: return given<T>(call.root, 0, call.count);
    case Operation::ring: return given<T>(place.previous(), 0, call.count);
    default: break;
  }
  std::vector<T> all;
  for (std::uint32_t other = 0; other < place.ranks; ++other) {
    const auto part = given<T>(other, call.operation == Operation::all_to_all ? own : 0, call.count);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Even ranks send first, so that a send may wait for its receiver. `submit` takes an operation.
template <class Submit, class Memory>
auto exchange(Submit submit, Place place, const Memory& to, const Memory& from)
    -> decltype(submit(pintle::Collective::barrier())) {
  if (place.rank % 2 == 0) {
    PINTLE_TRY(submit(pintle::Collective::send(from, place.next())));
    return submit(pintle::Collective::recv(to, place.previous()));
  }
  PINTLE_TRY(submit(pintle::Collective::recv(to, place.previous())));
  return submit(pintle::Collective::send(from, place.next()));
}

/// On MutableElements by a Group, or on DeviceElements by a GroupQueue.
template <class Submit, class Memory>
auto perform(Submit submit, const Call& call, Place place, const Memory& to, const Memory& from)
    -> decltype(submit(pintle::Collective::barrier())) {
  constexpr auto sum = pintle::ReduceOp::sum;
  switch (call.operation) {
    case Operation::all_reduce: return submit(pintle::Collective::all_reduce(to, from, sum));
    case Operation::reduce: return submit(pintle::Collective::reduce(to, from, sum, call.root));
    case Operation::reduce_scatter: return submit(pintle::Collective::reduce_scatter(to, from, sum));
    case Operation::all_gather: return submit(pintle::Collective::all_gather(to, from));
    case Operation::gather: return submit(pintle::Collective::gather(to, from, call.root));
    case Operation::scatter: return submit(pintle::Collective::scatter(to, from, call.root));
    case Operation::broadcast:
      return submit(pintle::Collective::broadcast(place.rank == call.root ? from : to, call.root));
    case Operation::all_to_all: return submit(pintle::Collective::all_to_all(to, from));
    default: return exchange(submit, place, to, from);
  }
}

/// Sizes of a part: nothing, one, odd, and some chunks of a GroupQueue.
template <class T>
std::vector<std::uint64_t> counts(Operation operation, Place place) {
  const Call call{operation};
  const std::uint64_t parts = std::max(call.parts_from(place), call.parts_to(place));
  return {0, 1, 7, pintle::GroupQueue::chunk_bytes * 5 / 2 / (sizeof(T) * parts) + 3};
}

}  // namespace devices
