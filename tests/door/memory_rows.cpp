// Arenas, handles, resources, tensors of others.
#include <array>
#include <chrono>

#include "door/table.h"
#include "pintle/dlpack.h"

namespace pintle::door {
namespace {

using namespace std::chrono_literals;

constexpr auto moment = 1s;

using Words = std::vector<std::uint32_t>;

void add_arenas(Table& table) {
  table.add("Arena::requirements", [](Objects& o) { return Arena::requirements(o.arena.plan(), o.device); });
  table.add("Arena::can_fit", [](Objects& o) { return Arena::can_fit(o.arena.plan(), o.device); });
  table.add("Arena::create", [](Objects& o) { return Arena::create(o.device, o.arena.plan()); });
  table.add("Arena::values", [](Objects& o) { return o.arena.values().size(); });
  table.add("Arena::text", [](Objects& o) { return o.arena.text(); });
  table.add("Arena::id", [](Objects& o) { return o.arena.id("x"); }, Kind::plain);
  table.add("Arena::view", [](Objects& o) { return o.arena.view(0); }, Kind::plain);
  table.add("feed", [](Objects& o) { return feed(o.queue, o.arena, 0, Words(16)); });
  table.add("feed much", [](Objects& o) { return feed(o.queue, o.arena, 1, Words(1 << 18)); });
  table.add("feed converted",
            [](Objects& o) { return feed(o.queue, o.arena, 0, Words(16), Convert{DType::u32, DType::u32}); });
  table.add("read of an arena", [](Objects& o) { return read<std::byte>(o.queue, o.arena, 0, moment); });
}

void add_handles(Table& table) {
  table.add("Handle::create",
            [](Objects& o) { return Handle::create(o.device, "state", DType::u32, {4}, Keep::lost()); });
  table.add("Handle::name", [](Objects& o) { return o.handle.name().size(); });
  table.add("Handle::dtype", [](Objects& o) { return o.handle.dtype(); });
  table.add("Handle::shape", [](Objects& o) { return o.handle.shape(); });
  table.add("Handle::size_bytes", [](Objects& o) { return o.handle.size_bytes(); });
  table.add("Handle::keep", [](Objects& o) { return o.handle.keep(); });
  table.add("Handle::text", [](Objects& o) { return o.handle.text(); });
  table.add("Handle::generation", [](Objects& o) { return o.handle.generation(); });
  table.add("Handle::is_stale", [](Objects& o) { return o.handle.is_stale(); });
  table.add("Handle::view", [](Objects& o) { return o.handle.view(); });
  table.add("Handle::flip", [](Objects& o) { return o.handle.flip(); });
  table.add("Handle::next", [](Objects& o) { return o.handle.next(); });
  table.add("Handle::write", [](Objects& o) { return o.handle.write(o.queue, Words(4)); });
  table.add("Handle::checkpoint", [](Objects& o) { return o.handle.checkpoint(o.queue, moment); });
  table.add("Handle::restore", [](Objects& o) { return o.handle.restore(o.queue, moment); });
  table.add("Handle::renew", [](Objects& o) { return o.handle.renew(); });
  table.add("HandleSet::find", [](Objects& o) { return o.set.find("nothing"); }, Kind::plain);
  table.add("HandleSet::names", [](Objects& o) { return o.set.names(); });
  table.add("HandleSet::lost", [](Objects& o) { return o.set.lost(); }, Kind::plain);
  table.add("HandleSet::checkpoint", [](Objects& o) { return o.set.checkpoint(o.queue, moment); });
  table.add("HandleSet::restore", [](Objects& o) { return o.set.restore(o.queue, moment); });
  table.add("HandleSet::save", [](Objects& o) { return o.set.save(o.queue, "/dev/null/none", moment); });
  table.add("HandleSet::load", [](Objects& o) { return o.set.load(o.queue, "/dev/null/none"); }, Kind::plain);
  table.add("HandleSet::add", [](Objects& o) { return o.set.add(std::move(o.handle)); }, Kind::plain);
}

void add_resources(Table& table) {
  table.add("DeviceResource::allocate", [](Objects& o) -> Result<Buffer> {
    PINTLE_ASSIGN(resource, DeviceResource::create(o.device));
    return o.queue.allocate(resource, DType::u32, {4});
  });
  table.add("LimitResource::allocate", [](Objects& o) -> Result<Buffer> {
    PINTLE_ASSIGN(resource, LimitResource::create(o.pool, 1 << 20));
    return o.queue.allocate(resource, DType::u32, {4});
  });
  table.add("StatisticsResource::allocate", [](Objects& o) -> Result<Buffer> {
    PINTLE_ASSIGN(resource, StatisticsResource::create(o.pool));
    return o.queue.allocate(resource, DType::u32, {4});
  });
  table.add("to_dlpack of a view", [](Objects& o) { return to_dlpack(o.queue, o.view, moment); });
  table.add("to_dlpack", [](Objects& o) { return to_dlpack(std::move(o.buffer)); });
}

}  // namespace

void add_memory(Table& table) {
  add_arenas(table);
  add_handles(table);
  add_resources(table);
}

}  // namespace pintle::door
