// `pintle pack`: makes a pack from a description or from sources, or shows what a pack has.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "cli/command.h"
#include "cli/compilers/build.h"
#include "cli/compilers/reading.h"
#include "cli/describe.h"
#include "cli/table.h"
#include "io/pack.h"
#include "io/pack_recipe.h"
#include "pintle/program.h"

namespace pintle::cli {
namespace {

struct PackOptions {
  std::vector<std::string> inputs;
  std::string file;
  std::string listed;
  std::string name;
  std::vector<std::string> entries;
  std::vector<std::string> formats;
  std::vector<std::string> required;
};

CLI::Option* repeated(CLI::App& command, const char* option, std::vector<std::string>& values, const char* words) {
  return command.add_option(option, values, words)->allow_extra_args(false)->default_str("");
}

void declare(CLI::App& command, PackOptions& options) {
  auto* const inputs = command
                           .add_option("DESCRIPTION", options.inputs,
                                       "JSON file, a folder with a pack.json, or sources: .cl, .comp, .glsl, .hlsl, .c")
                           ->default_str("");
  auto* const file = command.add_option("-o,--output", options.file, "The pack to write");
  auto* const listed =
      command.add_option("--list", options.listed, "Show the variants and entries of this pack instead");
  inputs->needs(file)->excludes(listed);
  file->needs(inputs)->excludes(listed);
  repeated(command, "--entry", options.entries, "Signature of an entry of the sources (may be repeated)")
      ->needs(inputs);
  repeated(command, "--format", options.formats, "Build this format only (may be repeated; default: all)")
      ->needs(inputs);
  command.add_option("--name", options.name, "The program's name (default: the first source's)")->needs(inputs);
  repeated(command, "--require", options.required, "Exit with 6 unless this format is built whole (may be repeated)")
      ->needs(inputs);
  command.parse_complete_callback([&options] {  // --json alone asks for nothing
    if (options.inputs.empty() && options.listed.empty()) throw CLI::RequiredError("DESCRIPTION or --list");
  });
}

// Printing.

std::string for_target(std::string_view format, std::string_view target) {
  return fmt::format("{}{}{}", format, target.empty() ? "" : " for ", target);
}

std::string as_text(const ProgramPack& pack) {
  std::vector<std::vector<std::string>> rows;
  for (const VariantInfo& variant : pack.variants()) {
    const auto target = variant.target.empty() ? "any target" : variant.target;
    rows.push_back({variant.format, target, fmt::format("{} bytes", variant.code_bytes)});
    if (const auto note = note_on(variant.format); !note.empty()) rows.back().emplace_back(note);
    for (const Entry& entry : variant.entries) rows.push_back({"  " + entry.signature()});
  }
  return fmt::format("{}\n{}", pack.name(), table(rows));
}

std::string as_text(const std::vector<NotBuilt>& missing) {
  std::string text;
  for (const NotBuilt& one : missing)
    text += fmt::format("not built: {} from {}: {}\n", for_target(one.format, one.target), one.source, one.reason());
  return text;
}

Json as_json(const std::string& file, const ProgramPack& pack) {
  Json json{{"file", file}};
  json.update(to_json(pack));
  for (Json& variant : json["variants"]) variant["note"] = note_on(variant["format"].get<std::string>());
  return json;
}

Json as_json(const std::vector<NotBuilt>& missing) {
  Json json = Json::array();
  for (const NotBuilt& one : missing) {
    json.push_back({{"format", one.format},
                    {"target", one.target},
                    {"source", one.source},
                    {"code", name(one.error.code())},
                    {"reason", one.reason()},
                    {"words", one.error.text()}});
  }
  return json;
}

std::string as_text(const std::vector<NotRead>& unread) {
  std::string text;
  for (const NotRead& one : unread) text += fmt::format("not read: {}: {}\n", one.code, one.error.text());
  return text;
}

Json as_json(const std::vector<NotRead>& unread) {
  Json json = Json::array();
  for (const NotRead& one : unread) json.push_back({{"code", one.code}, {"reason", one.error.text()}});
  return json;
}

Result<ExitCode> show(const std::string& file, const Output& output) {
  PINTLE_ASSIGN(pack, ProgramPack::open(file));
  output.is_json() ? output.json(as_json(file, pack)) : output.text(as_text(pack));
  return ExitCode::ok;
}

/// Shows which variants were made, and which were not.
Result<ExitCode> show(const std::string& file, const Built& built, const Reading& reading, const Output& output) {
  PINTLE_ASSIGN(pack, ProgramPack::open(file));
  for (const NotRead& one : reading.unread)
    output.words(fmt::format("pintle: {} is packed unread: {}", one.code, one.error.text()));
  if (!output.is_json()) {
    output.text(as_text(pack) + "\n" + as_text(built.missing) + as_text(reading.unread));
    return ExitCode::ok;
  }
  Json json = as_json(file, pack);
  json["not_built"] = as_json(built.missing);
  json["not_read"] = as_json(reading.unread);
  output.json(json);
  return ExitCode::ok;
}

// Making.

bool is_source(const std::string& input) {
  std::error_code none;
  return io::language_of(input) && !std::filesystem::is_directory(input, none);
}

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

Result<io::PackRecipe> described(const PackOptions& options) {
  if (options.inputs.size() > 1) {
    const auto other = std::ranges::find_if_not(options.inputs, is_source);
    return wrong(fmt::format("Input {} of several is no source (.c, .cl, .comp, .glsl, .hlsl).", base::quote(*other)));
  }
  if (!options.entries.empty() || !options.name.empty()) {
    return wrong(fmt::format("Description {} has its own name and entries; --name and --entry are for sources.",
                             base::quote(options.inputs[0])));
  }
  return io::read_recipe(options.inputs[0]);
}

Result<io::PackRecipe> of_sources(const PackOptions& options) {
  if (options.entries.empty()) {
    return wrong(
        fmt::format("Source {} has no entries here; name them: --entry 'blur(in: read f32[], n: u32) group 64'.",
                    base::quote(options.inputs[0])));
  }
  const auto stem = std::filesystem::path(options.inputs[0]).stem().string();
  io::PackRecipe recipe{{options.name.empty() ? stem : options.name, {}}, {}};
  std::vector<Entry> entries;
  for (const std::string& signature : options.entries) {
    PINTLE_ASSIGN(entry, Entry::parse(signature));
    entries.push_back(std::move(entry));
  }
  for (const std::string& input : options.inputs) {
    PINTLE_ASSIGN(source, io::read_source(input));
    source.entries = entries;
    recipe.sources.push_back(std::move(source));
  }
  return recipe;
}

bool is_wanted(const PackOptions& options, std::string_view format) {
  return options.formats.empty() || std::ranges::find(options.formats, format) != options.formats.end();
}

/// --format leaves each source only the wanted formats that its language can become, and only the variants in a wanted
/// format.
void narrow(const PackOptions& options, io::PackRecipe& recipe) {
  if (options.formats.empty()) return;
  std::erase_if(recipe.pack.variants, [&](const auto& variant) { return !is_wanted(options, variant.format); });
  for (io::PackSource& source : recipe.sources) {
    std::vector<std::string> formats;
    for (const Compiler& compiler : compilers()) {
      const bool possible = compiler.language == source.language && source.becomes(compiler.format);
      if (possible && is_wanted(options, compiler.format)) formats.emplace_back(compiler.format);
    }
    source.formats = std::move(formats);
  }
  std::erase_if(recipe.sources, [](const io::PackSource& source) { return source.formats.empty(); });
}

/// Each required format has to be there, with nothing of it missing.
Result<void> check_required(const PackOptions& options, const Built& built) {
  for (const std::string& format : options.required) {
    const auto missing = std::ranges::find(built.missing, format, &NotBuilt::format);
    const bool whole = missing == built.missing.end();
    if (whole && std::ranges::find(built.pack.variants, format, &io::PackVariant::format) != built.pack.variants.end())
      continue;
    const std::string why = whole ? "No source becomes it." : missing->error.text();
    return Error(Errc::build_failed,
                 fmt::format("Format {} is required and not built whole. {}", base::quote(format), why));
  }
  return {};
}

/// All faults of the kernels as one error.
Error broken(const std::vector<Error>& faults) {
  std::string text;
  for (const Error& fault : faults) text += (text.empty() ? "" : "\n") + fault.text();
  while (text.ends_with('\n')) text.pop_back();
  return {Errc::build_failed, std::move(text)};
}

Result<ExitCode> run(const PackOptions& options, const Output& output) {
  if (!options.listed.empty()) return show(options.listed, output);
  auto recipe = std::ranges::all_of(options.inputs, is_source) ? of_sources(options) : described(options);
  if (!recipe) return recipe.error();
  narrow(options, *recipe);
  PINTLE_TRY(check_recipe(*recipe));
  const Reading reading = read_kernels(*recipe);
  if (!reading.faults.empty()) {
    output.failure(broken(reading.faults), ExitCode::failed);
    return ExitCode::failed;
  }
  PINTLE_ASSIGN(built, build(*std::move(recipe)));
  PINTLE_TRY(check_required(options, built));
  PINTLE_TRY(io::write_pack(built.pack, options.file));
  return show(options.file, built, reading, output);
}

}  // namespace

void add_pack(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "pack", "Make a pack from a description and source files, or list one", declare, run);
}

}  // namespace pintle::cli
