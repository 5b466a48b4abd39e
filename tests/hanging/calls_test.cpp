// For each call of the seam: while a thread is inside it, everybody else goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "hanging/hanging_device.h"
#include "hanging/others.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"

namespace pintle::hanging {
namespace {

using testing::IsEmpty;

struct Case {
  std::string name;
  Call call;
  /// Makes what it needs before anything hangs, and returns what makes the call.
  std::function<std::function<void()>(Device& device)> prepare;
};

struct NativeQueue {
  static constexpr std::string_view native_type = "cpu.no_queue";
};

template <class T>
std::shared_ptr<T> shared(T&& made) {
  return std::make_shared<T>(std::forward<T>(made));
}

/// A queue, and work of it that nobody has asked for.
struct Submitted {
  explicit Submitted(Device& device)
      : queue(shared(must(device.create_queue()))), point(must(queue->submit(CommandList{}))) {}
  std::shared_ptr<Queue> queue;
  Point point;
};

ProgramPack pack() {
  must(cpu::register_kernel("hanging_call", [](const pintle_group*, void* const*) {}));
  return must(ProgramPack::source("native", "", {"hanging_call(x: read_write u32[])"}, "hanging"));
}

std::function<void()> ask_for_a_point(Device& device) {
  return [work = Submitted(device)] { static_cast<void>(work.point.is_reached()); };
}

std::function<void()> wait_for_a_point(Device& device) {
  return [work = Submitted(device)] { must(work.point.wait()); };
}

// The core thread hears of the end, and looks.
std::function<void()> call_back(Device& device) {
  return [work = Submitted(device)] { expect_callback(work.point); };
}

std::function<void()> drop_a_buffer_in_use(Device& device) {
  const auto buffer = shared(must(device.allocate(DType::u32, {64})));
  const auto queue = shared(must(device.create_queue()));
  return [=] {
    const Point point = must(queue->submit(CommandList{}.fill(*buffer, 1u)));
    *buffer = {};
    expect_callback(point);
  };
}

std::function<void()> drop_a_busy_queue(Device& device) {
  const auto queue = shared(must(device.create_queue()));
  return [=] {
    const Point point = must(queue->submit(CommandList{}));
    *queue = {};
    expect_callback(point);
  };
}

// What holds it comes from another queue, of which the core thread hears.
std::function<void()> start_a_held_list(Device& device) {
  const auto queue = shared(must(device.create_queue())), other = shared(must(device.create_queue()));
  const auto gate = shared(must(Signal::create()));
  const Point held = must(queue->submit(CommandList{}, {.after = {gate->at(1)}}));
  return [=] {
    must(gate->set(1));
    must(held.wait());
    static_cast<void>(queue);
    static_cast<void>(other);
  };
}

std::function<void()> copy_from(Device& device) {
  const auto other = shared(hanging::open());
  const auto queue = shared(must(other->create_queue()));
  const auto to = shared(must(other->allocate(DType::u32, {64})));
  const auto from = shared(must(device.allocate(DType::u32, {64})));
  return [=] {
    must(queue->submit_and_wait(CommandList{}.copy(*to, *from)));
    static_cast<void>(other);
  };
}

const Case cases[] = {
    {"budget", Call::budget, [](Device& device) { return [device] { must(device.budget()); }; }},
    {"allocate", Call::allocate, [](Device& device) { return [device] { must(device.allocate(DType::u32, {64})); }; }},
    {"materialize", Call::allocate,
     [](Device& device) {
       const auto lazy = shared(must(device.allocate(DType::u32, {64}, {.allocation = Allocation::lazy})));
       const auto queue = shared(must(device.create_queue()));
       return [=] { must(queue->submit_and_wait(CommandList{}.fill(*lazy, 1u))); };
     }},
    {"release", Call::release,
     [](Device& device) { return [buffer = shared(must(device.allocate(DType::u32, {64})))] { *buffer = {}; }; }},
    {"release_in_the_core_thread", Call::release, drop_a_buffer_in_use},
    {"load", Call::load, [](Device& device) { return [device] { must(device.load(pack())); }; }},
    {"unload", Call::unload,
     [](Device& device) { return [program = shared(must(device.load(pack())))] { *program = {}; }; }},
    {"create_queue", Call::create_queue, [](Device& device) { return [device] { must(device.create_queue()); }; }},
    {"destroy_queue", Call::destroy_queue,
     [](Device& device) { return [queue = shared(must(device.create_queue()))] { *queue = {}; }; }},
    {"destroy_queue_in_the_core_thread", Call::destroy_queue, drop_a_busy_queue},
    {"submit", Call::submit,
     [](Device& device) {
       return [queue = shared(must(device.create_queue()))] { must(queue->submit_and_wait(CommandList{})); };
     }},
    {"submit_what_was_held", Call::submit, start_a_held_list},
    {"reached", Call::reached, ask_for_a_point},
    {"reached_in_the_core_thread", Call::reached, call_back},
    {"wait", Call::wait, wait_for_a_point},
    {"notify", Call::notify, call_back},
    {"map", Call::map,
     [](Device& device) {
       return [buffer = shared(must(device.allocate(DType::u32, {64})))] { must(buffer->map()); };
     }},
    {"map_for_a_copy", Call::map, copy_from},
    {"unmap", Call::unmap,
     [](Device& device) {
       const auto buffer = shared(must(device.allocate(DType::u32, {64})));
       must(buffer->map());
       return [=] { buffer->unmap(); };
     }},
    {"record", Call::record, [](Device& device) { return [device] { must(device.record(CommandList{})); }; }},
    {"forget", Call::forget,
     [](Device& device) {
       const auto recording = shared(must(device.record(CommandList{})));
       return [=] { *recording = {}; };
     }},
    {"export_memory", Call::export_memory, copy_from},
    {"import_memory", Call::import_memory,
     [](Device& device) {
       return [device] {
         alignas(4096) static std::array<std::uint32_t, 1024> memory;
         must(device.import_host(memory));
       };
     }},
    {"wrap_queue", Call::wrap_queue,
     [](Device& device) { return [device] { EXPECT_FALSE(device.wrap_native(NativeQueue{}, QueueOptions{})); }; }},
    {"native", Call::native, [](Device& device) { return [device] { must(device.native<cpu::CpuDevice>()); }; }},
    {"probe", Call::probe, [](Device& device) { return [device] { must(device.health()); }; }},
};

std::ostream& operator<<(std::ostream& out, const Case& each) { return out << each.name; }

class HangingCallConcurrency : public testing::TestWithParam<Case> {};

TEST_P(HangingCallConcurrency, EverybodyElseGoesOn) {
  const auto gate = std::make_shared<Gate>();
  Device device = hanging::open(gate, GetParam().call);
  Others others;
  Signal shared_signal = must(Signal::create());
  others.add_same_device(device, !is_in_turn(GetParam().call));
  others.add_other_device(shared_signal);
  Queue waits_too = must(device.create_queue());
  must(waits_too.submit(CommandList{}, {.after = {shared_signal.at(1)}}));
  auto provoke = GetParam().prepare(device);
  gate->arm();
  std::thread inside([call = std::move(provoke)] { call(); });
  const bool hangs = gate->wait_for_someone();
  EXPECT_TRUE(hangs) << "nobody has made the call";
  if (hangs) {
    EXPECT_THAT(others.run(), IsEmpty());
  }
  gate->open();
  inside.join();
  others.join();
  must(shared_signal.set(1));
  EXPECT_TRUE(device.wait_idle());
}

INSTANTIATE_TEST_SUITE_P(All, HangingCallConcurrency, testing::ValuesIn(cases),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace pintle::hanging
