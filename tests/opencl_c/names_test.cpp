// Every function that clang's header of OpenCL C declares, in each version of the language: names.txt says of each name
// who has it, every overload of those that are ours has a body in the bitcode of each level, and each name is in a
// test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "opencl_c/compile.h"
#include "opencl_c/options.h"
#include "opencl_c/toolchain.h"
#include "pintle/must.h"
#include "tests_dir.h"

namespace pintle::test {
namespace {

using Overloads = std::map<std::string, std::set<std::string>>;  ///< Symbols by the function's name.

std::string output_of(const std::string& command) {
  const std::vector<std::string> words{"/bin/sh", "-c", command};
  return must(base::run_process(words, Clock::now() + std::chrono::seconds(60))).output;
}

/// The header instead of the compiler's own table, which tells no symbols.
std::string command_for(const std::string& language, const std::string& file) {
  opencl_c::Source source{"names", "", {}, {}};
  source.language = language;
  std::string command = must(opencl_c::find_toolchain()).clang;
  for (const std::string& word : opencl_c::options(source, *opencl_c::level_here()))
    if (word != "-shared") command += " '" + word + "'";
  return command + " -cl-no-stdinc -ferror-limit=0 -fsyntax-only -Xclang -ast-dump=json " + file +
         " 2>/dev/null | grep -E '\"(name|mangledName)\":'";
}

std::string value_in(const std::string& line) {
  const auto end = line.rfind('"'), begin = line.rfind('"', end - 1) + 1;
  return line.substr(begin, end - begin);
}

Overloads declared(const std::string& language) {
  const auto folder = must(base::TemporaryFolder::create());
  const std::string file = folder / "names.cl";
  must(base::write_file(file, base::bytes_in("#include <opencl-c.h>\n")));
  std::istringstream lines(output_of(command_for(language, file)));
  Overloads all;
  std::string line, name;
  while (std::getline(lines, line)) {
    if (!line.contains("mangledName")) name = value_in(line);
    else all[name].insert(value_in(line));
  }
  return all;
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// What names.txt has: a section begins with "NAME:", and "convert_*" stands for all that begin so.
std::map<std::string, std::string> owners() {
  std::map<std::string, std::string> all;
  std::string owner;
  std::istringstream words(
      std::string(base::text_in(must(base::read_file(std::string(test::tests_dir) + "/opencl_c/names.txt")))));
  for (std::string word; words >> word;) {
    if (word.ends_with(':')) owner = word.substr(0, word.size() - 1);
    else all[word] = owner;
  }
  return all;
}

std::string listed(const std::map<std::string, std::string>& owners, const std::string& name) {
  if (owners.contains(name)) return name;
  const std::string family = name.substr(0, name.find('_') + 1) + "*";
  return owners.contains(family) ? family : "";
}

/// Whether the bitcode has an overload for what its owner is. Intel's blocks are ours in buffers, not in images.
bool is_ours(const std::string& owner, const std::string& symbol) {
  if (owner == "ours") return !symbol.contains("ocl_image");
  if (!owner.starts_with("ours_for_images")) return false;
  for (const char* const image :
       {"ocl_image2d_ro", "ocl_image2d_wo", "ocl_image2d_rw", "ocl_image3d_ro", "ocl_image3d_wo", "ocl_image3d_rw",
        "ocl_image1d_buffer_ro", "ocl_image1d_buffer_wo", "ocl_image1d_buffer_rw"})
    if (symbol.contains(image)) return true;
  return false;
}

class Names : public testing::TestWithParam<std::string> {};

TEST_P(Names, EachHasABodyOrIsNamed) {
  const auto all = owners();
  std::set<std::string> bodies[4];
  for (std::size_t i = 0; i < opencl_c::levels().size(); ++i)
    bodies[i] = words_of(output_of("llvm-nm-19 --defined-only --format=just-symbols " +
                                   must(must(opencl_c::find_toolchain()).builtins(opencl_c::levels()[i].name))));
  for (const auto& [name, symbols] : declared(GetParam())) {
    const std::string entry = listed(all, name);
    EXPECT_FALSE(entry.empty()) << name << " is not in names.txt";
    for (const std::string& symbol : symbols)
      for (const auto& level : bodies)
        EXPECT_EQ(level.contains(symbol), !entry.empty() && is_ours(all.at(entry), symbol)) << name << ", " << symbol;
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Names, testing::Values("CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"),
                         [](const auto& info) { return "CL" + info.param.substr(2, 1) + info.param.substr(4); });

TEST(OpenClCNames, OfTheListAreDeclared) {
  std::set<std::string> seen;
  const auto all = owners();
  for (const std::string language : {"CL1.0", "CL2.0", "CL3.0"})
    for (const auto& [name, symbols] : declared(language)) seen.insert(listed(all, name));
  for (const auto& [name, owner] : all)
    EXPECT_NE(seen.contains(name), owner.ends_with("not_in_the_header")) << name << " of " << owner;
}

/// The words of the tests' sources.
std::set<std::string> words_of_tests() {
  std::set<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(test::tests_dir) / "opencl_c")) {
    if (file.path().extension() != ".cpp" || file.path().filename() == "names_test.cpp") continue;
    std::string text(base::text_in(must(base::read_file(file.path().string()))));
    for (char& letter : text)
      if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') letter = ' ';
    all.merge(words_of(text));
  }
  return all;
}

/// Names that tests make of parts, each by the file that does.
bool is_made_of_parts(const std::string& name) {
  static const std::array patterns{
      std::regex(R"(convert_\*)"),                                                               // conversions_test
      std::regex(R"(v(load|store)(2|3|4|8|16))"),                                                // memory_test
      std::regex(R"((vloada?_half|vstorea?_half)(2|3|4|8|16)?(_rt[eznp])?)"),                    // memory_test
      std::regex(R"(atom(ic)?_(add|sub|inc|dec|and|or|xor|min|max|xchg|cmpxchg))"),              // atomics_test
      std::regex(R"(atomic_fetch_(add|sub|and|or|xor|min|max)(_explicit)?)"),                    // atomics_test
      std::regex(R"(atomic_(load|store|exchange|compare_exchange_(strong|weak))(_explicit)?)"),  // atomics_test
      std::regex(R"((half|native)_(cos|sin|tan|exp|exp2|exp10|log|log2|log10|powr|divide|recip|sqrt|rsqrt))"),
      std::regex(R"(dot(_acc_sat)?_4x8packed_(uu_uint|ss_int|us_int|su_int))"),  // dots_test
      std::regex(R"(intel_sub_group_block_(read|write)(_ui|_us)?(2|4|8)?)")};    // blocks_test
  return std::ranges::any_of(patterns, [&](const std::regex& one) { return std::regex_match(name, one); });
}

TEST(OpenClCNames, AreInTests) {
  const std::set<std::string> words = words_of_tests();
  for (const auto& [name, owner] : owners())
    EXPECT_TRUE(words.contains(name) || is_made_of_parts(name)) << name << " of " << owner;
}

}  // namespace
}  // namespace pintle::test
