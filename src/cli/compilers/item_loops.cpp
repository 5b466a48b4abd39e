// OpenCL C on the cpu: the source becomes C, each kernel a function of one work-item, and a loop over the items of a
// group becomes what the cpu calls.
#include <fmt/format.h>

#include <string>

#include "base/c_compiler.h"
#include "base/quote.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/group_words.h"
#include "cli/compilers/preludes.h"

namespace pintle::cli {
namespace {

/// The C type of a scalar parameter, as docs/guide/programs.md has it.
std::string_view type_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::boolean:
    case DType::f8_e4m3fn:
    case DType::f8_e5m2:
    case DType::u8: return "uchar";
    case DType::i8: return "char";
    case DType::i16: return "short";
    case DType::f16:
    case DType::bf16:
    case DType::u16: return "ushort";
    case DType::i32: return "int";
    case DType::u32: return "uint";
    case DType::i64: return "long";
    case DType::u64: return "ulong";
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::complex64: return "float2";
  }
  return "void";
}

/// While the source is read, an entry's name stands for the item's function, with the item as its first parameter. The
/// name is free again for the loop.
std::string renaming(const Entry& entry) {
  const bool alone = entry.parameters.empty();
  return fmt::format("#define {0}(...) pintle_item_{0}(const pintle_item pintle_here{1})\n", entry.name,
                     alone ? "" : ", __VA_ARGS__");
}

/// Arguments are read once: for all that the compiler knows, a write through a buffer of bytes might change them.
std::string declarations_of(const Entry& entry) {
  std::string text;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const Parameter& parameter = entry.parameters[i];
    const bool buffer = parameter.kind == Parameter::Kind::buffer;
    if (buffer) text += fmt::format("  void* const argument_{0} = arguments[{0}];\n", i);
    else text += fmt::format("  const {0} argument_{1} = *(const {0}*)arguments[{1}];\n", type_of(parameter.dtype), i);
  }
  return text;
}

std::string arguments_of(const Entry& entry) {
  std::string text;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) text += fmt::format(", argument_{}", i);
  return text;
}

/// The item is a value that no write of the kernel can reach, so that the compiler keeps it in registers.
std::string loop(const Entry& entry) {
  return fmt::format(R"(#undef {0}
__attribute__((visibility("default"))) void {0}(const pintle_group* group, void* const* arguments) {{
  const size_t size_0 = group->size[0], size_1 = group->size[1], size_2 = group->size[2];
  pintle_item item = {{{{group->id[0], group->id[1], group->id[2]}}, {{0, 0, 0}}, {{size_0, size_1, size_2}},
                      {{group->count[0], group->count[1], group->count[2]}}}};
{2}  for (item.local_id[2] = 0; item.local_id[2] < size_2; ++item.local_id[2])
    for (item.local_id[1] = 0; item.local_id[1] < size_1; ++item.local_id[1])
      for (item.local_id[0] = 0; item.local_id[0] < size_0; ++item.local_id[0]) {{
        PINTLE_TELL_THREAD(item);
        pintle_item_{0}(item{1});
      }}
}}
)",
                     entry.name, arguments_of(entry), declarations_of(entry));
}

/// A scalar that the kernel declares otherwise than its entry would be converted; that is an error here.
constexpr std::string_view strict = R"(
#line 1 "the signatures"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wint-conversion"
)";

std::string as_c(const io::PackSource& source) {
  std::string before = fmt::format("{}\n{}\n", cpu_kernel_header, cpu_prelude), after;
  for (const Entry& entry : source.entries) {
    before += renaming(entry);
    after += loop(entry);
  }
  return behind_prelude(before, source.file, source.text) + std::string(strict) + after;
}

Result<Code> compile(const base::CCompiler& compiler, const io::PackSource& source, std::string_view define) {
  // A pack goes to other machines: no -march=native. No kernel reads errno, which would keep square roots scalar.
  const std::vector<std::string> command{compiler.path,
                                         "-O3",
                                         "-ffp-contract=off",
                                         "-fno-math-errno",
                                         "-fno-trapping-math",
                                         "-fPIC",
                                         "-shared",
                                         "-fvisibility=hidden",
                                         "-std=c11",
                                         "-fgnu89-inline",
                                         "-Wl,--no-undefined",
                                         "-Werror=implicit-function-declaration"};
  return base::compile_c(source.file, command, std::string(define) + as_c(source));
}

}  // namespace

Result<Code> compile_item_loops(const io::PackSource& source, std::string_view) {
  if (const auto reason = needs_a_group(source.text)) {
    return Error(Errc::unsupported, fmt::format("Source {} {}; on the cpu the items of a group run one after another.",
                                                base::quote(source.file), *reason));
  }
  PINTLE_ASSIGN(compiler, base::find_c_compiler());
  auto code = compile(compiler, source, "");
  const bool asked_outside = !code && code.error().message().find("pintle_here") != std::string_view::npos;
  return asked_outside ? compile(compiler, source, "#define PINTLE_ITEM_OF_THREAD\n") : std::move(code);
}

}  // namespace pintle::cli
