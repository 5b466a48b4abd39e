// What stands before a pool.
#include <array>

#include "allocation_sweep/operations.h"
#include "pintle/resources.h"

namespace pintle::allocation_sweep {
namespace {

/// A buffer through an adaptor that is made with it; then one more, and both go.
template <class Make>
Result<void> through(Run& run, Make make) {
  PINTLE_ASSIGN(queue, run.device().queue());
  DeviceResource upstream(run.device());
  auto adaptor = during([&] { return make(upstream); });
  auto made = during([&] { return queue.allocate(*adaptor, DType::u32, {size}, {.label = words}); });
  run.attempt(made);
  if (!made) return {};
  PINTLE_TRY(run.keep(queue.submit(CommandList{}.fill(*made, 5u))));
  PINTLE_TRY(expect(run, queue, *made, 5));
  during([&] {
    *made = Buffer();
    adaptor.reset();
    return 0;
  });
  return {};
}

Result<void> device(Run& run) {
  return through(run, [&](Resource&) { return std::make_unique<DeviceResource>(run.device()); });
}

Result<void> limit(Run& run) {
  return through(run, [](Resource& upstream) { return std::make_unique<LimitResource>(upstream, 1 << 20); });
}

Result<void> limit_reached(Run& run) {
  PINTLE_ASSIGN(queue, run.device().queue());
  DeviceResource upstream(run.device());
  LimitResource limited(upstream, 16);
  run.check(!during([&] { return queue.allocate(limited, DType::u32, {size}, {.label = words}); }));
  run.check(limited.in_use() == 0);
  return {};
}

Result<void> log(Run& run) {
  return through(run,
                 [](Resource& upstream) { return std::make_unique<LogResource>(upstream, [](std::string_view) {}); });
}

Result<void> fail(Run& run) {
  return through(run, [](Resource& upstream) { return std::make_unique<FailResource>(upstream, FailOptions{}); });
}

Result<void> track(Run& run) {
  PINTLE_ASSIGN(queue, run.device().queue());
  DeviceResource upstream(run.device());
  TrackResource tracked(upstream);
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
  PINTLE_ASSIGN(queue, run.device().queue());
  DeviceResource upstream(run.device());
  StatisticsResource counted(upstream);
  const auto made = during([&] { return queue.allocate(counted, DType::u32, {size}, {.label = words}); });
  const ResourceStatistics now = during([&] { return counted.statistics(); });
  run.check(now.buffers.current == (made ? 1u : 0u));
  return outcome(made);
}

Result<void> track_made(Run& run) {
  return through(run, [](Resource& upstream) { return std::make_unique<TrackResource>(upstream); });
}

Result<void> statistics_made(Run& run) {
  return through(run, [](Resource& upstream) { return std::make_unique<StatisticsResource>(upstream); });
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
