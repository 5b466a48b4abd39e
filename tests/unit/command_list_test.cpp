// Lists over a null device: what is refused while building, and what a backend gets of the rest.
#include "pintle/commands.h"
#include "pintle/must.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/list/list_state.h"
#include "unit/device_over.h"
#include "unit/golden.h"

namespace pintle {
namespace {

using test::Noting;

constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max();

class CommandLists : public testing::Test {
 protected:
  std::string notes;
  Device device = test::device_over("noting(null)", noting());
  Queue queue = must(device.create_queue());
  Buffer floats = must(device.allocate(DType::f32, {64}));
  Buffer others = must(device.allocate(DType::f32, {64}));
  Buffer bytes = must(device.allocate(DType::u8, {256}));
  Buffer numbers = must(device.allocate(DType::u32, {64}));
  Buffer ticks = must(device.allocate(DType::u64, {8}));
  Program program = must(device.load(must(ProgramPack::source(
      "c", "code",
      {"saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 16", "empty()", "plane() group 8,4,2"}))));
  Kernel saxpy = must(program.kernel("saxpy"));
  Kernel empty = must(program.kernel("empty"));
  Kernel plane = must(program.kernel("plane"));

  std::unique_ptr<Noting> noting() {
    auto made = std::make_unique<Noting>(notes);
    Limits& limits = made->editable_info().limits;
    limits.offset_alignment = 64;
    limits.max_binding = 512;
    limits.max_grid = {1000, 100, 10};
    return made;
  }

  /// What the backend gets.
  std::string submitted(CommandList list) {
    notes.clear();
    const auto point = queue.submit(std::move(list));
    EXPECT_TRUE(point) << (point ? "" : point.error().text());
    return notes;
  }

  static std::string refusal(const CommandList& list) {
    if (!list.error()) return "accepted\n";
    EXPECT_EQ(list.error()->code(), Errc::invalid_argument);
    return list.error()->text() + "\n";
  }
};

static_assert(std::is_trivially_copyable_v<backend::Command> && std::is_trivially_copyable_v<backend::Argument>);
static_assert(!std::is_copy_constructible_v<CommandList> && std::is_nothrow_move_constructible_v<CommandList>);

TEST_F(CommandLists, BackendGetsWhatWasSaid) {
  std::vector<float> host(64);
  const std::vector<std::uint8_t> text{'a', 'b'};
  EXPECT_EQ(
      submitted(CommandList{}
                    .label("first")
                    .copy(floats, others)
                    .fill(must(bytes.slice(8, 16)), std::uint8_t{7})
                    .label("forgotten")
                    .label("words")
                    .upload(must(bytes.slice(100, 2)), text)
                    .exec(saxpy, Grid::cover(33), 1.0f, must(others.slice(16, 16)), floats, 7u)
                    .uses(numbers, Access::read)
                    .uses(bytes, Access::write)
                    .exec_indirect(plane, must(numbers.slice(1, 3)), Grid{5, 6, 7})
                    .barrier()
                    .exec(empty, Grid{2, 3, 4})
                    .timestamp(must(ticks.slice(3, 1)))
                    .call([] {})
                    .download(host, floats)),
      "copy \"first\" to 0[0,256) from 1[0,256)\n"
      "fill of 1 bytes to 2[8,24)\n"
      "upload \"words\" to 2[100,102) from \"ab\"\n"
      "| exec 0 (3,1,1); f32 00 00 80 3f 00 00 00 00; read f32 1[64,128); read_write f32 0[0,256); u32 07 00 00 00 00 "
      "00 00 00; use of read u8 3[0,256); use of write u8 2[0,256)\n"
      "exec_indirect 2 (5,6,7) at 3[4,16)\n"
      "| exec 1 (2,3,4)\n"
      "timestamp to 4[24,32)\n"
      "| host_call\n"
      "| download from 0[0,256) to 256 bytes\n");
}

TEST_F(CommandLists, UploadCopiesNow) {
  std::vector<std::uint8_t> text{'n', 'o', 'w'};
  CommandList list;
  list.upload(must(bytes.slice(0, 3)), text);
  text = {'t', 'o', 'o'};
  EXPECT_EQ(submitted(std::move(list)), "upload to 2[0,3) from \"now\"\n");
}

TEST_F(CommandLists, UploadKeepsOwnersAndVectors) {
  auto owner = std::make_shared<std::string>("kept");
  const std::weak_ptr<std::string> watch = owner;
  const auto view = std::as_bytes(std::span(*owner));
  CommandList list;
  list.upload_retained(must(bytes.slice(0, 4)), std::move(owner), view);
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(submitted(std::move(list)), "upload to 2[0,4) from \"kept\"\n");
  EXPECT_EQ(submitted(CommandList{}.upload(must(bytes.slice(0, 2)), std::vector<std::uint8_t>{'h', 'i'})),
            "upload to 2[0,2) from \"hi\"\n");
  list = CommandList{};
  must(queue.last().wait());
  must(device.poll());
  EXPECT_TRUE(watch.expired());
}

TEST_F(CommandLists, ListKeepsItsPrograms) {
  CommandList list;
  list.exec(saxpy, Grid{1}, 1.0f, floats, others, 1u).exec(empty, Grid{1}).exec(plane, Grid{1});
  saxpy = empty = plane = Kernel();
  program = Program();
  EXPECT_EQ(notes, "") << "not unloaded yet";
  EXPECT_EQ(submitted(std::move(list)).substr(0, 12), "exec 0 (1,1,");
  must(queue.submit_and_wait(CommandList{}));
  must(device.poll());
  EXPECT_TRUE(notes.ends_with("unload\n")) << notes;
}

TEST_F(CommandLists, RefusesCopies) {
  const BufferView a = floats;
  std::string texts;
  texts += refusal(CommandList{}.copy(a, must(a.slice(0, 32))));
  texts += refusal(CommandList{}.copy(a, a));
  texts += refusal(CommandList{}.copy(must(a.slice(0, 16)), must(a.slice(15, 16))));
  texts += refusal(CommandList{}.copy(must(a.slice(15, 16)), must(a.slice(0, 16))));
  texts += refusal(CommandList{}.copy(must(bytes.slice(0, 16)), must(bytes.slice(15, 16))));
  texts += refusal(CommandList{}.copy(must(bytes.slice(15, 16)), must(bytes.slice(0, 16))));
  texts += refusal(CommandList{}.copy(Slot{3}, Slot{3}));
  texts += refusal(CommandList{}.copy(Slot{Slot::limit}, a));
  texts += refusal(CommandList{}.copy(a, Slot{0xffffffff}));
  texts += refusal(CommandList{}.copy(a, BufferView()));
  texts += refusal(CommandList{}.copy(must(a.slice(64, 0)), must(a.slice(0, 0))));
  texts += refusal(CommandList{}.copy(must(a.slice(0, 16)), must(a.slice(16, 16))));  // neighbours
  texts += refusal(CommandList{}.copy(Slot{0}, Slot{Slot::limit - 1}));
  test::expect_golden("commands/copy", texts);
}

TEST_F(CommandLists, RefusesFills) {
  std::string texts;
  texts += refusal(CommandList{}.fill(floats, std::uint32_t{1}));
  texts += refusal(CommandList{}.fill(bytes, 1.0));
  texts += refusal(CommandList{}.fill(BufferView(), 1.0f));
  texts += refusal(CommandList{}.fill(Slot{5000}, 1.0f));
  texts += refusal(CommandList{}.fill(Slot{1}, 1.0f));
  texts += refusal(CommandList{}.fill(ticks, std::uint64_t{1}));
  texts += refusal(CommandList{}.fill(floats, ScalarValue(DType::bf16, {})));
  texts += refusal(CommandList{}.fill(floats, ScalarValue(static_cast<DType>(17), {})));
  texts += refusal(CommandList{}.fill(Slot{1}, ScalarValue(static_cast<DType>(0), {})));
  texts += refusal(CommandList{}.fill(Slot{1}, ScalarValue(DType::bf16, {})));
  test::expect_golden("commands/fill", texts);
}

TEST_F(CommandLists, FillsTakeEveryDtype) {
  for (auto number = DType::boolean; is_dtype(number); number = static_cast<DType>(static_cast<int>(number) + 1)) {
    const std::uint64_t count = 32 / bytes_of(number);
    const BufferView view = must(must(bytes.slice(64, 32)).as(number, {count}));
    EXPECT_EQ(submitted(CommandList{}.fill(view, ScalarValue(number, {}))),
              fmt::format("fill of {} bytes to 2[64,96)\n", bytes_of(number)));
  }
}

TEST_F(CommandLists, SubmittingTakesTheListAlsoWhereItIsRefused) {
  const std::string moved = "Command list is moved from; a list is submitted or recorded once.\n";
  CommandList list, waited, wrong, empty_one, with_options;
  must(queue.submit(std::move(list.copy(floats, others))));
  must(queue.submit(std::move(empty_one)));
  must(queue.submit_and_wait(std::move(waited.copy(floats, others))));
  must(queue.submit(std::move(with_options.copy(floats, others)), {.label = "last"}));
  EXPECT_FALSE(queue.submit(std::move(wrong.copy(floats, bytes).copy(floats, floats))));
  for (CommandList* gone : {&list, &waited, &wrong, &empty_one, &with_options}) EXPECT_EQ(refusal(*gone), moved);
}

TEST_F(CommandLists, RefusesHostMemory) {
  std::vector<float> host(63);
  std::vector<double> doubles(32);
  std::string texts;
  texts += refusal(CommandList{}.upload(floats, host));
  texts += refusal(CommandList{}.download(host, floats));
  texts += refusal(CommandList{}.upload(floats, doubles));
  texts += refusal(CommandList{}.download(doubles, floats));
  texts += refusal(CommandList{}.upload(floats, std::vector<float>()));
  texts += refusal(CommandList{}.upload(floats, std::span(static_cast<const float*>(nullptr), 64)));
  texts += refusal(CommandList{}.download(std::span(static_cast<std::byte*>(nullptr), 256), floats));
  texts += refusal(CommandList{}.upload(BufferView(), host));
  texts += refusal(CommandList{}.upload(floats, Slot{1024}));
  texts += refusal(CommandList{}.download(Slot{1024}, floats));
  texts += refusal(CommandList{}.upload(floats, std::span(std::as_const(doubles).data(), 32)));
  texts += refusal(CommandList{}.upload(floats, std::as_bytes(std::span(doubles))));  // bytes fit every dtype
  texts += refusal(CommandList{}.download(Slot{1023}, floats));
  test::expect_golden("commands/host", texts);
}

TEST_F(CommandLists, RefusesArguments) {
  const auto with = [&](const auto&... arguments) { return refusal(CommandList{}.exec(saxpy, Grid{1}, arguments...)); };
  Buffer large = must(device.allocate(DType::f32, {129}));
  std::string texts;
  texts += with();
  texts += with(1.0f, floats, others);
  texts += with(1.0f, floats, others, 1u, 2u);
  texts += with(floats, floats, others, 1u);
  texts += with(1.0f, 2.0f, others, 1u);
  texts += with(1.0, floats, others, 1u);
  texts += with(1.0f, bytes, others, 1u);
  texts += with(1.0f, floats, others, 1);
  texts += with(1.0f, floats, must(others.slice(1, 16)), 1u);
  texts += with(1.0f, large, others, 1u);
  texts += with(1.0f, BufferView(), others, 1u);
  texts += with(Slot{1024}, floats, others, 1u);
  texts += with(1.0f, Slot{1024}, others, 1u);
  texts += refusal(CommandList{}.exec(Kernel(), Grid{1}));
  texts += with(Slot{0}, Slot{1}, Slot{2}, Slot{3});
  texts += with(1.0f, nullptr, others, 1u);
  texts += with(nullptr, floats, others, 1u);
  test::expect_golden("commands/arguments", texts);
}

constexpr const char* pick = "pick(x: optional read f32[n], y: optional write f32[] align 64, n: u32)";

TEST_F(CommandLists, WhatIsOptionalMayBeNull) {
  const Kernel kernel = must(device.load(must(ProgramPack::source("c", "code", {pick})), "pick"));
  EXPECT_EQ(submitted(CommandList{}
                          .fill(floats, 1.0f)
                          .exec(kernel, Grid{1}, nullptr, floats, 65u)
                          .exec(kernel, Grid{1}, nullptr, nullptr, 0u)
                          .exec(kernel, Grid{1}, floats, others, 64u)),
            "fill of 4 bytes to 0[0,256)\n"
            "| exec 0 (1,1,1); null for read f32; write f32 0[0,256); u32 41 00 00 00 00 00 00 00\n"
            "exec 0 (1,1,1); null for read f32; null for write f32; u32 00 00 00 00 00 00 00 00\n"
            "| exec 0 (1,1,1); read f32 0[0,256); write f32 1[0,256); u32 40 00 00 00 00 00 00 00\n");
  EXPECT_NE(refusal(CommandList{}.exec(kernel, Grid{1}, floats, others, 65u)).find("\"x\""), std::string::npos);
  EXPECT_NE(refusal(CommandList{}.exec(kernel, Grid{1}, BufferView(), others, 1u)).find("empty"), std::string::npos);
}

TEST_F(CommandLists, RefusesGrids) {
  const auto on = [&](const Kernel& kernel, const Extent& extent) {
    return refusal(CommandList{}.exec(kernel, extent));
  };
  std::string texts;
  texts += on(empty, Grid{0, 1, 1});
  texts += on(empty, Grid{1, 0, 1});
  texts += on(empty, Grid{1, 1, 0});
  texts += on(empty, Grid{1001, 1, 1});
  texts += on(empty, Grid{1, 101, 1});
  texts += on(empty, Grid{1, 1, 11});
  texts += on(plane, Grid::cover(0));
  texts += on(plane, Grid::cover(8001, 1, 1));
  texts += on(plane, Grid::cover(1, 401, 1));
  texts += on(plane, Grid::cover(1, 1, far));
  texts += on(plane, Grid::cover(far, far, far));
  texts += on(plane, Grid::cover(8000, 400, 20));
  test::expect_golden("commands/grid", texts);
}

TEST_F(CommandLists, RefusesTheRest) {
  std::string texts;
  texts += refusal(CommandList{}.timestamp(ticks));
  texts += refusal(CommandList{}.timestamp(must(bytes.slice(4, 8))));
  texts += refusal(CommandList{}.timestamp(Slot{2000}));
  texts += refusal(CommandList{}.exec_indirect(empty, must(numbers.slice(0, 2)), Grid{1}));
  texts += refusal(CommandList{}.exec_indirect(empty, must(floats.slice(0, 3)), Grid{1}));
  texts += refusal(CommandList{}.exec_indirect(empty, must(numbers.slice(0, 3)), Grid{0, 1, 1}));
  texts += refusal(CommandList{}.exec_indirect(empty, must(numbers.slice(0, 3)), Grid{1, 1, 11}));
  texts += refusal(CommandList{}.exec_indirect(saxpy, must(numbers.slice(0, 3)), Grid{1}, 1.0f));
  texts += refusal(CommandList{}.uses(floats, Access::read));
  texts += refusal(CommandList{}.copy(floats, others).uses(floats, Access::read));
  texts += refusal(CommandList{}.exec(empty, Grid{1}).uses(BufferView(), Access::read));
  texts += refusal(CommandList{}.call({}));
  texts +=
      refusal(CommandList{}.exec_indirect(empty, Slot{0}, Grid{1}).uses(Slot{1}, Access::write).timestamp(Slot{2}));
  test::expect_golden("commands/rest", texts);
}

TEST_F(CommandLists, ViewsOfOneBufferAtAnyDtypeOverlap) {
  const BufferView words = must(must(floats.slice(0, 8)).as(DType::u32, {8}));
  EXPECT_NE(refusal(CommandList{}.copy(words, must(floats.slice(7, 8)))).find("overlaps"), std::string::npos);
}

TEST_F(CommandLists, BuffersOfTwoDevicesAreRefusedByName) {
  std::string other_notes;
  const Device second = test::device_over("noting(null)", std::make_unique<Noting>(other_notes));
  const Buffer foreign = must(second.allocate(DType::f32, {64}));
  const Kernel kernel = must(second.load(must(ProgramPack::source("c", "code", {"far()"})), "far"));
  const std::string filled = refusal(CommandList{}.fill(floats, 1.0f).fill(foreign, 1.0f));
  EXPECT_EQ(filled.find("[Buffer 0] belongs to incarnation "), 0u) << filled;
  EXPECT_NE(filled.find("but [Buffer 0], used first, to incarnation"), std::string::npos) << filled;
  EXPECT_EQ(refusal(CommandList{}.copy(floats, foreign)), "accepted\n");  // the queue decides which side is near
  const std::string launched = refusal(CommandList{}.copy(floats, others).exec(kernel, Grid{1}));
  EXPECT_EQ(launched.find("[Kernel \"far\"] belongs to incarnation "), 0u) << launched;
  const std::string bound = refusal(CommandList{}.exec(saxpy, Grid{1}, 1.0f, floats, foreign, 1u));
  EXPECT_NE(bound.find("but [Kernel \"saxpy\"], used first, to incarnation"), std::string::npos) << bound;
  EXPECT_NE(bound.find("While validating argument 2 of [Kernel \"saxpy\"]"), std::string::npos) << bound;
  EXPECT_EQ(refusal(CommandList{}.copy(foreign, Slot{0}).exec(kernel, Grid{1})), "accepted\n");
}

TEST_F(CommandLists, FirstMistakeStays) {
  CommandList list;
  list.copy(floats, others).fill(floats, 1).copy(floats, floats).exec(Kernel(), Grid{1}).barrier().label("late");
  EXPECT_EQ(list.size(), 1u);
  ASSERT_TRUE(list.error());
  EXPECT_NE(list.error()->text().find("While adding command 1 (fill)"), std::string::npos) << list.error()->text();
  const Error first = *list.error();
  const auto point = queue.submit(std::move(list));
  ASSERT_FALSE(point);
  EXPECT_TRUE(point.error().same_origin(first));
  EXPECT_EQ(notes, "");
}

TEST_F(CommandLists, MovedFromListIsNotAnEmptyOne) {
  CommandList list;
  list.copy(floats, others).label("dangling");
  CommandList taken = std::move(list);
  EXPECT_FALSE(taken.error());
  EXPECT_EQ(refusal(list),
            "Command list is moved from; a list is submitted or recorded once.\n");  // NOLINT(bugprone-use-after-move)
  list.copy(others, floats);
  EXPECT_EQ(list.size(), 0u);
  EXPECT_EQ(queue.submit(std::move(list)).error().code(), Errc::invalid_argument);
  list = std::move(taken);
  EXPECT_FALSE(list.error());
  EXPECT_EQ(list.size(), 1u);
  EXPECT_TRUE(taken.error());  // NOLINT(bugprone-use-after-move)
}

TEST_F(CommandLists, AssigningAChainToItsOwnListChangesNothing) {
  CommandList list;
  list = list.copy(floats, others);
  list = list.fill(bytes, std::uint8_t{1});
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(submitted(std::move(list)), "copy to 0[0,256) from 1[0,256)\nfill of 1 bytes to 2[0,256)\n");
}

TEST_F(CommandLists, LongListsKeepTheirLabelsAndArguments) {
  CommandList list;
  std::string wanted;
  for (int i = 0; i < 300; ++i) {
    const std::string label = "command with a label of its own " + std::to_string(i);
    list.label(label).exec(saxpy, Grid{1}, float(0), floats, others, 0u);
    wanted += label + ";";
  }
  const std::string lines = submitted(std::move(list));
  std::string found;
  for (std::size_t at = lines.find('"'); at != lines.npos; at = lines.find('"', lines.find('\n', at))) {
    found += lines.substr(at + 1, lines.find('"', at + 1) - at - 1) + ";";
  }
  EXPECT_EQ(found, wanted);
}

// What needs another device than the one above.

TEST(OptionalBuffers, AreRefusedAsNullWhereTheDeviceTakesNone) {
  std::string notes;
  auto noting = std::make_unique<Noting>(notes);
  std::vector<Capability>& rows = noting->editable_info().capabilities;
  std::erase_if(rows, [](const Capability& row) { return row.feature == Feature::optional_buffers; });
  rows.push_back({Feature::optional_buffers, Support::absent, "there are no pointers here"});
  const Device device = test::device_over("noting(null)", std::move(noting));
  const Kernel kernel = must(device.load(must(ProgramPack::source("c", "code", {pick})), "pick"));
  const Buffer x = must(device.allocate(DType::f32, {64})), y = must(device.allocate(DType::f32, {64}));
  const CommandList list = CommandList{}.exec(kernel, Grid{1}, nullptr, y, 1u);
  ASSERT_TRUE(list.error());
  EXPECT_EQ(list.error()->code(), Errc::unsupported);
  EXPECT_EQ(
      list.error()->text(),
      "Argument for parameter \"x\" (optional read f32[n]) is null, which [noting(null)] does not take (there are "
      "no pointers here).\n - While validating argument 0 of [Kernel \"pick\"]\n - While adding command 0 (exec)");
  EXPECT_FALSE(CommandList{}.exec(kernel, Grid{1}, x, y, 1u).error());
}

// What needs other limits than a device here has.

TEST(Launch, CoversInWholeGroups) {
  Limits limits;
  limits.max_grid = {0xffffffff, 0xffffffff, 0xffffffff};
  const auto covered = [&](const Cover& cover, const Grid& group) {
    return must(core::groups_of(cover, group, limits));
  };
  EXPECT_EQ(covered(Grid::cover(1), {256, 1, 1}), (Grid{1, 1, 1}));
  EXPECT_EQ(covered(Grid::cover(256, 1, 5), {256, 1, 2}), (Grid{1, 1, 3}));
  EXPECT_EQ(covered(Grid::cover(257, 9), {256, 3, 1}), (Grid{2, 3, 1}));
  EXPECT_EQ(covered(Grid::cover(0xffffffffull * 2 - 1), {2, 1, 1}).x, 0xffffffffu);
  // 2^64 - 1 items in groups of 2^32 - 1 are 2^32 + 1 groups: one more than 32 bits and the limit hold.
  EXPECT_FALSE(core::groups_of(Grid::cover(far), {0xffffffff, 1, 1}, limits));
  EXPECT_FALSE(core::groups_of(Grid::cover(0x100000000), {1, 1, 1}, limits));
}

}  // namespace
}  // namespace pintle
