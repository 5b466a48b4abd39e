#include "pintle/pool.h"

#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "core/buffers/pool_state.h"
#include "core/device/device_state.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "pintle/device.h"
#include "pintle/queue.h"

namespace pintle {

Pool::~Pool() = default;

Pool& Pool::operator=(Pool&& other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}

Result<Pool> Pool::create(const Device& device, PoolOptions options) {
  if (!device.state_) return core::empty_object("Device");
  if (options.block == 0 || options.block > options.cap) {
    return Error(Errc::invalid_argument, fmt::format("Block ({}) is none of at least (1) and at most the cap ({}).",
                                                     options.block, options.cap));
  }
  return base::contain("creating a pool", [&]() -> Result<Pool> {
    PINTLE_ASSIGN(state, device.state_->current()->create_pool(std::move(options)));
    Pool pool;
    pool.state_ = std::move(state);
    return pool;
  });
}

Result<Buffer> Pool::allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) {
  if (!state_) return core::empty_object("Pool");
  if (!queue.state_) return core::empty_object("Queue");
  return base::contain("allocating from a pool", [&]() -> Result<Buffer> {
    if (state_->options().scrub == Scrub::none) return state_->allocate(*queue.state_, dtype, shape, options);
    PINTLE_ASSIGN(buffer, state_->allocate(*queue.state_, dtype, shape, options));
    PINTLE_ASSIGN(whole, buffer.view().as(DType::u8, {buffer.size_bytes()}));
    PINTLE_TRY(queue.submit(CommandList{}.fill(whole, std::uint8_t{0})));
    return std::move(buffer);
  });
}

Result<std::uint64_t> Pool::trim(std::uint64_t keep) {
  if (!state_) return core::empty_object("Pool");
  return base::contain("trimming a pool", [&] { return state_->trim(keep); });
}

PoolStatistics Pool::statistics() const { return state_ ? state_->statistics() : PoolStatistics{}; }

std::vector<PoolHolder> Pool::holders() const { return state_ ? state_->holders() : std::vector<PoolHolder>{}; }

std::string Pool::text() const {
  if (!state_) return "[Pool]";
  const PoolStatistics now = state_->statistics();
  std::string words = fmt::format(
      "{}: {} bytes in use by {} buffers (at most {}), {} held (at most {}), {} waiting, {} free, the largest piece "
      "{}; "
      "{} allocations, {} reuses, {} misses, {} waits\n",
      state_->text(), now.in_use, now.buffers, now.high_water, now.held, now.high_held, now.waiting, now.free,
      now.largest_free, now.allocations, now.reuses, now.misses, now.waits);
  for (const PoolHolder& holder : state_->holders())
    words += fmt::format("  {} {} bytes\n", holder.buffer, holder.bytes);
  return words;
}

}  // namespace pintle
