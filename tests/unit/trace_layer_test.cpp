#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "seam_support.h"
#include "unit/scratch_folder.h"

namespace pintle::layers {
std::unique_ptr<backend::Layer> create_trace_layer();
}

namespace pintle::test {
namespace {

using namespace backend;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Nanoseconds of a microsecond count with three decimals.
std::int64_t nanoseconds(const json& value) { return std::llround(value.get<double>() * 1000); }

struct Slice {
  std::string name;
  std::uint64_t process = 0, track = 0;
  std::int64_t begin = 0, end = 0;
  json arguments;
  int depth = 0;
};

/// The slices in drawing order with their depths; a slice that crosses the end of the one around it is a failure.
std::vector<Slice> nested(const json& file) {
  std::vector<Slice> slices;
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const std::int64_t begin = nanoseconds(event.at("ts"));
    slices.push_back({event.at("name"), event.at("pid"), event.at("tid"), begin, begin + nanoseconds(event.at("dur")),
                      event.at("args")});
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<const Slice*>> open;
  for (Slice& slice : slices) {
    auto& around = open[{slice.process, slice.track}];
    const bool is_command = slice.arguments.contains("operation");
    if (!is_command) {
      for (const Slice* earlier : around) EXPECT_LE(earlier->end, slice.begin) << slice.name;
      around.assign(1, &slice);
      continue;
    }
    EXPECT_FALSE(around.empty()) << slice.name;
    EXPECT_GE(slice.begin, around.back()->begin) << slice.name;
    EXPECT_LE(slice.end, around.front()->end) << slice.name;
    slice.depth = 1;
  }
  return slices;
}

std::vector<std::string> names(const std::vector<Slice>& slices, int depth) {
  std::vector<std::string> out;
  for (const Slice& slice : slices) {
    if (slice.depth == depth) out.push_back(slice.name);
  }
  return out;
}

/// Executes timestamps and downloads, so that a trace finds readings.
struct ClockedInner {
  std::map<MemoryId, std::vector<std::byte>> memory;
  std::vector<std::string> submitted;  // names of the commands of the last list
  bool has_calibration = true;
  bool is_out_of_memory = false;
  bool refuses = false;
  double nanoseconds_per_tick = 1;
  std::function<void(const Command&)> seen = [](const Command&) {};
  std::function<std::uint64_t()> clock = [] {
    return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  };

  std::unique_ptr<backend::Device> open() {
    Scripted::Answers answers;
    answers.allocate = [this](const MemoryRequest& request) -> Result<MemoryId> {
      if (is_out_of_memory) return Error(Errc::out_of_memory, "Full.");
      const MemoryId id{memory.empty() ? 1 : static_cast<std::uint64_t>(memory.rbegin()->first) + 1};
      memory[id].resize(request.size);
      return id;
    };
    answers.release = [this](MemoryId id) { memory.erase(id); };
    answers.submit = [this](QueueId, const Commands& list) -> Result<std::uint64_t> {
      if (refuses) return Error(Errc::out_of_memory, "Full.");
      submitted.clear();
      for (const Command& command : list.commands) run(command);
      return ++last_;
    };
    answers.reached = [this](QueueId) -> Result<std::uint64_t> { return last_; };
    answers.wait = [](QueueId, std::uint64_t, Deadline) -> Result<void> { return {}; };
    answers.calibrate = [this]() -> Result<ClockPair> {
      if (!has_calibration) return Error(Errc::unsupported, "No.");
      const Deadline now = Clock::now();
      return ClockPair{static_cast<std::uint64_t>(now.time_since_epoch().count()), now, {}};
    };
    auto inner = std::make_unique<Scripted>(std::move(answers));
    inner->editable_info().capabilities = {{Feature::timestamp, Support::native, ""}};
    inner->editable_info().nanoseconds_per_tick = nanoseconds_per_tick;
    return inner;
  }

 private:
  void run(const Command& command) {
    submitted.emplace_back(name(command.operation));
    seen(command);
    if (const auto* stamp = std::get_if<Timestamp>(&command.operation)) {
      const std::uint64_t ticks = clock();
      std::memcpy(memory.at(stamp->to.memory).data() + stamp->to.offset, &ticks, sizeof ticks);
    }
    if (const auto* download = std::get_if<Download>(&command.operation)) {
      EXPECT_TRUE(command.barrier_before) << "the readings are written before they are fetched";
      std::memcpy(download->to.data, memory.at(download->from.memory).data() + download->from.offset,
                  download->to.size);
    }
  }
  std::uint64_t last_ = 0;
};

class TraceLayer : public testing::Test {
 protected:
  std::unique_ptr<backend::Device> trace(std::unique_ptr<backend::Device> inner) {
    const std::string path = file_.string();
    const std::vector<Option> options{{"file", path}};
    return must(layer_->wrap(std::move(inner), options));
  }
  static QueueId queue_of(backend::Device& device, QueueKind kind = QueueKind::compute) {
    return must(device.create_queue({kind, 0, "main"}));
  }
  static ProgramId program_of(backend::Device& device) {
    const std::vector<Entry> entries{must(Entry::parse("first(n: u32) group 1")),
                                     must(Entry::parse("blur(n: u32) group 1"))};
    return must(device.load({"image", "*", {}, entries, {}}));
  }
  [[nodiscard]] json written() const {
    std::ifstream in(file_);
    EXPECT_TRUE(in) << "no trace was written";
    return json::parse(in);
  }
  /// A fill, a labelled copy and a launch.
  static List work(ProgramId program) {
    List list({Fill{{MemoryId{1}, 11, 0, 64}, {}, 4}});
    list.add(Copy{{MemoryId{1}, 11, 128, 64}, {MemoryId{1}, 12, 0, 64}}).barrier().label("halo \"left\"\n");
    list.add(Exec{program, 1, 0, 1, {4, 2, 1}});
    list.arguments = {{Argument::Kind::scalar, DType::u32, Access::read, 0, no_slot, {}, {}, nullptr}};
    return list;
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "trace.json";
  std::unique_ptr<backend::Layer> layer_ = layers::create_trace_layer();
};

TEST_F(TraceLayer, WithoutAClockASubmissionIsOneSlice) {
  auto device = trace(open_null());
  EXPECT_EQ(device->info().id, "trace(null)");
  const QueueId one = queue_of(*device), two = queue_of(*device, QueueKind::copy);
  const List list = work(program_of(*device));
  for (std::uint64_t i = 1; i <= 2; ++i) EXPECT_EQ(must(device->submit(one, {}, list)), i);
  must(device->submit(two, {}, {}));
  must(device->wait(one, 1, soon()));
  EXPECT_EQ(must(device->reached(one)), 2u);
  must(device->wait(two, 1, soon()));
  device.reset();
  const json file = written();
  const auto slices = nested(file);
  EXPECT_THAT(names(slices, 0), ElementsAre("submission 1", "submission 2", "submission 1"));
  EXPECT_THAT(names(slices, 1), SizeIs(0)) << "nobody knows when the commands ran";
  EXPECT_EQ(slices[0].track, slices[1].track);
  EXPECT_NE(slices[0].track, slices[2].track);
  const json& commands = slices[0].arguments.at("commands");
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].at("name"), "fill");
  EXPECT_EQ(commands[1].at("name"), "halo \"left\"\n");
  EXPECT_EQ(commands[2].at("name"), "blur");
  EXPECT_EQ(commands[2].at("what").at("grid"), "4x2x1");
  EXPECT_EQ(commands[1].at("what").at("touches")[0], "read buffer 12 [0, +64)");
  EXPECT_EQ(commands[1].at("what").at("touches")[1], "write buffer 11 [128, +64)");
}

TEST_F(TraceLayer, ProcessesAndTracksHaveNames) {
  auto device = trace(open_null());
  queue_of(*device);
  queue_of(*device, QueueKind::copy);
  device.reset();
  std::map<std::string, std::set<std::string>> seen;
  const json file = written();
  for (const json& event : file.at("traceEvents")) {
    EXPECT_EQ(event.at("ph"), "M");
    seen[event.at("name")].insert(event.at("args").at("name"));
  }
  EXPECT_EQ(seen.at("process_name"), std::set<std::string>{"trace(null)"});
  EXPECT_EQ(seen.at("thread_name"), (std::set<std::string>{"queue 1 (compute) main", "queue 2 (copy) main"}));
}

TEST_F(TraceLayer, WithAClockCommandsAreNestedSlices) {
  for (const bool has_calibration : {true, false}) {
    ClockedInner inner;
    inner.has_calibration = has_calibration;
    auto device = trace(inner.open());
    const QueueId queue = queue_of(*device);
    const List list = work(program_of(*device));
    must(device->submit(queue, {}, list));
    EXPECT_THAT(inner.submitted,
                ElementsAre("timestamp", "fill", "timestamp", "copy", "timestamp", "exec", "timestamp", "download"));
    EXPECT_THAT(inner.memory, SizeIs(1));
    must(device->submit(queue, {}, list));
    must(device->wait(queue, 2, soon()));
    EXPECT_THAT(inner.memory, SizeIs(0)) << "released with the submission";
    device.reset();
    const auto slices = nested(written());
    EXPECT_THAT(names(slices, 0), ElementsAre("submission 1", "submission 2"));
    EXPECT_THAT(names(slices, 1), ElementsAre("fill", "halo \"left\"\n", "blur", "fill", "halo \"left\"\n", "blur"));
    EXPECT_EQ(slices[1].begin, slices[0].begin);
    EXPECT_EQ(slices[1].end, slices[2].begin);
    EXPECT_EQ(slices[2].end, slices[3].begin);
    EXPECT_EQ(slices[3].end, slices[0].end);
    EXPECT_EQ(slices[3].arguments.at("operation"), "exec");
  }
}

TEST_F(TraceLayer, ReadingsAreOrderedAgainstHostCalls) {
  ClockedInner inner;
  std::vector<bool> barriers;
  inner.seen = [&](const Command& command) { barriers.push_back(command.barrier_before); };
  auto device = trace(inner.open());
  std::function<void()> nothing = [] {};
  must(device->submit(queue_of(*device), {}, List({call_of(nothing), Replay{RecordingId{1}, {}}})));
  EXPECT_THAT(inner.submitted, ElementsAre("timestamp", "host_call", "timestamp", "replay", "timestamp", "download"));
  EXPECT_THAT(barriers, ElementsAre(false, true, true, true, true, true));
}

TEST_F(TraceLayer, AClockThatLiesStillNests) {
  ClockedInner inner;
  std::uint64_t reading = ~std::uint64_t{0} - 3;
  inner.clock = [&] { return reading += 5'000'000'000'000'000'000; };  // forwards, backwards and around
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device);
  const List list = work(program_of(*device));
  for (int i = 0; i < 5; ++i) must(device->submit(queue, {}, list));
  must(device->wait(queue, 5, soon()));
  device.reset();
  const auto slices = nested(written());
  EXPECT_THAT(slices, SizeIs(20));
  for (const Slice& slice : slices) EXPECT_LE(slice.begin, slice.end);
}

TEST_F(TraceLayer, TicksOfAnyLengthStillNest) {
  for (const double length : {std::nan(""), HUGE_VAL, 1e300, -1e300, 0.0}) {
    ClockedInner inner;
    inner.nanoseconds_per_tick = length;
    auto device = trace(inner.open());
    const QueueId queue = queue_of(*device);
    must(device->submit(queue, {}, work(program_of(*device))));
    must(device->wait(queue, 1, soon()));
    device.reset();
    EXPECT_THAT(nested(written()), SizeIs(4)) << length;
  }
}

TEST_F(TraceLayer, AReadingBeyondTheHostsClockIsTheEnd) {
  ClockedInner inner;
  inner.nanoseconds_per_tick = 1e300;
  inner.clock = [reading = std::uint64_t{0}]() mutable { return std::exchange(reading, std::uint64_t{1} << 62); };
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device);
  must(device->submit(queue, {}, work(program_of(*device))));
  must(device->wait(queue, 1, soon()));
  device.reset();
  const auto slices = nested(written());
  ASSERT_THAT(slices, SizeIs(4));
  EXPECT_LT(slices[0].begin, slices[0].end);
}

TEST_F(TraceLayer, CopyQueuesAndEmptyListsGetNoTimestamps) {
  ClockedInner inner;
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device), copies = queue_of(*device, QueueKind::copy);
  must(device->submit(queue, {}, {}));
  EXPECT_THAT(inner.submitted, SizeIs(0));
  must(device->submit(copies, {}, work(ProgramId{1})));
  EXPECT_THAT(inner.submitted, ElementsAre("fill", "copy", "exec"));
}

TEST_F(TraceLayer, WithoutMemoryForReadingsTheListGoesAsItCame) {
  ClockedInner inner;
  inner.is_out_of_memory = true;
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device);
  must(device->submit(queue, {}, work(ProgramId{1})));
  EXPECT_THAT(inner.submitted, ElementsAre("fill", "copy", "exec"));
  must(device->wait(queue, 1, soon()));
  device.reset();
  EXPECT_THAT(names(nested(written()), 0), ElementsAre("submission 1"));
}

TEST_F(TraceLayer, ARefusedSubmissionLeavesNothing) {
  ClockedInner inner;
  inner.refuses = true;
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device);
  EXPECT_EQ(device->submit(queue, {}, work(ProgramId{1})).error().code(), Errc::out_of_memory);
  EXPECT_THAT(inner.memory, SizeIs(0));
  device.reset();
  EXPECT_THAT(nested(written()), SizeIs(0));
}

TEST_F(TraceLayer, WhatWasNeverSeenToEndIsUnfinished) {
  ClockedInner inner;
  auto device = trace(inner.open());
  const QueueId queue = queue_of(*device);
  must(device->submit(queue, {}, work(ProgramId{1})));
  device.reset();
  EXPECT_THAT(names(nested(written()), 0), ElementsAre("unfinished submission 1"));
}

TEST_F(TraceLayer, DevicesShareAFile) {
  auto first = trace(open_null()), second = trace(open_null());
  const QueueId one = queue_of(*first), two = queue_of(*second);
  must(first->submit(one, {}, {}));
  must(first->wait(one, 1, soon()));
  first.reset();
  EXPECT_FALSE(std::filesystem::exists(file_)) << "written with the last device";
  must(second->submit(two, {}, {}));
  must(second->wait(two, 1, soon()));
  second.reset();
  const auto slices = nested(written());
  ASSERT_THAT(slices, SizeIs(2));
  EXPECT_NE(slices[0].process, slices[1].process);
}

TEST_F(TraceLayer, OptionsAreStrict) {
  const auto message = [&](std::vector<Option> options) {
    const auto wrapped = layer_->wrap(open_null(), options);
    return wrapped ? std::string() : std::string(wrapped.error().message());
  };
  EXPECT_THAT(message({{"colour", "red"}}), HasSubstr("it has (file)."));
  EXPECT_THAT(message({{"file", ""}}), HasSubstr("is not the path of a file in a folder that exists."));
  const std::string missing = (folder_.path() / "none" / "trace.json").string();
  EXPECT_THAT(message({{"file", missing}}), HasSubstr("is not the path of a file in a folder that exists."));
}

}  // namespace
}  // namespace pintle::test
