#include "pintle/symmetric.h"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.h"
#include "base/inside.h"
#include "base/timeout.h"
#include "collective/heap/heap_state.h"

namespace pintle {

using collective::HeapCall;
using collective::HeapState;

Result<SymmetricBuffer> SymmetricBuffer::slice(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t element = bytes_of(dtype_);
  const std::uint64_t elements = size_ / element;
  if (!base::range_fits(first, count, elements)) {
    return base::contain("a slice of a symmetric buffer", [&]() -> Result<SymmetricBuffer> {
      return Error(Errc::invalid_argument, fmt::format("Elements from {} on, {} of them, reach past the end ({}) of a "
                                                       "symmetric buffer.",
                                                       first, count, elements));
    });
  }
  SymmetricBuffer part = *this;
  part.offset_ += first * element;
  part.size_ = count * element;
  part.shape_ = Shape{count};
  return part;
}

std::string_view name(Residence residence) noexcept {
  switch (residence) {
    case Residence::host: return "host";
    case Residence::in_place: return "in_place";
    case Residence::staged: return "staged";
  }
  return {};
}

Result<SymmetricHeap> SymmetricHeap::create(Group& group, std::uint64_t bytes, const SymmetricOptions& options) {
  if (!Inside::state(group)) {
    return Error(Errc::invalid_argument, "A symmetric heap needs a group; this one is empty or moved from.");
  }
  return base::enter("making a symmetric heap", options.timeout, [&](Deadline deadline) -> Result<SymmetricHeap> {
    PINTLE_ASSIGN(state, HeapState::create(Inside::state(group), bytes, options, deadline));
    return SymmetricHeap(std::move(state));
  });
}

SymmetricHeap::SymmetricHeap() noexcept = default;
SymmetricHeap::SymmetricHeap(std::unique_ptr<HeapState> state) noexcept : state_(std::move(state)) {}
SymmetricHeap::SymmetricHeap(SymmetricHeap&&) noexcept = default;
SymmetricHeap& SymmetricHeap::operator=(SymmetricHeap&&) noexcept = default;
SymmetricHeap::~SymmetricHeap() = default;

std::uint32_t SymmetricHeap::rank() const noexcept { return state_ ? state_->group().rank() : 0; }
std::uint32_t SymmetricHeap::ranks() const noexcept { return state_ ? state_->group().ranks() : 0; }
std::string SymmetricHeap::text() const noexcept {
  return base::contain_or(std::string("[SymmetricHeap]"), [&] { return state_ ? state_->text() : "[SymmetricHeap]"; });
}
SymmetricUsage SymmetricHeap::usage() const noexcept { return state_ ? state_->usage() : SymmetricUsage{}; }

Result<HeapState*> SymmetricHeap::living() const {
  if (base::in_forked_child()) return base::forked_error();
  if (state_) return state_.get();
  return Error(Errc::invalid_argument, "The symmetric heap is empty or moved from.");
}

Result<SymmetricBuffer> SymmetricHeap::allocate(DType dtype, const Shape& shape, Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("allocating in a symmetric heap", timeout,
                     [&](Deadline deadline) { return state->allocate(HeapCall::allocate, dtype, shape, deadline); });
}

Result<void> SymmetricHeap::free(const SymmetricBuffer& buffer, Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("freeing in a symmetric heap", timeout,
                     [&](Deadline deadline) { return state->free(buffer, deadline); });
}

Result<std::span<std::byte>> SymmetricHeap::local_as(const SymmetricBuffer& buffer, std::optional<DType> dtype) {
  PINTLE_ASSIGN(state, living());
  return base::contain("looking at a symmetric buffer", [&]() -> Result<std::span<std::byte>> {
    PINTLE_ASSIGN(place, state->own_place_of(buffer));
    if (dtype && *dtype != buffer.dtype()) {
      return Error(Errc::invalid_argument, fmt::format("Dtype ({}) is not that ({}) of {}.", pintle::name(*dtype),
                                                       pintle::name(buffer.dtype()), state->text(buffer)));
    }
    return std::span(state->window().own() + place.offset, place.size);
  });
}

Result<std::span<std::byte>> SymmetricHeap::local(const SymmetricBuffer& buffer) {
  return local_as(buffer, std::nullopt);
}

Result<void> SymmetricHeap::put(const SymmetricView& to, Elements from) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a put", [&]() -> Result<void> {
    PINTLE_ASSIGN(place, state->place_of(to, from));
    return state->window().put(place.rank, place.offset, from.bytes());
  });
}

Result<void> SymmetricHeap::get(MutableElements to, const SymmetricView& from) {
  PINTLE_ASSIGN(state, living());
  return base::contain("a get", [&]() -> Result<void> {
    PINTLE_ASSIGN(place, state->place_of(from, to));
    return state->window().get(place.rank, place.offset, to.bytes());
  });
}

Result<void> SymmetricHeap::fence(Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("a fence", timeout, [&](Deadline deadline) -> Result<void> {
    PINTLE_TRY(state->worker().settle(deadline));
    PINTLE_TRY(state->worker().failure());
    return state->window().flush();
  });
}

Result<void> SymmetricHeap::flush(Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("a flush", timeout, [&](Deadline deadline) -> Result<void> {
    PINTLE_TRY(state->worker().settle(deadline));
    PINTLE_TRY(state->window().flush());
    return state->worker().take_failure();
  });
}

Result<void> SymmetricHeap::barrier(Timeout timeout) {
  PINTLE_ASSIGN(state, living());
  return base::enter("a barrier of a symmetric heap", timeout,
                     [&](Deadline deadline) { return state->barrier(flush(timeout), deadline); });
}

}  // namespace pintle
