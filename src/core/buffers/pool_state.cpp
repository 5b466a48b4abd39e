#include "core/buffers/pool_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"
#include "core/life/life.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t block_alignment = 4096;  // of a block: the largest alignment that a buffer may ask for

/// What a buffer may begin at, so that kernels take it as an argument, also as texels where a block can be so aligned.
std::uint64_t granule_of(const Limits& limits) noexcept {
  const std::uint64_t texels = limits.texel_alignment <= block_alignment ? limits.texel_alignment : 1;
  return std::bit_ceil(std::max<std::uint64_t>({PoolHeap::least_granule, limits.offset_alignment, texels}));
}

}  // namespace

PoolState::PoolState(BufferTable& table, PoolOptions options, std::string text)
    : table_(table),
      options_(std::move(options)),
      text_(std::move(text)),
      heap_(granule_of(table.life().info().limits)) {}

Result<Buffer> PoolState::allocate(std::uint64_t queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  PINTLE_ASSIGN(size, table_.check_request(dtype, shape, options));
  const std::uint64_t slack = options.alignment > heap_.granule() ? options.alignment - heap_.granule() : 0;
  const auto chunk_size = heap_.rounded(size + slack);
  if (!chunk_size) return invalid(fmt::format("Size ({}) is larger than any memory.", size));
  Request request{size, options.alignment, options.label, *chunk_size, options.timeout};
  Locked locked = table_.life().lock();
  PoolHeap::Chunk* chunk = table_.life().is_usable() ? find(queue, request, locked) : nullptr;
  if (chunk == nullptr) {
    PINTLE_ASSIGN(found, find_with_patience(locked, queue, request));
    chunk = found;
  }
  const NewBuffer made = table_.hand_out(keep(*chunk, request, locked), size, dtype, shape, locked);
  locked.unlock();
  return made;
}

/// Finds a chunk where `find` has found none at once.
Result<PoolHeap::Chunk*> PoolState::find_with_patience(Locked& locked, std::uint64_t queue, Request& request) {
  Attempt attempt;
  while (table_.life().is_usable()) {
    PINTLE_TRY(find_more(locked, request, attempt));
    if (PoolHeap::Chunk* const chunk = table_.life().is_usable() ? find(queue, request, locked) : nullptr) return chunk;
  }
  return table_.life().usable(text_).error();
}

PoolHeap::Chunk* PoolState::take(PoolHeap::Chunk* chunk, std::uint64_t& count) noexcept {
  if (chunk != nullptr) {
    ++count;
    ++counts_.allocations;
    counts_.high_water = std::max(counts_.high_water, heap_.used());
  }
  return chunk;
}

/// Whether work that the queue gets from now on comes after all these uses.
bool PoolState::is_after(std::uint64_t queue, const Stamps& stamps, const Locked& locked) const {
  const QueueClock* const clock = table_.clocks(locked).find(queue);
  return std::ranges::all_of(stamps, [&](const Stamp& stamp) {
    return stamp.queue == queue || table_.clocks(locked).is_finished(stamp) ||
           (clock != nullptr && table_.order(locked).is_behind({queue, clock->last}, {stamp.queue, stamp.serial}));
  });
}

/// Finds a chunk among those that the pool has; work that is known to be finished frees chunks.
PoolHeap::Chunk* PoolState::find(std::uint64_t queue, Request& request, Locked& locked) {
  table_.reserve(locked);  // keeping what is found needs no memory
  std::uint64_t merged = 0;
  request.before = {};
  const auto may_have = [&](const Stamps& stamps) {
    if (stamps.empty()) return true;
    if (!is_after(queue, stamps, locked)) return false;
    request.before = stamps;  // before the chunk is taken, since the copy needs memory
    return true;
  };
  if (auto* const chunk = take(heap_.reuse(request.chunk, may_have), counts_.reuses)) return chunk;
  if (auto* const chunk = take(heap_.take_free(request.chunk), merged)) return chunk;
  if (heap_.waiting() < request.chunk) return nullptr;
  heap_.settle([&](const Stamps& stamps) { return table_.clocks(locked).is_finished(stamps); });
  return take(heap_.take_free(request.chunk), merged);
}

/// Success means that another look is worthwhile: there is more memory, less is in flight, or the callback has said so.
Result<void> PoolState::find_more(Locked& locked, const Request& request, Attempt& attempt) {
  PINTLE_ASSIGN(grown, grow(locked, request, attempt));
  if (grown) return {};
  PINTLE_ASSIGN(regrown, release_to_grow(locked, request, attempt));
  if (regrown) return {};
  PINTLE_ASSIGN(waited, wait(locked, attempt));
  if (waited) return {};
  const PoolExhaustion state = exhaustion(request);
  const Error refusal = exhausted(request, attempt, locked);
  locked.unlock();
  const bool again = options_.on_exhausted && options_.on_exhausted(state);
  locked.lock();
  if (!again) return refusal;
  attempt = {};
  return {};
}

/// The size of the next block: an eighth of what is held, so that a growing pool asks seldom; empty at the cap.
std::optional<std::uint64_t> PoolState::growth(std::uint64_t chunk) const noexcept {
  const std::uint64_t taken = heap_.held() + growing_;
  if (options_.cap < taken || options_.cap - taken < chunk) return std::nullopt;
  const std::uint64_t most = table_.life().info().limits.max_allocation / heap_.granule() * heap_.granule();
  if (chunk > most) return std::nullopt;
  const std::uint64_t wish = base::round_up(std::max({chunk, options_.block, taken / 8}), heap_.granule());
  const std::uint64_t room = (options_.cap - taken) / heap_.granule() * heap_.granule();
  return std::max(chunk, std::min({wish, most, room}));
}

Result<bool> PoolState::grow(Locked& locked, const Request& request, Attempt& attempt) {
  const auto size = growth(request.chunk);
  if (!size) return false;
  PINTLE_ASSIGN(added, add_block(locked, *size, request, attempt));
  if (added || *size == request.chunk) return added;
  return add_block(locked, request.chunk, request, attempt);
}

/// False when the device has no more.
Result<bool> PoolState::add_block(Locked& locked, std::uint64_t size, const Request& request, Attempt& attempt) {
  growing_ += size;
  locked.unlock();
  Life& life = table_.life();
  const Deadline deadline = request.timeout.deadline();
  const auto memory =
      life.device().allocate({size, block_alignment, options_.placement, options_.label, nullptr, deadline});
  std::optional<Error> error;
  if (!memory) error = base::with_default(life.report(memory.error()), request.timeout, deadline);
  locked.lock();
  growing_ -= size;
  if (error && error->code() != Errc::out_of_memory) return *std::move(error);
  attempt.refusal = std::move(error);
  if (!memory) return false;
  PINTLE_TRY(keep_block(locked, *memory, size));
  ++counts_.misses;
  counts_.high_held = std::max(counts_.high_held, heap_.held());
  return true;
}

Result<void> PoolState::keep_block(Locked& locked, backend::MemoryId memory, std::uint64_t size) {
  const auto kept = base::contain("keeping a block", [&]() -> Result<void> {
    heap_.add_block(memory, size);
    return {};
  });
  if (kept) return kept;
  locked.unlock();
  if (!table_.life().is_lost()) table_.life().device().release(memory);
  locked.lock();
  return kept;
}

/// Gives back free blocks that are too small, which makes room for one that is not.
Result<bool> PoolState::release_to_grow(Locked& locked, const Request& request, Attempt& attempt) {
  locked.unlock();
  const std::uint64_t released = release_free(0);
  locked.lock();
  return released == 0 ? Result<bool>(false) : grow(locked, request, attempt);
}

/// Waits for the work that uses the first busy chunk; false when no chunk is busy, or no time is left.
Result<bool> PoolState::wait(Locked& locked, Attempt& attempt) {
  if (no_blocking > 0 || attempt.has_waited_enough) return false;
  const auto is_finished = [&](const Stamps& stamps) { return table_.clocks(locked).is_finished(stamps); };
  Stamps busy;
  heap_.each_waiting([&](const PoolHeap::Chunk& chunk) {
    if (!is_finished(chunk.stamps)) busy = chunk.stamps;
    return busy.empty();
  });
  if (busy.empty()) return false;
  if (!attempt.deadline) attempt.deadline = options_.patience.deadline();
  ++counts_.waits;
  locked.unlock();
  const auto polled = table_.life().body().poll();
  const auto waited = polled ? table_.queues().wait_for(busy, *attempt.deadline) : polled;
  locked.lock();
  if (!waited && is_loss(waited.error().code())) return waited.error();
  attempt.has_waited_enough = !waited || !is_finished(busy);
  return !attempt.has_waited_enough;
}

PoolExhaustion PoolState::exhaustion(const Request& request) const noexcept {
  return {request.size, heap_.used(), heap_.held(), options_.cap, heap_.largest_free()};
}

Error PoolState::exhausted(const Request& request, const Attempt& attempt, const Locked& locked) const {
  const PoolExhaustion state = exhaustion(request);
  std::string words = fmt::format(
      "Requested size ({} bytes) is not there in {}: ({}) bytes are in use, ({}) held, ({}) free in one piece",
      state.requested, text_, state.in_use, state.held, state.largest_free);
  if (state.cap != PoolOptions::no_cap) words += fmt::format(", and the cap is ({})", state.cap);
  if (const auto largest = table_.largest_holders(this, locked); !largest.empty())
    words += "; the largest holders are " + largest;
  words += attempt.refusal ? fmt::format(". The device says: {}", attempt.refusal->message()) : ".";
  return Error(Errc::out_of_memory, std::move(words)).with_device(table_.life().id(), table_.life().generation());
}

/// The id of the buffer that has the chunk from now on.
std::uint64_t PoolState::keep(PoolHeap::Chunk& chunk, Request& request, const Locked& locked) noexcept {
  const auto is_finished = [&](const Stamp& stamp) { return table_.clocks(locked).is_finished(stamp); };
  if (!chunk.stamps.empty()) chunk.stamps.forget(is_finished);
  const auto [id, place] = table_.make(locked);
  BufferRecord& record = *place;
  record.memory = chunk.block->memory;
  record.base = base::round_up(chunk.offset, request.alignment);
  record.size = request.size;
  record.alignment = static_cast<std::uint32_t>(request.alignment);
  record.placement = options_.placement;
  if (!request.label.empty()) record.label = std::move(request.label);
  if (!request.before.empty()) {
    record.stamps = std::move(request.before);
    record.stamps.forget(is_finished);
  }
  record.origin.pool = this;
  record.origin.chunk = &chunk;
  ++counts_.buffers;
  return id;
}

void PoolState::abandon(const Locked& locked) noexcept {
  is_abandoned_ = true;
  heap_.each_waiting([&](const PoolHeap::Chunk& chunk) {
    table_.queues().look_after(chunk.stamps, locked);
    return true;
  });
}

void Origin::give_back(Stamps&& stamps, Worklist& worklist, const Locked& locked) const noexcept {
  pool->give_back(*chunk, std::move(stamps), worklist, locked);
}

void PoolState::give_back(PoolHeap::Chunk& chunk, Stamps&& stamps, Worklist& worklist, const Locked& locked) noexcept {
  --counts_.buffers;
  if (is_abandoned_) table_.queues().look_after(stamps, locked);
  heap_.give(chunk, std::move(stamps));
  if (is_abandoned_) table_.queues().dispose_finished(worklist, locked);
}

std::uint64_t PoolState::release_free(std::uint64_t keep) noexcept {
  Life& life = table_.life();
  std::uint64_t bytes = 0;
  for (;;) {
    backend::MemoryId memory = backend::MemoryId::none;
    {
      const Locked locked = life.lock();
      if (life.is_lost()) return bytes;
      heap_.settle([&](const Stamps& stamps) { return table_.clocks(locked).is_finished(stamps); });
      const auto dropped = heap_.drop_block(keep);
      if (!dropped) return bytes;
      memory = dropped->first;
      bytes += dropped->second;
    }
    life.device().release(memory);
  }
}

Result<std::uint64_t> PoolState::trim(std::uint64_t keep) {
  PINTLE_TRY(table_.life().usable(text_));
  PINTLE_TRY(table_.life().body().poll());
  return release_free(keep);
}

PoolStatistics PoolState::statistics() {
  const Locked locked = table_.life().lock();
  PoolStatistics all = counts_;
  all.in_use = heap_.used();
  all.held = heap_.held();
  all.waiting = heap_.waiting();
  all.free = all.held - all.in_use - all.waiting;
  all.largest_free = heap_.largest_free();
  return all;
}

std::vector<ResourceHolder> PoolState::holders() {
  const Locked locked = table_.life().lock();
  return table_.holders(this, locked);
}

Result<std::shared_ptr<PoolState>> Pools::create(PoolOptions options) {
  Life& life = table_.life();
  PINTLE_TRY(base::check(options.patience));
  PINTLE_TRY(life.usable());
  std::uint64_t number = 0;
  {
    const Locked locked = life.lock();
    number = next_++;
    all_.reserve(all_.size() + 1);
  }
  const std::string text = object_text("Pool", number, options.label);
  auto pool = std::make_shared<PoolState>(table_, std::move(options), text);
  auto handle = make_handle(life, pool, [this](const auto& gone) { abandon(*gone); });
  const Locked locked = life.lock();
  all_.push_back(std::move(pool));
  table_.order(locked).begin();
  table_.count_held(locked);  // so that buffers may come and go without a lease of their own
  return handle;
}

void Pools::abandon(PoolState& pool) noexcept {
  if (base::in_forked_child()) return;
  std::shared_ptr<void> last;
  Worklist worklist;
  const Locked locked = table_.life().lock();
  if (std::ranges::none_of(all_, [&](const auto& each) { return each.get() == &pool; })) return;
  last = table_.count_gone(locked);
  pool.abandon(locked);
  ++table_.abandoned(locked);
  dispose(worklist, locked);
}

void Pools::dispose(Worklist& worklist, const Locked&) noexcept { worklist.add(table_.life().keep(*this)); }

void Pools::run_deferred(Worklist&) noexcept {
  std::size_t place = 0;
  while (const auto pool = next_abandoned(place)) static_cast<void>(pool->release_free(0));
  drop_empty();
}

std::shared_ptr<PoolState> Pools::next_abandoned(std::size_t& place) noexcept {
  const Locked locked = table_.life().lock();
  while (place < all_.size()) {
    const auto& pool = all_[place++];
    if (pool->is_abandoned(locked)) return pool;
  }
  return nullptr;
}

void Pools::drop_empty() noexcept {
  for (;;) {
    std::shared_ptr<PoolState> dropped;  // destroyed without the lock: its callback is the user's
    const Locked locked = table_.life().lock();
    if (table_.life().is_lost()) return;
    const auto empty = std::ranges::find_if(
        all_, [&](const auto& pool) { return pool->is_abandoned(locked) && pool->is_empty(locked); });
    if (empty == all_.end()) return;
    dropped = std::move(*empty);
    all_.erase(empty);
    --table_.abandoned(locked);
  }
}

}  // namespace pintle::core
