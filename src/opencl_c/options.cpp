#include "opencl_c/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/quote.h"

namespace pintle::opencl_c {
namespace {

constexpr std::array<std::string_view, 6> languages{"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", ""};
constexpr std::string_view usual_language = "CL2.0";

/// The extensions of the cpu, and no others, so that a source that asks with #ifdef gets what is there.
constexpr std::string_view extensions =
    "-cl-ext=-all,+cl_khr_fp64,+cl_khr_fp16,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,"
    "+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics,+cl_khr_local_int32_base_atomics,"
    "+cl_khr_local_int32_extended_atomics,+cl_khr_byte_addressable_store,+cl_khr_subgroups,+cl_intel_subgroups,"
    "+cl_intel_subgroups_short,+cl_khr_3d_image_writes";
/// What OpenCL C 3.0 leaves open, and the cpu has.
constexpr std::string_view features =
    ",+__opencl_c_fp64,+__opencl_c_int64,+__opencl_c_generic_address_space,"
    "+__opencl_c_program_scope_global_variables,+__opencl_c_images,+__opencl_c_3d_image_writes,"
    "+__opencl_c_read_write_images";
/// Those that clang knows for no processor: its header tells them by macros.
constexpr std::array<std::string_view, 6> told_features{"work_group_collective_functions",
                                                        "atomic_order_acq_rel",
                                                        "atomic_order_seq_cst",
                                                        "atomic_scope_device",
                                                        "atomic_scope_all_devices",
                                                        "subgroups"};

/// Extensions that clang knows for no processor, and declares where their macro is there.
constexpr std::array<std::string_view, 10> told_extensions{"cl_khr_subgroup_extended_types",
                                                           "cl_khr_subgroup_ballot",
                                                           "cl_khr_subgroup_shuffle",
                                                           "cl_khr_subgroup_shuffle_relative",
                                                           "cl_khr_subgroup_clustered_reduce",
                                                           "cl_khr_subgroup_rotate",
                                                           "cl_intel_required_subgroup_size",
                                                           "cl_khr_integer_dot_product",
                                                           "__opencl_c_integer_dot_product_input_4x8bit",
                                                           "__opencl_c_integer_dot_product_input_4x8bit_packed"};

/// cl_ext_float_atomics is told by macros, which clang knows for no processor.
void add_float_atomics(std::vector<std::string>& words) {
  words.emplace_back("-Dcl_ext_float_atomics=1");
  for (const std::string_view type : {"fp32", "fp64"}) {
    for (const std::string_view space : {"global", "local"}) {
      for (const std::string_view what : {"add", "min_max"})
        words.push_back(fmt::format("-D__opencl_c_ext_{}_{}_atomic_{}=1", type, space, what));
    }
  }
}

/// cl_intel_subgroups_short has names of its own for reductions, which clang declares for no processor.
void add_intel_reductions(std::vector<std::string>& words) {
  for (const std::string_view what : {"reduce", "scan_inclusive", "scan_exclusive"})
    for (const std::string_view with : {"add", "min", "max"})
      words.push_back(fmt::format("-Dintel_sub_group_{0}_{1}=sub_group_{0}_{1}", what, with));
}

/// glibc has vectors of exp, log, sin, cos and pow for x86-64, all within 4 ulp (exp 1, log and pow 3 at most).
void add_library(std::vector<std::string>& words, const Level& level) {
  if (level.triple.starts_with("x86_64")) words.emplace_back("-fveclib=libmvec");
}

}  // namespace

Result<void> check_language(std::string_view language) {
  if (std::ranges::find(languages, language) != languages.end()) return {};
  return Error(Errc::unsupported, fmt::format("Language {} is none of OpenCL C's (CL1.0, CL1.1, CL1.2, CL2.0, CL3.0).",
                                              base::quote(language)));
}

/// -ffp-contract=off: the same bytes on every level. errno and floating-point traps are no part of OpenCL C. Calls of
/// printf stay calls of printf.
std::vector<std::string> options(const Source& source, const Level& level) {
  const std::string_view language = source.language.empty() ? usual_language : source.language;
  std::vector<std::string> words{"-x",
                                 "cl",
                                 fmt::format("-cl-std={}", language),
                                 "-target",
                                 std::string(level.triple),
                                 fmt::format("-march={}", level.name),
                                 "-O3",
                                 "-ffp-contract=off",
                                 "-fno-math-errno",
                                 "-fno-trapping-math",
                                 "-fPIC",
                                 "-shared",
                                 "-nostartfiles",
                                 "-fno-crash-diagnostics",
                                 "-Wno-unused-command-line-argument",
                                 "-Wno-psabi",
                                 "-Xclang",
                                 fmt::format("{}{}", extensions, language == "CL3.0" ? features : ""),
                                 "-Xclang",
                                 "-fdeclare-opencl-builtins",
                                 "-Xclang",
                                 "-finclude-default-header"};
  words.insert(words.end(), lenient.begin(), lenient.end());
  add_library(words, level);
  add_float_atomics(words);
  add_intel_reductions(words);
  for (const std::string_view extension : told_extensions) words.push_back(fmt::format("-D{}=1", extension));
  if (language == "CL3.0") {
    for (const std::string_view feature : told_features) words.push_back(fmt::format("-D__opencl_c_{}=1", feature));
  }
  for (const std::string& define : source.defines) words.push_back("-D" + define);
  for (const std::string& folder : source.include_folders) words.push_back("-I" + folder);
  return words;
}

}  // namespace pintle::opencl_c
