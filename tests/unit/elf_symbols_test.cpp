#include "base/elf_symbols.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/c_compiler.h"
#include "pintle/must.h"

namespace pintle::base {
namespace {

std::vector<std::byte> shared_object() {
  const CCompiler compiler = must(find_c_compiler());
  const std::vector<std::string> command{compiler.path, "-shared", "-fPIC"};
  return must(compile_c("test", command,
                        "extern int from_elsewhere; static int hidden(void) { return from_elsewhere; }\n"
                        "int first(void) { return hidden(); } __attribute__((weak)) int second(void) { return 2; }\n"));
}

TEST(ElfSymbols, AreWhatOthersMayCall) {
  std::vector<std::string> names = must(elf_symbols(shared_object()));
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second"}));
}

TEST(ElfSymbols, WhatIsNoneIsRefused) {
  EXPECT_EQ(elf_symbols({}).error().code(), Errc::invalid_argument);
  const std::vector<std::byte> zeros(4096);
  EXPECT_EQ(elf_symbols(zeros).error().code(), Errc::invalid_argument);
}

TEST(ElfSymbols, NoByteOfTheFileLeadsOutOfIt) {
  const std::vector<std::byte> whole = shared_object();
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 97)
    EXPECT_FALSE(elf_symbols(std::span(whole).first(size))) << size;
  for (std::size_t place = 0; place < whole.size(); place += place < 64 ? 1 : whole.size() / 499) {
    std::vector<std::byte> changed = whole;
    changed[place] ^= std::byte{0xff};
    static_cast<void>(elf_symbols(changed));  // any answer will do
  }
}

}  // namespace
}  // namespace pintle::base
