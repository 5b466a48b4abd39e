#include "collective/heap/heap_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/bytes.h"
#include "base/inside.h"
#include "base/platform.h"
#include "collective/group/notes.h"

namespace pintle::collective {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t least_alignment = 64;

/// The name that this rank would give a new heap.
[[nodiscard]] std::uint64_t next_name() noexcept {
  static std::atomic<std::uint32_t> heaps{0};
  return base::process_id() << 32 | (heaps.fetch_add(1, std::memory_order_relaxed) + 1);
}

/// The alignment that suits every rank's device. An offer that is no alignment is ignored: other ranks are not trusted.
[[nodiscard]] std::uint64_t alignment_of(std::span<const HeapOffer> offers) noexcept {
  std::uint64_t alignment = least_alignment;
  for (const HeapOffer& offer : offers) {
    if (base::is_power_of_two(offer.alignment)) alignment = std::max(alignment, std::min(offer.alignment, page));
  }
  return alignment;
}

[[nodiscard]] Result<void> check_size(std::uint64_t bytes) {
  if (bytes != 0 && base::align_up(bytes, page)) return {};
  return Error(Errc::invalid_argument, fmt::format("A symmetric heap cannot have this size ({} bytes).", bytes));
}

/// A call that every rank makes and shows to the others, and the exchange that reaches them.
struct Meeting {
  GroupState::Running running;
  Exchange exchange;
};

[[nodiscard]] Result<Meeting> begin(GroupState& group) {
  PINTLE_TRY(group.health());
  Call call;
  call.operation = Operation::set_up;
  PINTLE_ASSIGN(running, group.begin(call));
  return Meeting{std::move(running), exchange_of(group)};
}

[[nodiscard]] Result<void> outcome_of(const auto& result) {
  if (result) return {};
  return result.error();
}

}  // namespace

Result<std::unique_ptr<HeapState>> HeapState::create(std::shared_ptr<GroupState> group, std::uint64_t bytes,
                                                     const SymmetricOptions& options, Deadline deadline) {
  HeapRequest request;
  request.call = HeapCall::create;
  request.bytes = bytes;
  HeapOffer offer{next_name(), options.device ? options.device->info().limits.offset_alignment : 1};
  PINTLE_ASSIGN(meeting, begin(*group));
  PINTLE_ASSIGN(offers, collective::meet(meeting.exchange, request, offer, check_size(bytes), deadline));
  const auto holding = std::make_shared<Holding>();
  PINTLE_ASSIGN(window, group->transport().create_window(base::round_up(bytes, page), meeting.exchange, deadline));
  holding->group = std::move(group);
  holding->window = std::move(window);
  auto state = std::make_unique<HeapState>(holding, offers.front().name, bytes, alignment_of(offers), options.label);
  Result<void> own;
  if (options.device) {
    auto opened = HeapDevice::open(*options.device, std::span(state->window().own(), state->window().size()), holding,
                                   state->text_);
    own = outcome_of(opened);
    if (opened) state->device_ = std::move(*opened);
  }
  PINTLE_TRY(agree(own, meeting.exchange, deadline));
  return state;
}

HeapState::HeapState(std::shared_ptr<Holding> holding, std::uint64_t name, std::uint64_t bytes, std::uint64_t alignment,
                     std::string label)
    : holding_(std::move(holding)),
      name_(name),
      size_(bytes),
      text_(heap_text(name, label)),
      allocator_(bytes, alignment),
      worker_(text_) {}

SymmetricUsage HeapState::usage() const noexcept { return {size_, allocator_.free_bytes(), allocator_.largest()}; }

Result<void> HeapState::meet(const HeapRequest& request, const Result<void>& own, Deadline deadline) {
  PINTLE_ASSIGN(meeting, begin(group()));
  return outcome_of(collective::meet(meeting.exchange, request, {}, own, deadline));
}

Result<SymmetricBuffer> HeapState::allocate(HeapCall call, DType dtype, const Shape& shape, Deadline deadline) {
  const std::uint64_t serial = ++serials_;
  const auto reserved = reserve(call, dtype, shape, serial);
  HeapRequest request;
  request.call = call;
  request.heap = name_;
  request.dtype = dtype;
  request.shape = shape;
  if (const auto met = meet(request, outcome_of(reserved), deadline); !met) {
    if (reserved) allocator_.free(Inside::base(*reserved), serial);
    return met.error();
  }
  return *reserved;
}

Result<SymmetricBuffer> HeapState::reserve(HeapCall call, DType dtype, const Shape& shape, std::uint64_t serial) {
  if (!is_dtype(dtype)) {
    return Error(Errc::invalid_argument, fmt::format("There is no dtype with this number ({}).", int(dtype)));
  }
  const auto bytes = checked_bytes(dtype, shape);
  if (!bytes) {
    return Error(Errc::invalid_argument,
                 fmt::format("Shape {} of {} has more dimensions than {} or more bytes than 64 bits count.",
                             shape.text(), pintle::name(dtype), Shape::max_rank));
  }
  const auto offset = allocator_.allocate(*bytes, serial);
  if (!offset) {
    return Error(Errc::out_of_memory,
                 fmt::format("Size ({} bytes) is larger than the largest free piece ({} of {} free bytes) of {}.",
                             *bytes, allocator_.largest(), allocator_.free_bytes(), text_));
  }
  auto buffer = Inside::make<SymmetricBuffer>(name_, serial, *offset, *bytes, dtype, shape);
  if (call == HeapCall::allocate_signals) {
    for (std::uint64_t at = 0; at < *bytes; at += sizeof(std::uint64_t)) window().word(*offset + at).store(0);
  }
  return buffer;
}

Result<void> HeapState::free(const SymmetricBuffer& buffer, Deadline deadline) {
  Result<void> own = check_whole(buffer);
  if (own) own = worker_.settle(deadline);
  HeapRequest request;
  request.call = HeapCall::free;
  request.heap = name_;
  request.serial = Inside::serial(buffer);
  request.offset = buffer.offset_bytes();
  request.dtype = buffer.dtype();
  request.shape = buffer.shape();
  PINTLE_TRY(meet(request, own, deadline));
  allocator_.free(Inside::base(buffer), Inside::serial(buffer));
  return {};
}

Result<void> HeapState::barrier(const Result<void>& own, Deadline deadline) {
  HeapRequest request;
  request.heap = name_;
  return meet(request, own, deadline);
}

Result<void> HeapState::check_whole(const SymmetricBuffer& buffer) const {
  PINTLE_TRY(own_place_of(buffer));
  if (buffer.offset_bytes() == Inside::base(buffer) &&
      buffer.size_bytes() == allocator_.size_of(Inside::base(buffer), Inside::serial(buffer)))
    return {};
  return Error(Errc::invalid_argument, fmt::format("{} is a slice: free the whole allocation.", text(buffer)));
}

Result<Place> HeapState::place_of(const SymmetricBuffer& buffer, std::uint32_t rank) const {
  if (Inside::heap(buffer) != name_) {
    return Error(Errc::invalid_argument, Inside::heap(buffer) == 0
                                             ? fmt::format("An empty symmetric buffer is no memory of {}.", text_)
                                             : fmt::format("{} is not of {}.", text(buffer), text_));
  }
  if (!allocator_.size_of(Inside::base(buffer), Inside::serial(buffer))) {
    return Error(Errc::stale, fmt::format("{} has been freed.", text(buffer)));
  }
  if (rank >= group().ranks()) {
    return Error(Errc::invalid_argument,
                 fmt::format("Rank ({}) is not below the ranks ({}) of {}.", rank, group().ranks(), text_));
  }
  if (!base::range_fits(buffer.offset_bytes(), buffer.size_bytes(), size_)) {
    return Error(Errc::internal, fmt::format("{} reaches past the end ({}) of {}.", text(buffer), size_, text_));
  }
  return Place{rank, buffer.offset_bytes(), buffer.size_bytes()};
}

Result<Place> HeapState::place_of(const SymmetricView& view, const Elements& host) const {
  const SymmetricBuffer& buffer = view.buffer;
  PINTLE_ASSIGN(place, place_of(buffer, view.rank));
  if (host.dtype() && *host.dtype() != buffer.dtype()) {
    const std::string_view given = is_dtype(*host.dtype()) ? pintle::name(*host.dtype()) : "none";
    return Error(Errc::invalid_argument,
                 fmt::format("Dtype ({}) is not that ({}) of {}.", given, pintle::name(buffer.dtype()), text(buffer)));
  }
  if (const std::uint64_t element = bytes_of(buffer.dtype()); host.bytes().size() % element != 0) {
    return Error(Errc::invalid_argument, fmt::format("Size ({} bytes) is no whole number of {} ({} bytes each).",
                                                     host.bytes().size(), pintle::name(buffer.dtype()), element));
  }
  if (host.bytes().size() != place.size) {
    return Error(Errc::invalid_argument, fmt::format("Size ({} bytes) is not the size ({} bytes) of {}.",
                                                     host.bytes().size(), place.size, text(buffer)));
  }
  PINTLE_TRY(check_apart(place, host.bytes(), buffer));
  return place;
}

/// Copying memory over itself is undefined.
Result<void> HeapState::check_apart(const Place& place, std::span<const std::byte> host,
                                    const SymmetricBuffer& buffer) const {
  const std::byte* const piece = window().at(place.rank);
  if (piece == nullptr || host.empty()) return {};
  const auto ours = reinterpret_cast<std::uintptr_t>(host.data());
  const auto theirs = reinterpret_cast<std::uintptr_t>(piece + place.offset);
  if (ours >= theirs + place.size || theirs >= ours + host.size()) return {};
  return Error(Errc::invalid_argument,
               fmt::format("The memory on this side overlaps {} of rank {}.", text(buffer), place.rank));
}

Result<Place> HeapState::place_of(const SymmetricSignal& signal, std::uint32_t rank) const {
  PINTLE_ASSIGN(place, place_of(signal.words, rank));
  if (signal.words.dtype() != DType::u64) {
    return Error(Errc::invalid_argument, fmt::format("{} is no signals: these are u64.", text(signal.words)));
  }
  const std::uint64_t count = place.size / sizeof(std::uint64_t);
  if (signal.index >= count) {
    return Error(Errc::invalid_argument,
                 fmt::format("Signal ({}) is not below the count ({}) of signals that were allocated together in {}.",
                             signal.index, count, text_));
  }
  return Place{rank, place.offset + signal.index * sizeof(std::uint64_t), sizeof(std::uint64_t)};
}

std::string HeapState::text(const SymmetricBuffer& buffer) const {
  return fmt::format("[SymmetricBuffer {}{} at {} of {}]", pintle::name(buffer.dtype()), buffer.shape().text(),
                     buffer.offset_bytes(),
                     Inside::heap(buffer) == name_ ? text_ : heap_text(Inside::heap(buffer), {}));
}

std::string HeapState::text(const SymmetricSignal& signal) const {
  return fmt::format("[SymmetricSignal {} at {} of {}]", signal.index, signal.words.offset_bytes(), text_);
}

}  // namespace pintle::collective
