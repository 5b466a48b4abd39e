#include "core/list/slot_rules.h"

#include <gtest/gtest.h>

namespace pintle::core {
namespace {

using backend::Argument;
using backend::Binding;
using backend::Command;
using backend::HostSource;
using backend::HostTarget;
using backend::Range;
using backend::Scalar;

Range buffer(std::uint64_t id, std::uint64_t offset, std::uint64_t size) {
  return {backend::MemoryId{id}, id, offset, size, backend::no_slot};
}
Range slot(std::uint32_t index, std::uint64_t size = 0) { return {backend::MemoryId::none, 0, 0, size, index}; }
Command command(backend::Operation operation) { return {operation, nullptr, false}; }

const Limits limits{.max_binding = 64, .offset_alignment = 8};

std::vector<SlotRule> rules_of(const Command& one, std::vector<Argument> arguments = {}) {
  return slot_demands(std::span(&one, 1), arguments, limits).rules;
}

TEST(SlotRules, CommandsWithoutSlotsHaveNone) {
  EXPECT_TRUE(rules_of(command(backend::Copy{buffer(1, 0, 8), buffer(2, 0, 8)})).empty());
  EXPECT_TRUE(rules_of(command(backend::HostCall{})).empty());
}

TEST(SlotRules, CopiesWantTheExactSize) {
  const auto rules = rules_of(command(backend::Copy{slot(3, 16), buffer(2, 0, 16)}));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].slot, 3u);
  EXPECT_TRUE(check_rule(rules[0], Binding(buffer(1, 1, 16)), DType::u8));
  const auto refused = check_rule(rules[0], Binding(buffer(1, 0, 17)), DType::u8);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("(17)"), std::string::npos);
  EXPECT_NE(refused.error().message().find("(16)"), std::string::npos);
}

TEST(SlotRules, FillsWantWholeElementsOfTheirDtype) {
  const auto rules = rules_of(command(backend::Fill{slot(0), {}, 4, DType::u32}));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_TRUE(check_rule(rules[0], Binding(buffer(1, 4, 8)), DType::u32));
  EXPECT_FALSE(check_rule(rules[0], Binding(buffer(1, 4, 7)), DType::u32));
  EXPECT_FALSE(check_rule(rules[0], Binding(buffer(1, 2, 8)), DType::u32));
  EXPECT_FALSE(check_rule(rules[0], Binding(buffer(1, 4, 8)), DType::f32));
  EXPECT_FALSE(check_rule(rules[0], Binding(buffer(1, 0, 0)), DType::u32));
}

TEST(SlotRules, KernelArgumentsWantTheirDtypeWithinTheLimits) {
  Argument view;
  view.dtype = DType::f32;
  view.range = slot(1);
  Argument scalar;
  scalar.kind = Argument::Kind::scalar;
  scalar.dtype = DType::u16;
  scalar.slot = 0;
  const auto rules = rules_of(command(backend::Exec{backend::ProgramId{1}, 0, 0, 2, {}}), {scalar, view});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_TRUE(check_rule(rules[0], Binding(Scalar()), DType::u16));
  EXPECT_FALSE(check_rule(rules[0], Binding(Scalar()), DType::u32));
  EXPECT_FALSE(check_rule(rules[0], Binding(buffer(1, 0, 8)), DType::u16));
  EXPECT_TRUE(check_rule(rules[1], Binding(buffer(1, 8, 64)), DType::f32));
  EXPECT_FALSE(check_rule(rules[1], Binding(buffer(1, 4, 64)), DType::f32));
  EXPECT_FALSE(check_rule(rules[1], Binding(buffer(1, 8, 65)), DType::f32));
  EXPECT_FALSE(check_rule(rules[1], Binding(HostSource{}), std::nullopt));
}

TEST(SlotRules, HostMemoryHasADirection) {
  const auto up = rules_of(command(backend::Upload{buffer(1, 0, 8), {nullptr, 8, 0}}));
  const auto down = rules_of(command(backend::Download{{nullptr, 8, 0}, buffer(1, 0, 8)}));
  ASSERT_EQ(up.size() + down.size(), 2u);
  EXPECT_TRUE(check_rule(up[0], Binding(HostSource{nullptr, 8}), std::nullopt));
  EXPECT_FALSE(check_rule(up[0], Binding(HostTarget{nullptr, 8}), std::nullopt));
  EXPECT_TRUE(check_rule(down[0], Binding(HostTarget{nullptr, 8}), std::nullopt));
  EXPECT_FALSE(check_rule(down[0], Binding(HostSource{nullptr, 8}), std::nullopt));
}

TEST(SlotRules, BuffersAreListedOnce) {
  const std::vector<Command> commands{command(backend::Copy{buffer(5, 0, 8), buffer(2, 0, 8)}),
                                      command(backend::Copy{slot(0, 8), buffer(5, 0, 8)})};
  const auto uses = buffer_uses(commands, {});
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].buffer, 2u);
  EXPECT_FALSE(writes(uses[0].access));
  EXPECT_EQ(uses[1].buffer, 5u);
  EXPECT_TRUE(writes(uses[1].access));
  EXPECT_EQ(slot_demands(commands, {}, limits).copies.size(), 1u);
}

TEST(SlotRules, ASlotIsWrittenWhereAnyCommandWritesIt) {
  Argument view;
  view.access = Access::read;
  view.range = slot(4);
  const std::vector<Command> commands{command(backend::Copy{buffer(1, 0, 8), slot(0, 8)}),
                                      command(backend::Copy{slot(2, 8), slot(0, 8)}),
                                      command(backend::Copy{slot(0, 8), buffer(1, 0, 8)}),
                                      command(backend::Download{{nullptr, 8, 3}, buffer(1, 0, 8)})};
  const auto demands = slot_demands(commands, {&view, 1}, limits);
  ASSERT_EQ(demands.accesses.size(), 5u);
  EXPECT_TRUE(writes(demands.accesses[0]));
  EXPECT_FALSE(writes(demands.accesses[1]));
  EXPECT_TRUE(writes(demands.accesses[2]));
  EXPECT_FALSE(writes(demands.accesses[3]));
  EXPECT_FALSE(writes(demands.accesses[4]));
  EXPECT_EQ(demands.copies.size(), 3u);
}

TEST(SlotRules, LaunchesAreFound) {
  EXPECT_FALSE(has_launches(std::vector<Command>{command(backend::Copy{})}));
  EXPECT_TRUE(has_launches(std::vector<Command>{command(backend::Copy{}), command(backend::Exec{})}));
  EXPECT_TRUE(has_launches(std::vector<Command>{command(backend::ExecIndirect{})}));
}

TEST(SlotRules, OverlapNeedsTheSameBuffer) {
  EXPECT_TRUE(overlap(buffer(1, 0, 8), buffer(1, 7, 8)));
  EXPECT_FALSE(overlap(buffer(1, 0, 8), buffer(1, 8, 8)));
  EXPECT_FALSE(overlap(buffer(1, 0, 8), buffer(2, 0, 8)));
}

TEST(SlotRules, FillingPutsEveryBindingInItsPlace) {
  Argument view;
  view.range = slot(1);
  Argument scalar;
  scalar.kind = Argument::Kind::scalar;
  scalar.slot = 2;
  std::vector<Argument> arguments{view, scalar};
  std::vector<Command> commands{command(backend::Exec{backend::ProgramId{1}, 0, 0, 2, {}}),
                                command(backend::Copy{buffer(9, 0, 4), slot(1, 4)}),
                                command(backend::Upload{buffer(9, 0, 4), {nullptr, 4, 0}})};
  const std::byte bytes[4]{};
  Scalar seven;
  seven.bytes[0] = std::byte{7};
  const std::vector<Binding> bindings{HostSource{bytes, 4}, buffer(3, 16, 4), seven};
  fill_slots(commands, arguments, bindings);
  EXPECT_EQ(arguments[0].range.buffer, 3u);
  EXPECT_EQ(arguments[1].scalar.bytes[0], std::byte{7});
  EXPECT_EQ(arguments[1].slot, backend::no_slot);
  EXPECT_EQ(std::get<backend::Copy>(commands[1].operation).from.offset, 16u);
  EXPECT_EQ(std::get<backend::Upload>(commands[2].operation).from.data, bytes);
  EXPECT_TRUE(slot_demands(commands, arguments, limits).rules.empty());
}

}  // namespace
}  // namespace pintle::core
