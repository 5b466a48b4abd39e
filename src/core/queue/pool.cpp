#include "pintle/pool.h"

#include <fmt/format.h>

#include <utility>

#include "base/inside.h"
#include "core/buffers/pool_state.h"
#include "core/door/door.h"
#include "core/queue/queue_state.h"
#include "pintle/queue.h"

namespace pintle {

namespace core {
namespace {

class PoolSource final : public Resource::Source {
 public:
  explicit PoolSource(std::shared_ptr<PoolState> pool) noexcept : pool_(std::move(pool)) {}

  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override {
    const auto& state = Inside::state(queue);
    if (!state) return empty_object("Queue");
    BufferTable& table = pool_->table();
    if (&state->table() != &table) return table.life().foreign(pool_->text(), state->life());
    if (pool_->options().scrub != Scrub::zeros) return pool_->allocate(state->number(), dtype, shape, options);
    PINTLE_ASSIGN(buffer, pool_->allocate(state->number(), dtype, shape, options));
    PINTLE_ASSIGN(whole, buffer.view().as(DType::u8, {buffer.size_bytes()}));
    PINTLE_TRY(queue.submit(CommandList{}.fill(whole, std::uint8_t{0})));
    return std::move(buffer);
  }

 private:
  std::shared_ptr<PoolState> pool_;
};

}  // namespace
}  // namespace core

Result<Buffer> Resource::allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) const {
  return core::enter(source_, "Resource", "allocating from a resource",
                     [&] { return source_->allocate(queue, dtype, shape, options); });
}

Pool::Pool(std::shared_ptr<core::PoolState> state)
    : Resource(std::make_shared<core::PoolSource>(state)), state_(std::move(state)) {}

Result<std::uint64_t> Pool::trim(std::uint64_t keep) {
  return core::enter(state_, "Pool", "trimming a pool", [&] { return state_->trim(keep); });
}

PoolStatistics Pool::statistics() const noexcept {
  return core::enter_or(state_, PoolStatistics{}, [&] { return state_->statistics(); });
}

std::vector<ResourceHolder> Pool::holders() const noexcept {
  return core::enter_or(state_, std::vector<ResourceHolder>{}, [&] { return state_->holders(); });
}

std::string Pool::text() const noexcept {
  return core::enter_or(state_, std::string("[Pool]"), [&] {
    const PoolStatistics now = state_->statistics();
    std::string words = fmt::format(
        "{}: {} bytes in use by {} buffers (at most {}), {} held (at most {}), {} waiting, {} free, the largest piece "
        "{}; {} allocations, {} reuses, {} misses, {} waits\n",
        state_->text(), now.in_use, now.buffers, now.high_water, now.held, now.high_held, now.waiting, now.free,
        now.largest_free, now.allocations, now.reuses, now.misses, now.waits);
    for (const ResourceHolder& holder : state_->holders())
      words += fmt::format("  {} {} bytes\n", holder.buffer, holder.bytes);
    return words;
  });
}

}  // namespace pintle
