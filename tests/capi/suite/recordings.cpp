// Recordings: replayed with other bindings, refused with wrong ones before anything runs.
#include <thread>

#include "suite.h"

namespace csuite {
namespace {

class Recording : public Suite {
 protected:
  [[nodiscard]] static std::size_t slots(pintle_recording recording) {
    return made<std::size_t>(pintle_recording_slots, recording);
  }
  [[nodiscard]] std::uint64_t last(pintle_queue queue) {
    auto point = sized<pintle_point>();
    ok(pintle_queue_last, queue, &point);
    return point.value;
  }
  static void refused_replay(pintle_status status, std::initializer_list<std::string_view> words, pintle_queue queue,
                             pintle_recording recording, const std::vector<pintle_argument>& bindings) {
    refused(status, words, pintle_queue_replay, queue, recording, bindings.data(), bindings.size(), nullptr, nullptr);
  }
  static void add_copy(pintle_list list, pintle_buffer to, pintle_buffer from) {
    const pintle_view target = all_of(to), source = all_of(from);
    ok(pintle_list_copy, list, &target, &source);
  }
  [[nodiscard]] pintle_list copy(pintle_buffer to, pintle_buffer from) {
    const pintle_list copies = list();
    add_copy(copies, to, from);
    return copies;
  }
  /// x becomes x * m + a.
  void add_affine(pintle_list list, pintle_kernel affine, pintle_buffer x, const pintle_argument& m, std::uint32_t a,
                  std::uint32_t count = 1) {
    const pintle_extent extent = items(count);
    const std::vector<pintle_argument> arguments{of(x), m, of(a), of(count)};
    ok(pintle_list_launch, list, affine, &extent, arguments.data(), arguments.size());
  }
};

TEST_P(Recording, ReplaysAsOftenAsAskedAndRunsNothingBefore) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_buffer x = buffer(Words{1});
  const pintle_recording recording = record(launch("affine", groups(1), {of(x), of(3u), of(1u), of(1u)}));
  EXPECT_EQ(words(queue, x, 1), Words{1});
  std::uint32_t expected = 1;
  for (int i = 0; i < 50; ++i) {
    replay(queue, recording);
    expected = expected * 3 + 1;
  }
  EXPECT_EQ(words(queue, x, 1), Words{expected});
}

TEST_P(Recording, EmptyListReplays) {
  const pintle_recording recording = record(list());
  EXPECT_EQ(slots(recording), 0u);
  finish(replay(queue(), recording));
}

TEST_P(Recording, SlotsTakeBuffersScalarsAndHostMemory) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_buffer in = buffer(PINTLE_U32, 16), out = buffer(PINTLE_U32, 16);
  const pintle_view all_in = all_of(in), all_out = all_of(out);
  const std::vector<pintle_argument> arguments{of(in), slot(2), slot(1), of(16u)};
  const pintle_extent one = groups(1);
  const pintle_list commands = list();
  ok(pintle_list_upload_slot, commands, &all_in, std::uint32_t{0});
  ok(pintle_list_launch, commands, kernel("add_to"), &one, arguments.data(), arguments.size());
  ok(pintle_list_download_slot, commands, std::uint32_t{3}, &all_out);
  const pintle_recording recording = record(commands);
  EXPECT_EQ(slots(recording), 4u);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    const Words values(16, round);
    Words result(16);
    finish(replay(queue, recording, {source(values), of(round * 100), of(out), target(result)}));
    EXPECT_EQ(result, Words(16, round * 101));
    EXPECT_EQ(words(queue, out, 16), Words(16, round * 101));
  }
}

// What a slot decides stands between runs that are the same each time, and is ordered with both.
TEST_P(Recording, SlotsStandAmongCommandsThatStayTheSame) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_kernel affine = kernel("affine");
  const pintle_buffer x = buffer(Words{0});
  const pintle_view all = all_of(x);
  const pintle_list commands = list();
  const auto add_eight = [&] {
    for (int i = 0; i < 8; ++i) add_affine(commands, affine, x, of(1u), 1);
  };
  add_eight();
  add_affine(commands, affine, x, slot(0), 0);
  add_eight();
  ok(pintle_list_copy_to_slot, commands, std::uint32_t{1}, &all);
  ok(pintle_list_copy_from_slot, commands, &all, std::uint32_t{1});
  add_eight();
  ok(pintle_list_download_slot, commands, std::uint32_t{2}, &all);
  const pintle_recording recording = record(commands);
  std::uint32_t expected = 0;
  for (std::uint32_t round = 1; round <= 5; ++round) {
    const pintle_buffer between = buffer(Words{0});
    Words seen(1);
    finish(replay(queue, recording, {of(round), of(between), target(seen)}));
    expected = (expected + 8) * round + 8;
    EXPECT_EQ(words(queue, between, 1), Words{expected});
    expected += 8;
    EXPECT_EQ(seen, Words{expected});
  }
}

TEST_P(Recording, ReplaysInFlightKeepTheirBindings) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_signal gate = signal();
  const pintle_recording recording = record(launch("put_u32", groups(1), {slot(0), slot(1), of(4u)}));
  std::vector<pintle_buffer> outputs;
  for (std::uint32_t i = 0; i < 16; ++i) {
    outputs.push_back(buffer(Words(4, 0)));
    replay(queue, recording, {of(1000 + i), of(outputs.back())}, {at(gate, 1)});
  }
  ok(pintle_signal_set, gate, std::uint64_t{1});
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(words(queue, outputs[i], 4), Words(4, 1000 + i));
}

TEST_P(Recording, OneSlotMayHaveSeveralUsesAndTakesWindows) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const std::uint64_t step = std::max(16u, on().offset_alignment);
  const pintle_buffer x = buffer(Words(step / 2, 5));
  const pintle_recording recording = record(launch("affine", groups(1), {slot(0), of(2u), slot(1), slot(1)}));
  EXPECT_EQ(slots(recording), 2u);
  replay(queue, recording, {of(part_of(x, step, 16)), of(3u)});
  Words expected(step / 2, 5);
  for (std::size_t i = 0; i < 3; ++i) expected[step / 4 + i] = 13;
  EXPECT_EQ(words(queue, x, expected.size()), expected);
}

TEST_P(Recording, WrongBindingsAreRefusedBeforeAnythingRuns) {
  const pintle_queue queue = this->queue("strict");
  const pintle_buffer in = buffer(PINTLE_U32, 4), floats = buffer(PINTLE_F32, 4);
  const pintle_view all = all_of(in);
  const std::vector<pintle_argument> arguments{slot(1), slot(2), of(4u)};
  const pintle_extent one = groups(1);
  const pintle_list commands = list();
  Words host(4), shorter(3);
  ok(pintle_list_upload_slot, commands, &all, std::uint32_t{0});
  ok(pintle_list_launch, commands, kernel("put_u32"), &one, arguments.data(), arguments.size());
  ok(pintle_list_download_slot, commands, std::uint32_t{3}, &all);
  const pintle_recording recording = record(commands);
  const std::vector<pintle_argument> good{source(host), of(7u), of(in), target(host)};
  const std::uint64_t before = last(queue);
  const auto refuse = [&](std::size_t index, const pintle_argument& wrong,
                          std::initializer_list<std::string_view> words) {
    auto bindings = good;
    bindings[index] = wrong;
    refused_replay(PINTLE_INVALID_ARGUMENT, words, queue, recording, bindings);
    refused_replay(PINTLE_INVALID_ARGUMENT, {"slot " + std::to_string(index), "[Recording"}, queue, recording,
                   bindings);
  };
  refuse(0, target(host), {"host memory"});
  refuse(0, source(shorter), {"12", "16"});
  refuse(0, of(in), {"buffer"});
  refuse(1, of(std::int32_t{7}), {"i32", "u32"});
  refuse(1, of(in), {"buffer", "scalar"});
  refuse(2, of(floats), {"f32", "u32"});
  refuse(2, of(7u), {"scalar", "buffer"});
  refuse(3, source(host), {"host memory"});
  refuse(3, target(shorter), {"12", "16"});
  refused_replay(PINTLE_INVALID_ARGUMENT, {"(0)", "(4)", "[Recording"}, queue, recording, {});
  refused_replay(PINTLE_INVALID_ARGUMENT, {"(5)", "(4)"}, queue, recording,
                 {good[0], good[1], good[2], good[3], of(1u)});
  EXPECT_EQ(last(queue), before);
  finish(replay(queue, recording, good));
}

TEST_P(Recording, BindingsThatOverlapACopyAreRefused) {
  const pintle_queue queue = this->queue();
  const pintle_buffer words = buffer(PINTLE_U32, 8);
  const pintle_list copies = list();
  ok(pintle_list_copy_slots, copies, std::uint32_t{0}, std::uint32_t{1});
  const pintle_recording recording = record(copies);
  const pintle_argument first = of(part_of(words, 0, 16)), second = of(part_of(words, 16, 16));
  refused_replay(PINTLE_INVALID_ARGUMENT, {"overlap"}, queue, recording, {first, of(part_of(words, 12, 16))});
  finish(replay(queue, recording, {first, second}));
  refused_replay(PINTLE_INVALID_ARGUMENT, {"12", "16"}, queue, recording, {of(part_of(words, 0, 12)), second});
}

TEST_P(Recording, FillSlotTakesWholeElementsOfItsDtype) {
  const pintle_queue queue = this->queue();
  const pintle_buffer bytes = buffer(PINTLE_U8, 64), floats = buffer(PINTLE_F32, 16);
  const std::uint32_t four = 4;
  const pintle_list fills = list();
  ok(pintle_list_fill_slot, fills, std::uint32_t{0}, std::uint32_t{PINTLE_U32}, static_cast<const void*>(&four));
  const pintle_recording recording = record(fills);
  refused_replay(PINTLE_INVALID_ARGUMENT, {"slot 0"}, queue, recording, {of(part_of(bytes, 0, 7))});
  refused_replay(PINTLE_INVALID_ARGUMENT, {"slot 0"}, queue, recording, {of(part_of(bytes, 2, 8))});
  refused_replay(PINTLE_INVALID_ARGUMENT, {"f32", "u32"}, queue, recording, {of(floats)});
}

TEST_P(Recording, StaleAndForeignBindingsAreRefused) {
  const pintle_queue queue = this->queue();
  const pintle_recording recording = record(launch("put_u32", groups(1), {of(1u), slot(0), of(4u)}));
  const pintle_buffer gone = buffer(PINTLE_U32, 4);
  ok(pintle_buffer_release, gone);
  refused_replay(PINTLE_STALE, {"buffer"}, queue, recording, {of(gone)});
  refused_replay(PINTLE_INVALID_ARGUMENT, {}, queue, recording, {of(pintle_buffer{})});
  const std::uint64_t dims = 4;
  const auto foreign =
      keep(made<pintle_buffer>(pintle_buffer_allocate, open_device(GetParam() == "null" ? "cpu" : "null").device,
                               std::uint32_t{PINTLE_U32}, std::size_t{1}, &dims, nullptr),
           &pintle_buffer_release);
  refused_replay(PINTLE_INVALID_ARGUMENT, {"[Buffer"}, queue, recording, {of(foreign)});
}

// A recording never runs a buffer that is gone.
TEST_P(Recording, AReleasedBufferMakesItStale) {
  const pintle_queue queue = this->queue();
  const pintle_buffer kept = buffer(PINTLE_U32, 4), doomed = buffer(PINTLE_U32, 4, "doomed");
  const pintle_recording recording = record(copy(doomed, kept));
  finish(replay(queue, recording));
  ok(pintle_buffer_release, doomed);
  refused_replay(PINTLE_STALE, {"[Buffer", "[Recording"}, queue, recording, {});
}

TEST_P(Recording, WhatIsReleasedInFlightStillRuns) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_signal gate = signal();
  const pintle_buffer result = buffer(PINTLE_U32, 64), bound = buffer(Words(64, 8));
  const pintle_recording recording = record(launch("add_to", groups(1), {slot(0), of(result), of(3u), of(64u)}));
  replay(queue, recording, {of(bound)}, {at(gate, 1)});
  ok(pintle_recording_release, recording);
  ok(pintle_buffer_release, bound);
  for (int i = 0; i < 8; ++i) (void)buffer(Words(64, 0xbad));
  ok(pintle_signal_set, gate, std::uint64_t{1});
  EXPECT_EQ(words(queue, result, 64), Words(64, 11));
  refused(PINTLE_STALE, {}, pintle_queue_replay, queue, recording, nullptr, std::size_t{0}, nullptr, nullptr);
}

// One is bound, and one stands in the recording alone.
TEST_P(Recording, BuffersInFlightOutliveTheirHandles) {
  NEEDS_BYTES();
  const pintle_queue queue = this->queue();
  const pintle_signal gate = signal();
  const pintle_buffer result = buffer(PINTLE_U32, 64), inner = buffer(PINTLE_U32, 64), bound = buffer(Words(64, 8));
  const pintle_view all = all_of(inner);
  const pintle_list commands = list();
  ok(pintle_list_copy_from_slot, commands, &all, std::uint32_t{0});
  add_copy(commands, result, inner);
  const pintle_recording recording = record(commands);
  replay(queue, recording, {of(bound)}, {at(gate, 1)});
  ok(pintle_recording_release, recording);
  ok(pintle_buffer_release, inner);
  ok(pintle_buffer_release, bound);
  for (int i = 0; i < 8; ++i) (void)buffer(Words(64, 0xbad));
  ok(pintle_signal_set, gate, std::uint64_t{1});
  EXPECT_EQ(words(queue, result, 64), Words(64, 8));
}

TEST_P(Recording, NativeOrDeclaredFallbackGiveTheSameBytes) {
  NEEDS_BYTES();
  auto capability = sized<pintle_capability>();
  ok(pintle_device_capability, device(), std::uint32_t{PINTLE_FEATURE_RECORDING}, &capability);
  EXPECT_TRUE(capability.support == PINTLE_SUPPORT_NATIVE || capability.detail[0] != 0);
  const pintle_queue queue = this->queue();
  const pintle_kernel affine = kernel("affine");
  const auto build = [&](pintle_buffer x) {
    const pintle_list commands = list();
    for (std::uint32_t i = 0; i < 30; ++i) add_affine(commands, affine, x, of(3u), i, 100);
    return commands;
  };
  const pintle_buffer a = buffer(Words(100, 2)), b = buffer(Words(100, 2));
  replay(queue, record(build(a)));
  submit(queue, build(b));
  EXPECT_EQ(words(queue, a, 100), words(queue, b, 100));
}

TEST_P(Recording, HasWaitsSignalsAndPoints) {
  const pintle_queue queue = this->queue();
  const pintle_signal gate = signal(), done = signal();
  const pintle_recording recording = record(fill(buffer(PINTLE_U32, 4), 1));
  const std::uint64_t before = last(queue);
  const pintle_point point = replay(queue, recording, {}, {at(gate, 1)}, {at(done, 1)});
  EXPECT_EQ(point.value, before + 1);
  EXPECT_FALSE(is_reached(point));
  ok(pintle_signal_set, gate, std::uint64_t{1});
  finish(at(done, 1));
}

TEST_P(Recording, RunsOnSeveralQueuesAndThreads) {
  NEEDS_BYTES();
  const pintle_recording recording = record(launch("affine", groups(1), {slot(0), of(1u), of(1u), of(1u)}));
  const pintle_buffer counters[] = {buffer(Words{0}), buffer(Words{0}), buffer(Words{0})};
  const pintle_queue queues[] = {queue(), queue(), queue()};
  if (GetParam().find("inline") == std::string::npos) {  // there one thread drives the device
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        const pintle_argument binding = of(counters[i]);
        for (int round = 0; round < 20; ++round) {
          EXPECT_EQ(pintle_queue_replay(queues[i], recording, &binding, 1, nullptr, nullptr, nullptr), PINTLE_OK);
        }
      });
    }
  } else {
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < 3; ++i) replay(queues[i], recording, {of(counters[i])});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(words(queues[i], counters[i], 1), Words{20});
}

TEST_P(Recording, RefusesLentHostMemoryAndOtherDevices) {
  const pintle_buffer words = buffer(PINTLE_U32, 4);
  const pintle_view all = all_of(words);
  Words host(4);
  const pintle_list lends = list();
  ok(pintle_list_download, lends, static_cast<void*>(host.data()), std::size_t{16}, &all);
  pintle_recording none{};
  refused(PINTLE_INVALID_ARGUMENT, {"lot"}, pintle_recording_create, device(), lends, &none);
  const pintle_recording recording = record(fill(words, 1));
  const auto foreign =
      keep(made<pintle_queue>(pintle_queue_create, open_device(GetParam() == "null" ? "cpu" : "null").device, nullptr),
           &pintle_queue_release);
  refused_replay(PINTLE_INVALID_ARGUMENT, {"[Recording"}, foreign, recording, {});
  refused_replay(PINTLE_INVALID_ARGUMENT, {"handle"}, foreign, {}, {});
}

INSTANTIATE_TEST_SUITE_P(C, Recording, testing::ValuesIn(device_ids()), suffix);

}  // namespace
}  // namespace csuite
