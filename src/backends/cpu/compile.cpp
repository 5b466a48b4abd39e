// The format c: what the compiler gets, and what its result depends on.
#include <fmt/format.h>

#include "backends/cpu/kernel_header.h"
#include "backends/cpu/program.h"
#include "base/c_compiler.h"
#include "base/file.h"
#include "base/quote.h"
#include "kit/c_literal.h"
#include "kit/host_cpus.h"
#include "pintle/version.h"

namespace pintle::cpu {
namespace {

/// What -march=native stands for on this machine: a part of the cache's key.
const std::string& processor() {
  static const std::string& text = *new std::string([] {
    std::string all;
    for (const char* field : {"model name", "flags", "CPU part", "Features"})
      all += kit::cpuinfo_field("/", field) + "\n";
    return all;
  }());
  return text;
}

/// The kernel header stands before the text, whose lines keep their numbers.
std::string source_of(const backend::ProgramImage& image) {
  const std::string file = fmt::format("{}.c", image.name.empty() ? "kernel" : image.name);
  return fmt::format("{}\n#line 1 {}\n{}", kernel_header, base::quote(file, 200), base::text_in(image.code));
}

}  // namespace

Result<Compilation> Compilation::of(const backend::ProgramImage& image) {
  PINTLE_ASSIGN(compiler, base::find_c_compiler());
  Compilation result;
  // No kernel reads errno; setting it would keep every loop with a square root from being vectorised.
  result.command = {compiler.path,     "-O3",   "-march=native", "-ffp-contract=off",
                    "-fno-math-errno", "-fPIC", "-shared",       "-std=c11"};
  for (const backend::Constant& constant : image.constants) {
    PINTLE_ASSIGN(text, kit::c_literal(constant));
    result.command.push_back(fmt::format("-D{}={}", constant.name, text));
  }
  result.source = source_of(image);
  std::string all = fmt::format("pintle {}\n{}\n{}", version, compiler.version, processor());
  for (const std::string& word : result.command) all += word + "\n";
  result.key = base::sha256(base::bytes_in(all + result.source));
  return result;
}

}  // namespace pintle::cpu
