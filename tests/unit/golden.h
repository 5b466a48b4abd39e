// Texts against files: what a user reads is reviewed as a file and changes only on purpose.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests_dir.h"

namespace pintle::test {

/// A file of tests/unit.
inline std::filesystem::path data_file(std::string_view name) {
  return std::filesystem::path(tests_dir) / "unit" / name;
}

/// Compares with tests/unit/golden/<name>.txt. With UPDATE_GOLDEN set, writes that file and fails, so that nobody
/// forgets it.
inline void expect_golden(std::string_view name, std::string_view text) {
  const std::filesystem::path path = data_file("golden") / (std::string(name) + ".txt");
  const std::string actual = std::string(text) + "\n";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    ADD_FAILURE() << path << " is written; run again without UPDATE_GOLDEN";
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing";
  const std::string wanted{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(actual, wanted) << "against " << path;
}

}  // namespace pintle::test
