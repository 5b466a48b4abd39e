// What stands before a pool.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/resources.h"

namespace pintle::allocation_sweep {
namespace {

/// A buffer through a resource that is made with it; then one more, and both go.
template <class Make>
Result<void> through(Run& run, Make make) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(upstream, DeviceResource::create(run.device()));
  auto resource = during([&] { return make(upstream); });
  run.attempt(resource);
  if (!resource) return {};
  auto made = during([&] { return queue.allocate(*resource, DType::u32, {size}, {.label = words}); });
  run.attempt(made);
  if (!made) return {};
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(*made, 5u))));
  PINTLE_TRY(expect(run, queue, *made, 5));
  during([&] {
    *made = Buffer();
    *resource = {};
    return 0;
  });
  return {};
}

Result<void> device(Run& run) {
  return through(run, [&](const Resource&) { return DeviceResource::create(run.device()); });
}

Result<void> limit(Run& run) {
  return through(run, [](const Resource& upstream) { return LimitResource::create(upstream, 1 << 20); });
}

Result<void> limit_reached(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(upstream, DeviceResource::create(run.device()));
  PINTLE_ASSIGN(limited, LimitResource::create(upstream, 16));
  run.check(!during([&] { return queue.allocate(limited, DType::u32, {size}, {.label = words}); }));
  run.check(limited.in_use() == 0);
  return {};
}

Result<void> log(Run& run) {
  return through(run, [](const Resource& upstream) { return LogResource::create(upstream, [](std::string_view) {}); });
}

Result<void> fail(Run& run) {
  return through(run, [](const Resource& upstream) { return FailResource::create(upstream, {}); });
}

Result<void> track(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(upstream, DeviceResource::create(run.device()));
  PINTLE_ASSIGN(tracked, TrackResource::create(upstream));
  PINTLE_ASSIGN(buffer, during([&] { return queue.allocate(tracked, DType::u32, {size}, {.label = words}); }));
  run.check(during([&] { return tracked.holders().size(); }) <= 1);
  during([&] {
    buffer = Buffer();
    return 0;
  });
  run.check(tracked.holders().empty());
  return {};
}

Result<void> statistics(Run& run) {
  PINTLE_ASSIGN(queue, run.device().create_queue());
  PINTLE_ASSIGN(upstream, DeviceResource::create(run.device()));
  PINTLE_ASSIGN(counted, StatisticsResource::create(upstream));
  const auto made = during([&] { return queue.allocate(counted, DType::u32, {size}, {.label = words}); });
  const ResourceStatistics now = during([&] { return counted.statistics(); });
  run.check(now.buffers.current == (made ? 1u : 0u));
  return outcome(made);
}

Result<void> track_made(Run& run) {
  return through(run, [](const Resource& upstream) { return TrackResource::create(upstream); });
}

Result<void> statistics_made(Run& run) {
  return through(run, [](const Resource& upstream) { return StatisticsResource::create(upstream); });
}

}  // namespace

std::span<const Scenario> resource_operations() {
  static constexpr std::array<Scenario, 9> all{{{"DeviceResource", device},
                                                {"LimitResource", limit},
                                                {"LimitResource_reached", limit_reached},
                                                {"LogResource", log},
                                                {"FailResource", fail},
                                                {"TrackResource", track},
                                                {"TrackResource_made", track_made},
                                                {"StatisticsResource", statistics},
                                                {"StatisticsResource_made", statistics_made}}};
  return all;
}

}  // namespace pintle::allocation_sweep
