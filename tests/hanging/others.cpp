#include "hanging/others.h"

#include <gtest/gtest.h>

#include <future>
#include <utility>

#include "hanging/hanging_device.h"
#include "pintle/native/cpu.h"

namespace pintle::hanging {
namespace {

constexpr auto moment = std::chrono::milliseconds(1);

void nothing(const pintle_group*, void* const*) {}

ProgramPack pack() {
  must(cpu::register_kernel("hanging_nothing", nothing));
  return must(ProgramPack::source("native", "", {"hanging_nothing(x: read_write u32[])"}, "hanging"));
}

/// Moves into a std::function, which copies.
template <class T>
std::shared_ptr<T> shared(T&& made) {
  return std::make_shared<T>(std::forward<T>(made));
}

std::shared_ptr<Buffer> buffer(const Device& device) { return shared(must(device.allocate(DType::u32, {64}))); }
std::shared_ptr<Queue> queue(const Device& device) { return shared(must(device.create_queue())); }

/// Success, or that the work is not finished, or that a queue of the others has failed meanwhile.
void expect_answer(const Result<void>& result) {
  if (result) return;
  EXPECT_TRUE(result.error().code() == Errc::timeout || result.error().code() == Errc::cancelled)
      << result.error().text();
}

}  // namespace

struct Ended {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
};

void expect_callback(const Point& point) {
  const auto told = std::make_shared<std::promise<void>>();
  must(point.then([told](const Result<void>& result) {
    EXPECT_TRUE(result);
    told->set_value();
  }));
  told->get_future().wait();
}

void Others::add(std::string name, std::function<void()> operation) {
  operations_.push_back({std::move(name), std::move(operation), std::make_shared<Ended>()});
}

std::vector<std::string> Others::run() {
  for (Operation& each : operations_) {
    threads_.emplace_back([&each] {
      each.body();
      each.body = nullptr;  // what it has used ends here, too
      each.ended->promise.set_value();
    });
  }
  std::vector<std::string> late;
  const Deadline deadline = Clock::now() + bound;
  for (Operation& each : operations_) {
    if (each.ended->future.wait_until(deadline) != std::future_status::ready) late.push_back(each.name);
  }
  return late;
}

void Others::join() noexcept {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Others::add_questions(Device& device) {
  add("info", [=] { EXPECT_FALSE(device.info().id.empty()); });
  add("generation", [=] { EXPECT_EQ(device.generation(), 1u); });
  add("budget", [=] { must(device.budget()); });
  add("health", [=] { must(device.health()); });
  add("recover a healthy device", [=] { must(device.recover()); });
  add("native", [=] { must(device.native<cpu::CpuDevice>()); });
  const auto of_queue = queue(device);
  add("questions of a queue", [=] {
    EXPECT_FALSE(of_queue->text().empty());
    EXPECT_EQ(of_queue->last().value(), 0u);
  });
  add("check a view", [of_queue, of_buffer = buffer(device)] { must(of_queue->check(*of_buffer, Access::read)); });
}

void Others::add_memory(Device& device) {
  add("allocate", [=] { must(device.allocate(DType::u32, {64})); });
  add("allocate lazily, then map", [=] {
    Buffer lazy = must(device.allocate(DType::u32, {64}, {.allocation = Allocation::lazy}));
    must(lazy.map());
    lazy.unmap();
  });
  add("destroy a buffer", [made = buffer(device)] { *made = {}; });
  add("map", [made = buffer(device)] {
    must(made->map());
    made->unmap();
  });
  add("seal", [made = buffer(device)] { must(made->seal()); });
  add("keep", [made = buffer(device)] { must(made->keep(std::make_shared<int>())); });
  add("native memory", [made = buffer(device)] { must(made->native<cpu::CpuMemory>()); });
  add("import", [=] {
    alignas(4096) static std::array<std::uint32_t, 1024> memory;
    must(device.import_host(memory));
  });
  const auto pool = shared(must(Pool::create(device)));
  const auto of_pool = queue(device);
  static_cast<void>(must(of_pool->allocate(*pool, DType::u32, {64})));
  add("allocate from a pool", [=] { must(of_pool->allocate(*pool, DType::u32, {64})); });
  add("let a pool grow", [of_pool = queue(device), pool = shared(must(Pool::create(device)))] {
    must(of_pool->allocate(*pool, DType::u32, {64}));
    must(pool->trim());
  });
  add("questions of a pool", [=] {
    EXPECT_GT(pool->statistics().held, 0u);
    EXPECT_FALSE(pool->text().empty());
  });
  add("load", [=] { must(must(device.load(pack())).kernel("hanging_nothing")); });
}

void Others::add_progress(Device& device, bool has_turn) {
  add("poll", [=] { must(device.poll()); });
  add("wait until idle", [=] { expect_answer(device.wait_idle(moment)); });
  const auto submitted = [&] { return must(queue(device)->submit(CommandList{})); };  // of a queue that goes with it
  add("ask for a point", [point = submitted()] { must(point.is_reached()); });
  add("wait", [point = submitted()] { must(point.wait()); });
  add("wait for any", [point = submitted()] { must(wait_any(std::array{point})); });
  add("callback", [point = submitted()] { expect_callback(point); });
  const auto holding = queue(device);
  const auto gate = shared(must(Signal::create()));
  const Point held = must(holding->submit(CommandList{}, {.after = {gate->at(1)}}));
  add("raise a signal", [=] {
    must(gate->set(1));
    if (has_turn) must(held.wait());
    static_cast<void>(holding);
  });
  const auto failing = queue(device);
  const auto wrong = shared(must(Signal::create()));
  const Point given_up = must(failing->submit(CommandList{}, {.after = {wrong->at(1)}}));
  add("fail a signal", [=] {
    must(wrong->fail(Error(Errc::cancelled, "It is over.")));
    const auto answer = given_up.wait();
    EXPECT_TRUE(!answer && answer.error().code() == Errc::cancelled);
    static_cast<void>(failing);
  });
}

void Others::add_ends(Device& device) {
  add("end a queue", [made = queue(device)] { *made = {}; });
  add("end a recording", [made = shared(must(device.record(CommandList{})))] { *made = {}; });
  add("end a pool", [made = shared(must(Pool::create(device)))] { *made = {}; });
  add("end a program", [made = shared(must(device.load(pack())))] { *made = {}; });
}

void Others::add_submissions(Device& device) {
  add("create a queue, submit and wait", [=] { must(must(device.create_queue()).submit_and_wait(CommandList{})); });
  add("submit and wait", [made = queue(device)] { must(made->submit_and_wait(CommandList{})); });
  add("record and replay", [=, made = queue(device)] {
    const Recording recording = must(device.record(CommandList{}));
    must(must(made->replay(recording)).wait());
  });
  add("fork and write", [made = queue(device), of = buffer(device)] {
    Buffer fork = must(made->fork(*of));
    must(made->submit_and_wait(CommandList{}.fill(fork, 1u)));
  });
}

void Others::add_same_device(Device& device, bool has_turn) {
  add_questions(device);
  add_memory(device);
  add_progress(device, has_turn);
  add_ends(device);
  if (has_turn) add_submissions(device);
}

void Others::add_other_device(Signal& signal) {
  add("list the devices", [] { EXPECT_FALSE(must(devices()).devices.empty()); });
  add("open, use and close another device", [] {
    const Device other = must(pintle::open("cpu"));
    Queue queue = must(other.create_queue());
    Buffer made = must(other.allocate(DType::u32, {64}));
    must(made.map());
    made.unmap();
    const Point point = must(queue.submit(CommandList{}.fill(made, 7u)));
    expect_callback(point);
    must(point.wait());
    must(other.wait_idle());
  });
  add("open, use and close a device without threads", [] {
    const Device other = must(pintle::open("cpu?inline"));
    must(must(other.create_queue()).submit_and_wait(CommandList{}));
  });
  const Device other = must(pintle::open("cpu"));
  const Point held = must(queue(other)->submit(CommandList{}, {.after = {signal.at(1)}}));
  add("another device's held list", [=, signal = signal]() mutable {
    must(signal.set(1));
    must(held.wait());
    static_cast<void>(other);
  });
  const Point promised = must(queue(other)->submit(CommandList{}));
  const Point behind = must(queue(other)->submit(CommandList{}, {.after = {promised}}));
  add("another device's callback", [=] {
    expect_callback(behind);
    static_cast<void>(other);
  });
  const Device first = hanging::open(), second = hanging::open();
  add("copy between two other devices", [made = queue(first), to = buffer(first), from = buffer(second)] {
    must(made->submit_and_wait(CommandList{}.copy(*to, *from)));
  });
}

}  // namespace pintle::hanging
