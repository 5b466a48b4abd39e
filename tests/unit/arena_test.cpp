// Arenas over devices that the test makes: what is refused, what is asked of the device, which way bytes go.
#include "pintle/arena.h"
#include "pintle/must.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/device_over.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

constexpr std::uint64_t many = 64 << 10;  // f32: as many take the way of large values

PlannedValue placed(std::string name, std::uint64_t offset, std::uint64_t size, std::uint32_t chunk = 0,
                    std::uint64_t alignment = 1) {
  return {std::move(name), size, alignment, Assignment::planned, chunk, offset};
}

PlannedValue external(std::string name, std::uint64_t size) {
  return {std::move(name), size, 1, Assignment::external, 0, 0};
}

Plan plan_of(std::vector<PlannedValue> values, std::vector<std::uint64_t> chunks) {
  return must(Plan::create(std::move(values), std::move(chunks), 0));
}

/// The code and the text of a refusal.
template <class T>
std::string refusal(const Result<T>& result) {
  if (result) return "accepted";
  return std::string(name(result.error().code())) + ": " + result.error().text();
}

void expect_words(const std::string& text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
}

class Arenas : public testing::Test {
 protected:
  /// What the device was asked for, and what it has.
  std::vector<backend::MemoryRequest> requests;
  std::vector<std::string> labels;
  std::map<backend::MemoryId, std::vector<std::byte>> mapped;
  std::uint64_t released = 0, allocations_left = 100;
  std::vector<Heap> heaps{{.name = "own", .total = 1 << 30, .available = 1 << 30, .used = 0, .source = "the test"}};
  bool can_map = false;

  Device device = test::device_over("scripted(null)", scripted());
  Queue queue = must(device.create_queue());

  std::unique_ptr<test::Scripted> scripted() {
    auto made = std::make_unique<test::Scripted>(
        test::Scripted::Answers{.allocate = [this](const backend::MemoryRequest& request) { return allocate(request); },
                                .submit = {},
                                .reached = {},
                                .wait = {},
                                .notify = {},
                                .map = [this](backend::MemoryId memory) { return map(memory); },
                                .record = {},
                                .calibrate = {},
                                .budget = [this]() -> Result<std::vector<Heap>> { return heaps; },
                                .release = [this](backend::MemoryId memory) { released += mapped.erase(memory); },
                                .destroyed = {}});
    made->editable_info().limits.max_allocation = 1 << 20;
    made->editable_info().limits.offset_alignment = 16;
    return made;
  }

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request) {
    if (allocations_left == 0) return Error(Errc::out_of_memory, "Allocations are used up.");
    --allocations_left;
    requests.push_back(request);
    labels.emplace_back(request.label);
    const backend::MemoryId id{requests.size()};
    mapped[id].resize(request.size, std::byte{0xee});
    return id;
  }
  Result<std::span<std::byte>> map(backend::MemoryId memory) {
    if (can_map) return std::span(mapped.at(memory));
    return Error(Errc::unsupported, "It has no address.");
  }

  [[nodiscard]] std::string refused(Plan plan, std::vector<ArenaValue> values = {}) {
    return refusal(Arena::create(device, std::move(plan), std::move(values), {.label = "step"}));
  }
};

TEST_F(Arenas, AllocateTheChunksOfThePlan) {
  const Arena arena = must(
      Arena::create(device, plan_of({placed("x", 0, 16), placed("w", 64, 32, 1, 64), external("in", 99)}, {16, 96}),
                    {{"x", DType::f32, {4}}}, {.label = "step", .placement = Placement::host}));
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].size, 16u);
  EXPECT_EQ(requests[1].size, 96u);
  for (const backend::MemoryRequest& request : requests) {
    EXPECT_EQ(request.alignment, 64u);
    EXPECT_EQ(request.placement, Placement::host);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"step chunk 0", "step chunk 1"}));
  EXPECT_EQ(arena.text(), "[Arena \"step\"]");
  const BufferView w = must(arena.view(must(arena.id("w"))));
  EXPECT_EQ(w.offset_bytes(), 64u);
  EXPECT_EQ(w.size_bytes(), 32u);
  EXPECT_EQ(w.dtype(), DType::u8);
  EXPECT_EQ(must(arena.view(must(arena.id("x")))).shape(), Shape({4}));
}

TEST_F(Arenas, OfAnEmptyPlanHasNoAllocation) {
  Arena arena = must(Arena::create(device, {}));
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(arena.requirements().total, 0u);
  EXPECT_EQ(arena.requirements().largest_chunk, 0u);
  expect_words(refusal(arena.id("x")), {"not_found", "\"x\"", "among its 0"});
  EXPECT_TRUE(Arena::can_fit({}, device));
}

// M8: what lies elsewhere is not counted.
TEST_F(Arenas, RequirementsCountNoExternalValues) {
  const auto needed = must(Arena::requirements(
      plan_of({placed("x", 0, 100), placed("y", 0, 30, 1, 128), external("w", 1ull << 50)}, {100, 30}), device));
  EXPECT_EQ(needed.chunks, (std::vector<std::uint64_t>{100, 30}));
  EXPECT_EQ(needed.total, 130u);
  EXPECT_EQ(needed.largest_chunk, 100u);
  EXPECT_EQ(needed.alignment, 128u);
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(must(Arena::requirements(plan_of({placed("x", 0, 1)}, {1}), device)).alignment, 16u);
}

// M7: a chunk beyond the device's limit is an error with both sizes, before anything is allocated.
TEST_F(Arenas, AChunkBeyondTheLargestAllocationIsUnsupported) {
  const Plan plan = plan_of({placed("x", 0, (1 << 20) + 1, 1)}, {8, (1 << 20) + 1});
  for (const std::string& text : {refused(plan), refusal(Arena::can_fit(plan, device))})
    expect_words(text, {"unsupported", "(1)", "1048577", "1048576", "[scripted(null)]"});
  EXPECT_TRUE(requests.empty());
  EXPECT_TRUE(Arena::can_fit(plan_of({placed("x", 0, 1 << 20)}, {1 << 20}), device));
}

TEST_F(Arenas, CanFitComparesWithTheRoomiestHeap) {
  const Plan plan = plan_of({placed("x", 0, 600), placed("y", 0, 400, 1)}, {600, 400});
  heaps = {{.name = "small", .total = 5000, .available = 10, .used = 0, .source = "A"},
           {.name = "large", .total = 5000, .available = 999, .used = 0, .source = "B"}};
  expect_words(refusal(Arena::can_fit(plan, device)), {"out_of_memory", "(1000)", "(600)", "\"large\"", "(999)", "B"});
  heaps[1].available = 1000;
  EXPECT_TRUE(Arena::can_fit(plan, device));
  heaps = {{.name = "untold", .total = 5000, .available = {}, .used = 4001, .source = "C"}};
  expect_words(refusal(Arena::can_fit(plan, device)), {"out_of_memory", "(999)"});
  heaps[0].used = 4000;
  EXPECT_TRUE(Arena::can_fit(plan, device));
  heaps[0].used = 6000;  // more than the whole: nothing is free
  expect_words(refusal(Arena::can_fit(plan, device)), {"out_of_memory", "(0)"});
  heaps.clear();
  EXPECT_TRUE(Arena::can_fit(plan, device));
  EXPECT_TRUE(requests.empty());
}

TEST_F(Arenas, AnEmptyDeviceIsRefused) {
  for (const std::string& text :
       {refusal(Arena::create({}, {})), refusal(Arena::requirements({}, {})), refusal(Arena::can_fit({}, {}))})
    expect_words(text, {"invalid_argument", "Device"});
}

// M1, M6: a value larger or smaller than what was planned is an error with both numbers.
TEST_F(Arenas, BytesOfAValueAreThoseOfThePlan) {
  const Plan plan = plan_of({placed("x", 0, 16)}, {16});
  expect_words(refused(plan, {{"x", DType::f32, {5}}}), {"invalid_argument", "[5]", "f32", "\"x\"", "(20)", "(16)"});
  expect_words(refused(plan, {{"x", DType::f32, {3}}}), {"invalid_argument", "(12)", "(16)"});
  expect_words(refused(plan, {{"x", DType::f64, {4}}}), {"invalid_argument", "(32)", "(16)"});
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  expect_words(refused(plan, {{"x", DType::f64, {huge, huge}}}), {"invalid_argument", "beyond 64 bits", "(16)"});
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(refused(plan, {{"x", DType::bf16, {2, 4}}}), "accepted");
}

TEST_F(Arenas, ValuesThatCannotBeAreRefused) {
  const Plan plan = plan_of({placed("x", 0, 16), external("w", 8)}, {16});
  expect_words(refused(plan, {{"z", DType::u8, {16}}}), {"not_found", "\"z\""});
  expect_words(refused(plan, {{"x", DType::u8, {16}}, {"x", DType::u8, {16}}}), {"invalid_argument", "\"x\"", "twice"});
  expect_words(refused(plan, {{"x", DType{0}, {16}}}), {"invalid_argument", "(0)", "\"x\"", "complex64"});
  expect_words(refused(plan, {{"x", DType::u8, {1, 1, 1, 1, 1, 1, 1, 1, 16}}}), {"invalid_argument", "\"x\"", "(8)"});
  expect_words(refused(plan, {{"w", DType::u8, {16}}}), {"invalid_argument", "\"w\"", "(16)", "(8)"});
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(refused(plan, {{"w", DType::u8, {8}}}), "accepted");
}

// M2, M3, M10: elements begin where they may, and views where kernels can bind them.
TEST_F(Arenas, OffsetsSuitTheDtypeAndTheDevice) {
  expect_words(refused(plan_of({placed("x", 24, 16)}, {40})), {"invalid_argument", "(24)", "\"x\"", "(16)", "plan"});
  EXPECT_EQ(refused(plan_of({placed("x", 32, 16)}, {48})), "accepted");
  EXPECT_EQ(refused(plan_of({placed("nothing", 24, 0), placed("x", 0, 40)}, {40})), "accepted");
}

TEST_F(Arenas, OffsetsSuitTheDtypeWhereTheDeviceAsksForLess) {
  auto any = std::make_unique<test::Scripted>(test::Scripted::Answers{});
  any->editable_info().limits.offset_alignment = 1;
  const Device lenient = test::device_over("lenient(null)", std::move(any));
  const Plan plan = plan_of({placed("x", 2, 16)}, {32});
  expect_words(refusal(Arena::create(lenient, plan, {{"x", DType::f32, {4}}})),
               {"invalid_argument", "(2)", "\"x\"", "(4)", "f32"});
  EXPECT_TRUE(Arena::create(lenient, plan, {{"x", DType::f16, {8}}}));
}

TEST_F(Arenas, AlignmentsBeyondAnyAllocationAreRefused) {
  const Plan plan = plan_of({placed("x", 0, 16, 0, 8192)}, {16});
  for (const std::string& text :
       {refused(plan), refusal(Arena::requirements(plan, device)), refusal(Arena::can_fit(plan, device))})
    expect_words(text, {"invalid_argument", "(8192)", "\"x\"", "(4096)"});
  EXPECT_EQ(refused(plan_of({placed("x", 0, 16, 0, 4096)}, {16})), "accepted");
}

TEST_F(Arenas, ThatDoNotGetTheirLastChunkFreeTheOthers) {
  allocations_left = 1;
  const std::string text = refused(plan_of({placed("x", 0, 8), placed("y", 0, 8, 1)}, {8, 8}));
  expect_words(text, {"out_of_memory", "chunk 1 of [Arena \"step\"]"});
  EXPECT_EQ(requests.size(), 1u);
  EXPECT_EQ(released, 1u);
}

TEST_F(Arenas, IdsSayWhyAValueIsNotThere) {
  const Plan plan = plan_of({placed("x", 0, 16), external("w", 8), placed("none", 0, 0)}, {16});
  const Arena arena = must(Arena::create(device, plan, {{"none", DType::f32, {0}}}, {.label = "step"}));
  const auto [x, w, none] = must(arena.plan().ids("x", "w", "none"));
  EXPECT_EQ(must(arena.id("x")), x);
  expect_words(refusal(arena.id("z")), {"not_found", "[Arena \"step\"]", "no value \"z\""});
  expect_words(refusal(arena.id("w")), {"not_found", "\"w\"", "external", "fused away"});
  expect_words(refusal(arena.view(w)), {"not_found", "\"w\"", "external"});
  expect_words(refusal(arena.view(3)), {"invalid_argument", "(3)", "[Arena \"step\"]"});
  EXPECT_EQ(must(arena.id("none")), none);
  expect_words(refusal(arena.view(none)), {"invalid_argument", "\"none\"", "(0) bytes"});
  EXPECT_EQ(arena.values()[w].name, "w");
}

TEST_F(Arenas, ThatAreMovedFromHaveNoValues) {
  Arena first = must(Arena::create(device, plan_of({placed("x", 0, 16)}, {16})));
  Arena second = std::move(first);
  expect_words(refusal(first.id("x")), {"not_found"});  // NOLINT(bugprone-use-after-move)
  expect_words(refusal(first.view(0)), {"invalid_argument", "(0)"});
  EXPECT_TRUE(first.values().empty());
  expect_words(refusal(feed(queue, first, 0, std::vector<std::uint8_t>(16))), {"invalid_argument", "[Arena]"});
  EXPECT_TRUE(second.view(0));
  EXPECT_EQ(released, 0u);
  second = {};
  EXPECT_EQ(released, 1u);
}

class Feeding : public Arenas {
 protected:
  Arena arena = must(Arena::create(
      device,
      plan_of({placed("x", 0, 16), placed("h", 16, 8), placed("large", 64, many * 8), external("w", 8),
               placed("none", 0, 0)},
              {64 + many * 8}),
      {{"x", DType::f32, {4}}, {"h", DType::f16, {4}}, {"large", DType::f64, {many}}, {"none", DType::f32, {0, 3}}},
      {.label = "step"}));
  std::uint32_t x = 0, h = 1, large = 2, w = 3, none = 4;
  std::vector<float> floats = std::vector<float>(4, 1.5f);

  [[nodiscard]] bool is_untouched() {
    return std::ranges::all_of(mapped.begin()->second, [](std::byte byte) { return byte == std::byte{0xee}; });
  }
};

// P3, and the counts of M1: exactly as many elements as the value has.
TEST_F(Feeding, OneElementTooManyOrTooFewIsRefused) {
  expect_words(refusal(feed(queue, arena, x, std::vector<float>(5))),
               {"invalid_argument", "(5)", "(4)", "[Value \"x\"] of [Arena \"step\"]"});
  expect_words(refusal(feed(queue, arena, x, std::vector<float>(3))), {"invalid_argument", "(3)", "(4)"});
  expect_words(refusal(feed(queue, arena, x, std::vector<float>())), {"invalid_argument", "(0)", "(4)"});
  expect_words(refusal(feed(queue, arena, h, std::vector<float>(5), Convert::f32_to_f16)),
               {"invalid_argument", "(5)", "(4)"});
  expect_words(refusal(feed(queue, arena, h, std::vector<std::byte>(15), Convert::f32_to_f16)),
               {"invalid_argument", "(15)", "(4)", "f32"});
  expect_words(refusal(feed(queue, arena, none, std::vector<float>(1))), {"invalid_argument", "(1)", "(0)"});
}

TEST_F(Feeding, AnotherDtypeNeedsANamedConversion) {
  const auto wrong = refusal(feed(queue, arena, x, std::vector<std::int32_t>(4)));
  expect_words(wrong, {"invalid_argument", "(i32)", "(f32)", "\"x\"", "conversion"});
  expect_words(refusal(feed(queue, arena, h, floats)), {"invalid_argument", "(f32)", "(f16)"});
  expect_words(refusal(feed(queue, arena, h, std::vector<std::uint16_t>(4))), {"invalid_argument", "(u16)", "(f16)"});
  expect_words(refusal(feed(queue, arena, h, std::vector<double>(4), Convert::f32_to_f16)),
               {"invalid_argument", "(f64)", "(f32)"});
  expect_words(refusal(feed(queue, arena, x, floats, Convert::f32_to_f16)), {"invalid_argument", "(f16)", "(f32)"});
  expect_words(refusal(feed(queue, arena, h, Elements(DType::f16, floats))), {"invalid_argument", "(4)", "(2)"});
  EXPECT_TRUE(feed(queue, arena, h, Elements(DType::f16, std::vector<std::uint16_t>(4))));
  EXPECT_TRUE(feed(queue, arena, h, std::vector<std::byte>(8)));
  EXPECT_TRUE(feed(queue, arena, h, std::vector<std::byte>(16), Convert::f32_to_f16));
}

TEST_F(Feeding, ConversionsThatAreNoneAreRefused) {
  const Convert rule{DType::f32, DType::f16, Rounding{9}};
  expect_words(refusal(feed(queue, arena, h, floats, rule)), {"invalid_argument", "(9)"});
  const Convert complex{DType::complex64, DType::f16};
  expect_words(refusal(feed(queue, arena, h, std::vector<std::complex<float>>(4), complex)),
               {"invalid_argument", "imaginary"});
}

TEST_F(Feeding, IdsAreChecked) {
  expect_words(refusal(feed(queue, arena, 5, floats)), {"invalid_argument", "(5)"});
  expect_words(refusal(feed(queue, arena, w, std::vector<std::byte>(8))), {"not_found", "\"w\"", "external"});
  expect_words(refusal(read<float>(queue, arena, 5)), {"invalid_argument", "(5)"});
  expect_words(refusal(read<std::byte>(queue, arena, w)), {"not_found", "\"w\"", "external"});
}

TEST_F(Feeding, LargeValuesGoStraightIntoMappedMemory) {
  can_map = true;
  std::vector<float> values(many);
  for (std::size_t i = 0; i < many; ++i) values[i] = static_cast<float>(i);
  EXPECT_TRUE(must(must(feed(queue, arena, large, values, Convert::f32_to_f64)).is_reached()));
  const std::vector<std::byte>& memory = mapped.begin()->second;
  std::vector<double> found(many);
  std::memcpy(found.data(), memory.data() + 64, many * 8);
  EXPECT_TRUE(std::ranges::equal(found, values));
  EXPECT_EQ(memory[63], std::byte{0xee});
  for (double& value : found) value = -value;
  must(feed(queue, arena, large, found));
  EXPECT_EQ(std::memcmp(found.data(), memory.data() + 64, many * 8), 0);
}

// What is not mapped, and what is small, goes through the queue: the null device writes nothing for it.
TEST_F(Feeding, TheRestIsSubmitted) {
  const Point before = queue.last();
  must(feed(queue, arena, large, std::vector<double>(many)));
  can_map = true;
  must(feed(queue, arena, x, floats));
  EXPECT_EQ(queue.last().value(), before.value() + 2);
  EXPECT_TRUE(is_untouched());
}

TEST_F(Feeding, AConversionThatFailsWritesNothing) {
  const Convert strict = Convert{DType::f64, DType::f64}.with(Overflow::error);
  const Convert narrow = Convert::f32_to_f16.with(Overflow::error);
  floats[3] = 70000.0f;
  for (const bool maps : {false, true}) {
    can_map = maps;
    const Point before = queue.last();
    expect_words(refusal(feed(queue, arena, h, floats, narrow)), {"invalid_argument", "(3)", "70000", "65504"});
    EXPECT_EQ(queue.last().value(), before.value());
    EXPECT_TRUE(is_untouched());
  }
  EXPECT_TRUE(feed(queue, arena, large, std::vector<double>(many), strict));
}

TEST_F(Feeding, AConversionThatFailsWritesNothingToMappedMemory) {
  can_map = true;
  const Convert to_double = Convert{DType::f32, DType::i64}.with(Overflow::error);
  Arena longs =
      must(Arena::create(device, plan_of({placed("i", 0, many * 8)}, {many * 8}), {{"i", DType::i64, {many}}}));
  std::vector<float> values(many, 2.0f);
  values.back() = 1e30f;
  expect_words(refusal(feed(queue, longs, 0, values, to_double)), {"invalid_argument", "65535"});
  const auto& memory = mapped.rbegin()->second;
  EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte byte) { return byte == std::byte{0xee}; }));
}

TEST_F(Feeding, AQueueOfAnotherDeviceIsRefusedEitherWay) {
  const Device other = test::device_over("other(null)", std::make_unique<test::Scripted>(test::Scripted::Answers{}));
  Queue foreign = must(other.create_queue());
  for (const bool maps : {false, true}) {
    can_map = maps;
    expect_words(refusal(feed(foreign, arena, x, floats)), {"invalid_argument", "belongs"});
    expect_words(refusal(feed(foreign, arena, large, std::vector<double>(many))), {"invalid_argument", "belongs"});
    expect_words(refusal(read<float>(foreign, arena, x)), {"invalid_argument", "belongs"});
  }
  Queue empty;
  expect_words(refusal(feed(empty, arena, none, std::vector<float>())), {"invalid_argument", "Queue"});
  expect_words(refusal(feed(empty, arena, large, std::vector<double>(many))), {"invalid_argument", "Queue"});
  EXPECT_TRUE(is_untouched());
}

TEST_F(Feeding, ValuesOfNoElementsGoBothWays) {
  EXPECT_TRUE(feed(queue, arena, none, std::vector<float>()));
  EXPECT_TRUE(feed(queue, arena, none, std::vector<double>(), Convert::f64_to_f32));
  EXPECT_TRUE(must(read<float>(queue, arena, none)).empty());
  EXPECT_TRUE(must(read<double>(queue, arena, none, Convert::f32_to_f64)).empty());
}

TEST_F(Feeding, ReadsAskForTheRightDtype) {
  expect_words(refusal(read<std::int32_t>(queue, arena, x)), {"invalid_argument", "(i32)", "(f32)", "\"x\""});
  expect_words(refusal(read<std::uint16_t>(queue, arena, h)), {"invalid_argument", "(u16)", "(f16)"});
  expect_words(refusal(read<std::uint16_t>(queue, arena, h, DType::bf16)), {"invalid_argument", "(bf16)", "(f16)"});
  expect_words(refusal(read<std::uint32_t>(queue, arena, h, DType::f16)), {"invalid_argument", "(4)", "(2)"});
  expect_words(refusal(read<float>(queue, arena, x, Convert::f16_to_f32)), {"invalid_argument", "(f16)", "(f32)"});
  expect_words(refusal(read<double>(queue, arena, h, Convert::f16_to_f32)), {"invalid_argument", "(f64)", "(f32)"});
  EXPECT_EQ(must(read<std::uint16_t>(queue, arena, h, DType::f16)).size(), 4u);
  EXPECT_EQ(must(read<std::byte>(queue, arena, h)).size(), 8u);
  EXPECT_EQ(must(read<float>(queue, arena, h, Convert::f16_to_f32)).size(), 4u);
  EXPECT_EQ(must(read<std::byte>(queue, arena, h, Convert::f16_to_f32)).size(), 16u);
  EXPECT_EQ(must(read<std::byte>(queue, arena, x, Convert::f32_to_bf16)).size(), 8u);
}

// The text of the design.
TEST_F(Feeding, ReadsAsTheDesignSays) {
  PlanProblem problem;
  problem.values = {test::value("x", 0, 2, 8, 16), test::value("y", 0, 2, 16, 16)};
  const Plan plan = must(lay_out(problem));
  Arena planned = must(Arena::create(device, plan, {{"x", DType::f16, {4}}, {"y", DType::f32, {4}}}));
  const std::vector<float>& host_x = floats;
  auto [first, second] = must(plan.ids("x", "y"));
  must(feed(queue, planned, first, host_x, Convert::f32_to_f16));
  std::vector<float> result = must(read<float>(queue, planned, second));
  EXPECT_EQ(result.size(), 4u);
}

}  // namespace
}  // namespace pintle
