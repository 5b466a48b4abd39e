// Resources, and the buffers that hold their memory.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "capi/buffer_values.h"
#include "capi/caller_resource.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/memory_objects.h"
#include "capi/structs.h"

using namespace pintle;
using namespace pintle::capi;

static_assert(FailOptions::never == std::numeric_limits<std::uint64_t>::max());
static_assert(std::variant_size_v<AnyResource> == PINTLE_RESOURCE_CALLER);

namespace {

std::uint32_t kind_of(const AnyResource& resource) noexcept {
  return static_cast<std::uint32_t>(resource.index()) + PINTLE_RESOURCE_POOL;
}

const Resource& source_of(const AnyResource& resource) noexcept {
  return std::visit([](const Resource& its) -> const Resource& { return its; }, resource);
}

/// Makes the resource that `create(upstream)` answers.
template <class Create>
pintle_status stand_before(pintle_resource upstream, pintle_resource* resource, pintle_error* error, Create create) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(resource, "resource"));
    PINTLE_ASSIGN(behind, use(upstream));
    PINTLE_ASSIGN(made, create(source_of(*behind)));
    return make(resource, std::move(made));
  });
}

void fill(pintle_resource_info& out, const ResourceStatistics& now) noexcept {
  out.buffers = now.buffers.current;
  out.bytes = now.bytes.current;
  out.peak_buffers = now.buffers.peak;
  out.peak_bytes = now.bytes.peak;
  out.all_buffers = now.buffers.total;
  out.all_bytes = now.bytes.total;
  out.failures = now.failures;
}

/// The figures alone; all are 0 before.
void fill(pintle_resource_info& out, const AnyResource& resource) noexcept {
  if (const auto* const counted = std::get_if<StatisticsResource>(&resource)) fill(out, counted->statistics());
  if (const auto* const failing = std::get_if<FailResource>(&resource)) out.requests = failing->requests();
  if (const auto* const limited = std::get_if<LimitResource>(&resource)) {
    out.limit = limited->limit();
    out.in_use = limited->in_use();
  }
}

Result<HolderList> holders_of(const AnyResource& resource) {
  if (const auto* const pool = std::get_if<Pool>(&resource)) return pool->holders();
  if (const auto* const tracked = std::get_if<TrackResource>(&resource)) return tracked->holders();
  return Error(Errc::invalid_argument,
               fmt::format("The kind ({}) of the resource is none that knows its buffers: a pool ({}) and a track ({}) "
                           "do.",
                           kind_of(resource), int{PINTLE_RESOURCE_POOL}, int{PINTLE_RESOURCE_TRACK}));
}

}  // namespace

pintle_status pintle_device_resource(pintle_device device, pintle_resource* resource, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(resource, "resource"));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, DeviceResource::create(*its));
    return make(resource, std::move(made));
  });
}

pintle_status pintle_resource_limit(pintle_resource upstream, uint64_t bytes, pintle_resource* resource,
                                    pintle_error* error) {
  return stand_before(upstream, resource, error,
                      [&](const Resource& behind) { return LimitResource::create(behind, bytes); });
}

pintle_status pintle_resource_log(pintle_resource upstream, void (*log)(void* data, const char* line), void* data,
                                  pintle_resource* resource, pintle_error* error) {
  return stand_before(upstream, resource, error, [&](const Resource& behind) -> Result<LogResource> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(log), "log"));
    return LogResource::create(behind, [log, data](std::string_view line) { log(data, std::string(line).c_str()); });
  });
}

pintle_status pintle_resource_track(pintle_resource upstream, pintle_resource* resource, pintle_error* error) {
  return stand_before(upstream, resource, error, [](const Resource& behind) { return TrackResource::create(behind); });
}

pintle_status pintle_resource_tally(pintle_resource upstream, pintle_resource* resource, pintle_error* error) {
  return stand_before(upstream, resource, error,
                      [](const Resource& behind) { return StatisticsResource::create(behind); });
}

pintle_status pintle_resource_fail(pintle_resource upstream, uint64_t every, uint64_t after, pintle_resource* resource,
                                   pintle_error* error) {
  return stand_before(upstream, resource, error, [&](const Resource& behind) {
    return FailResource::create(behind, {.every = every, .after = after});
  });
}

pintle_status pintle_resource_get_info(pintle_resource resource, pintle_resource_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_resource_info"));
    PINTLE_ASSIGN(its, use(resource));
    pintle_resource_info now{};
    now.size = out->size;
    now.kind = kind_of(*its);
    fill(now, *its);
    *out = now;
    return {};
  });
}

pintle_status pintle_resource_holders(pintle_resource resource, pintle_holder_list* list, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    PINTLE_ASSIGN(its, use(resource));
    PINTLE_ASSIGN(found, holders_of(*its));
    return make(list, std::move(found));
  });
}

pintle_status pintle_resource_allocate(pintle_resource resource, pintle_queue queue, uint32_t dtype, size_t rank,
                                       const uint64_t* dims, const pintle_buffer_options* options,
                                       pintle_buffer* buffer, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(layout, layout_of(dtype, rank, dims));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(resource));
    PINTLE_ASSIGN(on, use(queue));
    const AllocatingFor scope(queue);
    PINTLE_ASSIGN(made, on->queue.allocate(source_of(*its), layout.dtype, layout.shape, how));
    return make(buffer, std::move(made));
  });
}

pintle_status pintle_resource_release(pintle_resource resource, pintle_error* error) {
  return enter(error, [&] { return release(resource); });
}

pintle_status pintle_holder_list_count(pintle_holder_list list, size_t* count, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(count, "count"));
    PINTLE_ASSIGN(its, use(list));
    *count = its->size();
    return {};
  });
}

pintle_status pintle_holder_list_holder(pintle_holder_list list, size_t index, pintle_holder* holder,
                                        pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(holder, "pintle_holder"));
    PINTLE_ASSIGN(its, use(list));
    PINTLE_TRY(within(index, its->size(), "holder"));
    const ResourceHolder& found = (*its)[index];
    out->buffer = found.buffer.c_str();
    out->bytes = found.bytes;
    return {};
  });
}

pintle_status pintle_holder_list_release(pintle_holder_list list, pintle_error* error) {
  return enter(error, [&] { return release(list); });
}
