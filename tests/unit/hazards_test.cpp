#include "core/list/hazards.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace pintle::core {
namespace {

using backend::Argument;
using backend::Command;
using backend::MemoryId;
using backend::Range;

Range bytes(std::uint64_t memory, std::uint64_t offset, std::uint64_t size) {
  return {MemoryId{memory}, memory + 100, offset, size, backend::no_slot};
}

Range in_slot(std::uint32_t slot) { return {MemoryId::none, 0, 0, 0, slot}; }

/// A list under construction.
struct List {
  std::vector<Command> commands;
  std::vector<Argument> arguments;

  void add(const backend::Operation& operation) { commands.push_back({operation, nullptr, false}); }
  void copy(const Range& to, const Range& from) { add(backend::Copy{to, from}); }
  void fill(const Range& to) { add(backend::Fill{to, {}, 1}); }
  void exec() { add(backend::Exec{backend::ProgramId{1}, 0, static_cast<std::uint32_t>(arguments.size()), 0, {}}); }
  void argument(Argument::Kind kind, const Range& range, Access access) {
    Argument& added = arguments.emplace_back();
    added.kind = kind;
    added.range = range;
    added.access = access;
    ++std::get<backend::Exec>(commands.back().operation).argument_count;
  }
  void buffer(const Range& range, Access access) { argument(Argument::Kind::buffer, range, access); }

  /// One character a command: "|" where a barrier stands before it.
  std::string barriers(std::span<const Alias> aliases = {}) {
    place_barriers(commands, arguments, aliases);
    std::string text;
    for (const Command& command : commands) text += command.barrier_before ? '|' : '.';
    return text;
  }
};

TEST(Hazards, ReadAfterWriteWaits) {
  List list;
  list.fill(bytes(1, 0, 16));
  list.copy(bytes(2, 0, 8), bytes(1, 8, 8));
  EXPECT_EQ(list.barriers(), ".|");
}

TEST(Hazards, WriteAfterReadWaits) {
  List list;
  list.copy(bytes(2, 0, 8), bytes(1, 8, 8));
  list.fill(bytes(1, 15, 1));
  EXPECT_EQ(list.barriers(), ".|");
}

TEST(Hazards, WriteAfterWriteWaits) {
  List list;
  list.fill(bytes(1, 0, 16));
  list.fill(bytes(1, 0, 16));
  EXPECT_EQ(list.barriers(), ".|");
}

TEST(Hazards, ReadAfterReadAndNeighboursOverlap) {
  List list;
  list.copy(bytes(2, 0, 8), bytes(1, 0, 8));
  list.copy(bytes(3, 0, 8), bytes(1, 0, 8));  // reads what is read
  list.fill(bytes(1, 8, 8));                  // begins where the read ends
  list.fill(bytes(4, 0, 8));                  // the same offsets of another memory
  EXPECT_EQ(list.barriers(), "....");
}

TEST(Hazards, BarrierForgetsWhatIsBefore) {
  List list;
  list.fill(bytes(1, 0, 8));
  list.fill(bytes(2, 0, 8));
  list.copy(bytes(3, 0, 8), bytes(1, 0, 8));  // the barrier orders it after both fills
  list.copy(bytes(4, 0, 8), bytes(2, 0, 8));
  EXPECT_EQ(list.barriers(), "..|.");
}

TEST(Hazards, ExplicitBarrierStaysAndCounts) {
  List list;
  list.fill(bytes(1, 0, 8));
  list.fill(bytes(2, 0, 8));
  list.commands.back().barrier_before = true;
  list.copy(bytes(3, 0, 8), bytes(1, 0, 8));
  EXPECT_EQ(list.barriers(), ".|.");
}

TEST(Hazards, OwnRangesOfOneCommandDoNotCount) {
  List list;
  list.exec();
  list.buffer(bytes(1, 0, 8), Access::read);
  list.buffer(bytes(1, 0, 8), Access::write);
  EXPECT_EQ(list.barriers(), ".");
}

TEST(Hazards, ScalarsAndNullsTouchNothingAndUsesTouch) {
  List list;
  list.fill(bytes(1, 0, 8));
  list.exec();
  list.argument(Argument::Kind::scalar, bytes(1, 0, 8), Access::read_write);
  list.argument(Argument::Kind::null, bytes(1, 0, 8), Access::read_write);
  list.exec();
  list.argument(Argument::Kind::use, bytes(1, 0, 8), Access::read);
  EXPECT_EQ(list.barriers(), "..|");
}

TEST(Hazards, IndirectGridIsRead) {
  List list;
  list.fill(bytes(1, 0, 12));
  list.add(backend::ExecIndirect{{}, bytes(1, 0, 12)});
  EXPECT_EQ(list.barriers(), ".|");
}

TEST(Hazards, SlotMayBeAnyMemory) {
  List read_slot;
  read_slot.copy(bytes(2, 0, 8), in_slot(0));
  read_slot.copy(bytes(3, 0, 8), in_slot(0));
  EXPECT_EQ(read_slot.barriers(), ".|") << "the first copy writes what slot 0 may hold";

  List slots;
  slots.exec();
  slots.buffer(in_slot(0), Access::read);
  slots.exec();
  slots.buffer(in_slot(1), Access::read);
  slots.buffer(bytes(1, 0, 8), Access::read);
  slots.fill(bytes(1, 100, 8));
  EXPECT_EQ(slots.barriers(), "..|");

  List written;
  written.fill(in_slot(0));
  written.exec();
  written.buffer(bytes(9, 0, 1), Access::read);
  EXPECT_EQ(written.barriers(), ".|");
}

TEST(Hazards, HostCallOrdersAgainstEverything) {
  List list;
  list.add(backend::HostCall{});
  list.fill(bytes(1, 0, 8));
  list.fill(bytes(2, 0, 8));
  list.add(backend::HostCall{});
  list.add(backend::HostCall{});
  EXPECT_EQ(list.barriers(), ".|.||");
}

TEST(Hazards, HostMemoryIsItsOwnSpace) {
  std::array<std::byte, 16> host{};
  List list;
  list.add(backend::Download{{host.data(), 8, backend::no_slot}, bytes(1, 0, 8)});
  list.add(backend::Upload{bytes(2, 0, 8), {host.data() + 8, 8, backend::no_slot}});
  list.add(backend::Upload{bytes(3, 0, 8), {host.data() + 4, 8, backend::no_slot}});
  EXPECT_EQ(list.barriers(), "..|");

  List slots;
  slots.add(backend::Download{{nullptr, 8, 0}, bytes(1, 0, 8)});
  slots.add(backend::Upload{bytes(2, 0, 8), {nullptr, 8, 1}});
  slots.fill(bytes(4, 0, 8));
  EXPECT_EQ(slots.barriers(), ".|.");
}

/// What one command touches, told apart in the plainest way.
struct Touch {
  std::uint64_t memory, begin, end;
  bool is_write, is_slot, is_host, is_call;
};

bool conflict(const Touch& a, const Touch& b) {
  if (a.is_call || b.is_call) return true;
  if (a.is_host != b.is_host || !(a.is_write || b.is_write)) return false;
  if (a.is_slot || b.is_slot) return true;
  return a.memory == b.memory && a.begin < b.end && b.begin < a.end;
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(engine_);
  }

 private:
  std::mt19937 engine_;
};

/// A random list together with its touches, command by command.
struct Case {
  List list;
  std::vector<std::vector<Touch>> touches;
  std::vector<std::byte> host = std::vector<std::byte>(4096);

  Case(Random& random, std::size_t count, std::uint64_t memories, std::uint64_t extent, std::uint64_t slot_odds) {
    for (std::size_t i = 0; i < count; ++i) add(random, memories, extent, slot_odds);
  }

  Range range(Random& random, std::uint64_t memories, std::uint64_t extent, std::uint64_t slot_odds, bool is_write) {
    if (random.below(slot_odds) == 0) {
      touches.back().push_back({0, 0, 0, is_write, true, false, false});
      return in_slot(static_cast<std::uint32_t>(random.below(3)));
    }
    const Range range = bytes(1 + random.below(memories), random.below(extent), 1 + random.below(16));
    touches.back().push_back({static_cast<std::uint64_t>(range.memory), range.offset, range.offset + range.size,
                              is_write, false, false, false});
    return range;
  }

  void add(Random& random, std::uint64_t memories, std::uint64_t extent, std::uint64_t slot_odds) {
    touches.emplace_back();
    const auto any = [&](bool is_write) { return range(random, memories, extent, slot_odds, is_write); };
    switch (random.below(12)) {
      case 0: {
        const Range to = any(true);
        list.copy(to, any(false));
        break;
      }
      case 1: list.fill(any(true)); break;
      case 2: add_host(random, any(true), false); break;
      case 3: add_host(random, any(false), true); break;
      case 4:
        if (random.below(8) == 0) {
          list.add(backend::HostCall{});
          touches.back().push_back({0, 0, 0, false, false, false, true});
        } else {
          list.add(backend::Timestamp{any(true)});
        }
        break;
      default: {
        list.exec();
        const std::uint64_t arguments = random.below(4);
        for (std::uint64_t i = 0; i < arguments; ++i) {
          const bool is_write = random.below(3) == 0;
          list.buffer(any(is_write), is_write ? Access::read_write : Access::read);
        }
      }
    }
    if (random.below(40) == 0) list.commands.back().barrier_before = true;
  }

  void add_host(Random& random, const Range& device, bool is_write) {
    std::byte* const data = host.data() + random.below(4000);
    const std::uint64_t size = 1 + random.below(32);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    touches.back().push_back({0, begin, begin + size, is_write, false, true, false});
    if (is_write) list.add(backend::Download{{data, size, backend::no_slot}, device});
    else list.add(backend::Upload{device, {data, size, backend::no_slot}});
  }

  [[nodiscard]] bool conflict(std::size_t i, std::size_t j) const {
    const auto is_call = [](const auto& all) { return !all.empty() && all.front().is_call; };
    if (is_call(touches[i]) || is_call(touches[j])) return true;
    for (const Touch& a : touches[i]) {
      for (const Touch& b : touches[j]) {
        if (core::conflict(a, b)) return true;
      }
    }
    return false;
  }
};

void check(Case& random_case) {
  std::vector<bool> asked;
  for (const Command& command : random_case.list.commands) asked.push_back(command.barrier_before);
  place_barriers(random_case.list.commands, random_case.list.arguments);
  std::size_t since = 0;
  for (std::size_t j = 0; j < asked.size(); ++j) {
    const bool is_placed = random_case.list.commands[j].barrier_before;
    bool is_needed = false;
    for (std::size_t i = since; i < j; ++i) is_needed = is_needed || random_case.conflict(i, j);
    // Sufficient: no hazard without one. Necessary: none without a hazard, unless it was asked for.
    ASSERT_EQ(is_placed, is_needed || asked[j]) << "command " << j << ", last barrier before command " << since;
    if (is_placed) since = j;
  }
}

TEST(Hazards, AgreesWithTheQuadraticOracle) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::uint64_t memories = 1 + random.below(6);
    const std::uint64_t extent = 1 + (std::uint64_t{1} << random.below(16));
    const std::uint64_t slot_odds = seed % 3 == 0 ? 30 : 1'000'000'000;
    Case random_case(random, 1 + random.below(200), memories, extent, slot_odds);
    check(random_case);
    if (HasFatalFailure()) return;
  }
}

TEST(Hazards, AgreesWithTheOracleWhereNothingIsEverOrdered) {
  // Reads of everything and writes that never meet fill the sets far beyond what stands in place.
  Random random(7);
  Case random_case(random, 0, 1, 1, 1);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::uint64_t place = random.below(1'000'000) * 8;
    random_case.touches.push_back(
        {{1, place, place + 4, false, false, false, false}, {2, i * 8, i * 8 + 8, true, false, false, false}});
    random_case.list.copy(bytes(2, i * 8, 8), bytes(1, place, 4));
  }
  random_case.touches.push_back({{2, 4000, 4001, false, false, false, false}, {3, 0, 1, true, false, false, false}});
  random_case.list.copy(bytes(3, 0, 1), bytes(2, 4000, 1));
  check(random_case);
  EXPECT_TRUE(random_case.list.commands.back().barrier_before);
}

TEST(Hazards, ReadsInsideAndAcrossOtherReadsAreOneRange) {
  List list;
  list.exec();
  for (std::uint64_t i = 0; i < 64; ++i) list.buffer(bytes(1, i, 1), Access::read);  // more than stands in place
  const auto read = [&](std::uint64_t offset, std::uint64_t size) {
    list.exec();
    list.buffer(bytes(2, offset, size), Access::read);
  };
  read(100, 100);
  read(110, 10);   // inside
  read(150, 100);  // beyond the end
  read(50, 60);    // before the beginning
  const List reads = list;
  list.fill(bytes(2, 250, 1));
  list.fill(bytes(2, 49, 1));
  EXPECT_EQ(list.barriers(), ".......");
  for (const std::uint64_t offset : {50u, 99u, 130u, 199u, 249u}) {
    List hit = reads;
    hit.fill(bytes(2, offset, 1));
    EXPECT_EQ(hit.barriers(), ".....|") << offset;
  }
}

/// Barriers are placed one by one, and what was before the last one still lies in front of what counts.
TEST(Hazards, WhatCountsIsFoundWhereverItLies) {
  for (std::uint64_t before = 1; before < 70; ++before) {
    List list;
    for (std::uint64_t i = 0; i < before; ++i) list.fill(bytes(1, 0, 8));  // a barrier before each but the first
    std::string expected = "." + std::string(before - 1, '|');
    list.exec();
    for (std::uint64_t i = 0; i < 3; ++i) list.buffer(bytes(2 + i, 0, 8), Access::write);
    list.fill(bytes(9, 0, 8));
    const List start = list;
    expected += "..";
    for (std::uint64_t memory = 1; memory < 5; ++memory) {
      List hit = start;
      hit.copy(bytes(10, 0, 8), bytes(memory, 7, 1));
      hit.fill(bytes(memory == 2 ? 3 : 2, 0, 8));  // the barrier in front of the copy has ordered it
      EXPECT_EQ(hit.barriers(), expected + "|.") << before << ", memory " << memory;
    }
    list.copy(bytes(10, 0, 8), bytes(5, 0, 8));
    EXPECT_EQ(list.barriers(), expected + ".") << before;
  }
}

/// One command has more ranges than stand in place, and its own barrier clears the place while they are noted.
TEST(Hazards, ACommandLargerThanThePlaceKeepsAllOfIt) {
  for (std::uint64_t before = 1; before < 36; ++before) {
    List start;
    start.exec();
    for (std::uint64_t i = 0; i < before; ++i) start.buffer(bytes(1, i * 16, 8), Access::write);
    start.fill(bytes(1, 0, 8));
    start.exec();
    start.buffer(bytes(1, 0, 8), Access::read);
    for (std::uint64_t i = 0; i < 40; ++i) start.buffer(bytes(2, i * 16, 8), Access::write);
    for (std::uint64_t i = 0; i < 40; ++i) {
      List hit = start;
      hit.copy(bytes(3, 0, 8), bytes(2, i * 16 + 7, 1));
      EXPECT_EQ(hit.barriers(), ".|||") << before << ", range " << i;
    }
    start.copy(bytes(3, 0, 8), bytes(2, 8, 8));
    start.copy(bytes(4, 0, 8), bytes(1, 16, 8));  // two barriers ago
    EXPECT_EQ(start.barriers(), ".||..") << before;
  }
}

TEST(Hazards, TwoNamesOfTheSameBytesAreOneMemory) {
  std::array<std::byte, 16> host{};
  const std::array aliases{Alias{MemoryId{5}, host}, Alias{MemoryId{6}, {}}};
  List list;
  list.fill(bytes(5, 8, 8));
  list.fill(bytes(1, 8, 8));  // a memory without a second name
  list.add(backend::Upload{bytes(2, 0, 8), {host.data(), 8, backend::no_slot}});
  list.add(backend::Upload{bytes(3, 0, 8), {host.data() + 8, 8, backend::no_slot}});
  list.fill(bytes(6, 0, 8));  // may be any memory with a second name
  EXPECT_EQ(list.barriers(aliases), "...||");
}

TEST(Hazards, HundredThousandCommandsWithoutBarrier) {
  List list;
  Random random(3);
  constexpr std::uint64_t count = 100'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    list.exec();
    list.buffer(bytes(1, random.below(1ull << 40), 64), Access::read);
    list.buffer(bytes(2 + i % 7, i * 64, 32), Access::write);
  }
  const std::string barriers = list.barriers();
  EXPECT_EQ(barriers.find('|'), std::string::npos);
}

}  // namespace
}  // namespace pintle::core
