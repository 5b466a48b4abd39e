// Devices, buffers, queues, pools, points, signals, programs.
#include <array>
#include <chrono>

#include "door/table.h"
#include "pintle/native/cpu.h"

namespace pintle::door {
namespace {

using namespace std::chrono_literals;

constexpr auto moment = 1s;

struct NoObject {
  static constexpr std::string_view native_type = "cpu.no_object";
};

void add_devices(Table& table) {
  table.add("devices", [](Objects&) { return devices(); }, Kind::maker);
  table.add("ids_by_name", [](Objects&) { return ids_by_name({}); });
  table.add("open", [](Objects&) { return open("cpu"); }, Kind::maker);
  table.add("open for a pack", [](Objects& o) { return open("cpu", o.pack); }, Kind::maker);
  table.add("takes", [](Objects& o) { return takes(o.device.info(), o.pack); });
  table.add("wrap_native", [](Objects&) { return wrap_native(NoObject{}); });
  table.add("Device::id", [](Objects& o) { return o.device.id().size(); });
  table.add("Device::info", [](Objects& o) { return o.device.info(); });
  table.add("Device::generation", [](Objects& o) { return o.device.generation(); });
  table.add("Device::budget", [](Objects& o) { return o.device.budget(); });
  table.add("Device::queue", [](Objects& o) { return o.device.create_queue(); });
  table.add("Device::allocate", [](Objects& o) { return o.device.allocate(DType::u32, {4}); });
  table.add("Device::import_host", [](Objects& o) {
    alignas(4096) static std::array<std::uint32_t, 1024> memory;
    return o.device.import_host(memory);
  });
  table.add("Device::map_file", [](Objects& o) { return o.device.map_file("/proc/self/exe", 0, DType::u8, {4096}); });
  table.add("Device::load", [](Objects& o) { return o.device.load(o.pack); });
  table.add("Device::record", [](Objects& o) { return o.device.record(CommandList{}); });
  table.add("Device::poll", [](Objects& o) { return o.device.poll(); });
  table.add("Device::wait_idle", [](Objects& o) { return o.device.wait_idle(moment); });
  table.add("Device::health", [](Objects& o) { return o.device.health(); });
  table.add("Device::recover", [](Objects& o) { return o.device.recover(); });
  table.add("Device::native", [](Objects& o) { return o.device.native<cpu::CpuDevice>(); });
  table.add("Device::wrap_native memory", [](Objects& o) { return o.device.wrap_native(NoObject{}, DType::u8, {4}); });
  table.add("Device::wrap_native queue", [](Objects& o) { return o.device.wrap_native(NoObject{}, QueueOptions{}); });
}

void add_buffers(Table& table) {
  table.add("Buffer::text", [](Objects& o) { return o.buffer.text(); });
  table.add("Buffer::size_bytes", [](Objects& o) { return o.buffer.size_bytes(); });
  table.add("Buffer::slice", [](Objects& o) { return o.buffer.slice(0, 1); }, Kind::plain);
  table.add("Buffer::map", [](Objects& o) { return o.buffer.map(); });
  table.add("Buffer::map_read", [](Objects& o) { return o.buffer.map_read(); });
  table.add("Buffer::unmap", [](Objects& o) { return o.buffer.unmap(), 0; });
  table.add("Buffer::is_sealed", [](Objects& o) { return o.buffer.is_sealed(); });
  table.add("Buffer::keep", [](Objects& o) { return o.buffer.keep(std::make_shared<int>()); });
  table.add("Buffer::native", [](Objects& o) { return o.buffer.native<cpu::CpuMemory>(); });
  table.add("BufferView::slice", [](Objects& o) { return o.view.slice(0, 1); }, Kind::plain);
  table.add("BufferView::as", [](Objects& o) { return o.view.as(DType::u8, {16}); }, Kind::plain);
}

void add_queues(Table& table) {
  table.add("Queue::submit", [](Objects& o) { return o.queue.submit(CommandList{}); });
  table.add("Queue::submit a list", [](Objects& o) { return o.queue.submit(CommandList{}.copy(o.view, o.view)); });
  table.add("Queue::replay", [](Objects& o) { return o.queue.replay(o.recording); });
  table.add("Queue::submit_and_wait", [](Objects& o) { return o.queue.submit_and_wait(CommandList{}, moment); });
  table.add("Queue::allocate", [](Objects& o) { return o.queue.allocate(o.pool, DType::u32, {4}); });
  table.add("Queue::free", [](Objects& o) { return o.queue.free(Buffer(std::move(o.buffer))); });
  table.add("Queue::fork", [](Objects& o) { return o.queue.fork(o.buffer); });
  table.add("Queue::check", [](Objects& o) { return o.queue.check(o.view, Access::read); });
  table.add("Queue::last", [](Objects& o) { return o.queue.last().value(); });
  table.add("Queue::text", [](Objects& o) { return o.queue.text(); });
  table.add("Queue::native", [](Objects& o) { return o.queue.native<NoObject>(); });
  table.add("Queue::begin",
            [](Objects& o) { return o.queue.after(o.point).copy(o.view, o.view).barrier().label("all").submit(); });
  table.add("read", [](Objects& o) { return read<std::uint32_t>(o.queue, o.view); });
  table.add("CommandList::error", [](Objects& o) {
    CommandList list;
    list.copy(o.view, o.view).fill(o.view, 1u).fill(o.buffer, 2.0);
    return list.error().has_value();
  });
  table.add("CommandList::exec", [](Objects& o) { return CommandList{}.exec(o.kernel, Grid{1}, o.view).error(); });
  table.add("Recording::slots", [](Objects& o) { return o.recording.slots(); });
  table.add("Recording::text", [](Objects& o) { return o.recording.text(); });
}

void add_pools(Table& table) {
  table.add("Pool::create", [](Objects& o) { return Pool::create(o.device); });
  table.add("Pool::allocate", [](Objects& o) { return o.queue.allocate(o.pool, DType::u32, {4}); });
  table.add("Pool::trim", [](Objects& o) { return o.pool.trim(); });
  table.add("Pool::statistics", [](Objects& o) { return o.pool.statistics(); });
  table.add("Pool::holders", [](Objects& o) { return o.pool.holders(); });
  table.add("Pool::text", [](Objects& o) { return o.pool.text(); });
}

void add_points(Table& table) {
  table.add("Signal::create", [](Objects&) { return Signal::create(); }, Kind::maker);
  table.add("Point::is_reached", [](Objects& o) { return o.point.is_reached(); });
  table.add("Point::is_reached pending", [](Objects& o) { return o.pending.is_reached(); });
  table.add("Point::wait", [](Objects& o) { return o.pending.wait(moment); });
  table.add("Point::then", [](Objects& o) { return o.pending.then([](const Result<void>&) {}); });
  table.add("Point::value", [](Objects& o) { return o.point.value(); });
  table.add("Point::signal", [](Objects& o) { return o.point.signal(); });
  table.add("wait_all", [](Objects& o) { return wait_all(std::array{o.point, o.pending}, moment); });
  table.add("wait_any", [](Objects& o) { return wait_any(std::array{o.pending}, moment); });
  const auto signal = [](Objects& o) { return o.signal.value_or(Point().signal()); };
  table.add("Signal::value", [=](Objects& o) { return signal(o).value(); });
  table.add("Signal::failure", [=](Objects& o) { return signal(o).failure(); });
  table.add("Signal::is_reached", [=](Objects& o) { return signal(o).is_reached(9); });
  table.add("Signal::wait", [=](Objects& o) { return signal(o).wait(9, moment); });
  table.add("Signal::set", [=](Objects& o) { return signal(o).set(1); });
  table.add("Signal::fail", [=](Objects& o) { return signal(o).fail(Error(Errc::cancelled, "It is over.")); });
}

void add_programs(Table& table) {
  table.add("ProgramPack::variants", [](Objects& o) { return o.pack.variants().size(); });
  table.add("ProgramPack::name", [](Objects& o) { return o.pack.name().size(); });
  table.add("ProgramPack::with", [](Objects& o) { return o.pack.with(o.pack); });
  table.add("ProgramPack::serialize", [](Objects& o) { return o.pack.serialize(); }, Kind::plain);
  table.add("Program::format", [](Objects& o) { return o.program.format().size(); });
  table.add("Program::entries", [](Objects& o) { return o.program.entries().size(); });
  table.add("Program::kernel", [](Objects& o) { return o.program.kernel("nothing"); }, Kind::plain);
  table.add("Kernel::entry", [](Objects& o) { return o.kernel.entry(); });
  table.add("Kernel::text", [](Objects& o) { return o.kernel.text(); });
}

}  // namespace

void add_core(Table& table) {
  add_devices(table);
  add_buffers(table);
  add_queues(table);
  add_pools(table);
  add_points(table);
  add_programs(table);
  table.add("Buffer::seal", [](Objects& o) { return o.buffer.seal(); });
}

}  // namespace pintle::door
