#include "pintle/pool.h"

#include <fmt/format.h>

#include <utility>

#include "core/buffers/pool_state.h"
#include "core/door/door.h"
#include "core/queue/queue_state.h"
#include "pintle/queue.h"

namespace pintle {

Pool::~Pool() = default;

Pool& Pool::operator=(Pool&& other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}

Result<Buffer> Pool::allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  return core::enter(state_, "Pool", "allocating from a pool", [&]() -> Result<Buffer> {
    if (!queue.state_) return core::empty_object("Queue");
    core::BufferTable& table = state_->table();
    if (&queue.state_->table() != &table) return table.life().foreign(state_->text(), queue.state_->life());
    if (state_->options().scrub != Scrub::zeros) return state_->allocate(queue.state_->number(), dtype, shape, options);
    PINTLE_ASSIGN(buffer, state_->allocate(queue.state_->number(), dtype, shape, options));
    PINTLE_ASSIGN(whole, buffer.view().as(DType::u8, {buffer.size_bytes()}));
    PINTLE_TRY(queue.submit(CommandList{}.fill(whole, std::uint8_t{0})));
    return std::move(buffer);
  });
}

Result<std::uint64_t> Pool::trim(std::uint64_t keep) {
  return core::enter(state_, "Pool", "trimming a pool", [&] { return state_->trim(keep); });
}

PoolStatistics Pool::statistics() const noexcept {
  return core::enter_or(state_, PoolStatistics{}, [&] { return state_->statistics(); });
}

std::vector<PoolHolder> Pool::holders() const noexcept {
  return core::enter_or(state_, std::vector<PoolHolder>{}, [&] { return state_->holders(); });
}

std::string Pool::text() const noexcept {
  return core::enter_or(state_, std::string("[Pool]"), [&] {
    const PoolStatistics now = state_->statistics();
    std::string words = fmt::format(
        "{}: {} bytes in use by {} buffers (at most {}), {} held (at most {}), {} waiting, {} free, the largest piece "
        "{}; {} allocations, {} reuses, {} misses, {} waits\n",
        state_->text(), now.in_use, now.buffers, now.high_water, now.held, now.high_held, now.waiting, now.free,
        now.largest_free, now.allocations, now.reuses, now.misses, now.waits);
    for (const PoolHolder& holder : state_->holders())
      words += fmt::format("  {} {} bytes\n", holder.buffer, holder.bytes);
    return words;
  });
}

}  // namespace pintle
