// `pintle demo`: a picture's edges on every device, compared with double precision, and why other devices are absent.
#include "examples/demo/demo.h"

#include <array>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace pintle::cli {
namespace {

void declare(CLI::App& command, demo::Options& options) {
  command.add_option("PICTURE", options.picture, "A PNG; without one, a kernel draws 1920 x 1080 pixels")
      ->default_str("");
  command.add_option("--out", options.edges, "Where the edges go");
  command.add_option("--draw", options.drawing, "Where the picture goes, if a kernel draws it")->default_str("");
  command.add_option("--pack", options.pack, "A pack whose kernels are used instead of the demo's own")
      ->default_str("");
  command.add_option("--device", options.devices, "On this device only (may be repeated)")
      ->allow_extra_args(false)
      ->default_str("");
  command.footer("Exits with 1 where a device fails, none runs, or a difference is beyond the tolerance.");
}

std::string_view name(demo::Row::Kind kind) {
  constexpr std::array<std::string_view, 5> names{"kernel", "all", "skipped", "failed", "absent"};
  return names.at(static_cast<std::size_t>(kind));
}

Json to_json(const demo::Row& row) {
  Json json{{"device", row.device}, {"kind", name(row.kind)}};
  if (!row.reason.empty()) json["reason"] = row.reason;
  if (!row.kernel.empty()) json["kernel"] = row.kernel;
  if (row.milliseconds) json["milliseconds"] = *row.milliseconds;
  if (row.gigabytes_per_second) json["gigabytes_per_second"] = *row.gigabytes_per_second;
  if (!row.comparison) return json;
  json["largest_difference"] = row.comparison->largest;
  json["tolerance"] = row.comparison->tolerance;
  json["holds"] = row.comparison->holds();
  return json;
}

/// The rows as they come: lines of the table, or members of a document that is printed in the end.
class Table {
 public:
  Table(const demo::Picture& picture, const Output& output) : output_(output) {
    if (!output.is_json()) output.text(demo::heading(picture));
    json_ = {{"width", picture.width}, {"height", picture.height}, {"rows", Json::array()}};
  }

  void add(const demo::Row& row) {
    has_run_ = has_run_ || row.kind == demo::Row::Kind::all;
    if (output_.is_json()) json_["rows"].push_back(to_json(row));
    else if (row.kind == demo::Row::Kind::failed) output_.words(demo::line(row));
    else output_.text(demo::line(row));
  }

  void end(const std::string& edges) {
    if (has_run_) json_["edges"] = edges;
    if (output_.is_json()) output_.json(json_);
    else if (has_run_) output_.text("edges: " + edges);
  }

 private:
  const Output& output_;
  Json json_;
  bool has_run_ = false;
};

Result<ExitCode> run(const demo::Options& options, const Output& output) {
  PINTLE_ASSIGN(picture, demo::picture_for(options));
  Table table(picture, output);
  PINTLE_ASSIGN(is_good, demo::run(options, picture, [&](const demo::Row& row) { table.add(row); }));
  table.end(options.edges);
  return is_good ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_demo(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "demo", "Find the edges of a picture on every device", declare, run);
}

}  // namespace pintle::cli
