// Pools.
#include <cstdint>
#include <utility>

#include "capi/buffer_values.h"
#include "capi/bytes_objects.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/memory_objects.h"
#include "capi/structs.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

using OnExhausted = std::uint32_t (*)(void* data, const pintle_pool_exhaustion* exhaustion);

bool ask(OnExhausted function, void* data, const PoolExhaustion& now) {
  const pintle_pool_exhaustion told{.size = sizeof told,
                                    .reserved = 0,
                                    .requested = now.requested,
                                    .in_use = now.in_use,
                                    .held = now.held,
                                    .cap = now.cap,
                                    .largest_free = now.largest_free};
  return function(data, &told) != 0;
}

Result<PoolOptions> options_of(const pintle_pool_options* options) {
  PoolOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_pool_options"));
  PINTLE_ASSIGN(placement, enumerator_or(out.placement, in->placement, Placement::host, "placement"));
  PINTLE_ASSIGN(scrub, enumerator_or(out.scrub, in->scrub, Scrub::zeros, "scrub"));
  PINTLE_ASSIGN(patience, timeout_or_default(in->patience));
  out.placement = placement;
  out.scrub = scrub;
  out.patience = patience;
  if (in->cap != 0) out.cap = in->cap;
  if (in->block != 0) out.block = in->block;
  if (in->on_exhausted != nullptr)
    out.on_exhausted = [function = in->on_exhausted, data = in->data](const PoolExhaustion& now) {
      return ask(function, data, now);
    };
  out.label = text_or_none(in->label);
  return out;
}

void fill(pintle_pool_statistics& out, const PoolStatistics& now) noexcept {
  out.in_use = now.in_use;
  out.held = now.held;
  out.high_water = now.high_water;
  out.high_held = now.high_held;
  out.waiting = now.waiting;
  out.free = now.free;
  out.largest_free = now.largest_free;
  out.buffers = now.buffers;
  out.allocations = now.allocations;
  out.reuses = now.reuses;
  out.misses = now.misses;
  out.waits = now.waits;
  out.fragmentation = now.fragmentation();
}

}  // namespace

pintle_status pintle_pool_create(pintle_device device, const pintle_pool_options* options, pintle_pool* pool,
                                 pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(pool, "pool"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, Pool::create(*its, std::move(how)));
    return make(pool, std::move(made));
  });
}

pintle_status pintle_pool_allocate(pintle_pool pool, pintle_queue queue, uint32_t dtype, size_t rank,
                                   const uint64_t* dims, const pintle_buffer_options* options, pintle_buffer* buffer,
                                   pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(pool));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(made, on->queue.allocate(*its, layout.dtype, layout.shape, how));
    return make(buffer, std::move(made));
  });
}

pintle_status pintle_queue_free(pintle_queue queue, pintle_buffer buffer, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(queue));
    PINTLE_ASSIGN(given_back, use(buffer));
    PINTLE_TRY(release(buffer));
    return its->queue.free(std::move(*given_back));
  });
}

pintle_status pintle_pool_trim(pintle_pool pool, uint64_t keep, uint64_t* bytes, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(pool));
    PINTLE_ASSIGN(given_back, its->trim(keep));
    if (bytes != nullptr) *bytes = given_back;
    return {};
  });
}

pintle_status pintle_pool_get_statistics(pintle_pool pool, pintle_pool_statistics* statistics, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(statistics, "pintle_pool_statistics"));
    PINTLE_ASSIGN(its, use(pool));
    fill(*out, its->statistics());
    return {};
  });
}

pintle_status pintle_pool_holders(pintle_pool pool, pintle_holder_list* list, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    PINTLE_ASSIGN(its, use(pool));
    return make(list, its->holders());
  });
}

pintle_status pintle_pool_text(pintle_pool pool, pintle_bytes* text, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(text, "text"));
    PINTLE_ASSIGN(its, use(pool));
    return make(text, its->text());
  });
}

pintle_status pintle_pool_resource(pintle_pool pool, pintle_resource* resource, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(resource, "resource"));
    PINTLE_ASSIGN(its, use(pool));
    return make(resource, Pool(*its));
  });
}

pintle_status pintle_pool_release(pintle_pool pool, pintle_error* error) {
  return enter(error, [&] { return release(pool); });
}
