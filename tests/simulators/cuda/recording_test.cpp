// Recordings of the backend over the simulator: what a replay asks of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/dylib.h"
#include "rig.h"

namespace pintle::test {
namespace {

using backend::Argument;
using backend::Binding;
using backend::MemoryId;
using backend::no_slot;
using backend::Range;
using backend::RecordingId;
using Words = std::vector<std::uint32_t>;
using Calls = std::map<std::string, std::uint64_t>;

/// How often the simulator has been called since `begin`.
class Counted {
 public:
  Counted() : library_(must(base::Dylib::open_any(std::array{"libcuda.so.1"}))) { begin(); }

  void begin() { before_ = all(); }
  /// What has been called of what launches, copies, fills and changes.
  [[nodiscard]] Calls calls() const {
    Calls changed;
    for (const auto& [name, count] : all()) {
      if (count != before_.at(name)) changed[name] = count - before_.at(name);
    }
    return changed;
  }

 private:
  [[nodiscard]] Calls all() const {
    auto* const count = must(library_.function<std::uint64_t(const char*)>("simulated_calls"));
    Calls found;
    for (const char* const name :
         {"cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD8Async",
          "cuMemsetD32Async", "cuGraphLaunch", "cuGraphInstantiateWithFlags", "cuGraphAddKernelNode",
          "cuGraphAddEmptyNode", "cuGraphExecKernelNodeSetParams", "cuGraphExecMemcpyNodeSetParams",
          "cuGraphExecMemsetNodeSetParams", "cuGraphKernelNodeSetParams", "cuGraphExecUpdate", "cuEventElapsedTime"})
      found[name] = count(name);
    return found;
  }

  base::Dylib library_;
  Calls before_;
};

const Calls one_launch{{"cuGraphLaunch", 1}};

Argument in_slot(Argument argument, std::uint32_t slot) {
  (argument.kind == Argument::Kind::buffer ? argument.range.slot : argument.slot) = slot;
  return argument;
}

/// Lists of `add(x, a, n)`, which adds `a` to `n` words of `x`.
class CudaRecording : public testing::Test {
 public:
  CudaRecording() { setenv("SIMULATED_CUDA_KERNEL_US", "0", 1); }  // what launches cost is played
  ~CudaRecording() override { unsetenv("SIMULATED_CUDA_KERNEL_US"); }

  MemoryId words(Words values, Placement placement = Placement::device) {
    const MemoryId memory = rig.allocate(4 * values.size(), placement);
    write(memory, values);
    return memory;
  }
  void write(MemoryId memory, const Words& values) {
    std::vector<std::byte> bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    rig.write(memory, bytes);
  }
  Words read(MemoryId memory, std::size_t count) {
    Words values(count);
    std::memcpy(values.data(), rig.read(memory, 4 * count).data(), 4 * count);
    return values;
  }
  void add(List& list, Argument x, Argument a) {
    x.access = Access::read_write;
    rig.launch(list, Entries::add, {std::move(x), std::move(a), scalar_argument(1u)});
  }
  static Argument word(MemoryId memory, std::uint64_t index = 0) {
    return buffer_argument(range_of(memory, 4 * index, 4));
  }

  RecordingId record(const List& list) { return must(rig.device->record(list)); }
  std::uint64_t submit_replay(RecordingId recording, const std::vector<Binding>& bindings = {}) {
    kept.push_back(std::make_unique<Kept>());
    Kept& own = *kept.back();
    own.bindings = bindings;
    own.list.add(backend::Replay{recording, own.bindings});
    return rig.submit(own.list);
  }
  void replay(RecordingId recording, const std::vector<Binding>& bindings = {}) {
    rig.finish(submit_replay(recording, bindings));
  }

  Rig rig;
  Counted counted;

 private:
  struct Kept {
    std::vector<Binding> bindings;
    List list;
  };
  std::vector<std::unique_ptr<Kept>> kept;
};

TEST_F(CudaRecording, AReplayIsOneLaunchOfAGraph) {
  const MemoryId x = words(Words(4, 0)), y = words(Words(4, 0));
  List list;
  list.add(backend::Fill{range_of(y, 0, 16), scalar_of(3u), 4, DType::u32});
  for (std::uint64_t index = 0; index < 4; ++index) add(list, word(x, index), scalar_argument(2u));
  list.add(backend::Copy{range_of(y, 4, 4), range_of(x, 0, 4)}).barrier();
  const RecordingId recording = record(list);
  for (int round = 0; round < 3; ++round) {
    counted.begin();
    replay(recording);
    EXPECT_EQ(counted.calls(), one_launch);
  }
  EXPECT_EQ(read(x, 4), Words(4, 6));
  EXPECT_EQ(read(y, 4), (Words{3, 6, 3, 3}));
}

TEST_F(CudaRecording, OneLaunchIsAGraphAsWell) {
  const MemoryId x = words({0});
  List list;
  add(list, word(x), scalar_argument(1u));
  const RecordingId recording = record(list);
  counted.begin();
  replay(recording);
  EXPECT_EQ(counted.calls(), one_launch);
  EXPECT_EQ(read(x, 1), Words{1});
}

TEST_F(CudaRecording, AChangedSlotIsOneChangedNode) {
  const MemoryId x = words({0, 0});
  List list;
  add(list, word(x, 0), in_slot(scalar_argument(0u), 0));
  add(list, word(x, 1), in_slot(scalar_argument(0u), 1));
  for (int count = 0; count < 10; ++count) {
    add(list, word(x), scalar_argument(1u));
    list.barrier();
  }
  const RecordingId recording = record(list);
  replay(recording, {scalar_of(100u), scalar_of(200u)});  // makes the graph
  counted.begin();
  replay(recording, {scalar_of(100u), scalar_of(200u)});
  EXPECT_EQ(counted.calls(), one_launch);
  counted.begin();
  replay(recording, {scalar_of(100u), scalar_of(300u)});
  EXPECT_EQ(counted.calls(), (Calls{{"cuGraphLaunch", 1}, {"cuGraphExecKernelNodeSetParams", 1}}));
  EXPECT_EQ(read(x, 2), (Words{330, 700}));
}

TEST_F(CudaRecording, ManyChangesAreOneUpdate) {
  constexpr std::uint32_t count = 201;
  const MemoryId x = words({0});
  List list;
  for (std::uint32_t index = 0; index < count; ++index) {
    add(list, word(x), in_slot(scalar_argument(0u), 0));
    if (index != 0) list.barrier();
  }
  add(list, word(x), in_slot(scalar_argument(0u), 1));
  list.barrier();
  const RecordingId recording = record(list);
  replay(recording, {scalar_of(1u), scalar_of(0u)});
  replay(recording, {scalar_of(1u), scalar_of(5u)});  // one node: the graph behind the launches does not know of it
  counted.begin();
  replay(recording, {scalar_of(2u), scalar_of(5u)});
  EXPECT_EQ(counted.calls(),
            (Calls{{"cuGraphLaunch", 1}, {"cuGraphExecUpdate", 1}, {"cuGraphKernelNodeSetParams", count + 1}}));
  EXPECT_EQ(read(x, 1), Words{4 * count + 10});
}

TEST_F(CudaRecording, ReplaysInFlightKeepWhatTheyBind) {
  const MemoryId x = words(Words(64, 0));
  List list;
  add(list, in_slot(buffer_argument({}), 0), in_slot(scalar_argument(0u), 1));
  const RecordingId recording = record(list);
  volatile std::uint32_t* const gate = rig.hold();
  std::uint64_t last = 0;
  Words wanted(64);
  for (std::uint32_t index = 0; index < 64; ++index) {
    last = submit_replay(recording, {range_of(x, 4 * index, 4), scalar_of(index + 1)});
    wanted[index] = index + 1;
  }
  rig.let_go(gate);
  rig.finish(last);
  EXPECT_EQ(read(x, 64), wanted);
}

TEST_F(CudaRecording, TheHostsMemoryIsStagedForEachReplay) {
  const MemoryId x = words({0});
  std::vector<Words> up(8), down(8);
  List list;
  list.add(backend::Upload{range_of(x, 0, 4), {nullptr, 4, 0}});
  add(list, word(x), scalar_argument(1u));
  list.barrier();
  list.add(backend::Download{{nullptr, 4, 1}, range_of(x, 0, 4)}).barrier();
  const RecordingId recording = record(list);
  volatile std::uint32_t* const gate = rig.hold();
  std::uint64_t last = 0;
  for (std::uint32_t index = 0; index < 8; ++index) {
    up[index] = {index * 10};
    down[index] = {0};
    last =
        submit_replay(recording, {backend::HostSource{reinterpret_cast<const std::byte*>(up[index].data()), 4, no_slot},
                                  backend::HostTarget{reinterpret_cast<std::byte*>(down[index].data()), 4, no_slot}});
    up[index] = {7};  // it has been read
  }
  rig.let_go(gate);
  rig.finish(last);
  for (std::uint32_t index = 0; index < 8; ++index) EXPECT_EQ(down[index], Words{index * 10 + 1}) << index;
}

// The driver refuses another kind of memory in a copy that is there, so the graph is made again.
TEST_F(CudaRecording, ASlotOfACopyTakesMemoryOfEachKind) {
  const MemoryId device = words({1}), host = words({2}, Placement::host), to = words({0});
  List list;
  Range from;
  from.slot = 0;
  from.size = 4;
  list.add(backend::Copy{range_of(to, 0, 4), from});
  const RecordingId recording = record(list);
  replay(recording, {range_of(device, 0, 4)});
  EXPECT_EQ(read(to, 1), Words{1});
  counted.begin();
  replay(recording, {range_of(host, 0, 4)});
  EXPECT_EQ(counted.calls().at("cuGraphInstantiateWithFlags"), 1u);
  EXPECT_EQ(read(to, 1), Words{2});
}

TEST_F(CudaRecording, MemoryThatComesAgainAtAnotherAddressIsSet) {
  List list;
  add(list, in_slot(buffer_argument({}), 0), scalar_argument(1u));
  const RecordingId recording = record(list);
  for (std::uint64_t size : {4u, 4096u, 8u, 1u << 20}) {
    const MemoryId x = rig.allocate(size);
    write(x, {10});
    replay(recording, {range_of(x, 0, 4)});
    EXPECT_EQ(read(x, 1), Words{11});
    rig.device->release(x);
  }
}

/// Lists of fills, copies and launches over ranges that overlap as they like.
class CudaRandomLists : public CudaRecording {
 public:
  static constexpr std::uint64_t words_each = 256;

  List list(unsigned seed) {
    std::minstd_rand random(seed);
    const auto below = [&](std::uint64_t most) { return random() % most; };
    const auto range = [&](std::uint64_t count) {
      return range_of(memories[below(memories.size())], 4 * below(words_each - count + 1), 4 * count);
    };
    List made;
    for (int index = 0; index < 60; ++index) {
      const std::uint64_t count = 1 + below(seed % 8 + 1);
      const Range to = range(count), from = range(count);
      const bool is_apart =
          to.memory != from.memory || to.offset + to.size <= from.offset || from.offset + from.size <= to.offset;
      const std::uint64_t kind = below(3);
      if (kind == 0) made.add(backend::Fill{to, scalar_of(static_cast<std::uint32_t>(below(100))), 4, DType::u32});
      else if (kind == 1 && is_apart) made.add(backend::Copy{to, from});
      else add(made, buffer_argument(range(1)), scalar_argument(static_cast<std::uint32_t>(below(100))));
      made.barrier();
    }
    return made;
  }
  /// What the memories have after a run from the beginning.
  template <class Run>
  std::vector<Words> after(Run run_it) {
    for (const MemoryId memory : memories) write(memory, Words(words_each, 1));
    run_it();
    std::vector<Words> found;
    for (const MemoryId memory : memories) found.push_back(read(memory, words_each));
    return found;
  }

  const std::array<MemoryId, 3> memories{words(Words(words_each)), words(Words(words_each)),
                                         words(Words(words_each), Placement::host)};
};

TEST_F(CudaRandomLists, AReplayLeavesTheBytesThatTheListLeaves) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const List made = list(seed);
    const auto wanted = after([&] { rig.run(made); });
    const RecordingId recording = record(made);
    EXPECT_EQ(after([&] { replay(recording); }), wanted) << "seed " << seed;
    rig.device->forget(recording);
  }
}

/// 64 launches that touch nothing in common.
class CudaWidth : public CudaRecording {
 public:
  RecordingId record_wide() {
    const MemoryId x = words(Words(64, 0));
    for (std::uint64_t index = 0; index < 64; ++index) add(list_, word(x, index), scalar_argument(1u));
    return record(list_);
  }

 private:
  List list_;
};

TEST_F(CudaWidth, LongKernelsComeToStandAlone) {
  setenv("SIMULATED_CUDA_KERNEL_US", "20", 1);
  const RecordingId recording = record_wide();
  replay(recording);  // has its time taken
  counted.begin();
  replay(recording);
  EXPECT_EQ(counted.calls(),
            (Calls{{"cuGraphLaunch", 1}, {"cuGraphInstantiateWithFlags", 1}, {"cuGraphAddKernelNode", 64}}));
  counted.begin();
  for (int count = 0; count < 200; ++count) replay(recording);
  EXPECT_EQ(counted.calls(), (Calls{{"cuGraphLaunch", 200}, {"cuEventElapsedTime", 3}}));
}

TEST_F(CudaWidth, ShortOnesStayInChains) {
  const RecordingId recording = record_wide();
  counted.begin();
  for (int count = 0; count < 65; ++count) replay(recording);
  EXPECT_EQ(counted.calls(), (Calls{{"cuGraphLaunch", 65}, {"cuEventElapsedTime", 2}}));
}

TEST_F(CudaRecording, WhatAGraphCannotHaveIsRefused) {
  const MemoryId x = rig.allocate(2 << 20);
  const auto refused = [&](backend::Operation operation) {
    const List list({std::move(operation)});
    const auto made = rig.device->record(list);
    return made ? Errc::internal : made.error().code();
  };
  std::array<std::byte, 8> host{};
  EXPECT_EQ(refused(backend::Timestamp{range_of(x, 0, 8)}), Errc::unsupported);
  EXPECT_EQ(refused(backend::Upload{range_of(x, 0, 2 << 20), {host.data(), 2 << 20, no_slot}}), Errc::unsupported);
  EXPECT_EQ(refused(backend::Fill{range_of(x, 0, 8), scalar_of(std::uint64_t{1}), 8, DType::u64}), Errc::unsupported);
  EXPECT_TRUE(
      rig.device->record(List({backend::Fill{range_of(x, 0, 8), scalar_of(~std::uint64_t{0}), 8, DType::u64}})));
}

TEST_F(CudaRecording, MoreThanAStreamHoldsNeverBlocksSubmit) {
  const MemoryId x = words({0});
  List list;
  add(list, word(x), scalar_argument(1u));
  const RecordingId recording = record(list);
  volatile std::uint32_t* const gate = rig.hold();
  std::uint64_t last = 0;
  for (int count = 0; count < 3000; ++count) last = submit_replay(recording);
  rig.let_go(gate);
  rig.finish(last);
  EXPECT_EQ(read(x, 1), Words{3000});
}

// A thread that waits for room in its stream keeps nobody from the recording.
TEST_F(CudaRecording, AFullStreamKeepsNoOtherQueueFromTheRecording) {
  const MemoryId x = words({0});
  List list;
  add(list, word(x), scalar_argument(1u));
  const RecordingId recording = record(list);
  const auto other = must(rig.device->create_queue({QueueKind::compute, 0, "other"}));
  volatile std::uint32_t* const gate = rig.hold();
  std::uint64_t last = 0;
  for (int count = 0; count < 3000; ++count) last = submit_replay(recording);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the courier is at the end of the stream
  List once;
  once.add(backend::Replay{recording, {}});
  std::promise<std::uint64_t> submitted;
  auto submission = submitted.get_future();
  std::thread submitting([&] { submitted.set_value(must(rig.device->submit(other, {}, once))); });
  EXPECT_EQ(submission.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  rig.let_go(gate);
  submitting.join();
  rig.finish(last);
  must(rig.device->wait(other, submission.get(), soon()));
  rig.device->destroy_queue(other);
}

TEST_F(CudaRecording, ARecordingIsForgotten) {
  const MemoryId x = words({0});
  List list;
  add(list, word(x), scalar_argument(1u));
  const RecordingId recording = record(list);
  replay(recording);
  rig.device->forget(recording);
  EXPECT_EQ(read(x, 1), Words{1});
}

}  // namespace
}  // namespace pintle::test
