// Files of other projects that tests read, where they have been fetched.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests_dir.h"

namespace pintle::test {

/// The files of a repository that list.csv names.
inline std::vector<std::string> foreign_files(std::string_view repository) {
  std::ifstream list(std::filesystem::path(tests_dir) / "foreign" / "list.csv");
  std::vector<std::string> files;
  for (std::string line; std::getline(list, line);) {
    const auto first = line.find(','), second = line.find(',', first + 1);
    if (second != std::string::npos && line.substr(0, first) == repository) files.push_back(line.substr(second + 1));
  }
  return files;
}

/// Where the file is; empty, with a reason, where it has not been fetched.
inline std::filesystem::path foreign_path(std::string_view repository, const std::string& file, std::string& reason) {
  const char* corpora = std::getenv("PINTLE_CORPORA");
  if (corpora == nullptr) {
    reason = "PINTLE_CORPORA names no folder of checkouts: tests/foreign/README.md";
    return {};
  }
  const auto path = std::filesystem::path(corpora) / repository / file;
  if (std::filesystem::exists(path)) return path;
  reason = "the folder of PINTLE_CORPORA has no " + (std::filesystem::path(repository) / file).string();
  return {};
}

}  // namespace pintle::test
