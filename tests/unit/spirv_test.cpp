#include "spirv/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pintle/must.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using test::spirv_file;
using test::SpirvWriter;
using testing::HasSubstr;

Module only_module(std::span<const std::byte> code) {
  auto modules = must(read_modules(code));
  EXPECT_EQ(modules.size(), 1u);
  return modules.at(0);
}

void expect_refused(std::span<const std::byte> code, std::string_view words) {
  const auto refused = read_modules(code);
  ASSERT_FALSE(refused) << words;
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr(std::string(words)));
}

TEST(Spirv, TellsEntryPointsAndSpecialisedGroups) {
  const auto code = spirv_file("saxpy");
  const Module module = only_module(code);
  EXPECT_EQ(module.version, 0x00010500u);
  EXPECT_EQ(module.code.size(), code.size());
  EXPECT_EQ(module.capabilities, std::vector<std::uint32_t>{1});
  ASSERT_EQ(module.entries.size(), 1u);
  const EntryPoint& entry = module.entries[0];
  EXPECT_EQ(entry.name, "main");
  EXPECT_EQ(entry.model, compute_model);
  EXPECT_GE(entry.interface.size(), 3u);
  ASSERT_TRUE(entry.group_size);
  EXPECT_EQ((*entry.group_size)[0].spec_id, 7u);
  EXPECT_FALSE((*entry.group_size)[1].spec_id);
  EXPECT_EQ((*entry.group_size)[1].value, 1u);
}

TEST(Spirv, TellsLiteralGroups) {
  const auto code = spirv_file("sum");
  const Module module = only_module(code);
  const auto& group = module.entries.at(0).group_size.value();
  EXPECT_EQ(group[0].value, 4u);
  EXPECT_EQ(group[1].value, 2u);
  EXPECT_EQ(group[2].value, 1u);
}

TEST(Spirv, TellsStorageBuffers) {
  const auto code = spirv_file("saxpy");
  const Module module = only_module(code);
  ASSERT_EQ(module.bindings.size(), 2u);
  for (const Binding& binding : module.bindings) {
    EXPECT_EQ(binding.kind, Binding::Kind::storage_buffer);
    EXPECT_EQ(binding.set, 0u);
    EXPECT_EQ(binding.is_writable, binding.binding == 1);
    EXPECT_EQ(binding.name, binding.binding == 0 ? "X" : "Y");
    ASSERT_EQ(binding.block.fields.size(), 1u);  // of an array without an end, the first element
    EXPECT_EQ(base::text_of(binding.block.fields[0].number), "f32");
  }
}

TEST(Spirv, TellsPushConstants) {
  const auto code = spirv_file("saxpy");
  const Module module = only_module(code);
  ASSERT_TRUE(module.push_constants);
  const Block& block = module.push_constants->block;
  EXPECT_EQ(block.size, 8u);
  ASSERT_EQ(block.fields.size(), 2u);
  EXPECT_EQ(block.fields[0].name, "a");
  EXPECT_EQ(base::text_of(block.fields[0].number), "f32");
  EXPECT_EQ(block.fields[1].name, "n");
  EXPECT_EQ(block.fields[1].offset, 4u);
  EXPECT_EQ(base::text_of(block.fields[1].number), "u32");
}

TEST(Spirv, TellsUniformBlocksWithTheirLayout) {
  const auto code = spirv_file("sum");
  const Module module = only_module(code);
  EXPECT_FALSE(module.push_constants);
  const auto uniform = std::ranges::find(module.bindings, 2u, &Binding::binding);
  ASSERT_NE(uniform, module.bindings.end());
  EXPECT_EQ(uniform->kind, Binding::Kind::uniform_block);
  const auto& fields = uniform->block.fields;
  ASSERT_EQ(fields.size(), 1u + 9 + 6);  // a number, a matrix of three columns, an array of three pairs
  EXPECT_EQ(fields[0].name, "n");
  EXPECT_EQ(fields[3].name, "item.turn");
  const auto offsets = [&] {
    std::vector<std::uint64_t> all;
    for (const Field& field : fields) all.push_back(field.offset);
    return all;
  }();
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 16, 20, 24, 32, 36, 40, 48, 52, 56, 64, 68, 80, 84, 96, 100}));
  EXPECT_EQ(uniform->block.size, 112u);
}

TEST(Spirv, DecorationsOfGroupsAreTheTargets) {
  const auto code = spirv_file("groups");
  const Module module = only_module(code);
  ASSERT_EQ(module.bindings.size(), 1u);
  EXPECT_EQ(module.bindings[0].set, 1u);
  ASSERT_TRUE(module.push_constants);
  const Block& block = module.push_constants->block;
  EXPECT_EQ(block.size, 8u);
  ASSERT_EQ(block.fields.size(), 2u);
  EXPECT_EQ(block.fields[1].name, "b");
  EXPECT_EQ(block.fields[1].offset, 4u);
}

// Types that hold pointers to themselves: in an array (the file), and as members.
TEST(Spirv, PointersMayComeBeforeWhatTheyPointTo) {
  const auto code = spirv_file("tree");
  const Module module = only_module(code);
  ASSERT_TRUE(module.push_constants);
  const Block& block = module.push_constants->block;
  ASSERT_EQ(block.fields.size(), 1u);
  EXPECT_EQ(base::text_of(block.fields[0].number), "u64");
  EXPECT_EQ(block.size, 8u);
  SpirvWriter members;
  members.add(17, {1}).add(15, {5, 1}, "main").add(16, {1, 17, 1, 1, 1});
  members.add(72, {21, 0, 35, 0}).add(72, {21, 1, 35, 8}).add(19, {2}).add(33, {3, 2});
  members.add(39, {20, 5349}).add(30, {21, 20, 20}).add(32, {20, 5349, 21});
  members.add(32, {22, 9, 21}).add(59, {22, 23, 9});
  members.add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  const Module node = only_module(members.bytes());
  ASSERT_TRUE(node.push_constants);
  EXPECT_EQ(node.push_constants->block.size, 16u);
}

TEST(Spirv, APointerIsDefinedOnce) {
  SpirvWriter writer;
  writer.add(17, {1}).add(39, {20, 5349}).add(39, {20, 5349}).add(30, {21, 20});
  writer.add(32, {20, 5349, 21}).add(32, {20, 5349, 21});
  expect_refused(writer.bytes(), "defines id (20) again");
}

TEST(Spirv, TellsExtensions) {
  SpirvWriter writer;
  writer.add(10, {}, "SPV_KHR_8bit_storage").minimal();
  EXPECT_EQ(only_module(writer.bytes()).extensions, std::vector<std::string>{"SPV_KHR_8bit_storage"});
  SpirvWriter broken;
  expect_refused(broken.add(10, {0x41414141}).minimal().bytes(), "a text without an end");
  SpirvWriter group;
  expect_refused(group.add(75, {20, 21}).minimal().bytes(), "operands, which needs (3)");
}

TEST(Spirv, TellsHowMuchMemoryAGroupShares) {
  const auto code = spirv_file("layout");
  const Module module = only_module(code);
  std::uint64_t bytes = 0;
  for (const Shared& shared : module.shared) bytes += shared.size.value();
  EXPECT_EQ(bytes, 1000u * 12 + 4);
}

TEST(Spirv, TypesThatMultiplyEndInTime) {
  test::SpirvWriter writer;
  writer.add(17, {1}).add(15, {5, 1}, "main").add(16, {1, 17, 1, 1, 1});
  writer.add(71, {60, 33, 0}).add(71, {60, 34, 0}).add(19, {2}).add(33, {3, 2});
  writer.add(30, {20});  // a struct of nothing, then structs of eight of the last one
  for (std::uint32_t id = 21; id < 40; ++id)
    writer.add(30, {id, id - 1, id - 1, id - 1, id - 1, id - 1, id - 1, id - 1, id - 1});
  writer.add(32, {50, 12, 39}).add(59, {50, 60, 12}).add(32, {51, 4, 39}).add(59, {51, 61, 4});
  writer.add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  const auto modules = must(read_modules(writer.bytes()));
  EXPECT_TRUE(modules[0].bindings[0].block.fields.empty());
  EXPECT_EQ(modules[0].shared[0].size, 0u);
}

TEST(Spirv, TellsSpecialisationConstantsWithTheirTypes) {
  const auto code = spirv_file("saxpy");
  const Module module = only_module(code);
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(module.constants, name, &SpecConstant::name);
    EXPECT_NE(found, module.constants.end()) << name;
    return *found;
  };
  EXPECT_EQ(find("SCALE").spec_id, 3u);
  EXPECT_EQ(find("SCALE").kind, SpecConstant::Kind::unsigned_integer);
  EXPECT_EQ(find("SHIFT").kind, SpecConstant::Kind::floating);
  EXPECT_EQ(find("SHIFT").bits, 32u);
  EXPECT_EQ(find("NEGATE").kind, SpecConstant::Kind::boolean);
}

TEST(Spirv, SplitsModulesThatStandBackToBack) {
  const auto first = spirv_file("saxpy"), second = spirv_file("sum");
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  const auto modules = must(read_modules(both));
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_TRUE(std::ranges::equal(modules[0].code, first));
  EXPECT_TRUE(std::ranges::equal(modules[1].code, second));
  EXPECT_EQ(modules[0].bindings.size(), 2u);
  EXPECT_EQ(modules[1].bindings.size(), 3u);
}

// Every prefix of a real module is refused, whatever byte it ends at.
TEST(Spirv, EveryTruncationIsRefusedWithItsPlace) {
  for (const char* const name : {"saxpy", "sum"}) {
    const auto code = spirv_file(name);
    for (std::size_t size = 0; size < code.size(); ++size) {
      const std::vector<std::byte> prefix(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(size));
      const auto refused = read_modules(prefix);
      ASSERT_FALSE(refused) << name << " cut to " << size;
      ASSERT_EQ(refused.error().code(), Errc::invalid_argument);
      ASSERT_THAT(std::string(refused.error().message()), HasSubstr("at word ("));
    }
  }
}

// Whatever a word is changed to, the answer is a value or an error; under sanitizers, nothing is read out of bounds.
TEST(Spirv, ChangedWordsNeverBreakTheReader) {
  std::mt19937 random(11);
  for (const char* const name : {"saxpy", "sum"}) {
    const auto code = spirv_file(name);
    for (std::size_t offset = 0; offset < code.size(); offset += 4) {
      for (const std::uint32_t value :
           {0u, 1u, 0xffffffffu, 0xffffu, 0x00010000u, static_cast<std::uint32_t>(random())}) {
        auto changed = code;
        std::memcpy(changed.data() + offset, &value, sizeof value);
        const auto read = read_modules(changed);
        ASSERT_TRUE(read || read.error().code() == Errc::invalid_argument);
      }
    }
  }
}

TEST(Spirv, HeadersAreChecked) {
  expect_refused({}, "truncated");
  SpirvWriter good;
  good.minimal();
  EXPECT_TRUE(read_modules(good.bytes()));
  const auto with = [&](std::size_t word, std::uint32_t value) {
    SpirvWriter changed = good;
    changed.words()[word] = value;
    return changed;
  };
  expect_refused(with(0, 0x03022307).bytes(), "magic");
  expect_refused(with(1, 0x00020000).bytes(), "version");
  expect_refused(with(3, 0).bytes(), "bound (0)");
  expect_refused(with(3, 0x400000).bytes(), "bound");
  expect_refused(with(4, 1).bytes(), "schema");
  expect_refused(good.bytes().first(good.bytes().size() - 1), "no whole words");
}

TEST(Spirv, InstructionsAreChecked) {
  const auto refused = [](std::uint32_t op, std::initializer_list<std::uint32_t> operands, std::string_view words) {
    expect_refused(SpirvWriter().add(op, operands).minimal().bytes(), words);
  };
  expect_refused(SpirvWriter().word(0x00000011).minimal().bytes(), "no words");
  expect_refused(SpirvWriter().minimal().word(0x00090011).bytes(), "instruction of (9) words has (1)");
  refused(5, {100, 0}, "id (100)");
  refused(5, {0, 0}, "id (0)");
  refused(5, {5, 0x41414141}, "without an end");
  refused(21, {5, 24, 0}, "(24) bits");
  refused(21, {5, 32}, "needs (3)");
  refused(23, {5, 6, 4}, "before it is defined");
  refused(16, {1, 17, 1}, "needs (5)");
  expect_refused(SpirvWriter().add(20, {5}).add(20, {5}).minimal().bytes(), "again");
  expect_refused(SpirvWriter().add(20, {5}).add(23, {6, 5, 99}).minimal().bytes(), "(99) components");
}

TEST(Spirv, FunctionsAreChecked) {
  expect_refused(SpirvWriter().minimal().add(54, {2, 9, 0, 3}).bytes(), "no end");
  expect_refused(SpirvWriter().minimal().add(54, {2, 9, 0, 3}).add(54, {2, 8, 0, 3}).bytes(), "in another");
  expect_refused(SpirvWriter().minimal().add(56, {}).bytes(), "ends no function");
  expect_refused(SpirvWriter().minimal().add(57, {2, 9, 50}).bytes(), "function (50)");
  expect_refused(SpirvWriter().add(15, {5, 70}, "lost").minimal().bytes(), "function (70)");
  expect_refused(SpirvWriter().add(17, {1}).bytes(), "no entry point");
}

TEST(Spirv, GroupSizesMayBeConstantsById) {
  SpirvWriter writer;
  writer.add(17, {1}).add(15, {5, 1}, "main").add(331, {1, 38, 10, 11, 10});
  writer.add(71, {11, 1, 42}).add(21, {9, 32, 0}).add(43, {9, 10, 2}).add(50, {9, 11, 8});
  writer.add(19, {2}).add(33, {3, 2}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  const Module module = only_module(writer.bytes());
  const auto& group = module.entries.at(0).group_size.value();
  EXPECT_EQ(group[0].value, 2u);
  EXPECT_EQ(group[1].value, 8u);
  EXPECT_EQ(group[1].spec_id, 42u);
  writer.words()[3] = 12;
  EXPECT_TRUE(read_modules(writer.bytes()));
}

TEST(Spirv, GroupSizesThatAreNoConstantsAreRefused) {
  SpirvWriter writer;
  writer.add(15, {5, 1}, "main").add(331, {1, 38, 10, 11, 10});
  writer.add(54, {2, 1, 0, 3}).add(56, {});
  expect_refused(writer.bytes(), "no constant");
}

TEST(Spirv, HugeArraysAreRefused) {
  SpirvWriter writer;
  writer.add(21, {5, 64, 0}).add(21, {6, 32, 0}).add(43, {6, 7, 0xffffffff});
  writer.add(28, {8, 5, 7}).add(28, {9, 8, 7}).add(28, {10, 9, 7}).minimal();
  expect_refused(writer.bytes(), "does not fit");
}

/// Buffers 12, 13 and 14; entry 1 runs `body` and calls function 20, which stores to 13; nobody calls 30, which stores
/// to 14.
std::vector<std::uint32_t> written_by(std::uint32_t op, std::initializer_list<std::uint32_t> operands) {
  SpirvWriter writer;
  writer.add(17, {1}).add(15, {5, 1}, "main").add(16, {1, 17, 1, 1, 1}).add(19, {2}).add(33, {3, 2});
  writer.add(21, {9, 32, 0}).add(30, {10, 9}).add(32, {11, 12, 10}).add(32, {15, 12, 9}).add(43, {9, 16, 0});
  for (const std::uint32_t variable : {12u, 13u, 14u}) writer.add(59, {11, variable, 12});
  writer.add(54, {2, 1, 0, 3}).add(248, {4}).add(65, {15, 40, 12, 16}).add(66, {15, 41, 40, 16}).add(op, operands);
  writer.add(57, {2, 43, 20}).add(253, {}).add(56, {});
  writer.add(54, {2, 20, 0, 3}).add(248, {21}).add(62, {13, 16}).add(253, {}).add(56, {});
  writer.add(54, {2, 30, 0, 3}).add(248, {31}).add(62, {14, 16}).add(253, {}).add(56, {});
  std::vector<std::uint32_t> written = only_module(writer.bytes()).entries.at(0).written;
  std::erase_if(written, [](std::uint32_t id) { return id < 12 || id > 14; });  // pointers on the way
  return written;
}

TEST(Spirv, TellsWhichVariablesAnEntryWrites) {
  using testing::ElementsAre;
  constexpr std::uint32_t load = 61, store = 62, copy_memory = 63, atomic_load = 227, atomic_add = 234;
  EXPECT_THAT(written_by(store, {41, 16}), ElementsAre(12, 13));
  EXPECT_THAT(written_by(copy_memory, {12, 14}), ElementsAre(12, 13));
  EXPECT_THAT(written_by(atomic_add, {9, 42, 41, 16, 16, 16}), ElementsAre(12, 13));
  EXPECT_THAT(written_by(load, {9, 42, 41}), ElementsAre(13));
  EXPECT_THAT(written_by(atomic_load, {9, 42, 41, 16, 16}), ElementsAre(13));
}

TEST(Spirv, OldStorageBuffersAreBuffersToo) {
  SpirvWriter writer(0x00010000);
  writer.add(71, {10, 3}).add(71, {12, 34, 0}).add(71, {12, 33, 5}).add(72, {10, 0, 35, 0}).add(72, {10, 0, 24});
  writer.add(21, {9, 32, 0}).add(30, {10, 9}).add(32, {11, 2, 10}).add(59, {11, 12, 2}).minimal();
  const Module module = only_module(writer.bytes());
  ASSERT_EQ(module.bindings.size(), 1u);
  EXPECT_EQ(module.bindings[0].kind, Binding::Kind::storage_buffer);
  EXPECT_EQ(module.bindings[0].binding, 5u);
  EXPECT_FALSE(module.bindings[0].is_writable);
  EXPECT_EQ(module.bindings[0].block.size, 4u);
}

}  // namespace
}  // namespace pintle::spirv
