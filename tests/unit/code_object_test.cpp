#include "amdgcn/code_object.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "pintle/must.h"
#include "simulators/code_object_image.h"

namespace pintle::amdgcn {
namespace {

using simulator::CodeImage;
using testing::ElementsAre;
using testing::HasSubstr;
using Code = std::vector<std::byte>;

CodeImage saxpy_image(std::string target = "gfx90a:xnack-") {
  return {.target = std::move(target),
          .entries = {{"saxpy",
                       {{4, 4}, {4, 4}, {8, 8, "global_buffer"}, {8, 8, "global_buffer"}, {8, 8, "hidden_none"}},
                       256,
                       64},
                      {"tiles", {{1, 1}, {4, 4, "dynamic_shared_pointer"}, {12, 4}, {24, 8}}, 1024, 0, {64, 2, 1}},
                      {"nothing", {}}},
          .object = {std::byte{1}, std::byte{2}, std::byte{3}}};
}

/// An ELF file for AMD's GPUs whose only note holds `metadata`.
Code with_metadata(std::string_view metadata) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_AMDGPU;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  const Elf64_Nhdr note{7, static_cast<Elf64_Word>(metadata.size()), 32};
  segment.p_filesz = sizeof note + 8 + metadata.size();
  Code code;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    code.insert(code.end(), first, first + size);
  };
  add(&header, sizeof header);
  add(&segment, sizeof segment);
  add(&note, sizeof note);
  add(std::array{'A', 'M', 'D', 'G', 'P', 'U', '\0', '\0'}.data(), 8);
  add(metadata.data(), metadata.size());
  return code;
}

/// Short texts of MessagePack.
std::string text(std::string_view value) { return static_cast<char>(0xa0 + value.size()) + std::string(value); }
std::string kernels(std::string_view list) { return "\x81" + text("amdhsa.kernels") + std::string(list); }

Code bundle(const std::vector<std::pair<std::string, Code>>& entries) {
  Code made;
  const auto add = [&](std::span<const std::byte> bytes) { std::ranges::copy(bytes, std::back_inserter(made)); };
  std::uint64_t offset = 32;
  for (const auto& [name, code] : entries) offset += 24 + name.size();
  add(base::bytes_in("__CLANG_OFFLOAD_BUNDLE__"));
  add(base::little<std::uint64_t>(entries.size()));
  for (const auto& [name, code] : entries) {
    add(base::little<std::uint64_t>(offset));
    add(base::little<std::uint64_t>(code.size()));
    add(base::little<std::uint64_t>(name.size()));
    add(base::bytes_in(name));
    offset += code.size();
  }
  for (const auto& [name, code] : entries) add(code);
  return made;
}

Code bytes_of(std::string_view text) { return {base::bytes_in(text).begin(), base::bytes_in(text).end()}; }

void expect_refused(std::span<const std::byte> code, std::string_view words) {
  const auto object = read_code_object(code);
  const auto found = code_for(code, "gfx90a:sramecc+:xnack-");
  ASSERT_FALSE(object || found) << words;
  for (const Error& error : {object.error(), found.error()}) {
    EXPECT_EQ(error.code(), Errc::build_failed);
    EXPECT_THAT(std::string(error.message()), HasSubstr(std::string(words)));
  }
}

TEST(CodeObject, HasItsKernelsAsTheyAreLaunched) {
  const CodeObject object = must(read_code_object(print_code_object(saxpy_image())));
  EXPECT_EQ(object.target, "gfx90a:xnack-");
  ASSERT_EQ(object.kernels.size(), 3u);
  const CodeKernel& saxpy = object.kernels[0];
  EXPECT_EQ(saxpy.name, "saxpy");
  EXPECT_EQ(saxpy.local_bytes, 64u);
  EXPECT_EQ(saxpy.max_group_items, 256u);
  EXPECT_EQ(saxpy.argument_bytes, 32u);
  EXPECT_THAT(saxpy.required_group, ElementsAre(0, 0, 0));
  ASSERT_EQ(saxpy.parameters.size(), 4u) << "without the hidden one";
  EXPECT_EQ(saxpy.parameters[2].size, 8u);
  EXPECT_EQ(saxpy.parameters[2].offset, 8u);
  const CodeKernel& tiles = object.kernels[1];
  EXPECT_THAT(tiles.required_group, ElementsAre(64, 2, 1));
  ASSERT_EQ(tiles.parameters.size(), 4u);
  EXPECT_FALSE(tiles.parameters[0].is_local());
  EXPECT_TRUE(tiles.parameters[1].is_local());
  EXPECT_EQ(tiles.parameters[2].size, 12u);
  EXPECT_EQ(tiles.parameters[3].offset, 24u);
  EXPECT_TRUE(object.kernels[2].parameters.empty());
}

TEST(CodeObject, TheSimulatorsImageIsReadBack) {
  const CodeImage image = saxpy_image();
  const auto again = simulator::parse_code_object(print_code_object(image));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->target, image.target);
  EXPECT_EQ(again->object, image.object);
  ASSERT_EQ(again->entries.size(), image.entries.size());
  for (std::size_t i = 0; i < image.entries.size(); ++i) {
    EXPECT_EQ(again->entries[i].name, image.entries[i].name);
    EXPECT_EQ(again->entries[i].max_threads, image.entries[i].max_threads);
    EXPECT_EQ(again->entries[i].shared_bytes, image.entries[i].shared_bytes);
    EXPECT_EQ(again->entries[i].required_group, image.entries[i].required_group);
    ASSERT_EQ(again->entries[i].arguments.size(), image.entries[i].arguments.size());
    for (std::size_t j = 0; j < image.entries[i].arguments.size(); ++j) {
      EXPECT_EQ(again->entries[i].arguments[j].size, image.entries[i].arguments[j].size);
      EXPECT_EQ(again->entries[i].arguments[j].alignment, image.entries[i].arguments[j].alignment);
      EXPECT_EQ(again->entries[i].arguments[j].kind, image.entries[i].arguments[j].kind);
    }
  }
  EXPECT_FALSE(simulator::parse_code_object(base::bytes_in("#!/bin/sh")));
}

TEST(CodeObject, ClangsIsRead) {
  const auto clang = base::find_program("clang-19");
  if (!clang || !base::find_program("ld.lld-19")) GTEST_SKIP() << "this machine has no clang-19 with its linker";
  const auto folder = must(base::TemporaryFolder::create());
  const std::string source = folder / "k.cl", code = folder / "k.co";
  must(base::write_file(
      source,
      base::bytes_in(
          "typedef float float3 __attribute__((ext_vector_type(3))); struct pair { int a; double b; char c; };\n"
          "kernel void all(global float* y, uint n, local float* tile, float3 v, struct pair p, constant int* c, char "
          "b)\n"
          "{ tile[n] = v.z; y[n] = tile[n] + p.b + c[0] + b; }\n"
          "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(global int* y)\n"
          "{ local int s[16]; s[y[0]] = 1; y[1] = s[y[2]]; }\n")));
  for (const std::string target : {"gfx90a:sramecc+:xnack-", "gfx942", "gfx1100"}) {
    const std::vector<std::string> command{
        *clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, "-nogpulib", "-O0", source, "-o", code};
    const auto ended = must(base::run_process(command, Clock::now() + std::chrono::minutes(2)));
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Code compiled = must(base::read_file(code));
    const CodeObject object = must(read_code_object(compiled));
    EXPECT_EQ(object.target, target);
    EXPECT_EQ(must(code_for(compiled, target)).size(), compiled.size());
    ASSERT_EQ(object.kernels.size(), 2u);
    EXPECT_EQ(object.kernels[0].name, "all");
    std::vector<std::uint32_t> sizes, offsets;
    for (const CodeParameter& parameter : object.kernels[0].parameters) {
      sizes.push_back(parameter.size);
      offsets.push_back(parameter.offset);
      EXPECT_EQ(parameter.is_local(), sizes.size() == 3);
    }
    EXPECT_THAT(sizes, ElementsAre(8, 4, 4, 16, 24, 8, 1));
    EXPECT_THAT(offsets, ElementsAre(0, 8, 12, 16, 32, 56, 64));
    EXPECT_THAT(object.kernels[1].required_group, ElementsAre(64, 1, 1));
    EXPECT_EQ(object.kernels[1].max_group_items, 64u);
    EXPECT_EQ(object.kernels[1].local_bytes, 64u);
  }
}

TEST(CodeObject, RunsWhereItsFeaturesAre) {
  const auto runs = [](std::string code, std::string_view device) {
    return code_for(print_code_object(saxpy_image(std::move(code))), device).has_value();
  };
  EXPECT_TRUE(runs("gfx90a", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(runs("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(runs("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:sramecc-", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:xnack+", "gfx90a"));
  EXPECT_FALSE(runs("gfx90a:xnack", "gfx90a:xnack+"));
  EXPECT_FALSE(runs("gfx90", "gfx90a"));
  EXPECT_FALSE(runs("gfx1100", "gfx1101"));
  EXPECT_TRUE(runs("gfx11-generic", "gfx1101"));
  EXPECT_FALSE(runs("gfx11-generic", "gfx1201"));
  EXPECT_TRUE(runs("gfx9-4-generic:xnack-", "gfx942:sramecc+:xnack-"));
  EXPECT_TRUE(code_for(with_metadata(kernels("\x90")), "gfx906")) << "version 3 does not say its target";
  const auto refused = code_for(print_code_object(saxpy_image("gfx1100")), "gfx942:sramecc+:xnack-");
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("is for \"gfx1100\", and the device is \"gfx942:"));
}

TEST(CodeObject, IsTakenFromABundle) {
  const Code made = bundle({{"host-x86_64-unknown-linux--", {}},
                            {"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", bytes_of("family")},
                            {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", bytes_of("942-")},
                            {"hip-amdgcn-amd-amdhsa-gfx90a", bytes_of("90a")},
                            {"openmp-amdgcn-amd-amdhsa--gfx1100", bytes_of("OpenMP")}});
  const auto taken = [&](std::string_view target) { return std::string(base::text_in(must(code_for(made, target)))); };
  EXPECT_EQ(taken("gfx942:sramecc+:xnack-"), "942-");
  EXPECT_EQ(taken("gfx942:sramecc+:xnack+"), "family");
  EXPECT_EQ(taken("gfx90a:sramecc+:xnack+"), "90a");
  const auto refused = code_for(made, "gfx1100");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  const std::string words(refused.error().message());
  EXPECT_THAT(words, HasSubstr("no entry for \"gfx1100\"; it has \"host-x86_64-unknown-linux--\", \"hipv4-amdgcn"));
  EXPECT_THAT(words, HasSubstr("\"hip-amdgcn-amd-amdhsa-gfx90a\""));
  EXPECT_THAT(std::string(code_for(bundle({}), "gfx1100").error().message()), HasSubstr("it has none."));
  const std::vector<std::pair<std::string, Code>> many(1000, {"hip-amdgcn-amd-amdhsa--gfx906", {}});
  EXPECT_THAT(std::string(code_for(bundle(many), "gfx1100").error().message()), HasSubstr(" and (984) more"));
}

TEST(CodeObject, ABundleLeadsNowhereElse) {
  const Code whole = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", bytes_of("code")}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(code_for(std::span(whole).first(size), "gfx90a")) << size;
  for (std::size_t place = 24; place < 56; ++place) {
    Code changed = whole;
    changed[place] = std::byte{0xff};
    const auto refused = code_for(changed, "gfx90a");
    ASSERT_FALSE(refused) << place;
    EXPECT_THAT(std::string(refused.error().message()), HasSubstr("Offload bundle is cut short: its entry (")) << place;
  }
  const auto compressed = code_for(base::bytes_in("CCOB\2"), "gfx90a");
  EXPECT_EQ(compressed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(compressed.error().message()), HasSubstr("--no-offload-compress"));
}

TEST(CodeObject, NoByteLeadsOutOfIt) {
  CodeImage image = saxpy_image();
  const Code whole = print_code_object(image);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto refused = read_code_object(std::span(whole).first(size));
    ASSERT_FALSE(refused) << size;
    EXPECT_EQ(refused.error().code(), Errc::build_failed) << refused.error().text();
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const int value : {0x00, 0x81, 0xc1, 0xdd, 0xdf, 0xff}) {
      Code changed = whole;
      changed[place] = static_cast<std::byte>(value);
      const auto read = read_code_object(changed);  // either answer will do
      EXPECT_TRUE(read || read.error().code() == Errc::build_failed) << place;
    }
  }
}

TEST(CodeObject, WhatIsNoneIsRefused) {
  expect_refused({}, "Code object is no ELF file");
  expect_refused(base::bytes_in("\x7f"
                                "ELF"),
                 "is cut short: it has (4) bytes, and an ELF header has (64).");
  Code other = print_code_object(saxpy_image());
  other[offsetof(Elf64_Ehdr, e_machine)] = std::byte{EM_X86_64};
  expect_refused(other, "Code object is for the ELF machine (62), where (224) is expected, AMD's GPUs.");
  Code narrow = print_code_object(saxpy_image());
  narrow[EI_CLASS] = std::byte{ELFCLASS32};
  expect_refused(narrow, "is of the ELF class (1) and the byte order (1), where (2) and (1) are expected.");
  Code nameless = with_metadata("\x80");
  nameless[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + sizeof(Elf64_Nhdr)] = std::byte{'X'};
  expect_refused(nameless, "Code object has no metadata: none of its notes is AMDGPU's of the type (32)");
  Code endless = with_metadata("\x80");
  endless[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 7] = std::byte{0xff};
  expect_refused(endless, "has a note at byte (0) of its notes that ends behind them (21 bytes).");
}

TEST(CodeObject, MetadataOfGarbageIsRefused) {
  const std::string most = "\xff\xff\xff\xff";
  expect_refused(with_metadata(""),
                 "metadata is cut short: its value at byte (0) needs (1) bytes more, and (0) are left.");
  expect_refused(with_metadata("\xc1"), "metadata has (0xc1) at byte (0), which begins no value.");
  expect_refused(with_metadata("\x07"), "metadata has something at byte (0) that is not a map.");
  expect_refused(with_metadata("\x81\x01\x01"), "has something at byte (1) that is not a text.");
  expect_refused(with_metadata("\xdf" + most),
                 "says at byte (0) that (8589934590) values follow, and (0) bytes are left.");
  expect_refused(with_metadata(kernels("\xdd" + most)), "that (4294967295) values follow, and (0) bytes are left.");
  expect_refused(with_metadata("\x81" + text("x") + "\xdb" + most), "needs (4294967295) bytes more, and (0) are left.");
  expect_refused(with_metadata("\x81" + text("x") + "\xc9" + most), "needs (4294967296) bytes more");
  expect_refused(with_metadata(kernels("\x91\x80")), "Code object has a kernel (0) that has no .name.");
  expect_refused(with_metadata(kernels("\x91\x81" + text(".name") + "\x01")), "that is not a text.");
  expect_refused(with_metadata(kernels("\x91\x81" + text(".args") + "\x91\x80")), "argument (0) has no .value_kind.");
  expect_refused(with_metadata(kernels("\x91\x81" + text(".kernarg_segment_size") + "\xcf\x01" + std::string(7, '\0'))),
                 "has the number (72057594037927936) at byte (");
}

TEST(CodeObject, KernelsThatContradictThemselvesAreRefused) {
  const std::string argument =
      "\x91\x83" + text(".offset") + "\x08" + text(".size") + "\x08" + text(".value_kind") + text("by_value");
  const auto kernel = [&](std::string_view more) {
    return with_metadata(
        kernels("\x91\x83" + text(".args") + argument + text(".name") + text("k") + std::string(more)));
  };
  EXPECT_TRUE(read_code_object(kernel(text(".kernarg_segment_size") + "\x10")));
  expect_refused(kernel(text(".kernarg_segment_size") + "\x0c"),
                 "has a kernel \"k\" whose argument (0) ends behind all of them: (8) bytes from offset (8), of (12).");
  expect_refused(kernel(text(".reqd_workgroup_size") + "\x92\x01\x01"),
                 ".reqd_workgroup_size has (2) numbers, where (3) are expected.");
}

TEST(CodeObject, DepthIsNoMatter) {
  constexpr std::size_t depth = 1 << 20;
  const std::string lists(depth, '\x91');
  EXPECT_TRUE(read_code_object(with_metadata("\x81" + text("x") + lists + "\x01")));
  expect_refused(with_metadata("\x81" + text("x") + lists), "that (1) values follow, and (0) bytes are left.");
}

}  // namespace
}  // namespace pintle::amdgcn
