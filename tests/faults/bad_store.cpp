// A kernel stores to an address that nobody has.
#include <chrono>
#include <cstdio>

#include "faults/faults.h"

namespace faults {

using namespace pintle;
using namespace std::chrono_literals;

namespace {

constexpr Source opencl_c{"opencl_c", "kernel void fault(global uint* x) { *(volatile global uint*)16 = x[0]; }"};
constexpr Source cuda_c{"cuda_c",
                        R"(extern "C" __global__ void fault(unsigned* x) { *(volatile unsigned*)16 = x[0]; })"};
constexpr Source hip_c{"hip_c", cuda_c.code};
constexpr Source glsl{"glsl", R"(#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { Word(uvec2(16, 0)).word = x[0]; }
)"};

/// What a submission comes to: the fault may be there before the call returns.
Result<void> outcome_of(const Result<Point>& submitted, Timeout patience) {
  return submitted ? submitted->wait(patience) : Result<void>(submitted.error());
}

/// Everything of a lost device has its first cause.
void check_loss(const Device& device, const Result<Point>& faulted, const Result<Point>& behind) {
  const bool poisons = faults_poison(device);
  const auto cause = outcome_of(faulted, 1s);
  expect(!cause && cause.error().code() == (poisons ? Errc::process_poisoned : Errc::device_lost),
         "the wait does not say what is lost");
  std::printf("%s\n", cause.error().text().c_str());
  const auto stopped = outcome_of(behind, 5s);
  expect(!stopped && stopped.error().same_origin(cause.error()), "the work behind has not the first cause");
  const auto allocated = device.allocate(DType::u32, {4});
  expect(!allocated && allocated.error().same_origin(cause.error()), "an allocation has not the first cause");
  const auto recovered = device.recover();
  expect_one_of(recovered, {Errc::process_poisoned});
  expect(!recovered || !poisons, "a process that is poisoned has its device again");
  if (recovered) value(compute(device));
  else std::printf("%s\n", recovered.error().text().c_str());
}

}  // namespace

Ending bad_store(const Device& device) {
  const Kernel fault = load(device, {opencl_c, cuda_c, hip_c, glsl}, "fault(x: read_write u32[])");
  const Buffer words = value(device.allocate(DType::u32, {4}));
  Queue queue = value(device.create_queue()), other = value(device.create_queue());
  const auto faulted = queue.submit(CommandList{}.exec(fault, Grid{1}, words));
  const auto behind = faulted ? other.submit(CommandList{}.fill(words, 1U), {.after = {*faulted}}) : faulted;
  expect_one_of(outcome_of(faulted, 20s), {Errc::device_lost, Errc::process_poisoned, Errc::timeout});
  expect_one_of(device.health(), {Errc::device_lost, Errc::process_poisoned});
  const auto now = compute(device);
  if (!now) {
    check_loss(device, faulted, behind);
  } else {
    expect(!faults_poison(device), "a device of a poisoned process goes on working");
    std::printf("The device goes on working.\n");
    value(outcome_of(behind, 5s));
  }
  value(compute(value(open("cpu"))));
  const bool is_card = device.info().kind != DeviceKind::software;
  return faults_poison(device) && is_card ? Ending::soon : Ending::any;
}

}  // namespace faults
