// `pintle pack`: makes a pack from a description or from sources, or shows what a pack has.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/compilers/build.h"
#include "cli/compilers/entry_names.h"
#include "cli/compilers/inferring.h"
#include "cli/compilers/reading.h"
#include "cli/compilers/slang_signatures.h"
#include "cli/listed_pack.h"
#include "io/pack.h"
#include "io/pack_options.h"
#include "io/pack_recipe.h"

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
  std::vector<std::string> macros;
  std::vector<std::string> folders;
  std::vector<std::string> versions;
};

CLI::Option* repeated(CLI::App& command, const char* option, std::vector<std::string>& values, const char* words) {
  return command.add_option(option, values, words)->allow_extra_args(false)->default_str("");
}

void declare(CLI::App& command, PackOptions& options) {
  auto* const inputs = command
                           .add_option("DESCRIPTION", options.inputs,
                                       "JSON file, a folder with a pack.json, or sources: .cl, .comp, .glsl, .hlsl, "
                                       ".slang, .wgsl, .mlir, .c, .spv")
                           ->default_str("");
  auto* const file = command.add_option("-o,--output", options.file, "The pack to write");
  auto* const listed =
      command.add_option("--list", options.listed, "Show the variants and entries of this pack instead");
  inputs->needs(file)->excludes(listed);
  file->needs(inputs)->excludes(listed);
  repeated(command, "--entry", options.entries,
           "Signature of an entry of the sources (may be repeated; default: what the code says; C says nothing)")
      ->needs(inputs);
  repeated(command, "--format", options.formats, "Build this format only (may be repeated; default: all)")
      ->needs(inputs);
  repeated(command, "-D,--define", options.macros, "NAME[=TEXT]: a macro of the sources (may be repeated)")
      ->needs(inputs)
      ->check(checked_by(io::parse_macro), "");
  repeated(command, "-I,--include", options.folders, "Folder of files that the sources include (may be repeated)")
      ->needs(inputs);
  repeated(command, "--language", options.versions,
           "Version of a language: CL2.0, c17, 460 (may be repeated, once for each language)")
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

std::string as_text(const std::vector<NotBuilt>& missing) {
  std::string text;
  for (const NotBuilt& one : missing)
    text += fmt::format("not built: {} from {}: {}\n", for_target(one.format, one.target), one.source, one.reason());
  return text;
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
  PINTLE_ASSIGN(pack, open_pack(file));
  output.is_json() ? output.json(as_json(file, pack)) : output.text(as_text(pack));
  return ExitCode::ok;
}

/// What a pack was made of, and what is not in it.
struct Made {
  Built built;
  Reading reading;
  std::vector<Error> left_out;  ///< Kernels that no signature can have.
};

Json as_json(const std::vector<Error>& errors) {
  Json json = Json::array();
  for (const Error& error : errors) json.push_back(error.message());
  return json;
}

/// Shows which variants were made, and which were not.
Result<ExitCode> show(const std::string& file, const Made& made, const Output& output) {
  const auto& [built, reading, left_out] = made;
  PINTLE_ASSIGN(pack, open_pack(file));
  for (const NotRead& one : reading.unread)
    output.words(fmt::format("pintle: {} is packed unread: {}", one.code, one.error.text()));
  for (const Error& one : left_out) output.words(fmt::format("pintle: not packed: {}", one.message()));
  if (!output.is_json()) {
    output.text(as_text(pack) + "\n" + as_text(built.missing) + as_text(reading.unread));
    return ExitCode::ok;
  }
  Json json = as_json(file, pack);
  json["not_built"] = as_json(built.missing);
  json["not_read"] = as_json(reading.unread);
  json["left_out"] = as_json(left_out);
  output.json(json);
  return ExitCode::ok;
}

// Making.

bool is_source(const std::string& input) {
  std::error_code none;
  return (io::language_of(input) || is_module_file(input)) && !std::filesystem::is_directory(input, none);
}

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

/// A description is JSON, or a folder; any other ending is one of a language that is not known.
Result<void> check_ending(const std::string& input) {
  const auto ending = std::filesystem::path(input).extension().string();
  std::error_code none;
  if (ending.empty() || ending == ".json" || std::filesystem::is_directory(input, none)) return {};
  const std::string_view instead =
      ending == ".cu" || ending == ".hip" ? " Compile it to PTX or a code object, and describe that as a variant." : "";
  return wrong(fmt::format(
      "Input {} ends with {}, which is no source (.c, .cl, .comp, .glsl, .hlsl, .mlir, .slang, .spv, .wgsl) and "
      "no description "
      "(.json).{}",
      base::quote(input), base::quote(ending), instead));
}

/// --format names formats that a compiler makes.
Result<void> check_formats(const PackOptions& options) {
  const std::vector<std::string> known = known_formats();
  for (const std::string& format : options.formats) {
    if (std::ranges::find(known, format) != known.end()) continue;
    return Error(Errc::build_failed,
                 fmt::format("Format {} is not known.{}", base::quote(format), base::did_you_mean(format, known)));
  }
  return {};
}

Result<io::PackRecipe> described(const PackOptions& options) {
  if (options.inputs.size() > 1) {
    const auto other = std::ranges::find_if_not(options.inputs, is_source);
    return wrong(
        fmt::format("Input {} of several is no source (.c, .cl, .comp, .glsl, .hlsl, .mlir, .slang, .spv, .wgsl).",
                    base::quote(*other)));
  }
  const bool is_for_sources = !options.entries.empty() || !options.name.empty() || !options.macros.empty() ||
                              !options.folders.empty() || !options.versions.empty();
  if (is_for_sources) {
    return wrong(
        fmt::format("Description {} has its own name, entries, macros, folders and language; --name, --entry, "
                    "--define, --include and --language are for sources.",
                    base::quote(options.inputs[0])));
  }
  PINTLE_TRY(check_ending(options.inputs[0]));
  return io::read_recipe(options.inputs[0]);
}

Result<std::vector<Entry>> declared(const std::vector<std::string>& signatures) {
  std::vector<Entry> entries;
  for (const std::string& signature : signatures) {
    PINTLE_ASSIGN(entry, Entry::parse(signature));
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Each version that --language names is one of a source's language.
Result<void> check_versions(const PackOptions& options, const std::vector<io::PackSource>& sources) {
  for (const std::string& version : options.versions) {
    const bool fits = std::ranges::any_of(
        sources, [&](const io::PackSource& source) { return io::is_version(source.language, version); });
    if (!fits)
      return wrong(fmt::format("Language {} is no version of the language of any source; known are {}.",
                               base::quote(version), io::version_names()));
  }
  return {};
}

Result<io::SourceOptions> options_for(const PackOptions& options, io::Language language) {
  io::SourceOptions result;
  for (const std::string& text : options.macros) {
    PINTLE_ASSIGN(macro, io::parse_macro(text));
    result.macros.push_back(std::move(macro));
  }
  result.folders.assign(options.folders.begin(), options.folders.end());
  for (const std::string& version : options.versions)
    if (io::is_version(language, version)) result.version = version;
  return result;
}

Result<io::PackSource> read_one(const PackOptions& options, const std::filesystem::path& input) {
  PINTLE_ASSIGN(source, io::read_source(input));
  PINTLE_ASSIGN(fixed, options_for(options, source.language));
  PINTLE_TRY(io::apply(fixed, input.parent_path(), {}, source));
  return std::move(source);
}

Result<io::PackRecipe> of_sources(const PackOptions& options, std::vector<Error>& left_out) {
  io::PackRecipe recipe{{options.name.empty() ? name_after(options.inputs[0]) : options.name, {}}, {}};
  std::vector<ModuleFile> modules;
  for (const std::string& input : options.inputs) {
    if (is_module_file(input)) {
      PINTLE_ASSIGN(module, read_module_file(input));
      recipe.pack.variants.push_back({module.format, {}, {}, module.code, {}});
      modules.push_back(std::move(module));
    } else {
      PINTLE_ASSIGN(source, read_one(options, input));
      recipe.sources.push_back(std::move(source));
    }
  }
  PINTLE_TRY(check_versions(options, recipe.sources));
  const auto is_slang = [](const io::PackSource& source) { return source.language == io::Language::slang; };
  if (options.entries.empty() && std::ranges::any_of(recipe.sources, is_slang)) return recipe;  // which says them
  PINTLE_ASSIGN(entries,
                options.entries.empty() ? infer_entries(recipe.sources, modules, left_out) : declared(options.entries));
  for (io::PackSource& source : recipe.sources) source.entries = entries;
  for (io::PackVariant& variant : recipe.pack.variants) variant.entries = entries;
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

/// A format that --format names has a source or a variant.
Result<void> check_sources(const PackOptions& options, const io::PackRecipe& recipe) {
  for (const std::string& format : options.formats) {
    const bool is_there =
        std::ranges::any_of(recipe.sources, [&](const io::PackSource& source) { return source.becomes(format); }) ||
        std::ranges::find(recipe.pack.variants, format, &io::PackVariant::format) != recipe.pack.variants.end();
    if (is_there) continue;
    return Error(Errc::build_failed,
                 fmt::format("Format {} was asked for, and no source becomes it.", base::quote(format)));
  }
  return {};
}

/// A format that --format or a source names is not left out because its compiler found a mistake.
std::vector<Error> faults_of_asked(const Built& built) {
  std::vector<Error> faults;
  for (const NotBuilt& one : built.missing) {
    if (!one.is_asked || one.error.code() != Errc::build_failed) continue;
    faults.emplace_back(one.error.code(),
                        fmt::format("Format {} was asked for, and {} does not become it: {}",
                                    for_target(one.format, one.target), base::quote(one.source), one.error.message()));
  }
  return faults;
}

/// All faults of the kernels as one error.
Error broken(const std::vector<Error>& faults) {
  std::string text;
  for (const Error& fault : faults) text += (text.empty() ? "" : "\n") + fault.text();
  while (text.ends_with('\n')) text.pop_back();
  return {Errc::build_failed, std::move(text)};
}

/// A variant that was asked for is broken: nothing is written, and the exit code is 1.
ExitCode refuse(const Error& error, const Output& output) {
  output.failure(error, ExitCode::failed);
  return ExitCode::failed;
}

Result<ExitCode> write(const PackOptions& options, const Made& made, const Output& output) {
  PINTLE_TRY(io::write_pack(made.built.pack, options.file));
  return show(options.file, made, output);
}

Result<ExitCode> run(const PackOptions& options, const Output& output) {
  if (!options.listed.empty()) return show(options.listed, output);
  if (const auto known = check_formats(options); !known) return refuse(known.error(), output);
  std::vector<Error> left_out;
  auto recipe = std::ranges::all_of(options.inputs, is_source) ? of_sources(options, left_out) : described(options);
  if (!recipe) return recipe.error();
  PINTLE_TRY(complete_entries(*recipe));
  PINTLE_TRY(define_sides(*recipe));
  narrow(options, *recipe);
  if (const auto possible = check_sources(options, *recipe); !possible) return refuse(possible.error(), output);
  PINTLE_TRY(check_recipe(*recipe));
  Reading reading = read_kernels(*recipe);
  if (!reading.faults.empty()) return refuse(broken(reading.faults), output);
  PINTLE_ASSIGN(built, build(*std::move(recipe)));
  if (const auto faults = compare_compiled(built.pack); !faults.empty()) return refuse(broken(faults), output);
  PINTLE_TRY(check_required(options, built));
  if (const auto faults = faults_of_asked(built); !faults.empty()) return refuse(broken(faults), output);
  return write(options, {std::move(built), std::move(reading), std::move(left_out)}, output);
}

}  // namespace

void add_pack(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "pack", "Make a pack from a description and source files, or list one", declare, run);
}

}  // namespace pintle::cli
