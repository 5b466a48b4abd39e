// Command lists as values: building, mistakes, reuse.
#include <cstdint>

#include "conformance/ways.h"
#include "pintle/native/cpu.h"
#include "pintle/native/opencl.h"
#include "pintle/native/vulkan.h"

namespace pintle::conformance {
namespace {

DEVICE_TEST(Command, EmptyListIsReached) {
  Queue queue = test.queue();
  const Point done = need(queue.submit(CommandList{}));
  test.finish(done);
}

DEVICE_TEST(Command, ListsCountTheirCommands) {
  const Buffer buffer = test.allocate(DType::u32, 4);
  CommandList list;
  CHECK_EQ(list.size(), 0u);
  list.fill(buffer, 1u).barrier().label("second").fill(buffer, 2u);
  CHECK_EQ(list.size(), 2u);
  CHECK(!list.error());
}

// The first mistake is kept, with its place; later commands do not hide it.
DEVICE_TEST(Error, FirstMistakeOfAListSurfacesAtSubmit) {
  Queue queue = test.queue("strict");
  const Buffer buffer = test.allocate(DType::u32, 4, "words");
  CommandList list;
  list.fill(buffer, 1u).fill(buffer, 1.0f).fill(BufferView(), 1u);
  CHECK(list.error().has_value());
  check_error(queue.submit(std::move(list)), Errc::invalid_argument,
              {"f32", "u32", "\"words\"", "command 1 (fill)", "[Queue", "\"strict\""});
  check_error(test.device().record(CommandList{}.fill(buffer, 1.0f)), Errc::invalid_argument, {"f32", "u32"});
}

DEVICE_TEST(Error, NothingRunsAfterAMistake) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.buffer(std::vector<std::uint32_t>{7});
  const Point before = queue.last();
  check_error(queue.submit(CommandList{}.fill(buffer, 1u).fill(buffer, 1.0f)), Errc::invalid_argument);
  CHECK_EQ(queue.last().value(), before.value());
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), (std::vector<std::uint32_t>{7}));
}

DEVICE_TEST(Error, ListIsSubmittedOnce) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  CommandList list;
  list.fill(buffer, 1u);
  check_ok(queue.submit(std::move(list)));
  check_error(queue.submit(std::move(list)), Errc::invalid_argument,
              {"moved from"});  // NOLINT(bugprone-use-after-move)
  check_error(test.device().record(std::move(list)), Errc::invalid_argument, {"moved from"});
}

DEVICE_TEST(Error, EmptyHostFunctionIsRefused) {
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}.call(nullptr)), Errc::invalid_argument, {"empty"});
}

DEVICE_TEST(Error, SlotsBelongInRecordings) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  check_error(queue.submit(CommandList{}.copy(Slot{0}, buffer)), Errc::invalid_argument, {"0"});
  check_error(queue.submit(CommandList{}.fill(Slot{3}, 1u)), Errc::invalid_argument, {"3"});
  check_error(queue.submit(CommandList{}.upload(buffer, Slot{1})), Errc::invalid_argument, {"1"});
}

DEVICE_TEST(Error, HugeSlotIndexIsRefused) {
  const Buffer buffer = test.allocate(DType::u32, 4);
  check_error(test.device().record(CommandList{}.copy(Slot{0xffffffff}, buffer)), Errc::invalid_argument,
              {"4294967295"});
  check_error(test.device().record(CommandList{}.copy(Slot{0xfffffffe}, buffer)), Errc::invalid_argument,
              {"4294967294"});
}

// A label names its command in the timeout that it causes.
DEVICE_TEST(Command, LabelNamesTheOldestUnfinished) {
  Queue queue = test.queue("labelled");
  Signal gate = test.signal("gate");
  const Buffer buffer = test.allocate(DType::u32, 4);
  const Point done = need(queue.submit(CommandList{}.label("first step").fill(buffer, 1u),
                                       {.after = {test.at(gate, 1)}, .label = "whole step"}));
  check_error(done.wait(moment), Errc::timeout, {"\"labelled\"", "whole step"});
  need(test.raise(gate, 1));
  test.finish(done);
}

DEVICE_TEST(Command, BarrierIsAccepted) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer a = test.buffer(std::vector<std::uint32_t>{1}), b = test.buffer(std::vector<std::uint32_t>{2});
  need(queue.submit(CommandList{}.barrier().copy(a, b).barrier().barrier().fill(b, 5u).barrier()));
  CHECK_EQ(test.read<std::uint32_t>(queue, a), (std::vector<std::uint32_t>{2}));
  CHECK_EQ(test.read<std::uint32_t>(queue, b), (std::vector<std::uint32_t>{5}));
}

DEVICE_TEST(Command, UsesNeedsALaunchBefore) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  check_error(queue.submit(CommandList{}.uses(buffer, Access::read)), Errc::invalid_argument);
  check_error(queue.submit(CommandList{}.fill(buffer, 1u).uses(buffer, Access::read)), Errc::invalid_argument);
  check_ok(queue.submit(CommandList{}.exec(test.kernel("nothing"), Grid{1}).uses(buffer, Access::read_write)));
}

/// What a kernel reaches the buffer by, where the backend tells.
std::uint64_t address_of(const Context& test, const Buffer& buffer) {
  if (const auto memory = buffer.native<cpu::CpuMemory>()) return reinterpret_cast<std::uintptr_t>(memory->address);
  if (const auto memory = buffer.native<opencl::OpenClMemory>(); memory && memory->address != 0) return memory->address;
  const auto memory = buffer.native<vulkan::VulkanMemory>();
  if (!memory || memory->address == 0) test.not_applicable("buffers have no address that a kernel could take");
  return memory->address;
}

// What a kernel reaches by address is ordered by what `uses` declares.
DEVICE_TEST(Command, UsesOrdersMemoryReachedByAddress) {
  test.require_bytes();
  Queue queue = test.queue();
  constexpr std::uint32_t count = 5000;
  const Buffer buffer = test.buffer(std::vector<std::uint32_t>(count, 1)), before = test.allocate(DType::u32, count);
  const Buffer after = test.allocate(DType::u32, count);
  const std::uint64_t address = address_of(test, buffer);
  need(queue.submit(CommandList{}
                        .copy(before, buffer)
                        .exec(test.kernel("store_at"), Grid::cover(count), address, 2u, count)
                        .uses(buffer, Access::write)
                        .copy(after, buffer)));
  CHECK_EQ(test.read<std::uint32_t>(queue, before), std::vector<std::uint32_t>(count, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, after), std::vector<std::uint32_t>(count, 2));
}

DEVICE_TEST(Command, UsesKeepsItsBuffer) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal gate = test.signal();
  {
    const Buffer doomed = test.buffer(std::vector<std::uint32_t>(64, 1));
    const std::uint64_t address = address_of(test, doomed);
    need(
        queue.submit(CommandList{}.exec(test.kernel("store_at"), Grid{1}, address, 2u, 64u).uses(doomed, Access::write),
                     {.after = {test.at(gate, 1)}}));
  }
  const Buffer other = test.buffer(std::vector<std::uint32_t>(64, 7));  // would take the freed memory
  need(test.raise(gate, 1));
  CHECK_EQ(test.read<std::uint32_t>(queue, other), std::vector<std::uint32_t>(64, 7));
}

DEVICE_TEST(Error, HugeInputsAreRefusedOrTaken) {
  Queue queue = test.queue(std::string(100000, 'q'));
  const Buffer buffer = test.allocate(DType::u32, 4, std::string(100000, 'b'));
  test.finish(need(queue.submit(CommandList{}.label(std::string(100000, 'l')).fill(buffer, 1u),
                                {.label = std::string(100000, 's')})));
  check_error(open(std::string(100000, 'x')), Errc::invalid_argument, {"100000", "1024"});
  check_error(open(std::string(100000, '(')), Errc::invalid_argument);
  const std::vector<KernelArgument> arguments(100000, KernelArgument(1u));
  check_error(queue.submit(CommandList{}.exec_with(test.kernel("nothing"), Grid{1}, arguments)), Errc::invalid_argument,
              {"(100000)", "(0)"});
  const Recording recording = need(test.device().record(CommandList{}.fill(Slot{0}, 1u)));
  const std::vector<SlotValue> bindings(100000, SlotValue(buffer));
  check_error(queue.replay(recording, bindings), Errc::invalid_argument, {"(100000)", "(1)"});
  std::vector<Point> points(5000, queue.last());
  check_ok(wait_all(points, patience));
  check_ok(wait_any(points, patience));
  test.finish(need(queue.submit(CommandList{}, {.after = std::move(points)})));
}

DEVICE_TEST(Command, LongListsRunWhole) {
  test.require_bytes();
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const Buffer buffer = test.buffer(std::vector<std::uint32_t>{1});
  CommandList list;
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    list.exec(affine, Grid{1}, buffer, 3u, i, 1u);
    expected = expected * 3 + i;
  }
  need(queue.submit(std::move(list)));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), (std::vector<std::uint32_t>{expected}));
}

}  // namespace
}  // namespace pintle::conformance
