#include <array>
#include <cstddef>

#include "validate_fixture.h"

namespace pintle::test {
namespace {

TEST_F(ValidateLayer, ARightCallerPasses) {
  open();
  EXPECT_EQ(device_->info().id, "validate(scripted(null))");
  std::array<std::byte, 64> host{};
  List list({Upload{range(a_, 0, 64), {host.data(), 64}}});
  list.add(copy(0, 0, 64)).barrier();
  list.add(Download{{host.data(), 64}, range(b_, 0, 64)}).barrier();
  list.add(Fill{range(a_, 128, 64), {}, 4});
  accept(list);
  accept(launch());
  const QueueId other = must(device_->create_queue({QueueKind::copy, 7, ""}));
  const QueuePoint point{queue_, 2};
  EXPECT_EQ(must(device_->submit(other, {&point, 1}, List({copy(0, 0, 8)}))), 8u);
  must(device_->wait(other, 8, soon()));
  EXPECT_EQ(must(device_->reached(other)), 8u);
  const List recorded = launch();
  const RecordingId recording = must(device_->record(recorded));
  accept(List({Replay{recording, {}}}));
  device_->forget(recording);
  device_->unload(program_);
  device_->release(a_);
  device_->destroy_queue(other);
  EXPECT_TRUE(device_->allocate(sized(1)));
}

TEST_F(ValidateLayer, DeadAndUnknownIds) {
  open();
  refuse(Copy{range(MemoryId{99}, 0, 8), range(a_, 0, 8)}, "Memory (99) is not alive.");
  refuse(Exec{ProgramId{99}, 0, 0, 0, {}}, "Program (99) is not alive.");
  refuse(Replay{RecordingId{99}, {}}, "Recording (99) is not alive.");
  expect_breach(device_->submit(QueueId{99}, {}, {}), "Id (99) is not alive.");
  expect_breach(device_->reached(QueueId{99}), "Id (99) is not alive.");
  expect_breach(device_->wait(QueueId{99}, 0, soon()), "Id (99) is not alive.");
  expect_breach(device_->map(MemoryId{99}), "Id (99) is not alive.");
  device_->release(a_);
  refuse(copy(0, 0, 8), "is not alive.");
  device_->release(a_);
  expect_owed("is not alive.");
  device_->unmap(MemoryId{99});
  expect_owed("Id (99) is not alive.");
  device_->unload(ProgramId{99});
  expect_owed("Id (99) is not alive.");
  device_->forget(RecordingId{99});
  expect_owed("Id (99) is not alive.");
  device_->destroy_queue(QueueId{99});
  expect_owed("Id (99) is not alive.");
}

TEST_F(ValidateLayer, RangesSizesAndAlignment) {
  open();
  refuse(copy(250, 0, 8), "Range at offset (250) with size (8) passes the end (256) of memory (2).");
  refuse(copy(~std::uint64_t{0}, 0, 8), "passes the end (256)");
  refuse(Copy{range(b_, 0, 8), range(a_, 0, 16)}, "Sizes (8) and (16) of a copy differ.");
  refuse(Copy{range(a_, 0, 16), range(a_, 8, 16)}, "overlap in memory (1).");
  accept(List({Copy{range(a_, 0, 16), range(a_, 16, 16)}}));
  refuse(Fill{range(a_, 0, 6), {}, 4}, "is not a multiple of the pattern size (4).");
  refuse(Fill{range(a_, 2, 8), {}, 4}, "is not a multiple of the pattern size (4).");
  refuse(Fill{range(a_, 0, 6), {}, 3}, "Pattern size (3) is not 1, 2, 4 or 8.");
  refuse(Fill{range(a_, 0, 16), {}, 16}, "Pattern size (16)");
  refuse(Upload{range(a_, 0, 8), {nullptr, 8}}, "Host memory of (8) bytes has no address.");
  std::array<std::byte, 8> host{};
  refuse(Upload{range(a_, 0, 4), {host.data(), 8}}, "Sizes (4) and (8) of a copy differ.");
  refuse(Download{{host.data(), 8}, range(a_, 0, 4)}, "of a copy differ.");
  refuse(HostCall{}, "A host call has no function.");
  refuse(Timestamp{range(a_, 0, 4)}, "A timestamp has (4) bytes; it needs 8.");
  expect_breach(device_->allocate(sized(0)), "Size (0) is not from 1 to the limit");
  expect_breach(device_->allocate({1, 3, Placement::device, {}}), "Alignment (3) is not a power of two up to 4096.");
  expect_breach(device_->allocate({1, 8192, Placement::device, {}}), "Alignment (8192)");
}

TEST_F(ValidateLayer, Launches) {
  open();
  accept(launch());
  const auto with = [&](auto change) {
    List list = launch();
    change(list, std::get<Exec>(list.commands[0].operation));
    return list;
  };
  refuse(with([](List&, Exec& exec) { exec.entry = 1; }), "Entry (1) passes the (1) entries of the program.");
  refuse(with([](List&, Exec& exec) { exec.grid.y = 0; }), "Grid (1,0,1) is not within (1,1,1) and the limit");
  refuse(with([](List&, Exec& exec) { exec.grid.x = 65536; }), "Grid (65536,1,1)");
  refuse(with([](List&, Exec& exec) { exec.first_argument = 1; }), "Arguments (3) from (1) pass the (3) of the list.");
  refuse(with([](List&, Exec& exec) { exec.argument_count = 2; }),
         "(2) arguments are given to the (3) parameters of blur.");
  refuse(with([](List& list, Exec&) { list.arguments[2].dtype = DType::i32; }),
         "Argument (2) does not match its parameter of blur.");
  refuse(with([](List& list, Exec&) { list.arguments[0].access = Access::write; }), "Argument (0) does not match");
  refuse(with([](List& list, Exec&) { list.arguments[2].kind = Argument::Kind::buffer; }),
         "Argument (2) does not match");
  refuse(with([](List& list, Exec&) { list.arguments[0].range.offset = 4; }),
         "Argument offset (4) is not a multiple of the alignment (16).");
  refuse(with([](List& list, Exec&) { list.arguments[0].range.size = 512; }), "passes the end (256)");
  List indirect({ExecIndirect{Exec{program_, 0, 0, 3, {1, 1, 1}}, range(a_, 128, 8)}});
  indirect.arguments = launch().arguments;
  refuse(indirect, "An indirect grid at offset (128) with size (8) is not three aligned u32.");
}

TEST_F(ValidateLayer, NullsStandForOptionalBuffersAlone) {
  entries_ = {must(Entry::parse("blur(x: optional read f32[], y: write f32[], n: u32) group 64"))};
  open();
  const auto with = [&](std::size_t index, const Argument& argument) {
    List list = launch();
    list.arguments[index] = argument;
    return list;
  };
  const auto null = [](DType dtype, Access access) {
    return Argument{Argument::Kind::null, dtype, access, 0, no_slot, {}, {}, nullptr};
  };
  accept(launch());
  accept(with(0, null(DType::f32, Access::read)));
  refuse(with(0, null(DType::u8, Access::read)), "Argument (0) does not match its parameter of blur.");
  refuse(with(0, null(DType::f32, Access::write)), "Argument (0) does not match its parameter of blur.");
  refuse(with(1, null(DType::f32, Access::write)), "Argument (1) does not match its parameter of blur.");
  refuse(with(2, null(DType::u32, Access::read)), "Argument (2) does not match its parameter of blur.");
}

TEST_F(ValidateLayer, KindsAndPlacementsThatAreNone) {
  open();
  expect_breach(device_->create_queue({static_cast<QueueKind>(7), 0, ""}), "Queue kind (7) is none.");
  expect_breach(device_->wrap_queue({}, {static_cast<QueueKind>(7), 0, ""}), "Queue kind (7) is none.");
  expect_breach(device_->allocate({8, 1, static_cast<Placement>(9), {}}), "Placement (9) is none.");
}

TEST_F(ValidateLayer, WaitsAndSerialsThatAreNotSubmitted) {
  open();
  const QueuePoint ahead{queue_, 1};
  expect_breach(device_->submit(queue_, {&ahead, 1}, {}), "Serial (1) of queue (1) is not submitted yet.");
  expect_breach(device_->wait(queue_, 1, soon()), "Serial (1) of queue (1) is not submitted yet.");
  expect_breach(device_->notify(queue_, 1, {[](void*) {}, nullptr}), "Serial (1) of queue (1) is not submitted yet.");
}

TEST_F(ValidateLayer, ObjectsThatGoWhileInUse) {
  Scripted::Answers answers;
  std::uint64_t reached = 0;
  answers.reached = [&](QueueId) -> Result<std::uint64_t> { return reached; };
  open(answers);
  const RecordingId recording = must(device_->record({}));
  List list = launch();
  list.add(Replay{recording, {}}).barrier();
  must(device_->submit(queue_, {}, list));
  device_->release(a_);
  expect_owed("Id (1) goes while serial (1) of queue (1) uses it.");
  device_->unload(program_);
  expect_owed("goes while serial (1)");
  device_->forget(recording);
  expect_owed("goes while serial (1)");
  device_->destroy_queue(queue_);
  expect_owed("Queue (1) goes having reached (0) of (1).");
  reached = 1;
  EXPECT_EQ(must(device_->reached(queue_)), 1u);
  device_->release(a_);
  device_->unload(program_);
  device_->forget(recording);
  device_->destroy_queue(queue_);
  EXPECT_TRUE(device_->allocate(sized(1)));
}

TEST_F(ValidateLayer, TooManyInFlight) {
  Scripted::Answers answers;
  std::uint64_t reached = 0;
  answers.reached = [&](QueueId) -> Result<std::uint64_t> { return reached; };
  open(answers);
  for (int i = 0; i < 4; ++i) must(device_->submit(queue_, {}, {}));
  refuse(List(), "Queue (1) holds its limit of (4) unfinished submissions.");
  reached = 1;
  EXPECT_EQ(must(device_->reached(queue_)), 1u);
  EXPECT_TRUE(device_->submit(queue_, {}, {}));
}

TEST_F(ValidateLayer, HazardsWithoutABarrier) {
  open();
  // b <- a, then each kind of conflict with it, and each kind of peace.
  const auto pair = [&](Operation second) { return List({copy(0, 0, 64), std::move(second)}); };
  refuse(pair(Copy{range(a_, 128, 8), range(b_, 56, 8)}), "Command (1) conflicts with command (0)");  // RAW
  refuse(pair(Fill{range(a_, 60, 4), {}, 4}), "conflicts");                                           // WAR
  refuse(pair(Fill{range(b_, 0, 4), {}, 4}), "conflicts");                                            // WAW
  accept(pair(Fill{range(b_, 64, 4), {}, 4}));
  accept(pair(Copy{range(b_, 128, 8), range(a_, 0, 8)}));  // both read
  List ordered = pair(Fill{range(b_, 0, 4), {}, 4});
  ordered.barrier();
  accept(ordered);
  // A barrier between orders everything before it, and nothing behind it.
  List three({copy(0, 0, 8)});
  three.add(Fill{range(a_, 128, 4), {}, 4}).barrier();
  three.add(Copy{range(a_, 64, 8), range(b_, 0, 8)});
  accept(three);
  three.add(Fill{range(a_, 64, 4), {}, 4});
  refuse(three, "Command (3) conflicts with command (2)");
}

TEST_F(ValidateLayer, HazardsOfHostMemoryAndHostCalls) {
  open();
  std::array<std::byte, 64> host{};
  refuse(List({Download{{host.data(), 8}, range(a_, 0, 8)}, Upload{range(b_, 0, 8), {host.data() + 4, 8}}}),
         "conflicts");
  accept(List({Upload{range(a_, 0, 8), {host.data(), 8}}, Upload{range(b_, 0, 8), {host.data(), 8}}}));
  std::function<void()> nothing = [] {};
  refuse(List({copy(0, 0, 8), call_of(nothing)}), "conflicts");
  List ordered({copy(0, 0, 8)});
  ordered.add(call_of(nothing)).barrier();
  accept(ordered);
}

TEST_F(ValidateLayer, HazardsOfLaunchesAndUses) {
  open();
  List list = launch();
  list.add(copy(0, 64, 8));  // writes what the launch writes
  refuse(list, "conflicts");
  list.barrier();
  accept(list);
  List reached_by_address({Exec{program_, 0, 0, 4, {1, 1, 1}}, Copy{range(a_, 192, 8), range(b_, 128, 8)}});
  reached_by_address.arguments = launch().arguments;
  reached_by_address.arguments.push_back(
      {Argument::Kind::use, DType::u8, Access::write, 0, no_slot, range(b_, 128, 8), {}, nullptr});
  refuse(reached_by_address, "conflicts");
}

TEST_F(ValidateLayer, SlotsStandInRecordingsOnly) {
  open();
  refuse(Copy{slot(0, 8), range(a_, 0, 8)}, "A slot stands outside of a recording.");
  refuse(Download{{nullptr, 8, 0}, range(a_, 0, 8)}, "A slot stands outside of a recording.");
  List list = launch();
  list.arguments[2].slot = 0;
  refuse(list, "A slot stands outside of a recording.");
  EXPECT_TRUE(device_->record(list));
  expect_breach(device_->record(List({Replay{RecordingId{1}, {}}})), "A recording replays another.");
  expect_breach(device_->record(List({copy(0, 0, 8), copy(0, 8, 8)})), "Command (1) conflicts with command (0)");
}

TEST_F(ValidateLayer, BindingsOfAReplay) {
  open();
  List list({Copy{slot(0, 8), range(a_, 0, 8)}, Upload{range(b_, 0, 8), {nullptr, 8, 1}}});
  const RecordingId recording = must(device_->record(list));
  std::array<std::byte, 8> host{};
  const auto replay = [&](std::vector<Binding> bindings) {
    const auto serial = device_->submit(queue_, {}, List({Replay{recording, bindings}}));
    if (serial) must(device_->wait(queue_, *serial, soon()));
    return serial ? Result<void>() : Result<void>(serial.error());
  };
  const HostSource source{host.data(), 8};
  EXPECT_TRUE(replay({range(b_, 64, 8), source}));
  EXPECT_TRUE(replay({range(b_, 64, 100), source})) << "more than needed is fine";
  expect_breach(replay({range(b_, 64, 8)}), "Slot (1) has no binding; there are (1).");
  expect_breach(replay({range(b_, 64, 8), Scalar{}}), "The binding of slot (1) is not a host source.");
  expect_breach(replay({source, source}), "The binding of slot (0) is not a buffer.");
  expect_breach(replay({range(b_, 64, 4), source}), "The binding of slot (0) has (4) bytes; the command needs (8).");
  expect_breach(replay({range(MemoryId{99}, 0, 8), source}), "Memory (99) is not alive.");
  expect_breach(replay({range(b_, 255, 8), source}), "passes the end (256)");
  expect_breach(replay({range(a_, 4, 8), source}), "overlap");
  expect_breach(replay({range(b_, 4, 8), source}), "Command (1) conflicts with command (0)");  // only at replay
}

// Core records the runs of a list that are the same each time, and each has the arguments of the whole list.
TEST_F(ValidateLayer, SlotsOfCommandsThatAreNotRecordedNeedNoBinding) {
  open();
  List list = launch();
  list.arguments[2].slot = 0;
  list.add(copy(128, 0, 8));
  const Commands run{std::span(list.commands).subspan(1), list.arguments};
  const RecordingId recording = must(device_->record(run));
  const auto serial = device_->submit(queue_, {}, List({Replay{recording, {}}}));
  ASSERT_TRUE(serial) << serial.error().text();
  EXPECT_TRUE(device_->wait(queue_, *serial, soon()));
}

TEST_F(ValidateLayer, ReplaysConflictWithTheirNeighbours) {
  open();
  const List recorded({copy(0, 0, 8)});
  const RecordingId recording = must(device_->record(recorded));
  refuse(List({Replay{recording, {}}, Replay{recording, {}}}), "conflicts");
  List ordered({Replay{recording, {}}});
  ordered.add(Replay{recording, {}}).barrier();
  accept(ordered);
}

TEST_F(ValidateLayer, TakesNoOptions) {
  const std::vector<Option> options{{"strict", ""}};
  EXPECT_EQ(layers::create_validate_layer()->wrap(open_null(), options).error().message(),
            "[validate] has no option (\"strict\"); it takes none.");
}

TEST_F(ValidateLayer, AChecksumOfTheRulesThatNullKeeps) {
  const auto device = must(layers::create_validate_layer()->wrap(open_null(), {}));
  const QueueId one = must(device->create_queue({})),
                two = must(device->create_queue({QueueKind::compute, ~std::uint64_t{0} - 200, ""}));
  std::uint64_t last_one = 0, last_two = 0;
  for (int i = 0; i < 100; ++i) {
    const QueuePoint from_two{two, last_two};
    last_one = must(device->submit(one, last_two == 0 ? std::span<const QueuePoint>() : std::span(&from_two, 1), {}));
    const QueuePoint from_one{one, last_one};
    last_two = must(device->submit(two, {&from_one, 1}, {}));
  }
  must(device->wait(two, last_two, soon()));
  EXPECT_EQ(must(device->reached(two)), last_two);
  EXPECT_EQ(must(device->reached(one)), last_one);
  device->destroy_queue(one);
  device->destroy_queue(two);
  EXPECT_TRUE(device->allocate(sized(1)));
}

}  // namespace
}  // namespace pintle::test
