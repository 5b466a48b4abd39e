#include "opencl_c/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/contain.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/signal_words.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "opencl_c/job.h"
#include "opencl_c/options.h"
#include "opencl_c/subgroups.h"
#include "pintle/version.h"

namespace pintle::opencl_c {
namespace {

constexpr auto longest = std::chrono::minutes(2);

/// The order of each processor's levels is that of base::processor_level.
constexpr std::array<Level, 4> all_levels{{{"x86_64-linux", "x86_64-linux-gnu", "x86-64"},
                                           {"x86_64-v3-linux", "x86_64-linux-gnu", "x86-64-v3"},
                                           {"x86_64-v4-linux", "x86_64-linux-gnu", "x86-64-v4"},
                                           {"aarch64-linux", "aarch64-linux-gnu", "armv8-a"}}};

/// A name that is safe as a file's: what a compiler says of the source has it.
std::string file_name(std::string_view name) {
  std::string file(name.substr(name.rfind('/') + 1));
  for (char& letter : file)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '"' || letter == '\\') letter = '_';
  if (file.empty() || file == "." || file == "entries" || file == "refusals") file = "kernel";
  return file.ends_with(".cl") ? file : file + ".cl";
}

bool is_foreign(const Level& level) {
  return !level.triple.starts_with(base::machine().substr(0, base::machine().find('-')));
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

std::string text_of_status(int status) {
  constexpr int first_signal = 128;
  return status > first_signal ? "by " + base::signal_text(status - first_signal)
                               : fmt::format("with status {}", status);
}

Error not_compiled(const Source& source, std::string_view words) {
  return {Errc::build_failed, fmt::format("[Program {}] {}", base::quote(source.name), words)};
}

Result<Compiled> read_result(const Source& source, const std::string& object, const std::string& refusals) {
  Compiled compiled;
  const auto told = base::read_file(refusals);
  if (!told) return Error(Errc::unavailable, "The plug-in of clang 19 gives no answer: it is of another version.");
  compiled.refusals = parse_refusals(base::text_in(*told));
  if (compiled.refusals.size() < source.entries.size()) {
    PINTLE_ASSIGN(code, base::read_file(object));
    compiled.code = std::move(code);
    return compiled;
  }
  std::string words;
  for (const Refusal& refusal : compiled.refusals)
    words += fmt::format("{} kernel {} {}", words.empty() ? "" : ";", base::quote(refusal.entry), refusal.reason);
  return not_compiled(source, fmt::format("has no entry that can be made for the cpu:{}.", words));
}

/// A folder with the source in it, and what every call of the compiler begins with.
struct Call {
  base::TemporaryFolder folder;
  std::string file;
  std::vector<std::string> words;

  static Result<Call> of(const Toolchain& toolchain, const Source& source, const Level& level) {
    PINTLE_TRY(check_language(source.language));
    PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
    std::string file = folder / file_name(source.name);
    PINTLE_TRY(base::write_file(file, base::bytes_in(source.text)));
    std::vector<std::string> words{toolchain.clang};
    std::ranges::move(options(source, level), std::back_inserter(words));
    return Call{std::move(folder), std::move(file), std::move(words)};
  }
};

/// What the compiler writes to its output.
Result<std::string> run(const Source& source, const Call& call) {
  const auto ended = base::run_process(call.words, Clock::now() + longest);
  if (!ended) {
    if (ended.error().code() != Errc::timeout) return ended.error();
    return not_compiled(source, fmt::format("is not compiled: {}", ended.error().message()));
  }
  if (ended->status == 0) return ended->output;
  return not_compiled(source, fmt::format("does not compile (clang-19 ends {}):\n{}", text_of_status(ended->status),
                                          without(ended->output, call.folder / "")));
}

Result<Compiled> run(const Toolchain& toolchain, const Source& source, const Level& level) {
  PINTLE_ASSIGN(builtins, toolchain.builtins(level.name));
  PINTLE_ASSIGN(call, Call::of(toolchain, source, level));
  PINTLE_TRY(base::write_file(call.folder / "entries", base::bytes_in(job_text(builtins, source.entries))));
  const std::string object = call.folder / "object.so";
  call.words.push_back(fmt::format("-fpass-plugin={}", toolchain.plugin));
  if (base::find_program("ld.lld-19")) call.words.emplace_back("-fuse-ld=lld-19");
  // Another processor's libraries are not here; whatever loads the code has them open.
  call.words.insert(call.words.end(), {call.file, "-o", object, is_foreign(level) ? "-nostdlib" : "-lm"});
  PINTLE_TRY(run(source, call));
  return read_result(source, object, call.folder / "refusals");
}

/// Most sources do without those declarations, which take time.
Result<Compiled> run_or_declare(const Toolchain& toolchain, const Source& source, const Level& level) {
  auto compiled = run(toolchain, source, level);
  if (compiled || !lacks_subgroups(compiled.error())) return compiled;
  const std::string text = with_subgroups(source.text);
  Source declared = source;
  declared.text = text;
  auto again = run(toolchain, declared, level);
  return again ? std::move(again) : std::move(compiled);
}

/// Whether the text may name other files: by a directive, at least, that has one of these words.
bool may_include(std::string_view text) noexcept { return text.contains("include") || text.contains("embed"); }

/// The text with all that it includes; itself where it includes nothing.
Result<std::string> whole_text(const Toolchain& toolchain, const Source& source, const Level& level) {
  if (!may_include(source.text)) return std::string(source.text);
  PINTLE_ASSIGN(call, Call::of(toolchain, source, level));
  const std::string whole = call.folder / "whole";
  call.words.insert(call.words.end(), {"-E", call.file, "-o", whole});
  PINTLE_TRY(run(source, call));
  PINTLE_ASSIGN(bytes, base::read_file(whole));
  return without(std::string(base::text_in(bytes)), call.folder / "");
}

}  // namespace

std::span<const Level> levels() noexcept { return all_levels; }

const Level* level_here() noexcept {
  const unsigned level = base::processor_level();
  const std::string machine = base::machine();
  const auto first = std::ranges::find(all_levels, machine, &Level::target);
  if (first == all_levels.end()) return nullptr;
  const auto index = static_cast<std::size_t>(first - all_levels.begin()) + (level >= 4 ? 2 : level == 3 ? 1 : 0);
  return &all_levels[index];
}

Result<Compiled> compile(const Toolchain& toolchain, const Source& source, const Level& level) {
  return base::contain("compiling OpenCL C", [&] { return run_or_declare(toolchain, source, level); });
}

Result<base::Digest> key_of(const Toolchain& toolchain, const Source& source, const Level& level) {
  return base::contain("reading OpenCL C", [&]() -> Result<base::Digest> {
    PINTLE_ASSIGN(text, whole_text(toolchain, source, level));
    std::string all =
        fmt::format("pintle {} opencl_c\n{}{}\n", version, toolchain.stamp(), job_text("", source.entries));
    for (const std::string& word : options(source, level)) all += word + "\n";
    all += file_name(source.name) + "\n";
    return base::sha256(base::bytes_in(all + text));
  });
}

}  // namespace pintle::opencl_c
