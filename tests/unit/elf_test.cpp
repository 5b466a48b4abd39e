// Shared objects that are cut short: found out by their headers, before anybody maps them.
#include "base/elf.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/c_compiler.h"
#include "base/file.h"
#include "io/pack.h"
#include "unit/cpu_support.h"
#include "unit/other_process.h"

namespace pintle::base {
namespace {

using testing::HasSubstr;

/// The smallest whole one: a header, one segment over everything, one section.
struct Tiny {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  Elf64_Shdr section{};

  Tiny() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = offsetof(Tiny, segment);
    header.e_phentsize = sizeof segment;
    header.e_shoff = offsetof(Tiny, section);
    header.e_shentsize = sizeof section;
    header.e_phnum = header.e_shnum = 1;
    segment.p_filesz = sizeof(Tiny);
    section.sh_type = SHT_PROGBITS;
    section.sh_size = sizeof(Tiny);
  }
  [[nodiscard]] std::string refusal() const {
    const auto checked = check_elf(std::as_bytes(std::span(this, 1)));
    if (checked) return "whole";
    EXPECT_EQ(checked.error().code(), Errc::invalid_argument);
    return std::string(checked.error().message());
  }
};

template <class Change>
std::string refused(Change change) {
  Tiny tiny;
  change(tiny);
  return tiny.refusal();
}

std::vector<std::byte> compiled() {
  const auto compiler = find_c_compiler();
  if (!compiler) return {};
  const std::vector<std::string> command{compiler->path, "-shared", "-fPIC", "-O1"};
  return must(compile_c("whole", command, "int table[5000] = {1};\nvoid k(void* g, void** a) { (void)g; (void)a; }\n"));
}

TEST(Elf, AWholeOneIsFine) {
  EXPECT_EQ(Tiny().refusal(), "whole");
  EXPECT_TRUE(check_elf(must(read_file("/proc/self/exe"))));
}

TEST(Elf, WhatIsNoneIsTheLoadersToRefuse) {
  EXPECT_TRUE(check_elf({}));
  EXPECT_TRUE(check_elf(bytes_in("words that are no program")));
}

TEST(Elf, EveryHeaderIsHeldAgainstTheSize) {
  EXPECT_EQ(refused([](Tiny& tiny) { ++tiny.segment.p_filesz; }),
            "Shared object is cut short: what program header (0) loads (185 bytes from offset 0) ends behind the file "
            "(184 bytes).");
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.segment.p_offset = ~0ull; }), HasSubstr("cut short"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_phnum = 3; }), HasSubstr("the table of its program headers"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_phoff = ~0ull; }), HasSubstr("the table of its program headers"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_phentsize = 1; }), HasSubstr("program headers of (1) bytes"));
  EXPECT_THAT(refused([](Tiny& tiny) { ++tiny.section.sh_size; }), HasSubstr("what section header (0) names"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_shnum = 2; }), HasSubstr("the table of its section headers"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_shoff = 9999; }), HasSubstr("the first section header"));
  EXPECT_THAT(refused([](Tiny& tiny) { tiny.header.e_shentsize = 1; }), HasSubstr("section headers of (1) bytes"));
  EXPECT_THAT(refused([](Tiny& tiny) {
                tiny.header.e_shnum = 0;  // the number is in the first one then
                tiny.section.sh_size = ~0ull;
              }),
              HasSubstr("too many sections"));
}

TEST(Elf, ASectionWithoutBytesMayHaveAnySize) {
  EXPECT_EQ(refused([](Tiny& tiny) {
              tiny.section.sh_type = SHT_NOBITS;
              tiny.section.sh_size = 1 << 30;
            }),
            "whole");
}

TEST(Elf, EveryCutOfACompiledOneIsRefused) {
  const std::vector<std::byte> whole = compiled();
  if (whole.empty()) GTEST_SKIP() << "there is no C compiler";
  EXPECT_TRUE(check_elf(whole));
  for (std::size_t size = SELFMAG; size < whole.size(); size += 97)
    EXPECT_FALSE(check_elf(std::span(whole).first(size))) << size;
  EXPECT_FALSE(check_elf(std::span(whole).first(whole.size() - 1)));
}

TEST(Elf, APackTakesNoneThatIsCutShort) {
  const std::vector<std::byte> whole = compiled();
  if (whole.empty()) GTEST_SKIP() << "there is no C compiler";
  io::Pack pack{"p", {{"so", "", {must(Entry::parse("k()"))}, whole}}};
  EXPECT_TRUE(io::check_pack(pack));
  pack.variants[0].code.resize(whole.size() / 2);
  const auto refused = io::check_pack(pack);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(refused.error().text(), HasSubstr("checking $.variants[0] of a pack"));
}

TEST(Elf, AProgramThatIsCutShortIsRefusedAndEndsNoProcess) {
  const std::vector<std::byte> whole = compiled();
  if (whole.empty()) GTEST_SKIP() << "there is no C compiler";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto loaded = test::CpuRig().device->load(
        {"cut", "so", std::span(whole).first(whole.size() / 3), {{must(Entry::parse("k()"))}}, {}});
    ::_exit(!loaded && loaded.error().code() == Errc::build_failed ? 0 : 1);
  }
  EXPECT_EQ(test::status_of(child), 0) << "-1 is SIGBUS";
}

}  // namespace
}  // namespace pintle::base
