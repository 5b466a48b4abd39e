// `pintle pack`: makes a pack from a description, or says what a pack has.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/table.h"
#include "io/pack.h"
#include "pintle/program.h"

namespace pintle::cli {
namespace {

struct PackOptions {
  std::string description;
  std::string file;
  std::string listed;
};

void declare(CLI::App& command, PackOptions& options) {
  auto* const source =
      command.add_option("DESCRIPTION", options.description, "JSON file, or a folder with a pack.json");
  auto* const file = command.add_option("-o,--output", options.file, "The pack to write");
  auto* const listed =
      command.add_option("--list", options.listed, "Show the variants and entries of this pack instead");
  source->needs(file)->excludes(listed);
  file->needs(source)->excludes(listed);
  command.require_option(1, 0);
}

std::string as_text(const ProgramPack& pack) {
  std::vector<std::vector<std::string>> rows;
  for (const VariantInfo& variant : pack.variants()) {
    const auto target = variant.target.empty() ? "any target" : variant.target;
    rows.push_back({variant.format, target, fmt::format("{} bytes", variant.code_bytes)});
    for (const Entry& entry : variant.entries) rows.push_back({"  " + entry.signature()});
  }
  return fmt::format("{}\n{}", pack.name(), table(rows));
}

Result<ExitCode> show(const std::string& file, const Output& output) {
  PINTLE_ASSIGN(pack, ProgramPack::open(file));
  if (!output.is_json()) {
    output.text(as_text(pack));
    return ExitCode::ok;
  }
  Json json{{"file", file}};
  json.update(to_json(pack));
  output.json(json);
  return ExitCode::ok;
}

Result<io::Pack> read_description(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return io::read_pack(path);
  PINTLE_ASSIGN(bytes, base::read_file(path));
  auto pack = io::pack_from_json(base::text_in(bytes), path.parent_path());
  if (!pack) return pack.error().during("reading " + base::quote(path.string()));
  return pack;
}

Result<ExitCode> run(const PackOptions& options, const Output& output) {
  if (!options.listed.empty()) return show(options.listed, output);
  PINTLE_ASSIGN(pack, read_description(options.description));
  PINTLE_TRY(io::write_pack(pack, options.file));
  return show(options.file, output);
}

}  // namespace

void add_pack(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "pack", "Make a pack from a description and source files, or list one", declare, run);
}

}  // namespace pintle::cli
