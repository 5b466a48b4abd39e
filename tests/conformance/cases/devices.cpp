// Identity, truthfulness and lifetime of devices.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <ranges>
#include <set>

#include "conformance/ways.h"
#include "pintle/native/cpu.h"
#include "pintle/native/opencl.h"
#include "pintle/native/vulkan.h"

namespace pintle::conformance {
namespace {

constexpr std::uint8_t feature_count = static_cast<std::uint8_t>(Feature::optional_buffers);

std::size_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::ranges::distance(tasks));
}

/// Native access that no backend offers.
struct NobodysThing {
  static constexpr std::string_view native_type = "nobody.thing";
};

std::uint64_t used_bytes(const Device& device) {
  std::uint64_t used = 0;
  for (const Heap& heap : need(device.budget())) used += heap.used;
  return used;
}

DEVICE_TEST(Device, OpensAgainByItsOwnId) {
  const Device again = need(open(test.id()));
  CHECK_EQ(again.id(), test.id());
  CHECK_EQ(again.generation(), test.device().generation());
  CHECK_EQ(again.info().id, test.info().id);
}

DEVICE_TEST(Device, OpenedTwiceIsOneDevice) {
  const Device again = need(open(test.id()));
  const Buffer buffer = need(again.allocate(DType::u32, {4}));
  Queue queue = test.queue();
  test.finish(need(queue.submit(CommandList{}.fill(buffer, 7u))));
}

// S4: what a device cannot do is a row with its reason, never a silent default; each feature's IsHonest case checks the
// row.
DEVICE_TEST(Device, HasOneRowForEachFeature) {
  std::set<Feature> seen;
  for (const Capability& row : test.info().capabilities) {
    CHECK(seen.insert(row.feature).second);
    if (row.support != Support::native) CHECK(!row.detail.empty());
  }
  CHECK_EQ(seen.size(), feature_count);
}

template <class T, class Object>
void check_no_native(const Object& object) {
  const auto answer = object.template native<T>();
  if (!CHECK(!answer)) return;
  CHECK(answer.error().code() == Errc::unsupported || answer.error().code() == Errc::invalid_argument);
}

// A memory type of a queue, and the like, once read what was not there.
DEVICE_TEST(Device, NativeTypesGoWithTheirKindOfObject) {
  const Queue queue = test.queue();
  const Buffer buffer = need(test.device().allocate(DType::u32, {16}));
  const auto belong_to_devices = [&]<class... Types>() {
    (check_no_native<Types>(queue), ...);
    (check_no_native<Types>(buffer), ...);
  };
  const auto belong_to_queues = [&]<class... Types>() {
    (check_no_native<Types>(test.device()), ...);
    (check_no_native<Types>(buffer), ...);
  };
  const auto belong_to_buffers = [&]<class... Types>() {
    (check_no_native<Types>(test.device()), ...);
    (check_no_native<Types>(queue), ...);
  };
  belong_to_devices.operator()<cpu::CpuDevice, vulkan::VulkanDevice, opencl::OpenClDevice>();
  belong_to_queues.operator()<vulkan::VulkanQueue, opencl::OpenClQueue>();
  belong_to_buffers.operator()<cpu::CpuMemory, vulkan::VulkanMemory, opencl::OpenClMemory>();
}

// D6: limits are those of a real device, and consistent with each other.
DEVICE_TEST(Device, HasUsableLimits) {
  const Limits limits = test.info().limits;
  CHECK(limits.max_allocation > 0 && limits.max_binding > 0 && limits.max_binding <= limits.max_allocation);
  CHECK(limits.offset_alignment > 0 && (limits.offset_alignment & (limits.offset_alignment - 1)) == 0);
  CHECK(limits.max_grid.x > 0 && limits.max_grid.y > 0 && limits.max_grid.z > 0);
  CHECK(limits.max_group.x > 0 && limits.max_group.x <= limits.max_group_items);
  CHECK(limits.max_buffers > 0 && limits.max_scalar_bytes > 0 && limits.max_in_flight > 0);
}

DEVICE_TEST(Device, ListsItselfWithoutBeingOpened) {
  need(devices());  // the first time, drivers that are loaded for it may start threads of their own
  const std::size_t threads = thread_count();
  const DeviceList list = need(devices());
  CHECK(thread_count() <= threads);  // one of an earlier case may end meanwhile
  CHECK(!list.devices.empty());
  const std::vector<std::string> names = ids_by_name(list.devices);
  CHECK(names.size() == list.devices.size() && std::set(names.begin(), names.end()).size() == names.size());
  for (const Absence& absence : list.absences) CHECK(!absence.reason.empty() && !absence.next_step.empty());
}

DEVICE_TEST(Device, BudgetCountsWhatIsHeld) {
  constexpr std::uint64_t size = 1 << 20;
  const std::uint64_t before = used_bytes(test.device());
  {
    const Buffer buffer = need(test.device().allocate(DType::u8, {size}));
    CHECK(used_bytes(test.device()) >= before + size);
  }
  CHECK(test.eventually([&] { return used_bytes(test.device()) <= before; }));
}

DEVICE_TEST(Device, IsHealthyAndRecoverDoesNothingThen) {
  const std::uint64_t generation = test.device().generation();
  const Buffer kept = test.allocate(DType::u32, 4);
  check_ok(test.device().health());
  check_ok(test.device().recover());
  CHECK_EQ(test.device().generation(), generation);
  Queue queue = test.queue();
  check_ok(queue.submit(CommandList{}.fill(kept, 1u)));
}

DEVICE_TEST(Device, RefusesNativeAccessOfAnotherBackend) {
  check_error(test.device().native<NobodysThing>(), Errc::unsupported, {"nobody.thing", test.id()});
  const Buffer buffer = test.allocate(DType::u8, 4);
  check_error(buffer.native<NobodysThing>(), Errc::unsupported, {"nobody.thing"});
}

DEVICE_TEST(Device, WaitIdleCoversEveryQueue) {
  Queue first = test.queue(), second = test.queue();
  const Buffer a = test.allocate(DType::u32, 16), b = test.allocate(DType::u32, 16);
  const Point one = need(first.submit(CommandList{}.fill(a, 1u)));
  const Point two = need(second.submit(CommandList{}.fill(b, 2u)));
  check_ok(test.device().wait_idle(patience));
  CHECK(need(one.is_reached()));
  CHECK(need(two.is_reached()));
}

DEVICE_TEST(Device, WaitIdleOutlastsAFailure) {
  std::optional<Queue> failing = test.queue();
  Queue working = test.queue();
  Signal broken = test.signal("broken"), gate = test.signal("gate");
  need(failing->submit(CommandList{}, {.after = {test.at(broken, 1)}}));
  const Point last = need(working.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  need(broken.fail(Error(Errc::cancelled, "seeded")));
  check_error(test.device().wait_idle(moment), Errc::timeout);
  need(test.raise(gate, 1));
  check_error(test.device().wait_idle(patience), Errc::cancelled, {"seeded"});
  CHECK(need(last.is_reached()));
  failing.reset();  // nobody is left to hear of it
  check_ok(test.device().wait_idle(patience));
}

DEVICE_TEST(Device, WaitIdleCoversWhatCameBeforeAFailure) {
  Queue queue = test.queue();
  Signal broken = test.signal("broken"), gate = test.signal("gate");
  const Point first = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  need(queue.submit(CommandList{}, {.after = {test.at(broken, 1)}}));
  need(broken.fail(Error(Errc::cancelled, "seeded")));
  check_error(test.device().wait_idle(moment), Errc::timeout);
  need(test.raise(gate, 1));
  check_error(test.device().wait_idle(patience), Errc::cancelled, {"seeded"});
  CHECK(need(first.is_reached()));
}

DEVICE_TEST(Device, WaitIdleTimesOutOnHeldWork) {
  Queue queue = test.queue("held");
  Signal gate = test.signal("gate");
  const Point last = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  check_error(test.device().wait_idle(moment), Errc::timeout, {"held"});
  need(test.raise(gate, 1));
  test.finish(last);
}

DEVICE_TEST(Error, UnknownDeviceListsTheValidOnes) {
  check_error(open("no_such_device"), Errc::unavailable, {"no_such_device", "cpu", "null"});
  check_error(open("cpu:99"), Errc::unavailable, {"99"});
}

DEVICE_TEST(Error, MalformedDeviceIdIsRefused) {
  for (const std::string_view id : {"", "cpu?", "cpu??inline", "faulty(", "faulty()", "faulty(cpu", "cpu)",
                                    "cpu:", ":0", "cpu:-1", "cpu:18446744073709551616", "cpu\n", "c pu"}) {
    check_error(open(id), Errc::invalid_argument);
  }
  check_error(open("cpu?no_such_option"), Errc::invalid_argument, {"no_such_option", "inline"});
  check_error(open("no_such_layer(cpu)"), Errc::unavailable, {"no_such_layer"});
}

DEVICE_TEST(Error, EmptyDeviceRefusesEverything) {
  Device device = need(open(test.id()));
  const Device moved = std::move(device);
  for (const Device& empty : {Device(), device}) {  // NOLINT(bugprone-use-after-move)
    CHECK(empty.id().empty());
    check_error(empty.create_queue(), Errc::invalid_argument);
    check_error(empty.create_queue(QueueOptions{}), Errc::invalid_argument);
    check_error(empty.allocate(DType::u8, {1}), Errc::invalid_argument);
    check_error(empty.load(need(source_pack())), Errc::invalid_argument);
    check_error(empty.load(need(source_pack()), "conform_nothing"), Errc::invalid_argument);
    check_error(empty.record(CommandList{}), Errc::invalid_argument);
    check_error(empty.budget(), Errc::invalid_argument);
    check_error(empty.poll(), Errc::invalid_argument);
    check_error(empty.wait_idle(moment), Errc::invalid_argument);
    check_error(empty.health(), Errc::invalid_argument);
    check_error(empty.recover(), Errc::invalid_argument);
    check_error(empty.native<NobodysThing>(), Errc::invalid_argument);
    CHECK_EQ(empty.generation(), 0u);
    CHECK(empty.info().id.empty());
  }
}

}  // namespace
}  // namespace pintle::conformance
