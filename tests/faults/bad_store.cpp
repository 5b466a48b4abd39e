// A kernel stores to an address that nobody has.
#include <chrono>
#include <cstdio>

#include "faults/faults.h"

namespace faults {

using namespace pintle;
using namespace std::chrono_literals;

namespace {

constexpr Source opencl_c{"opencl_c", "kernel void fault(global uint* x) { *(volatile global uint*)16 = x[0]; }"};
constexpr Source glsl{"glsl", R"(#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { Word(uvec2(16, 0)).word = x[0]; }
)"};

/// Everything of a lost device has its first cause.
void check_loss(const Device& device, const Point& faulted, const Point& behind) {
  const auto cause = faulted.wait(1s);
  expect(!cause && cause.error().code() == Errc::device_lost, "the wait does not say that the device is lost");
  std::printf("%s\n", cause.error().text().c_str());
  const auto stopped = behind.wait(5s);
  expect(!stopped && stopped.error().same_origin(cause.error()), "the work behind has not the first cause");
  const auto allocated = device.allocate(DType::u32, {4});
  expect(!allocated && allocated.error().same_origin(cause.error()), "an allocation has not the first cause");
  const auto recovered = device.recover();
  expect_one_of(recovered, {Errc::process_poisoned});
  if (recovered) value(compute(device));
  else std::printf("%s\n", recovered.error().text().c_str());
}

}  // namespace

int bad_store(const Device& device) {
  const Kernel fault = load(device, {opencl_c, glsl}, "fault(x: read_write u32[])");
  const Buffer words = value(device.allocate(DType::u32, {4}));
  Queue queue = value(device.create_queue()), other = value(device.create_queue());
  const Point faulted = value(queue.submit(CommandList{}.exec(fault, Grid{1}, words)));
  const Point behind = value(other.submit(CommandList{}.fill(words, 1U), {.after = {faulted}}));
  expect_one_of(faulted.wait(20s), {Errc::device_lost, Errc::timeout});
  expect_one_of(device.health(), {Errc::device_lost});
  const auto now = compute(device);
  if (!now) {
    check_loss(device, faulted, behind);
  } else {
    std::printf("The device goes on working.\n");
    value(behind.wait(5s));
  }
  value(compute(value(open("cpu"))));
  return 0;
}

}  // namespace faults
