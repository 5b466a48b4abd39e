// `bench`: every figure or those named, as a table or JSON, with the raw data in a file where one is given.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <time.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "bench/report.h"
#include "pintle/version.h"

namespace pintle::bench {
namespace {

struct Request {
  std::vector<std::string> names;
  BenchOptions options;
  std::string out;
  bool json = false;
  bool list = false;
};

std::string field_of(const char* file, std::string_view name) {
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm calendar{};
  ::gmtime_r(&now, &calendar);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%FT%TZ", &calendar);
  return text.data();
}

/// What the numbers were measured on; the load shows whether the machine was quiet.
Json host() {
  utsname system{};
  ::uname(&system);
  std::ifstream load_file("/proc/loadavg");
  std::string load;
  std::getline(load_file, load);
  return {{"time", today()},
          {"processor", field_of("/proc/cpuinfo", "model name")},
          {"processors", std::thread::hardware_concurrency()},
          {"kernel", system.release},
          {"load", load},
          {"pintle", version}};
}

Result<void> write_raw(const Request& request, const Json& before, const std::vector<Row>& rows) {
  Json json{{"host", before}, {"rows", Json::array()}};
  for (const Row& row : rows) json["rows"].push_back(raw_json(row));
  return base::write_file(request.out, base::bytes_in(json.dump(1) + "\n"));
}

void print(const Request& request, const std::vector<Row>& rows) {
  if (!request.json) return static_cast<void>(std::fputs(table(rows).c_str(), stdout));
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(to_json(row));
  fmt::print("{}\n", json.dump(1));
}

Result<void> run(Request& request) {
  const Json before = host();
  std::vector<Row> rows;
  if (request.names.empty()) {
    for (const FigureInfo& figure : figures()) request.names.emplace_back(figure.name);
  }
  for (const std::string& name : request.names) {
    fmt::print(stderr, "{} ...\n", name);
    PINTLE_ASSIGN(measured, run_figure(name, request.options));
    rows.insert(rows.end(), measured.begin(), measured.end());
  }
  print(request, rows);
  return request.out.empty() ? Result<void>() : write_raw(request, before, rows);
}

void print_list() {
  for (const FigureInfo& figure : figures()) fmt::print("{:<16}{}\n", figure.name, figure.text);
}

void declare(CLI::App& app, Request& request) {
  app.option_defaults()->always_capture_default();
  app.add_option("FIGURE", request.names, "Figures to measure; without any, all");
  app.add_option("--device", request.options.device, "Device to measure; without it, those that the figure is for");
  app.add_option("--pairs", request.options.pairs, "Pairs of blocks for each figure");
  app.add_option("--out", request.out, "File for the raw data as JSON");
  app.add_flag("--json", request.json, "Print JSON on standard output");
  app.add_flag("--list", request.list, "Print the figures and what they are");
}

int main(int count, char** arguments) {
  Request request;
  CLI::App app("Measures Pintle beside a reference in the same run.");
  declare(app, request);
  CLI11_PARSE(app, count, arguments);
  if (request.list) {
    print_list();
    return 0;
  }
  const auto done = run(request);
  if (done) return 0;
  fmt::print(stderr, "bench: {}\n", done.error().text());
  return 1;
}

}  // namespace
}  // namespace pintle::bench

int main(int count, char** arguments) { return pintle::bench::main(count, arguments); }
