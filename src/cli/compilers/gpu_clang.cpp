#include "cli/compilers/gpu_clang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/file.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/llvm_functions.h"
#include "cli/compilers/preludes.h"
#include "opencl_c/clang.h"
#include "opencl_c/options.h"

namespace pintle::cli {
namespace {

using Words = std::vector<std::string>;

/// clang 19 before later ones: they declare fewer of the functions for PTX.
Result<std::string> find_gpu_clang() {
  if (auto path = base::find_program("clang-19")) return *std::move(path);
  return opencl_c::find_clang(19);
}

/// The bitcode of libclc for the target, where packages put it.
Result<std::string> find_library(const GpuTarget& target) {
  Words tried;
  for (const char* const folder : {"/usr/lib/clc", "/usr/share/clc", "/usr/local/lib/clc", "/usr/local/share/clc"}) {
    for (const std::string& name : target.libraries) {
      std::error_code none;
      tried.push_back(fmt::format("{}/{}", folder, name));
      if (std::filesystem::is_regular_file(tried.back(), none)) return tried.back();
    }
  }
  return Error(
      Errc::unavailable,
      fmt::format("libclc, which has the built-in functions for {}, is not found (tried {}); Debian's packages "
                  "are libclc-15 and later.",
                  target.triple, fmt::join(tried, ", ")));
}

/// What each step of clang is told: the target, and that no other library is looked for.
Words begin(const std::string& clang, const GpuTarget& target) {
  return {
      clang, "-target", target.triple, target.processor, "-nogpulib", "-fno-crash-diagnostics", "-Wno-linker-warnings"};
}

/// `-fdeclare-opencl-builtins`: clang knows each function's type; which are defined shows when all is linked.
Words as_opencl_c(Words words, const std::string& standard) {
  words.insert(words.end(), {"-x", "cl", standard, "-Xclang", "-fdeclare-opencl-builtins", "-Xclang",
                             "-finclude-default-header", "-Xclang",
                             "-cl-ext=+cl_khr_fp16,+cl_khr_fp64,+cl_khr_int64_base_atomics,"
                             "+cl_khr_int64_extended_atomics"});
  words.insert(words.end(), opencl_c::lenient.begin(), opencl_c::lenient.end());
  return words;
}

/// Our functions as bitcode. They are linked before libclc, so that libclc fills what is left.
Result<Code> own_functions(const std::string& clang, const GpuTarget& target) {
  Words words = as_opencl_c(begin(clang, target), "-cl-std=CL2.0");
  words.insert(words.end(), {"-w", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"});
  return base::run_compiler({"gpu.cl", std::string(gpu_prelude), std::move(words)});
}

/// The source with all that it calls, as LLVM's text.
Result<Code> link(const io::PackSource& source, const std::string& clang, const GpuTarget& target,
                  const std::string& library) {
  PINTLE_ASSIGN(own, own_functions(clang, target));
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::string bitcode = folder / "gpu.bc";
  PINTLE_TRY(base::write_file(bitcode, own));
  Words words = as_opencl_c(begin(clang, target), opencl_standard(source));
  for (const std::string& file : {bitcode, library})
    words.insert(words.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file});
  words.insert(words.end(), {"-O3", "-S", "-emit-llvm"});
  return base::run_compiler({source.file, source.text, std::move(words)});
}

Error nothing_left(const io::PackSource& source, const std::vector<LeftOut>& left_out) {
  std::string text;
  for (const LeftOut& one : left_out)
    text += fmt::format("{}kernel {} {}", text.empty() ? "" : "; ", base::quote(one.entry), one.reason);
  return {Errc::build_failed,
          fmt::format("Source {} has no entry that can be made: {}.", base::quote(source.file), text)};
}

}  // namespace

Result<Made> compile_for_gpu(const io::PackSource& source, const GpuTarget& target) {
  PINTLE_ASSIGN(clang, find_gpu_clang());
  PINTLE_ASSIGN(library, find_library(target));
  PINTLE_ASSIGN(linked, link(source, clang, target, library));
  KeptKernels kept = keep_kernels(base::text_in(linked), source.entries);
  if (kept.left_out.size() == source.entries.size()) return nothing_left(source, kept.left_out);
  Words words = begin(clang, target);
  words.insert(words.end(), {"-x", "ir", "-O3", "-w"});
  words.insert(words.end(), target.options.begin(), target.options.end());
  PINTLE_ASSIGN(code, base::run_compiler({source.file, std::move(kept.text), std::move(words)}));
  return Made{std::move(code), std::move(kept.left_out)};
}

}  // namespace pintle::cli
