// `pintle run PACK`: one kernel on one device, from .npy files to .npy files.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/quote.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/last_words.h"
#include "cli/launch.h"
#include "pintle/device.h"
#include "pintle/program.h"

namespace pintle::cli {
namespace {

struct RunOptions {
  std::string pack;
  std::string entry;
  std::string device = "best";
  std::string grid;
  std::string items;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> constants;
  std::vector<std::string> macros;
  std::vector<std::string> folders;
  std::string language;
  std::uint32_t repeats = 0;
};

/// What is fixed when the program is loaded.
void declare_load(CLI::App& command, RunOptions& options) {
  command.add_option("--constant", options.constants, "NAME=16, 0x10, 16.0, true or u8:3: a constant of the program")
      ->allow_extra_args(false)
      ->default_str("")
      ->check(checked_by(parse_constant), "");
  command.add_option("-D,--define", options.macros, "NAME[=TEXT]: a macro of a program that is a source")
      ->allow_extra_args(false)
      ->default_str("")
      ->check(checked_by(parse_define), "");
  command.add_option("-I,--include", options.folders, "Folder of files that a program that is a source includes")
      ->allow_extra_args(false)
      ->default_str("");
  command.add_option("--language", options.language, "Version of the language of such a program: CL2.0, c17, 460");
}

void declare(CLI::App& command, RunOptions& options) {
  command.add_option("PACK", options.pack, "Pack file or folder")->required();
  command.add_option("--entry", options.entry, "Entry point of the program")->required();
  command.add_option("--device", options.device, "Device to run on");
  auto* const extent = command.add_option_group("extent", "How far the launch reaches");
  extent->add_option("--grid", options.grid, "Work-groups: X[,Y[,Z]]")->check(checked_by(parse_grid), "");
  extent->add_option("--items", options.items, "Work-items, rounded up to whole groups: X[,Y[,Z]]")
      ->check(checked_by(parse_items), "");
  extent->require_option(1);
  command
      .add_option(
          "--arg", options.inputs,
          "NAME=file.npy, NAME=number, NAME=1,2,3 (a vector), NAME.MEMBER=number (of a struct) or NAME=elements "
          "(of local memory), once for each parameter")
      ->allow_extra_args(false)
      ->default_str("")
      ->check(checked_by(parse_input), "");
  command
      .add_option("--out", options.outputs,
                  "NAME=f32[1024,1024]:file.npy; without an --arg the buffer starts with zeros")
      ->allow_extra_args(false)
      ->default_str("")
      ->check(checked_by(parse_output), "");
  declare_load(command, options);
  auto* const repeats = command.add_option(
      "--time", options.repeats, "Run this many times more and report the median; inputs are restored before each");
  whole(repeats, 0u, 1'000'000u);
}

template <class T>
Result<std::vector<T>> parse_all(const std::vector<std::string>& texts, Result<T> (*parse)(std::string_view text)) {
  std::vector<T> values;
  for (const std::string& text : texts) {
    PINTLE_ASSIGN(value, parse(text));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Extent> extent_of(const RunOptions& options) {
  if (options.items.empty()) {
    PINTLE_ASSIGN(grid, parse_grid(options.grid));
    return Extent(grid);
  }
  PINTLE_ASSIGN(items, parse_items(options.items));
  return Extent(items);
}

/// The work-groups that an extent makes of a kernel; core has already refused what does not fit.
Grid groups_of(const Extent& extent, const Grid& size, const Limits& limits) {
  if (const auto* const grid = std::get_if<Grid>(&extent)) return *grid;
  if (limits.max_grid == Grid{}) return {};  // the one group has whatever is covered
  const auto& items = std::get<Cover>(extent);
  const auto round = [](std::uint64_t count, std::uint32_t group) {
    return static_cast<std::uint32_t>(count / group + (count % group != 0 ? 1 : 0));
  };
  return {round(items.x, size.x), round(items.y, size.y), round(items.z, size.z)};
}

/// How long a run took.
struct Times {
  double median = 0;
  double least = 0;
  std::size_t runs = 1;
};

/// The first run counts only when it is the only one: later ones find warm caches.
Result<Times> measure(Launch& launch, std::uint32_t repeats) {
  PINTLE_ASSIGN(first, launch.run());
  std::vector<double> times;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    PINTLE_ASSIGN(time, launch.run());
    times.push_back(time);
  }
  if (times.empty()) times.push_back(first);
  std::ranges::sort(times);
  return Times{times[times.size() / 2], times.front(), times.size()};
}

/// An output as it was written.
struct Written {
  std::string name;
  std::string file;
  DType dtype;
  Shape shape;
};

Result<std::vector<Written>> write_outputs(const std::vector<OutputArgument>& outputs,
                                           const std::vector<io::Array>& arrays) {
  std::vector<Written> written;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputArgument& output = outputs[i];
    const auto result = io::write_npy(arrays[i], output.file);
    if (!result) return result.error().during(fmt::format("writing --out {}", output.name));
    written.push_back({output.name, output.file.string(), arrays[i].dtype, arrays[i].shape});
  }
  return written;
}

struct Ran {
  std::string device;
  std::string entry;
  Grid grid;
  Times times;
  std::vector<Written> outputs;
};

void print_text(const Ran& ran, const Output& output) {
  const Times& times = ran.times;
  output.text(fmt::format("{} on {}: {} work-groups, {:.6f} ms{}", ran.entry, ran.device, text_of(ran.grid),
                          times.median,
                          times.runs > 1 ? fmt::format(" (median of {}, least {:.6f})", times.runs, times.least) : ""));
  for (const Written& one : ran.outputs) {
    output.text(fmt::format("{} = {}{} in {}", one.name, name(one.dtype), one.shape.text(), base::quote(one.file)));
  }
}

void print_json(const Ran& ran, const Output& output) {
  Json json{{"device", ran.device},    {"entry", ran.entry},          {"grid", to_json(ran.grid)},
            {"ms", ran.times.median},  {"ms_least", ran.times.least}, {"runs", ran.times.runs},
            {"outputs", Json::array()}};
  for (const Written& one : ran.outputs) {
    json["outputs"].push_back(
        {{"name", one.name}, {"file", one.file}, {"dtype", name(one.dtype)}, {"shape", to_json(one.shape)}});
  }
  output.json(json);
}

/// The outputs in the order of the parameters, which is the order of a launch's outputs.
std::vector<OutputArgument> outputs_of(const std::vector<Binding>& bindings) {
  std::vector<OutputArgument> outputs;
  for (const Binding& binding : bindings) {
    if (binding.output) outputs.push_back(*binding.output);
  }
  return outputs;
}

Result<std::vector<Binding>> bindings_of(const RunOptions& options, const Entry& entry) {
  PINTLE_ASSIGN(inputs, parse_all(options.inputs, parse_input));
  PINTLE_ASSIGN(outputs, parse_all(options.outputs, parse_output));
  return bind_arguments(entry, inputs, outputs);
}

/// `best`, also in layers, is the best for the pack. A device that is named is opened, and loading says what does not
/// fit.
Result<Device> open_device(const std::string& id, const ProgramPack& pack) {
  return id.find("best") == std::string::npos ? open(id) : open(id, pack);
}

Result<LoadOptions> load_options(const RunOptions& options) {
  LoadOptions fixed;
  PINTLE_ASSIGN(constants, parse_all(options.constants, parse_constant));
  PINTLE_ASSIGN(macros, parse_all(options.macros, parse_define));
  for (const ConstantArgument& one : constants) fixed.constants.insert_or_assign(one.name, one.value);
  for (const MacroArgument& one : macros) fixed.macros.insert_or_assign(one.name, one.text);
  fixed.include_folders.assign(options.folders.begin(), options.folders.end());
  fixed.language = options.language;
  return fixed;
}

Result<Kernel> load_entry(const Device& device, const ProgramPack& pack, const RunOptions& options) {
  PINTLE_ASSIGN(fixed, load_options(options));
  PINTLE_ASSIGN(program, device.load(pack, fixed));
  return program.kernel(options.entry);
}

Result<ExitCode> run(const RunOptions& options, const Output& output) {
  PINTLE_ASSIGN(extent, extent_of(options));
  PINTLE_ASSIGN(pack, ProgramPack::open(options.pack));
  PINTLE_ASSIGN(device, open_device(options.device, pack));
  PINTLE_ASSIGN(kernel, load_entry(device, pack, options));
  PINTLE_ASSIGN(bindings, bindings_of(options, kernel.entry()));
  const auto outputs = outputs_of(bindings);
  if (device.info().capability(Feature::execution).support == Support::absent) {
    output.words(fmt::format("Device [{}] executes nothing: the outputs are not computed.", device.id()));
  }
  const Doing doing(fmt::format("running [Kernel {}] on [{}]", base::quote(options.entry), device.id()));
  PINTLE_ASSIGN(launch, Launch::create(device, kernel, extent, std::move(bindings)));
  PINTLE_ASSIGN(times, measure(launch, options.repeats));
  PINTLE_ASSIGN(arrays, launch.outputs());
  PINTLE_ASSIGN(written, write_outputs(outputs, arrays));
  const Grid groups = groups_of(extent, kernel.entry().group_size, device.info().limits);
  const Ran ran{std::string(device.id()), options.entry, groups, times, written};
  output.is_json() ? print_json(ran, output) : print_text(ran, output);
  return ExitCode::ok;
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "run", "Run one kernel of a pack, from .npy files to .npy files", declare, run);
}

}  // namespace pintle::cli
