// Arenas: memory laid out by a plan, fed and read with dtypes.
#include <algorithm>
#include <limits>

#include "conformance/ways.h"
#include "pintle/planner.h"

namespace pintle::conformance {
namespace {

constexpr std::uint64_t many = 100'000;  // of f32, f16 or u32: takes the way of large values

/// Suits kernels on the device, and every dtype.
std::uint64_t alignment_on(const Context& test) {
  return std::max<std::uint64_t>(16, test.info().limits.offset_alignment);
}

PlannedValue placed(std::string name, std::uint64_t offset, std::uint64_t size, std::uint32_t chunk = 0) {
  return {std::move(name), size, 1, Assignment::planned, chunk, offset};
}

Plan plan_of(std::vector<PlannedValue> values, std::vector<std::uint64_t> chunks) {
  return need(Plan::create(std::move(values), std::move(chunks), 0));
}

PlanValue planned(const Context& test, std::string name, std::uint64_t lower, std::uint64_t upper, std::uint64_t size) {
  PlanValue value;
  value.name = std::move(name);
  value.size = size;
  value.alignment = alignment_on(test);
  value.lower = lower;
  value.upper = upper;
  return value;
}

/// One value and nothing else.
Arena arena_of(const Context& test, DType dtype, std::uint64_t count, Placement placement = Placement::device) {
  const std::uint64_t size = count * bytes_of(dtype);
  return need(Arena::create(test.device(), plan_of({placed("x", 0, size)}, {size}), {{"x", dtype, {count}}},
                            {.label = "one", .placement = placement}));
}

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 73 + i / 251 + 5);
  return bytes;
}

DEVICE_TEST(Arena, EveryDtypeRoundTrips) {
  test.require_bytes();
  Queue queue = test.queue();
  for (const DType dtype : all_dtypes()) {
    Arena arena = arena_of(test, dtype, 33);
    const std::vector<std::byte> bytes = pattern(33 * bytes_of(dtype));
    need(feed(queue, arena, 0, Elements(dtype, bytes)));
    CHECK_EQ(need(read<std::byte>(queue, arena, 0)), bytes);
    const BufferView view = need(arena.view(0));
    CHECK_EQ(view.dtype(), dtype);
    CHECK(view.shape() == Shape({33}));
    CHECK_EQ(test.bytes(queue, view), bytes);
  }
}

DEVICE_TEST(Arena, LargeValuesRoundTripInEitherPlace) {
  test.require_bytes();
  Queue queue = test.queue();
  const std::vector<std::byte> bytes = pattern(many * 4);
  for (const Placement placement : {Placement::device, Placement::host}) {
    Arena arena = arena_of(test, DType::u32, many, placement);
    const Point there = need(feed(queue, arena, 0, bytes));
    test.finish(there);
    CHECK_EQ(need(read<std::byte>(queue, arena, 0)), bytes);
  }
}

DEVICE_TEST(Arena, ConvertsOnTheWayInAndOut) {
  test.require_bytes();
  Queue queue = test.queue();
  for (const std::uint64_t count : {std::uint64_t{2000}, 3 * many}) {  // f16: of 4,000 and of 600,000 bytes
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 2048) - 1024.0f;
    Arena arena = arena_of(test, DType::f16, count);
    need(feed(queue, arena, 0, values, Convert::f32_to_f16));
    CHECK_EQ(need(read<float>(queue, arena, 0, Convert::f16_to_f32)), values);
    const auto codes = need(read<std::uint16_t>(queue, arena, 0, DType::f16));
    CHECK_EQ(codes[0], 0xe400u);     // -1024
    CHECK_EQ(codes[1024], 0x0000u);  // 0
    CHECK_EQ(codes[1027], 0x4200u);  // 3
    need(feed(queue, arena, 0, Elements(DType::f16, codes)));
    CHECK_EQ(need(read<float>(queue, arena, 0, Convert::f16_to_f32)), values);
  }
}

// M1, P3: nothing beside the value changes, and nothing at all where the call is refused.
DEVICE_TEST(Arena, WhatIsRefusedWritesNothing) {
  test.require_bytes();
  const std::uint64_t step = alignment_on(test);
  Arena arena = need(Arena::create(
      test.device(), plan_of({placed("a", 0, 16), placed("x", step, 16), placed("b", 2 * step, 16)}, {2 * step + 16}),
      {{"a", DType::f32, {4}}, {"x", DType::f32, {4}}, {"b", DType::f32, {4}}}));
  const auto [a, x, b] = need(arena.plan().ids("a", "x", "b"));
  Queue queue = test.queue();
  const std::vector<float> four{1, 2, 3, 4}, others{5, 6, 7, 8};
  for (const std::uint32_t id : {a, x, b}) need(feed(queue, arena, id, four));
  check_error(feed(queue, arena, x, std::vector<float>(5, 9.0f)), Errc::invalid_argument, {"(5)", "(4)", "\"x\""});
  check_error(feed(queue, arena, x, std::vector<float>(3, 9.0f)), Errc::invalid_argument, {"(3)", "(4)", "\"x\""});
  check_error(feed(queue, arena, x, std::vector<std::int32_t>(4, 9)), Errc::invalid_argument, {"(i32)", "(f32)"});
  check_error(feed(queue, arena, x, std::vector<double>{1, 2, 3, 1e300}, Convert::f64_to_f32.with(Overflow::error)),
              Errc::invalid_argument, {"(3)"});
  for (const std::uint32_t id : {a, x, b}) CHECK_EQ(need(read<float>(queue, arena, id)), four);
  need(feed(queue, arena, x, others));
  CHECK_EQ(need(read<float>(queue, arena, a)), four);
  CHECK_EQ(need(read<float>(queue, arena, x)), others);
  CHECK_EQ(need(read<float>(queue, arena, b)), four);
}

DEVICE_TEST(Arena, ALargeConversionThatFailsWritesNothing) {
  test.require_bytes();
  Queue queue = test.queue();
  std::vector<float> values(3 * many, 0.5f);
  for (const Placement placement : {Placement::device, Placement::host}) {
    Arena arena = arena_of(test, DType::f16, values.size(), placement);
    need(feed(queue, arena, 0, values, Convert::f32_to_f16));
    std::vector<float> wrong(values.size(), 0.25f);
    wrong.back() = 1e6f;
    check_error(feed(queue, arena, 0, wrong, Convert::f32_to_f16.with(Overflow::error)), Errc::invalid_argument,
                {"(299999)", "65504"});
    CHECK_EQ(need(read<float>(queue, arena, 0, Convert::f16_to_f32)), values);
  }
}

DEVICE_TEST(Arena, FeedAndReadRefuseWhatDoesNotFit) {
  Arena arena = arena_of(test, DType::f16, 4);
  Queue queue = test.queue();
  check_error(feed(queue, arena, 0, std::vector<float>(4)), Errc::invalid_argument, {"(f32)", "(f16)", "\"x\""});
  check_error(feed(queue, arena, 0, std::vector<float>(4), Convert::f32_to_bf16), Errc::invalid_argument, {"(bf16)"});
  check_error(feed(queue, arena, 0, std::vector<float>(6), Convert::f32_to_f16), Errc::invalid_argument,
              {"(6)", "(4)"});
  check_error(feed(queue, arena, 1, std::vector<float>(4)), Errc::invalid_argument, {"(1)", "[Arena \"one\"]"});
  check_error(read<float>(queue, arena, 0), Errc::invalid_argument, {"(f32)", "(f16)"});
  check_error(read<float>(queue, arena, 0, Convert::bf16_to_f32), Errc::invalid_argument, {"(bf16)", "(f16)"});
  check_error(read<float>(queue, arena, 7, Convert::f16_to_f32), Errc::invalid_argument, {"(7)"});
}

DEVICE_TEST(Arena, ValuesThatShareBytesAlias) {
  test.require_bytes();
  PlanProblem problem;
  problem.values = {planned(test, "early", 0, 1, 64), planned(test, "late", 1, 2, 64), planned(test, "both", 0, 2, 64)};
  const Plan plan = need(lay_out(problem));
  const auto [early, late, both] = need(plan.ids("early", "late", "both"));
  REQUIRE(plan.values()[early].offset == plan.values()[late].offset);
  Arena arena = need(Arena::create(test.device(), plan, {{"early", DType::f32, {16}}, {"late", DType::u32, {4, 4}}}));
  Queue queue = test.queue();
  need(feed(queue, arena, both, std::vector<std::uint8_t>(64, 7)));
  need(feed(queue, arena, early, std::vector<float>(16, 1.0f)));
  CHECK_EQ(need(read<std::uint32_t>(queue, arena, late)), std::vector<std::uint32_t>(16, 0x3f800000));
  need(queue.submit(CommandList{}.fill(need(arena.view(late)), 0x40000000u)));
  CHECK_EQ(need(read<float>(queue, arena, early)), std::vector<float>(16, 2.0f));
  CHECK_EQ(need(read<std::uint8_t>(queue, arena, both)), std::vector<std::uint8_t>(64, 7));
}

DEVICE_TEST(Arena, SeveralChunksAreSeveralAllocations) {
  const std::uint64_t step = alignment_on(test);
  PlanProblem problem;
  problem.largest_chunk = 2 * step;
  for (const char* const name : {"a", "b", "c", "d", "e"}) problem.values.push_back(planned(test, name, 0, 1, step));
  const Plan plan = need(lay_out(problem));
  CHECK_EQ(plan.chunks().size(), 3u);
  const auto used = [&] {
    std::uint64_t sum = 0;
    for (const Heap& heap : need(test.device().budget())) sum += heap.used;
    return sum;
  };
  const std::uint64_t before = used();
  Arena arena = need(Arena::create(test.device(), plan));
  CHECK_EQ(arena.requirements().total, 5 * step);
  CHECK_EQ(arena.requirements().largest_chunk, 2 * step);
  CHECK(used() >= before + 5 * step);
  Queue queue = test.queue();
  for (std::uint32_t id = 0; id < 5; ++id)
    need(feed(queue, arena, id, std::vector<std::uint8_t>(step, static_cast<std::uint8_t>(id + 1))));
  if (!test.executes()) return;
  for (std::uint32_t id = 0; id < 5; ++id) {
    CHECK_EQ(need(read<std::uint8_t>(queue, arena, id)),
             std::vector<std::uint8_t>(step, static_cast<std::uint8_t>(id + 1)));
  }
}

DEVICE_TEST(Arena, OfAnEmptyPlanTakesNothing) {
  const Arena arena = need(Arena::create(test.device(), {}));
  CHECK(arena.values().empty());
  CHECK_EQ(arena.requirements().total, 0u);
  check_error(arena.id("x"), Errc::not_found, {"\"x\""});
}

DEVICE_TEST(Arena, KernelsRunOnItsViews) {
  test.require_bytes();
  constexpr std::uint32_t count = 200;
  PlanProblem problem;
  problem.values = {planned(test, "x", 0, 2, count * 4), planned(test, "y", 1, 3, count * 4)};
  Arena arena = need(
      Arena::create(test.device(), need(lay_out(problem)), {{"x", DType::u32, {count}}, {"y", DType::u32, {count}}}));
  const auto [x, y] = need(arena.plan().ids("x", "y"));
  const BufferView from = need(arena.view(x)), to = need(arena.view(y));
  const auto steps = [&] {
    return CommandList{}
        .exec(test.kernel("affine"), Grid::cover(count), from, 3u, 1u, count)
        .exec(test.kernel("add_to"), Grid::cover(count), from, to, 10u, count);
  };
  Queue queue = test.queue();
  need(feed(queue, arena, x, ramp<std::uint32_t>(count)));
  need(queue.submit(steps()));
  CHECK_EQ(need(read<std::uint32_t>(queue, arena, y)), ramp<std::uint32_t>(count, 11u, 3u));
  const Recording recording = need(test.device().record(steps()));
  for (std::uint32_t first = 0; first < 3; ++first) {
    need(feed(queue, arena, x, ramp<std::uint32_t>(count, first)));
    need(queue.replay(recording));
    CHECK_EQ(need(read<std::uint32_t>(queue, arena, y)), ramp<std::uint32_t>(count, 3 * first + 11, 3u));
  }
}

// P2: what is not fed again is what it was, and a persistent value shares its bytes with nothing.
DEVICE_TEST(Arena, PersistentValuesKeepTheirBytes) {
  test.require_bytes();
  constexpr std::uint32_t count = 64;
  PlanProblem problem;
  problem.values = {planned(test, "weights", 0, 0, count * 4), planned(test, "a", 0, 2, count * 4),
                    planned(test, "b", 2, 4, count * 4)};
  problem.values[0].lifetime = Lifetime::persistent;
  Arena arena =
      need(Arena::create(test.device(), need(lay_out(problem)),
                         {{"weights", DType::u32, {count}}, {"a", DType::u32, {count}}, {"b", DType::u32, {count}}}));
  const auto [weights, a, b] = need(arena.plan().ids("weights", "a", "b"));
  Queue queue = test.queue();
  const auto values = ramp<std::uint32_t>(count, 5u, 7u);
  need(feed(queue, arena, weights, values));
  const Kernel add_to = test.kernel("add_to");
  for (std::uint32_t run = 0; run < 3; ++run) {
    need(queue.submit(CommandList{}
                          .exec(add_to, Grid::cover(count), need(arena.view(weights)), need(arena.view(a)), run, count)
                          .fill(need(arena.view(b)), run)));
    CHECK_EQ(need(read<std::uint32_t>(queue, arena, b)), std::vector<std::uint32_t>(count, run));
    CHECK_EQ(need(read<std::uint32_t>(queue, arena, weights)), values);
  }
}

// M9: what outlives the memory is found out.
DEVICE_TEST(Arena, ViewsOfADestroyedArenaAreStale) {
  Queue queue = test.queue();
  BufferView view;
  {
    const Arena arena = arena_of(test, DType::u32, 4);
    view = need(arena.view(0));
    need(queue.submit(CommandList{}.fill(view, 1u)));
  }
  check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale, {"[Buffer"});
  check_error(read<std::uint32_t>(queue, view), Errc::stale, {"[Buffer"});
  Arena first = arena_of(test, DType::u32, 4), second = std::move(first);
  view = need(second.view(0));
  check_ok(queue.submit(CommandList{}.fill(view, 1u)));
  second = arena_of(test, DType::u32, 4);
  check_error(queue.submit(CommandList{}.fill(view, 1u)), Errc::stale, {"[Buffer"});
}

// M7: a typed error with both sizes, before and while creating.
DEVICE_TEST(Arena, ChunksBeyondTheLargestAllocationAreRefused) {
  const std::uint64_t most = test.info().limits.max_allocation;
  if (most == std::numeric_limits<std::uint64_t>::max()) test.not_applicable("the device has no largest allocation");
  const Plan plan = plan_of({placed("x", 0, 4), placed("w", 0, most + 1, 1)}, {4, most + 1});
  check_error(Arena::can_fit(plan, test.device()), Errc::unsupported,
              {std::to_string(most), std::to_string(most + 1), "[" + std::string(test.id())});
  check_error(Arena::create(test.device(), plan), Errc::unsupported, {std::to_string(most), std::to_string(most + 1)});
}

// M8: the answer before allocating counts what will be allocated, and nothing else.
DEVICE_TEST(Arena, CanFitSaysWhatIsFree) {
  PlannedValue elsewhere = placed("w", 0, 1ull << 60);
  elsewhere.assignment = Assignment::external;
  check_ok(Arena::can_fit(plan_of({placed("x", 0, 4096), elsewhere}, {4096}), test.device()));
  std::uint64_t whole = 0;
  for (const Heap& heap : need(test.device().budget())) whole = std::max(whole, heap.total);
  const std::uint64_t chunk = std::min(test.info().limits.max_allocation, std::uint64_t{1} << 46);
  std::vector<std::uint64_t> chunks(static_cast<std::size_t>(whole / chunk + 1), chunk);
  const Plan plan = plan_of({}, chunks);
  const auto needed = need(Arena::requirements(plan, test.device()));
  CHECK_EQ(needed.total, chunk * chunks.size());
  check_error(Arena::can_fit(plan, test.device()), Errc::out_of_memory,
              {std::to_string(needed.total), std::to_string(chunk), "free"});
}

// M2: kernels can bind every view that an arena gives.
DEVICE_TEST(Arena, OffsetsThatKernelsCannotBindAreRefused) {
  const std::uint64_t alignment = test.info().limits.offset_alignment;
  if (alignment <= 8) test.not_applicable("the device binds views anywhere");
  const std::uint64_t offset = alignment + 8;
  const Plan plan = plan_of({placed("x", offset, 64)}, {offset + 64});
  check_error(Arena::create(test.device(), plan), Errc::invalid_argument,
              {"\"x\"", std::to_string(offset), std::to_string(alignment), "[" + std::string(test.id()) + "]"});
}

DEVICE_TEST(Arena, FeedIsOrderedLikeASubmission) {
  test.require_bytes();
  const std::uint64_t step = alignment_on(test);
  Arena arena = need(Arena::create(test.device(), plan_of({placed("x", 0, 16), placed("y", step, 16)}, {step + 16}),
                                   {{"x", DType::f32, {4}}, {"y", DType::f32, {4}}}));
  Queue queue = test.queue();
  Signal gate = test.signal();
  const std::vector<float> before(4, 1.0f), after(4, 2.0f);
  need(feed(queue, arena, 0, before));
  need(queue.submit(CommandList{}.copy(need(arena.view(1)), need(arena.view(0))), {.after = {test.at(gate, 1)}}));
  std::vector<float> lent = after;
  const Point there = need(feed(queue, arena, 0, lent));  // a small value does not block
  lent.assign(4, 3.0f);
  CHECK(!need(there.is_reached()));
  need(test.raise(gate, 1));
  test.finish(there);
  CHECK_EQ(need(read<float>(queue, arena, 1)), before);
  CHECK_EQ(need(read<float>(queue, arena, 0)), after);
}

// A large value goes straight into memory that the host can address: not before the queue is done with it.
DEVICE_TEST(Arena, LargeValuesWaitForTheQueue) {
  test.require_bytes();
  Arena arena = arena_of(test, DType::u32, many, Placement::host);
  Buffer alike = need(test.device().allocate(DType::u8, {many * 4}, {.label = "", .placement = Placement::host}));
  const bool blocks = alike.map().has_value();
  const Buffer copy = test.allocate(DType::u32, many);
  Queue queue = test.queue();
  Signal gate = test.signal();
  const std::vector<std::uint32_t> before(many, 1), after(many, 2);
  need(feed(queue, arena, 0, before));
  need(queue.submit(CommandList{}.copy(copy, need(arena.view(0))), {.after = {test.at(gate, 1)}}));
  const auto fed = feed(queue, arena, 0, after, moment);
  if (blocks) check_error(fed, Errc::timeout, {"[Value \"x\"] of [Arena \"one\"]"});
  else check_ok(fed);
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, copy), before);
  CHECK_EQ(need(read<std::uint32_t>(queue, arena, 0)), blocks ? before : after);
  need(feed(queue, arena, 0, after));
  CHECK_EQ(need(read<std::uint32_t>(queue, arena, 0)), after);
}

DEVICE_TEST(Arena, QueuesOfOtherDevicesAreRefused) {
  const Device other = need(open(test.id() == "null" ? "cpu" : "null"));
  Queue foreign = need(other.create_queue());
  for (const std::uint64_t count : {std::uint64_t{4}, many}) {
    Arena arena = arena_of(test, DType::u32, count);
    check_error(feed(foreign, arena, 0, std::vector<std::uint32_t>(count)), Errc::invalid_argument, {"[Buffer"});
    check_error(read<std::uint32_t>(foreign, arena, 0), Errc::invalid_argument, {"[Buffer"});
  }
}

}  // namespace
}  // namespace pintle::conformance
