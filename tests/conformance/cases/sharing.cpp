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

DEVICE_TEST(Fork, CopiesOnlyWhenOneIsWritten) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer parent = test.buffer(Words(100, 1), "parent");
  const Buffer child = need(queue.fork(parent, "child")), twin = need(queue.fork(parent));
  CHECK(child.shape() == parent.shape());
  CHECK(child.text().ends_with("\"child\"]"));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(100, 1));
  need(queue.submit(CommandList{}.fill(need(child.slice(10, 5)), 7u)));  // the rest is copied first
  Words expected(100, 1);
  std::fill_n(expected.begin() + 10, 5, 7u);
  CHECK_EQ(test.read<std::uint32_t>(queue, child), expected);
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(100, 1));
  need(queue.submit(CommandList{}.exec(test.kernel("affine"), Grid::cover(100), parent, 2u, 0u, 100u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(100, 2));
  CHECK_EQ(test.read<std::uint32_t>(queue, twin), Words(100, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), expected);
  need(queue.submit(CommandList{}.fill(twin, 9u)));  // alone by now
  CHECK_EQ(test.read<std::uint32_t>(queue, twin), Words(100, 9));
}

DEVICE_TEST(Fork, BothAreWrittenInOneList) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer parent = test.buffer(Words(50, 5));
  const Buffer child = need(queue.fork(parent));
  const Kernel affine = test.kernel("affine");
  need(queue.submit(CommandList{}
                        .exec(affine, Grid::cover(50), child, 10u, 1u, 50u)
                        .exec(affine, Grid::cover(50), parent, 10u, 2u, 50u)
                        .exec(affine, Grid::cover(50), child, 10u, 3u, 50u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(50, 513));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(50, 52));
}

// What others do with the shared bytes on other queues is waited for, since nobody can see it.
DEVICE_TEST(Fork, OtherQueuesAreWaitedFor) {
  test.require_bytes();
  Queue first = test.queue(), second = test.queue();
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Buffer parent = test.allocate(DType::u32, 5000);
    Signal gate = test.signal();
    const Point filled = need(first.submit(CommandList{}.fill(parent, round), {.after = {test.at(gate, 1)}}));
    need(second.submit(CommandList{}, {.after = {filled}}));
    const Buffer child = need(second.fork(parent));
    need(second.submit(CommandList{}.fill(need(child.slice(0, 1)), 77u)));
    need(first.submit(CommandList{}.fill(parent, 1000u)));
    check_ok(test.raise(gate, 1));
    Words expected(5000, round);
    expected[0] = 77;
    CHECK_EQ(test.read<std::uint32_t>(second, child), expected);
    CHECK_EQ(test.read<std::uint32_t>(first, parent), Words(5000, 1000));
  }
}

DEVICE_TEST(Fork, OwnersMayGoInAnyOrder) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer parent = test.buffer(Words(64, 2));
  Buffer child = need(queue.fork(parent));
  Buffer grandchild = need(queue.fork(child));
  parent = {};
  CHECK_EQ(test.read<std::uint32_t>(queue, grandchild), Words(64, 2));
  need(queue.submit(CommandList{}.fill(child, 4u)));
  child = {};
  need(queue.submit(CommandList{}.fill(need(grandchild.slice(0, 1)), 5u)));
  Words expected(64, 2);
  expected[0] = 5;
  CHECK_EQ(test.read<std::uint32_t>(queue, grandchild), expected);
}

// A recording has frozen where the bytes are.
DEVICE_TEST(Fork, RecordedBuffersAreCopiedAtOnce) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer parent = test.buffer(Words(64, 1));
  const Recording recording = need(test.device().record(CommandList{}.fill(parent, 8u)));
  const std::uint64_t before = queue.last().value();
  const Buffer child = need(queue.fork(parent));
  CHECK_EQ(queue.last().value(), before + 1);
  need(queue.replay(recording));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(64, 8));
}

DEVICE_TEST(Fork, CopiesArePlacedAsTheOriginal) {
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

// A write of the original comes after every copy in flight, not only after the last.
DEVICE_TEST(Fork, EveryCopyInFlightKeepsItsBytes) {
  test.require_bytes();
  test.require(Feature::host_call);
  if (test.info().progress != Progress::own) test.not_applicable("a host call cannot wait for the thread that submits");
  Queue slow = test.queue("slow"), fast = test.queue("fast"), writing = test.queue("writing");
  const Buffer parent = test.buffer(Words(64, 1));
  const Recording recording = need(test.device().record(CommandList{}.fill(parent, 8u)));  // so that forks are copied
  std::atomic<bool> is_open{false};
  need(slow.submit(CommandList{}.call([&] {
    while (!is_open) std::this_thread::yield();
  })));
  const Buffer child = need(slow.fork(parent)), other = need(fast.fork(parent));
  test.finish(fast.last());
  const Point written = need(writing.submit(CommandList{}.fill(parent, 2u)));
  check_error(written.wait(moment), Errc::timeout);
  is_open = true;
  test.finish(written);
  for (const Buffer* fork : {&child, &other}) CHECK_EQ(test.read<std::uint32_t>(slow, *fork), Words(64, 1));
}

DEVICE_TEST(Fork, SharedBytesAreNotFrozen) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer parent = test.buffer(Words(64, 1), "shared");
  Buffer child = need(queue.fork(parent));
  const Buffer other = test.buffer(Words(64, 3));
  check_error(test.device().record(CommandList{}.copy(other, parent)), Errc::invalid_argument,
              {"\"shared\"", "unshare"});
  check_error(parent.map(), Errc::invalid_argument, {"unshare"});
  const Recording slots = need(test.device().record(CommandList{}.copy(Slot{0}, other)));
  check_error(queue.replay(slots, {parent.view()}), Errc::invalid_argument, {"unshare"});
  test.finish(need(queue.unshare(parent)));
  need(queue.replay(slots, {parent.view()}));
  const Recording recording = need(test.device().record(CommandList{}.copy(other, parent)));
  need(queue.replay(recording));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(64, 3));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 1));
}

DEVICE_TEST(Fork, SealedParentsKeepTheirBytes) {
  test.require_bytes();
  Queue queue = test.queue();
  Buffer parent = test.buffer(Words(64, 1));
  check_ok(parent.seal());
  const Buffer other = test.allocate(DType::u32, 64);
  const Recording recording = need(test.device().record(CommandList{}.copy(other, parent)));
  const std::uint64_t before = queue.last().value();
  const Buffer child = need(queue.fork(parent));
  CHECK_EQ(queue.last().value(), before);
  CHECK(!child.is_sealed());
  need(queue.submit(CommandList{}.fill(child, 2u)));
  need(queue.replay(recording));
  CHECK_EQ(test.read<std::uint32_t>(queue, other), Words(64, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 2));
}

// What a refused list would have moved stays where it was.
DEVICE_TEST(Fork, RefusedListsMoveNothing) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer parent = test.buffer(Words(64, 1));
  const Buffer child = need(queue.fork(parent));
  Buffer gone = test.buffer(Words(64, 2));
  CommandList list;
  list.fill(child, 5u).fill(gone, 6u);
  gone = {};
  check_error(queue.submit(std::move(list)), Errc::stale, {"destroyed"});
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 1));
  need(queue.submit(CommandList{}.fill(parent, 7u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, parent), Words(64, 7));
}

// A recording of shared bytes is refused, before and after a list that would have given the fork bytes of its own.
DEVICE_TEST(Fork, RefusedListsEndNoSharing) {
  Queue queue = test.queue();
  const Buffer parent = test.buffer(Words(64, 1));
  const Buffer child = need(queue.fork(parent));
  const auto is_refused = [&] {
    check_error(test.device().record(CommandList{}.fill(child, 5u)), Errc::invalid_argument, {"shares its bytes"});
  };
  is_refused();
  Signal gate = test.signal();
  need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  for (const bool holds : {false, true}) {
    Buffer gone = test.buffer(Words(64, 2));
    CommandList list;
    list.fill(child, 5u);
    if (holds) list.holds(gone);
    else list.fill(gone, 6u);
    gone = {};
    check_error(queue.submit(std::move(list)), Errc::stale, {"destroyed"});
    is_refused();
  }
  check_ok(test.raise(gate, 1));
}

// An owner that writes alone changes nothing that others have yet to read, also when a first list was refused: what is
// held keeps its bytes, and nobody waits for it.
DEVICE_TEST(Fork, RefusedListsOfTheLastOwnerForgetNoUse) {
  if (test.is_driven()) test.not_applicable("a driven device has run everything when submit returns");
  test.require_bytes();
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  Buffer parent = test.buffer(Words(64, 1));
  const Buffer copy = test.allocate(DType::u32, 64);
  const Buffer child = need(first.fork(parent));
  need(first.submit(CommandList{}.copy(copy, parent), {.after = {test.at(gate, 1)}}));
  parent = {};
  Buffer gone = test.buffer(Words(64, 2));
  CommandList list;
  list.fill(child, 5u).fill(gone, 6u);
  gone = {};
  check_error(second.submit(std::move(list)), Errc::stale, {"destroyed"});
  need(second.submit(CommandList{}.fill(child, 7u)));
  check_ok(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(second, child), Words(64, 7));
  CHECK_EQ(test.read<std::uint32_t>(first, copy), Words(64, 1));
}

// A refused list has no point that is ever reached: others wait for what came before it.
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
  const Point written = need(second.submit(CommandList{}.fill(parent, 7u)));
  CHECK(!need(written.is_reached()));
  check_ok(test.raise(gate, 1));
  test.finish(written);
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(second, child), Words(64, 1));
}

DEVICE_TEST(Fork, OfAPoolsBufferGoesBackToThePool) {
  Queue queue = test.queue();
  Pool pool = need(Pool::create(test.device()));
  Buffer parent = need(queue.allocate(pool, DType::u32, {64}));
  need(queue.submit(CommandList{}.fill(parent, 3u)));
  Buffer child = need(queue.fork(parent));
  parent = {};
  CHECK_EQ(pool.statistics().buffers, 1u);
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(queue, child), Words(64, 3));
  child = {};
  CHECK_EQ(pool.statistics().buffers, 0u);
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
