// Which commands of a recording a backend records, and which are submitted again.
#include "core/queue/replay_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/list/slot_rules.h"
#include "unit/seam_support.h"

namespace pintle::core {
namespace {

using backend::Commands;
using backend::RecordingId;
using test::List;

/// Records lists of fills without slots; notes how long they are.
class Recorder final : public kit::Forwarding {
 public:
  Recorder() : Forwarding("recorder", test::open_null()) {}

  Result<RecordingId> record(const Commands& list) override {
    const bool is_simple = std::ranges::all_of(list.commands, [](const backend::Command& command) {
      const auto* const fill = std::get_if<backend::Fill>(&command.operation);
      return fill != nullptr && fill->to.slot == backend::no_slot;
    });
    if (!is_simple) return Error(Errc::unsupported, "It is not simple.");
    if (lengths.size() == most) return Error(Errc::out_of_memory, "It is full.");
    lengths.push_back(list.commands.size());
    ++held;
    return RecordingId{lengths.size()};
  }
  void forget(RecordingId) noexcept override { --held; }

  std::vector<std::size_t> lengths;
  std::size_t most = 100;
  int held = 0;
};

backend::Fill fill_of(std::uint32_t slot = backend::no_slot) {
  backend::Fill fill;
  fill.to.slot = slot;
  fill.to.size = 4;
  return fill;
}

void add_fills(List& list, int count) {
  for (int i = 0; i < count; ++i) list.add(fill_of());
}

std::string names_of(const ReplayPlan& plan) {
  std::string names;
  for (const backend::Command& command : plan.commands().commands)
    names += std::string(backend::name(command.operation)) + " ";
  return names;
}

TEST(ReplayPlan, IsOneCommandWhereTheBackendRecords) {
  Recorder device;
  List list;
  add_fills(list, 3);
  ReplayPlan plan = must(ReplayPlan::create(device, list));
  EXPECT_TRUE(plan.is_whole());
  EXPECT_EQ(names_of(plan), "replay ");
  plan.forget(device);
  EXPECT_EQ(device.held, 0);
}

TEST(ReplayPlan, RecordsTheRunsBetweenWhatCanChange) {
  Recorder device;
  List list;
  add_fills(list, 4);
  list.add(fill_of(0));
  add_fills(list, 3);  // too few to be worth it
  list.add(fill_of(1));
  add_fills(list, 9);
  ReplayPlan plan = must(ReplayPlan::create(device, list));
  EXPECT_FALSE(plan.is_whole());
  EXPECT_EQ(device.lengths, (std::vector<std::size_t>{4, 9}));
  EXPECT_EQ(names_of(plan), "replay fill fill fill fill fill replay ");
  plan.forget(device);
  EXPECT_EQ(device.held, 0);
}

TEST(ReplayPlan, KeepsTheArgumentsOfWhatIsLeft) {
  Recorder device;
  List list;
  for (std::uint32_t i = 0; i < 3; ++i) {
    add_fills(list, 4);
    const auto at = static_cast<std::uint32_t>(list.arguments.size());
    backend::Argument argument;
    argument.kind = backend::Argument::Kind::scalar;
    argument.slot = i;
    list.arguments.insert(list.arguments.end(), i + 1, argument);
    backend::Exec exec;
    exec.first_argument = at;
    exec.argument_count = i + 1;
    list.add(exec);
  }
  const ReplayPlan plan = must(ReplayPlan::create(device, list));
  const Commands commands = plan.commands();
  ASSERT_EQ(commands.commands.size(), 6u);
  ASSERT_EQ(commands.arguments.size(), 6u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto& exec = std::get<backend::Exec>(commands.commands[2 * i + 1].operation);
    const auto arguments = commands.of(exec);
    ASSERT_EQ(arguments.size(), i + 1);
    for (const auto& argument : arguments) EXPECT_EQ(argument.slot, i);
  }
}

TEST(ReplayPlan, IsTheListWhereNothingIsRecorded) {
  Recorder device;
  List list;
  for (int i = 0; i < 10; ++i) list.add(fill_of(0));
  list.barrier();
  const ReplayPlan plan = must(ReplayPlan::create(device, list));
  EXPECT_EQ(plan.commands().commands.size(), 10u);
  EXPECT_TRUE(plan.commands().commands.back().barrier_before);
  EXPECT_TRUE(device.lengths.empty());
}

TEST(ReplayPlan, ForgetsWhatItHasWhenTheBackendFails) {
  Recorder device;
  device.most = 1;
  List list;
  add_fills(list, 5);
  list.add(fill_of(0));
  add_fills(list, 5);
  const auto plan = ReplayPlan::create(device, list);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code(), Errc::out_of_memory);
  EXPECT_EQ(device.held, 0);
}

}  // namespace
}  // namespace pintle::core
