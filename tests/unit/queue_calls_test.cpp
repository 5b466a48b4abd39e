#include "kit/queue_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kit/probe.h"
#include "kit/shared_table.h"

namespace pintle::kit {
namespace {

using backend::MemoryId;
using backend::ProgramId;
using backend::QueueId;

/// Notes what it is asked for; a wait fails on request.
struct Silent {
  Result<std::uint64_t> submit(std::span<const backend::QueuePoint>, const backend::Commands& commands) {
    submitted += commands.commands.size();
    return std::uint64_t{1};
  }
  [[nodiscard]] Result<std::uint64_t> reached() const { return std::uint64_t{submitted}; }
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline) const {
    return fails ? Result<void>(Error(Errc::timeout, "It goes on.")) : serial == 1 ? Result<void>() : no_serial();
  }
  static Result<void> no_serial() { return Error(Errc::internal, "Nobody has submitted that."); }

  std::size_t submitted = 0;
  bool fails = false;
};

/// The same with notifications.
struct Telling : Silent {
  Result<void> notify(std::uint64_t, backend::Notification notification) {
    notification.call(notification.state);
    return {};
  }
};

template <class Queue>
class Fake final : public QueueCalls<Fake<Queue>, Queue> {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return std::vector<Heap>(); }
  Result<MemoryId> allocate(const backend::MemoryRequest&) override { return MemoryId{1}; }
  void release(MemoryId) noexcept override {}
  Result<ProgramId> load(const backend::ProgramImage&) override { return ProgramId{1}; }
  void unload(ProgramId) noexcept override {}
  Result<QueueId> create_queue(const backend::QueueRequest&) override {
    const QueueId id = table.next_id();
    table.add(id, queue);
    return id;
  }
  SharedTable<QueueId, Queue>& queues() noexcept { return table; }

  SharedTable<QueueId, Queue> table;
  const std::shared_ptr<Queue> queue = std::make_shared<Queue>();

 private:
  const DeviceInfo info_{};
};

TEST(QueueCalls, GoToTheQueue) {
  Fake<Silent> device;
  const QueueId id = device.create_queue({}).value_or(QueueId::none);
  const backend::Command fill{backend::Fill{}, nullptr, false};
  EXPECT_EQ(device.submit(id, {}, {std::span(&fill, 1), {}}).value_or(0), 1u);
  EXPECT_EQ(device.reached(id).value_or(7), 1u);
  EXPECT_TRUE(device.wait(id, 1, Deadline::max()));
  device.destroy_queue(id);
  EXPECT_EQ(device.reached(id).error().code(), Errc::internal);
}

/// More than the table finds without its lock, and ids that share a place.
TEST(QueueCalls, ManyQueuesAreToldApart) {
  SharedTable<QueueId, int> table;
  std::vector<QueueId> ids;
  for (int number = 0; number < 200; ++number) {
    ids.push_back(table.next_id());
    table.add(ids.back(), std::make_shared<int>(number));
  }
  const auto number_of = [&](std::size_t index) {
    return table.with_lent(ids[index], [](int& number) { return Result<int>(number); });
  };
  for (std::size_t index = 0; index < ids.size(); ++index)
    EXPECT_EQ(number_of(index).value_or(-1), static_cast<int>(index));
  for (std::size_t index = 0; index < ids.size(); index += 2) table.remove(ids[index]);
  for (std::size_t index = 0; index < ids.size(); ++index) {
    if (index % 2 == 0) EXPECT_EQ(number_of(index).error().code(), Errc::internal);
    else EXPECT_EQ(number_of(index).value_or(-1), static_cast<int>(index));
  }
  ids.push_back(table.next_id());
  table.add(ids.back(), std::make_shared<int>(200));
  EXPECT_EQ(number_of(200).value_or(-1), 200);
  table.clear();
  EXPECT_FALSE(number_of(200));
  EXPECT_FALSE(number_of(1));
}

TEST(QueueCalls, AQueueMayHaveNotifications) {
  Fake<Silent> silent;
  Fake<Telling> telling;
  bool is_told = false;
  const backend::Notification told{[](void* state) { *static_cast<bool*>(state) = true; }, &is_told};
  EXPECT_EQ(silent.notify(silent.create_queue({}).value_or(QueueId::none), 1, told).error().code(), Errc::unsupported);
  EXPECT_TRUE(telling.notify(telling.create_queue({}).value_or(QueueId::none), 1, told));
  EXPECT_TRUE(is_told);
}

TEST(Probe, KeepsAQueueWhoseWorkDoesNotEnd) {
  Fake<Silent> device;
  EXPECT_TRUE(probe(device, {}));
  EXPECT_TRUE(device.table.all().empty());
  device.queue->fails = true;
  EXPECT_EQ(probe(device, {}).error().code(), Errc::timeout);
  EXPECT_EQ(device.table.all().size(), 1u);
}

}  // namespace
}  // namespace pintle::kit
