// A forked child of a process that uses Pintle: everything is refused, and nothing waits.
#include "run.h"

namespace pintle::differential {
namespace {

template <class T>
void expect_refusal(const Result<T>& answer, const char* what) {
  if (answer) fail(std::string(what) + " succeeds");
  if (answer.error().code() != Errc::unavailable)
    fail(std::string(what) + " answers " + std::string(name(answer.error().code())) + ": " + answer.error().text());
}

void check(const Device& device) {
  expect_refusal(device.create_queue(), "queue");
  expect_refusal(device.allocate(DType::u32, {16}), "allocate");
  expect_refusal(device.record(CommandList{}.barrier()), "record");
  expect_refusal(device.poll(), "poll");
  expect_refusal(device.wait_idle(patience()), "wait_idle");
  expect_refusal(device.health(), "health");
  expect_refusal(Pool::create(device), "Pool::create");
  expect_refusal(pintle::open(device.id()), "open");
}

void check(const Point& point) {
  expect_refusal(point.wait(patience()), "Point::wait");
  expect_refusal(point.is_reached(), "is_reached");
  expect_refusal(point.then([](const Result<void>&) {}), "then");
  expect_refusal(wait_all(std::array{point}, patience()), "wait_all");
  expect_refusal(pintle::wait_any(std::array{point}, patience()), "wait_any");
}

void check(Queue& queue) {
  expect_refusal(queue.submit(CommandList{}.barrier()), "submit");
  static_cast<void>(queue.last());
  static_cast<void>(queue.text());
}

}  // namespace

void Run::check_forked() {
  for (int device = 0; device < world_.size(); ++device)
    if (!world_.at(device).device.id().empty()) check(world_.at(device).device);
  for (auto& [number, queue] : queues_) check(queue);
  for (const auto& [number, point] : points_) check(point);
  for (auto& [number, signal] : signals_) {
    expect_refusal(signal.set(1u << 30), "set");
    expect_refusal(signal.fail(Error(Errc::cancelled, "The program fails it.")), "fail");
    check(signal.at(1u << 30));
  }
  for (auto& [number, buffer] : buffers_) {
    expect_refusal(buffer.seal(), "seal");
    expect_refusal(buffer.map(), "map");
    expect_refusal(buffer.map_read(), "map_read");
    for (auto& [other, queue] : queues_) {
      expect_refusal(queue.fork(buffer), "fork");
      expect_refusal(pintle::read<std::uint32_t>(queue, buffer, patience()), "read");
    }
  }
  for (auto& [number, recording] : recordings_)
    for (auto& [other, queue] : queues_) expect_refusal(queue.replay(recording), "replay");
}

void Run::let_go() {
  clear();
  signals_.clear();
  points_.clear();
}

}  // namespace pintle::differential
