// Buffers that are more than their own memory: lazy, sealed, forked, imported, over a file.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

DEVICE_TEST(Lazy, GetsMemoryWithItsFirstUse) {
  Queue queue = test.queue();
  Buffer lazy = need(test.device().allocate(DType::u32, {100}, {.label = "later", .allocation = Allocation::lazy}));
  CHECK_EQ(lazy.size_bytes(), 400u);
  need(queue.submit(CommandList{}.fill(lazy, 6u)));
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, lazy), Words(100, 6));
  const Buffer unused = need(test.device().allocate(DType::u32, {100}, {.allocation = Allocation::lazy}));
  const Buffer bound = need(test.device().allocate(DType::u32, {100}, {.allocation = Allocation::lazy}));
  const Buffer recorded = need(test.device().allocate(DType::u32, {100}, {.allocation = Allocation::lazy}));
  const Recording recording = need(test.device().record(CommandList{}.copy(recorded, lazy).copy(Slot{0}, recorded)));
  need(queue.replay(recording, {bound.view()}));
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, bound), Words(100, 6));
}

DEVICE_TEST(Lazy, ExhaustionComesWithTheUse) {
  const std::uint64_t most = test.info().limits.max_allocation;
  const auto eager = test.device().allocate(DType::u8, {most});
  if (eager) test.not_applicable("the device has room for its largest allocation");
  CHECK(eager.error().code() == Errc::out_of_memory);
  Queue queue = test.queue();
  const Buffer huge =
      need(test.device().allocate(DType::u8, {most}, {.label = "huge", .allocation = Allocation::lazy}));
  check_error(queue.submit(CommandList{}.fill(huge, std::uint8_t{1})), Errc::out_of_memory, {std::to_string(most)});
  const Buffer small = test.allocate(DType::u32, 4);
  need(queue.submit(CommandList{}.fill(small, 1u)));
  test.finish(queue.last());
}

DEVICE_TEST(Lazy, IsMapped) {
  test.require(Feature::mapped_memory);
  Buffer lazy =
      need(test.device().allocate(DType::u32, {4}, {.placement = Placement::host, .allocation = Allocation::lazy}));
  lazy.unmap();
  CHECK_EQ(need(lazy.map()).size(), 16u);
  lazy.unmap();
}

DEVICE_TEST(Seal, RefusesEveryWrite) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer sealed = test.buffer(Words(64, 3), "weights");
  const Buffer other = test.buffer(Words(64, 4));
  const Recording before = need(test.device().record(CommandList{}.copy(sealed, other)));
  const Recording slots = need(test.device().record(CommandList{}.copy(Slot{0}, other)));
  CHECK(!sealed.is_sealed());
  check_ok(sealed.seal());
  check_ok(sealed.seal());
  CHECK(sealed.is_sealed());
  const auto refused = {std::string("sealed"), std::string("\"weights\"")};
  const auto words = std::vector<std::string>(refused);
  check_error(queue.submit(CommandList{}.fill(sealed, 1u)), Errc::invalid_argument, {words[0], words[1]});
  check_error(queue.submit(CommandList{}.copy(sealed, other)), Errc::invalid_argument, {words[0]});
  check_error(queue.submit(CommandList{}.exec(test.kernel("affine"), Grid::cover(64), sealed, 1u, 1u, 64u)),
              Errc::invalid_argument, {words[0]});
  Words read(64);
  check_error(queue.submit(CommandList{}.download(read, sealed).fill(sealed, 1u)), Errc::invalid_argument, {words[0]});
  check_error(queue.replay(before), Errc::invalid_argument, {words[0]});
  check_error(queue.replay(slots, {sealed.view()}), Errc::invalid_argument, {words[0]});
  check_error(test.device().record(CommandList{}.fill(sealed, 1u)), Errc::invalid_argument, {words[0]});
  check_error(sealed.map(), Errc::invalid_argument, {words[0]});
  need(queue.submit(CommandList{}.copy(other, sealed)));
  CHECK_EQ(test.read<std::uint32_t>(queue, sealed), Words(64, 3));
  CHECK_EQ(test.read<std::uint32_t>(queue, other), Words(64, 3));
}

DEVICE_TEST(Seal, LazyBuffersToo) {
  Queue queue = test.queue();
  Buffer lazy = need(test.device().allocate(DType::u32, {4}, {.allocation = Allocation::lazy}));
  check_ok(lazy.seal());
  check_error(queue.submit(CommandList{}.fill(lazy, 1u)), Errc::invalid_argument, {"sealed"});
}

DEVICE_TEST(Seal, MapReadShowsTheBytes) {
  test.require_bytes();
  test.require(Feature::mapped_memory);
  Buffer sealed = need(test.device().allocate(DType::u32, {8}, {.placement = Placement::host}));
  const Words ones(8, 0x01010101);
  test.write(sealed, std::as_bytes(std::span(ones)));
  check_ok(sealed.seal());
  const auto bytes = need(sealed.map_read());
  REQUIRE(bytes.size() == 32);
  CHECK(bytes[31] == std::byte{1});
  sealed.unmap();
}

DEVICE_TEST(Fork, HasTheBytesOfItsPlace) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer parent = test.buffer(Words(100, 1), "parent");
  const std::uint64_t before = queue.last().value();
  const Buffer child = need(queue.fork(parent, "child"));
  CHECK_EQ(queue.last().value(), before + 1);
  CHECK(child.shape() == parent.shape());
  CHECK(child.text().ends_with("\"child\"]"));
  const Kernel affine = test.kernel("affine");
  need(queue.submit(CommandList{}
                        .exec(affine, Grid::cover(100), child, 10u, 1u, 100u)
                        .exec(affine, Grid::cover(100), parent, 10u, 2u, 100u)
                        .exec(affine, Grid::cover(100), child, 10u, 3u, 100u)));
  const Buffer grandchild = need(queue.fork(child));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(100, 12));
  parent = {};
  need(queue.submit(CommandList{}.fill(child, 5u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, grandchild), Words(100, 113));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(100, 5));
}

DEVICE_TEST(Fork, OfALazyBufferGivesItMemory) {
  Queue queue = test.queue();
  const Buffer lazy = need(test.device().allocate(DType::u32, {64}, {.allocation = Allocation::lazy}));
  const Buffer child = need(queue.fork(lazy));
  need(queue.submit(CommandList{}.fill(lazy, 3u).copy(child, lazy)));
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 3));
}

/// Uses of a fork: by a list, by a replay that is recorded with it, and by a replay that gets it in a slot.
constexpr int uses_of_a_fork = 3;
Point use_of_a_fork(const Context& test, Queue& queue, const Buffer& copy, const Buffer& child, int use) {
  if (use == 0) return need(queue.submit(CommandList{}.copy(copy, child)));
  const bool bound = use == 2;
  const Recording recording =
      need(test.device().record(bound ? CommandList{}.copy(copy, Slot{0}) : CommandList{}.copy(copy, child)));
  return need(bound ? queue.replay(recording, {child.view()}) : queue.replay(recording));
}

// No point says so: the user of the fork may not know who made it.
DEVICE_TEST(Fork, WhatUsesItComesAfterItsCopy) {
  if (test.is_driven()) test.not_applicable("a driven device has run everything when submit returns");
  test.require_bytes();
  Queue first = test.queue("first"), second = test.queue("second");
  for (int use = 0; use < uses_of_a_fork; ++use) {
    Signal gate = test.signal();
    const Buffer parent = test.buffer(Words(64, 1)), copy = test.allocate(DType::u32, 64);
    need(first.submit(CommandList{}.fill(parent, 2u), {.after = {test.at(gate, 1)}}));
    const Buffer child = need(first.fork(parent));
    const Point used = use_of_a_fork(test, second, copy, child, use);
    const Point written = need(second.submit(CommandList{}.fill(child, 7u)));
    CHECK(!need(used.is_reached()));
    check_ok(test.raise(gate, 1));
    test.finish(written);
    CHECK_EQ(test.read<std::uint32_t>(second, copy), Words(64, 2));
    CHECK_EQ(test.read<std::uint32_t>(first, child), Words(64, 7));
  }
}

DEVICE_TEST(Fork, TheBackendWaitsForACopyThatItHas) {
  test.require_bytes();
  test.require(Feature::host_call);
  if (test.info().progress != Progress::own) test.not_applicable("a host call cannot wait for the thread that submits");
  Queue first = test.queue("first"), second = test.queue("second");
  for (int use = 0; use < uses_of_a_fork; ++use) {
    const Buffer parent = test.buffer(Words(64, 1)), copy = test.allocate(DType::u32, 64);
    std::atomic<bool> is_open{false};
    need(first.submit(CommandList{}.call([&] {
      while (!is_open) std::this_thread::yield();
    })));
    const Buffer child = need(first.fork(parent));
    const Point used = use_of_a_fork(test, second, copy, child, use);
    check_error(used.wait(moment), Errc::timeout);
    is_open = true;
    test.finish(used);
    CHECK_EQ(test.read<std::uint32_t>(second, copy), Words(64, 1));
  }
}

// Without the copy there are no bytes to use.
DEVICE_TEST(Fork, ACopyThatIsGivenUpFailsWhatUsesIt) {
  if (test.is_driven()) test.not_applicable("a driven device has run everything when submit returns");
  for (int use = 0; use < uses_of_a_fork; ++use) {
    Queue first = test.queue("first"), second = test.queue("second"), late = test.queue("late");
    Signal gate = test.signal();
    const Buffer parent = test.allocate(DType::u32, 64), copy = test.allocate(DType::u32, 64);
    need(first.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
    const Buffer child = need(first.fork(parent));
    const Point used = use_of_a_fork(test, second, copy, child, use);
    check_ok(gate.fail(Error(Errc::cancelled, "The lens cap is on.")));
    check_error(test.wait(used), Errc::cancelled);
    check_error(test.wait(use_of_a_fork(test, late, copy, child, use)), Errc::cancelled);
  }
}

DEVICE_TEST(Fork, WhatOnlyHoldsItIsNotOrdered) {
  if (test.is_driven()) test.not_applicable("a driven device has run everything when submit returns");
  Queue first = test.queue("first"), second = test.queue("second");
  Signal gate = test.signal();
  need(first.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  const Buffer child = need(first.fork(test.allocate(DType::u32, 64)));
  test.finish(need(second.submit(CommandList{}.holds(child))));
  CHECK(!need(first.last().is_reached()));
  check_ok(test.raise(gate, 1));
  test.finish(first.last());
}

DEVICE_TEST(Fork, IsPlacedAsTheOriginal) {
  test.require(Feature::mapped_memory);
  Queue queue = test.queue();
  Buffer parent = need(test.device().allocate(DType::u32, {64}, {.placement = Placement::host}));
  need(parent.map());
  parent.unmap();
  Buffer child = need(queue.fork(parent));
  test.finish(queue.last());
  CHECK_EQ(need(child.map()).size(), 256u);
  child.unmap();
}

DEVICE_TEST(Fork, OfASealedBufferIsNotSealed) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer parent = test.buffer(Words(64, 1));
  check_ok(parent.seal());
  const Buffer child = need(queue.fork(parent));
  CHECK(!child.is_sealed());
  need(queue.submit(CommandList{}.fill(child, 2u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(64, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 2));
}

// A refused list changes nothing, and others wait for what came before it.
DEVICE_TEST(Fork, RefusedListsAreNotWaitedFor) {
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  const Buffer parent = test.allocate(DType::u32, 64);
  need(first.submit(CommandList{}.fill(parent, 1u), {.after = {test.at(gate, 1)}}));
  const Buffer child = need(first.fork(parent));
  Buffer gone = test.allocate(DType::u32, 64);
  CommandList list;
  list.fill(child, 5u).fill(gone, 6u);
  gone = {};
  check_error(first.submit(std::move(list)), Errc::stale, {"destroyed"});
  const Buffer copy = test.allocate(DType::u32, 64);
  const Point copied = need(second.submit(CommandList{}.copy(copy, child)));
  check_ok(test.raise(gate, 1));
  test.finish(copied);
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(second, copy), Words(64, 1));
}

DEVICE_TEST(Fork, OfAPoolsBufferIsTheDevices) {
  Queue queue = test.queue();
  Pool pool = need(Pool::create(test.device()));
  Buffer parent = need(queue.allocate(pool, DType::u32, {64}));
  need(queue.submit(CommandList{}.fill(parent, 3u)));
  const Buffer child = need(queue.fork(parent));
  parent = {};
  CHECK_EQ(pool.statistics().buffers, 0u);
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 3));
}

DEVICE_TEST(Import, HostMemoryIsUsedInPlace) {
  constexpr std::size_t count = 16384;
  struct Free {
    void operator()(std::uint32_t* memory) const noexcept { std::free(memory); }
  };
  const std::unique_ptr<std::uint32_t, Free> memory(
      static_cast<std::uint32_t*>(std::aligned_alloc(65536, count * sizeof(std::uint32_t))));
  const std::span<std::uint32_t> values(memory.get(), count);
  std::ranges::fill(values, 5u);
  const auto keeper = std::make_shared<int>(0);
  if (!test.has(Feature::host_import)) {
    check_error(test.device().import_host(values, keeper), Errc::unsupported, {});
    CHECK_EQ(keeper.use_count(), 1);
    test.require(Feature::host_import);
  }
  Queue queue = test.queue();
  {
    const Buffer buffer = need(test.device().import_host(values, keeper, "mine"));
    CHECK(buffer.dtype() == DType::u32);
    need(queue.submit(CommandList{}.exec(test.kernel("affine"), Grid::cover(count), buffer, 2u, 1u,
                                         static_cast<std::uint32_t>(count))));
  }
  test.finish(queue.last());
  CHECK(test.eventually([&] { return keeper.use_count() == 1; }));
  if (test.executes()) CHECK_EQ(Words(values.begin(), values.end()), Words(count, 11));
}

DEVICE_TEST(Import, ConstMemoryIsSealed) {
  test.require(Feature::host_import);
  struct alignas(65536) Page {
    std::array<float, 16384> values{};
  };
  const auto page = std::make_unique<const Page>();
  const Buffer buffer = need(test.device().import_host(page->values));
  CHECK(buffer.is_sealed());
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.fill(buffer, 1.0f)), Errc::invalid_argument, {"sealed"});
  check_error(test.device().import_host(std::as_bytes(std::span(page->values)), Access::read, DType::f32, {16385}),
              Errc::invalid_argument, {"65540", "65536"});
}

DEVICE_TEST(Import, FileIsASealedBuffer) {
  test.require(Feature::host_import);
  const auto folder = need(base::TemporaryFolder::create());
  const std::string file = folder / "weights.bin";
  Words values = ramp<std::uint32_t>(5000);
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(values.data()), 20000);
  const Buffer buffer = need(test.device().map_file(file, 4096, DType::u32, {3000}, "weights"));
  CHECK(buffer.is_sealed());
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.fill(buffer, 1u)), Errc::invalid_argument, {"sealed"});
  const Buffer child = need(queue.fork(buffer));
  if (test.executes()) {
    CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(values.begin() + 1024, values.begin() + 4024));
    need(queue.submit(CommandList{}.fill(child, 0u)));
    CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(3000, 0));
    CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(values.begin() + 1024, values.begin() + 4024));
  }
  check_error(test.device().map_file(file, 8192, DType::u32, {3000}), Errc::invalid_argument, {"8192", "20000"});
  check_error(test.device().map_file(folder / "none", 0, DType::u8, {1}), Errc::io, {"none"});
}

}  // namespace
}  // namespace pintle::conformance
