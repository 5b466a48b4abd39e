#include "core/buffers/pool_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "core/device/incarnation.h"
#include "core/door/object_names.h"
#include "core/door/thread_context.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t block_alignment = 4096;  // of a block: what any buffer may ask for

}  // namespace

PoolState::PoolState(Incarnation& incarnation, PoolOptions options, std::string text)
    : incarnation_(incarnation),
      options_(std::move(options)),
      text_(std::move(text)),
      heap_(
          std::bit_ceil(std::max<std::uint64_t>(PoolHeap::least_granule, incarnation.info().limits.offset_alignment))) {
}

Result<Buffer> PoolState::allocate(QueueState& queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  if (&queue.incarnation() != &incarnation_) return incarnation_.foreign(text_, queue.incarnation());
  PINTLE_ASSIGN(size, incarnation_.check_request(dtype, shape, options.alignment));
  const std::uint64_t slack = options.alignment > heap_.granule() ? options.alignment - heap_.granule() : 0;
  const auto chunk_size = heap_.rounded(size + slack);
  if (!chunk_size) return Error(Errc::invalid_argument, fmt::format("Size ({}) is larger than any memory.", size));
  Request request{size, options.alignment, options.label, *chunk_size};
  Lock lock(incarnation_.mutex());
  PoolHeap::Chunk* chunk = incarnation_.is_usable() ? find(queue, request) : nullptr;
  if (chunk == nullptr) {
    PINTLE_ASSIGN(found, find_with_patience(lock, queue, request));
    chunk = found;
  }
  const NewBuffer made = incarnation_.hand_out_buffer(keep(*chunk, request), size, dtype, shape);
  lock.unlock();
  return made;
}

/// Where there is none at once.
Result<PoolHeap::Chunk*> PoolState::find_with_patience(Lock& lock, const QueueState& queue, const Request& request) {
  Attempt attempt;
  while (incarnation_.is_usable()) {
    PINTLE_TRY(find_more(lock, request, attempt));
    if (PoolHeap::Chunk* const chunk = incarnation_.is_usable() ? find(queue, request) : nullptr) return chunk;
  }
  lock.unlock();
  return incarnation_.usable(text_).error();
}

PoolHeap::Chunk* PoolState::take(PoolHeap::Chunk* chunk, std::uint64_t& count) noexcept {
  if (chunk != nullptr) {
    ++count;
    ++counts_.allocations;
    counts_.high_water = std::max(counts_.high_water, heap_.used());
  }
  return chunk;
}

/// With what is there, and what the queues are known to have finished.
PoolHeap::Chunk* PoolState::find(const QueueState& queue, const Request& request) {
  incarnation_.reserve_record();  // keeping what is found needs no memory
  std::uint64_t merged = 0;
  const auto may_have = [&](const Stamps& stamps) { return stamps.empty() || incarnation_.is_after(queue, stamps); };
  if (auto* const chunk = take(heap_.reuse(request.chunk, may_have), counts_.reuses)) return chunk;
  if (auto* const chunk = take(heap_.take_free(request.chunk), merged)) return chunk;
  if (heap_.waiting() < request.chunk) return nullptr;
  heap_.settle([&](const Stamps& stamps) { return incarnation_.is_finished(stamps); });
  return take(heap_.take_free(request.chunk), merged);
}

/// Success means that it is worth another look: more memory, less in flight, or a callback that says so.
Result<void> PoolState::find_more(Lock& lock, const Request& request, Attempt& attempt) {
  PINTLE_ASSIGN(grown, grow(lock, request, attempt));
  if (grown) return {};
  PINTLE_ASSIGN(regrown, release_to_grow(lock, request, attempt));
  if (regrown) return {};
  PINTLE_ASSIGN(waited, wait(lock, attempt));
  if (waited) return {};
  const PoolExhaustion state = exhaustion(request);
  const Error refusal = exhausted(request, attempt);
  lock.unlock();
  const bool again = options_.on_exhausted && options_.on_exhausted(state);
  lock.lock();
  if (!again) return refusal;
  attempt = {};
  return {};
}

/// What to ask the device for: an eighth of what is held, so that a pool that grows asks seldom; empty at the cap.
std::optional<std::uint64_t> PoolState::growth(std::uint64_t chunk) const noexcept {
  const std::uint64_t taken = heap_.held() + growing_;
  if (options_.cap < taken || options_.cap - taken < chunk) return std::nullopt;
  const std::uint64_t most = incarnation_.info().limits.max_allocation / heap_.granule() * heap_.granule();
  const std::uint64_t wish = base::round_up(std::max({chunk, options_.block, taken / 8}), heap_.granule());
  const std::uint64_t room = (options_.cap - taken) / heap_.granule() * heap_.granule();
  return std::max(chunk, std::min({wish, most, room}));
}

Result<bool> PoolState::grow(Lock& lock, const Request& request, Attempt& attempt) {
  const auto size = growth(request.chunk);
  if (!size) return false;
  PINTLE_ASSIGN(added, add_block(lock, *size, attempt));
  if (added || *size == request.chunk) return added;
  return add_block(lock, request.chunk, attempt);
}

/// False when the device has no more.
Result<bool> PoolState::add_block(Lock& lock, std::uint64_t size, Attempt& attempt) {
  growing_ += size;
  lock.unlock();
  const auto memory = incarnation_.device().allocate({size, block_alignment, options_.placement, options_.label});
  std::optional<Error> error;
  if (!memory) error = incarnation_.report(memory.error());
  lock.lock();
  growing_ -= size;
  if (error && error->code() != Errc::out_of_memory) return *std::move(error);
  attempt.refusal = std::move(error);
  if (!memory) return false;
  try {
    heap_.add_block(*memory, size);
  } catch (...) {
    incarnation_.device().release(*memory);
    throw;
  }
  ++counts_.misses;
  counts_.high_held = std::max(counts_.high_held, heap_.held());
  return true;
}

/// Blocks that are free and too small make room for one that is not.
Result<bool> PoolState::release_to_grow(Lock& lock, const Request& request, Attempt& attempt) {
  Worklist worklist;
  if (release_free(0, worklist) == 0) return false;
  lock.unlock();
  worklist.run();
  lock.lock();
  return grow(lock, request, attempt);
}

/// For the first chunk that work in flight uses; false when there is none, or no time left.
Result<bool> PoolState::wait(Lock& lock, Attempt& attempt) {
  if (no_blocking > 0 || attempt.has_waited_enough) return false;
  Stamps busy;
  heap_.each_waiting([&](const PoolHeap::Chunk& chunk) {
    if (!incarnation_.is_finished(chunk.stamps)) busy = chunk.stamps;
    return busy.empty();
  });
  if (busy.empty()) return false;
  if (!attempt.deadline) attempt.deadline = options_.patience.deadline();
  ++counts_.waits;
  lock.unlock();
  const auto polled = incarnation_.poll();
  const auto waited = polled ? incarnation_.wait_for(busy, *attempt.deadline) : polled;
  lock.lock();
  if (!waited && is_loss(waited.error().code())) return waited.error();
  attempt.has_waited_enough = !waited || !incarnation_.is_finished(busy);
  return !attempt.has_waited_enough;
}

PoolExhaustion PoolState::exhaustion(const Request& request) const noexcept {
  return {request.size, heap_.used(), heap_.held(), options_.cap, heap_.largest_free()};
}

Error PoolState::exhausted(const Request& request, const Attempt& attempt) const {
  const PoolExhaustion state = exhaustion(request);
  std::string words = fmt::format(
      "Requested size ({} bytes) is not there in {}: ({}) bytes are in use, ({}) held, ({}) free in one piece",
      state.requested, text_, state.in_use, state.held, state.largest_free);
  if (state.cap != PoolOptions::no_cap) words += fmt::format(", and the cap is ({})", state.cap);
  constexpr std::size_t most = 3;
  const auto holders = holders_locked();
  for (std::size_t i = 0; i < std::min(most, holders.size()); ++i) {
    words += fmt::format("{}{} ({} bytes)", i == 0 ? "; the largest holders are " : ", ", holders[i].buffer,
                         holders[i].bytes);
  }
  words += attempt.refusal ? fmt::format(". The device says: {}", attempt.refusal->message()) : ".";
  return Error(Errc::out_of_memory, std::move(words)).with_device(incarnation_.id(), incarnation_.generation());
}

/// The id of the buffer that has the chunk from now on.
std::uint64_t PoolState::keep(PoolHeap::Chunk& chunk, Request& request) noexcept {
  if (!chunk.stamps.empty()) chunk.stamps.forget([&](const Stamp& stamp) { return incarnation_.is_finished(stamp); });
  const auto [id, place] = incarnation_.make_record();
  BufferRecord& record = *place;
  record.memory = chunk.block->memory;
  record.base = base::round_up(chunk.offset, request.alignment);
  record.size = request.size;
  record.alignment = static_cast<std::uint32_t>(request.alignment);
  record.placement = options_.placement;
  if (!request.label.empty()) record.label = std::move(request.label);
  record.origin.pool = this;
  record.origin.chunk = &chunk;
  ++counts_.buffers;
  return id;
}

void PoolState::give_back(PoolHeap::Chunk& chunk, Stamps& stamps, Worklist& worklist) noexcept {
  --counts_.buffers;
  if (incarnation_.is_lost()) return;
  if (!chunk.stamps.empty()) stamps.merge(chunk.stamps);  // the buffer may not have been used since it got the chunk
  heap_.give(chunk, std::move(stamps));
  if (abandoned_) release_free(0, worklist);
}

std::uint64_t PoolState::release_free(std::uint64_t keep, Worklist& worklist) {
  if (incarnation_.is_lost()) return 0;
  heap_.settle([&](const Stamps& stamps) { return incarnation_.is_finished(stamps); });
  std::uint64_t bytes = 0;
  for (const auto& [memory, size] : heap_.drop_blocks(keep)) {
    bytes += size;
    worklist.later([self = incarnation_.shared_from_this(), memory = memory] {
      if (!self->is_lost()) self->device().release(memory);
    });
  }
  return bytes;
}

Result<std::uint64_t> PoolState::trim(std::uint64_t keep) {
  PINTLE_TRY(incarnation_.usable(text_));
  PINTLE_TRY(incarnation_.poll());
  Worklist worklist;
  const std::lock_guard lock(incarnation_.mutex());
  return release_free(keep, worklist);
}

PoolStatistics PoolState::statistics() {
  const std::lock_guard lock(incarnation_.mutex());
  PoolStatistics all = counts_;
  all.in_use = heap_.used();
  all.held = heap_.held();
  all.waiting = heap_.waiting();
  all.free = all.held - all.in_use - all.waiting;
  all.largest_free = heap_.largest_free();
  return all;
}

std::vector<PoolHolder> PoolState::holders() {
  const std::lock_guard lock(incarnation_.mutex());
  return holders_locked();
}

std::vector<PoolHolder> PoolState::holders_locked() const {
  std::vector<PoolHolder> all;
  incarnation_.buffers().for_each([&](std::uint64_t id, const BufferRecord& record) {
    if (record.source().pool == this)
      all.push_back({object_text("Buffer", static_cast<std::uint32_t>(id), record.label), record.size});
  });
  std::ranges::sort(all, [](const PoolHolder& a, const PoolHolder& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer;
  });
  return all;
}

}  // namespace pintle::core
