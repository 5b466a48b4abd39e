// One run of Slang's compiler.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/signal_words.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_child.h"

namespace pintle::cli {
namespace {

constexpr auto longest = std::chrono::minutes(2);
constexpr int first_signal = 128;

Result<std::string> library_path() {
  PINTLE_ASSIGN(settings, base::settings());
  return settings->slang.empty() ? std::string("libslang-compiler.so") : settings->slang;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

Error absent(const std::string& words) {
  return {Errc::unavailable,
          fmt::format("Slang's compiler library is not found. PINTLE_SLANG names it: the wheel slangpy of PyPI "
                      "(`./dev setup slang`) and Slang's SDK have libslang-compiler.so. {}",
                      words.substr(0, words.find('\n')))};
}

/// The words of a child that failed, as an error.
Error failure(const io::PackSource& source, const base::ProcessOutput& ended, const std::string& folder) {
  if (ended.status == slang_is_absent) return absent(ended.output);
  const std::string end = ended.status > first_signal ? "ends by " + base::signal_text(ended.status - first_signal)
                                                      : fmt::format("ends with status {}", ended.status);
  return {Errc::build_failed, fmt::format("Source {} does not compile (Slang {}):\n{}", base::quote(source.file), end,
                                          without(ended.output, folder))};
}

std::vector<std::string> options_for(const std::string& target, const std::string& entry) {
  std::vector<std::string> options{"-target", target, "-line-directive-mode", "none"};
  if (target == "spirv") options.insert(options.end(), {"-profile", "spirv_1_3"});
  if (!entry.empty()) options.insert(options.end(), {"-entry", entry, "-stage", "compute"});
  return options;
}

}  // namespace

Result<SlangOutput> run_slang(const io::PackSource& source, const std::string& target, const std::string& entry) {
  PINTLE_ASSIGN(library, library_path());
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string text = folder / source.file, code = folder / "result.out", reflection = folder / "reflection.json";
  PINTLE_TRY(base::write_file(text, base::bytes_in(source.text)));
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return Error(Errc::io, fmt::format("/proc/self/exe cannot be read: {}.", failed.message()));
  std::vector<std::string> words{self.string(), std::string(slang_word), library, entry.empty() ? "" : code, reflection,
                                 text};
  const auto options = options_for(target, entry);
  words.insert(words.end(), options.begin(), options.end());
  PINTLE_ASSIGN(ended, base::run_process(words, Clock::now() + longest));
  if (ended.status != 0) return failure(source, ended, folder / "");
  SlangOutput output;
  PINTLE_ASSIGN(json, base::read_file(reflection));
  output.reflection = base::text_in(json);
  if (entry.empty()) return output;
  PINTLE_ASSIGN(made, base::read_file(code));
  output.code = std::move(made);
  return output;
}

}  // namespace pintle::cli
