// Devices, signals and programs are shared by threads; each thread has its own queues and lists.
#include <atomic>
#include <thread>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t thread_count = 4;

/// Runs `body(index)` on several threads at once. What it needs and does not get ends that thread only.
template <class Body>
void on_threads(Body body) {
  std::vector<std::jthread> threads;
  for (std::uint32_t index = 0; index < thread_count; ++index) {
    threads.emplace_back([&body, index] {
      try {
        body(index);
      } catch (const Stop&) {  // recorded already
      }
    });
  }
}

DEVICE_TEST(Thread, EachHasItsQueueOnOneDevice) {
  test.require_bytes();
  const Kernel affine = test.kernel("affine");
  on_threads([&](std::uint32_t index) {
    Queue queue = test.queue();
    for (std::uint32_t round = 0; round < 20; ++round) {
      const Buffer buffer = test.allocate(DType::u32, 64);
      need(queue.submit(CommandList{}.fill(buffer, index).exec(affine, Grid{1}, buffer, 1000u, round, 64u)));
      CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(64, index * 1000 + round));
    }
  });
}

DEVICE_TEST(Thread, ManyWaitForOnePoint) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.allocate(DType::u32, 4096);
  std::vector<Point> points;
  for (std::uint32_t i = 1; i <= 10; ++i) {
    points.push_back(need(queue.submit(CommandList{}.fill(buffer, i), {.after = {test.at(gate, i)}})));
  }
  std::atomic<std::uint32_t> answered{0};
  std::jthread host([&] {
    for (std::uint32_t i = 1; i <= 10; ++i) check_ok(test.raise(gate, i));
  });
  on_threads([&](std::uint32_t) {
    for (const Point& point : points) {
      test.finish(point);
      ++answered;
    }
  });
  CHECK_EQ(answered.load(), thread_count * points.size());
}

// A ring of threads, each of which passes the turn to the next through one signal and its own queue.
DEVICE_TEST(Thread, PassTheTurnThroughOneSignal) {
  constexpr std::uint64_t rounds = 25;
  Signal turn = test.signal();
  on_threads([&](std::uint32_t index) {
    Queue queue = test.queue();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t step = round * thread_count + index;
      need(queue.submit(CommandList{}, {.after = {test.at(turn, step)}, .signal = {test.at(turn, step + 1)}}));
    }
    test.finish(queue.last());
  });
  CHECK_EQ(test.steps(turn), rounds * thread_count);
}

DEVICE_TEST(Thread, LoadAndDropPrograms) {
  test.require_bytes();
  const ProgramPack pack = need(suite_pack());
  on_threads([&](std::uint32_t index) {
    Queue queue = test.queue();
    const Buffer buffer = test.buffer(Words{0});
    for (std::uint32_t round = 0; round < 10; ++round) {
      const Kernel kernel = need(test.device().load(pack, "conform_put_u32"));
      need(queue.submit(CommandList{}.exec(kernel, Grid{1}, index * 100 + round, buffer, 1u)));
    }
    CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words{index * 100 + 9});
  });
}

DEVICE_TEST(Thread, AllocateAndFreeInFlight) {
  on_threads([&](std::uint32_t) {
    Queue queue = test.queue();
    for (std::uint32_t round = 0; round < 50; ++round) {
      const Buffer from = test.allocate(DType::u32, 256 + round), to = test.allocate(DType::u32, 256 + round);
      need(queue.submit(CommandList{}.fill(from, round).copy(to, from)));
    }
    test.finish(queue.last());
  });
}

DEVICE_TEST(Thread, CallbacksAndWaitsMeet) {
  constexpr int rounds = 30;
  std::atomic<int> told{0};
  on_threads([&](std::uint32_t) {
    Queue queue = test.queue();
    for (int round = 0; round < rounds; ++round) {
      const Point point = need(queue.submit(CommandList{}));
      need(point.then([&told](const Result<void>& result) { told += result ? 1 : 1000; }));
      test.finish(point);
    }
  });
  CHECK(test.eventually([&] { return told.load() == rounds * static_cast<int>(thread_count); }));
}

}  // namespace
}  // namespace pintle::conformance
