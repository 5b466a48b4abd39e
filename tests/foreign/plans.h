// The plans of a child of tests/foreign/children.py.
#pragma once

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace pintle::foreign {

/// Calls `run(plan, prefix)` for each plan of the file, an array; results go to files whose names begin with the
/// prefix. Prints a line for each, {"index": 0, "ran": true} or {"index": 0, "refused": "why"}, so that the parent
/// knows at which one this process crashed.
template <class Run>
void run_plans(const std::string& file, const std::string& folder, Run run) {
  using Json = nlohmann::json;
  for (const Json& plan : Json::parse(std::ifstream(file))) {
    Json said{{"index", plan.at("index")}};
    try {
      run(plan, folder + "/" + std::to_string(plan.at("index").get<int>()) + "_");
      said["ran"] = true;
    } catch (const std::exception& error) {
      said["refused"] = error.what();
    }
    std::puts(said.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
}

}  // namespace pintle::foreign
