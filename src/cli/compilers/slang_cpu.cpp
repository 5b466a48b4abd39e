// Slang for the cpu: the CUDA C that it writes, behind its types for C++ and a prelude of ours. Its C++ has neither
// barriers nor memory that a group shares.
#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/file.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/preludes.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_signatures.h"
#include "io/json.h"

namespace pintle::cli {
namespace {

constexpr std::string_view nothing = "pintle_nothing";

/// A kernel that does nothing, to see what Slang writes before every kernel.
io::PackSource empty_source() {
  return {"nothing.slang",
          io::Language::slang,
          {},
          {},
          fmt::format("[shader(\"compute\")] [numthreads(1, 1, 1)] void {}() {{}}\n", nothing)};
}

std::string text_of(const Code& code) {
  std::string text(base::text_in(code));
  return text.substr(0, text.find('\0'));
}

/// What stands before the first function: Slang's own types and functions.
Result<std::string> prelude_of(const std::string& target, std::string_view function) {
  PINTLE_ASSIGN(output, run_slang(empty_source(), target, std::string(nothing)));
  const std::string text = text_of(output.code);
  const auto end = text.find(function);
  if (end != std::string::npos) return text.substr(0, end);
  return Error(Errc::build_failed, fmt::format("Slang's output for {} has no {}.", target, base::quote(function)));
}

struct Preludes {
  std::string types;  // for C++
  std::string tail;   // the last bytes of what stands before CUDA C
};

Result<Preludes> find_preludes() {
  constexpr std::size_t enough = 200;
  PINTLE_ASSIGN(types, prelude_of("cpp", fmt::format("void _{}(", nothing)));
  PINTLE_ASSIGN(cuda, prelude_of("cuda", fmt::format("extern \"C\" __global__ void {}(", nothing)));
  return Preludes{std::move(types), cuda.substr(cuda.size() - std::min(cuda.size(), enough))};
}

/// Where the parameters of the module lie in the struct that the CUDA C reads them from.
Result<std::string> globals_of(const SlangEntry& entry, const std::string& reflection) {
  PINTLE_ASSIGN(document, io::parse_json(reflection));
  PINTLE_ASSIGN(list, io::JsonView(document).member("parameters"));
  PINTLE_ASSIGN(items, list.items());
  std::string text;
  for (const io::JsonView& item : items) {
    PINTLE_ASSIGN(name_view, item.member("name"));
    PINTLE_ASSIGN(name, name_view.text());
    PINTLE_ASSIGN(binding, item.member("binding"));
    if (!binding.has("offset")) continue;
    PINTLE_ASSIGN(offset_view, binding.member("offset"));
    PINTLE_ASSIGN(offset, offset_view.number());
    bool is_block = true;
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      const SlangParameter& each = entry.parameters[i];
      if (each.place != SlangPlace::global || each.parameter.name != name) continue;
      text += fmt::format("  pintle_put(bytes, {}, arguments[{}]);\n  pintle_put(bytes, {}, SIZE_MAX);\n", offset, i,
                          offset + sizeof(void*));
      is_block = false;
    }
    if (is_block) text += fmt::format("  pintle_put(bytes, {}, static_cast<void*>(block));\n", offset);
  }
  return text;
}

bool has_globals(const SlangEntry& entry) {
  return !entry.parameters.empty() && entry.parameters.front().place != SlangPlace::entry;
}

/// Fills the module's parameters for this thread, which runs the whole group.
Result<std::string> filling(const SlangEntry& entry, const std::string& reflection) {
  if (!has_globals(entry)) return std::string();
  PINTLE_ASSIGN(places, globals_of(entry, reflection));
  std::string text = "  alignas(16) static thread_local unsigned char block[256];\n";
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const SlangParameter& each = entry.parameters[i];
    if (each.place == SlangPlace::block)
      text += fmt::format("  memcpy(block + {}, arguments[{}], {});\n", each.offset, i, bytes_of(each.parameter.dtype));
  }
  return fmt::format("{}  auto* const bytes = reinterpret_cast<unsigned char*>(&pintle_globals_{});\n{}", text,
                     entry.entry.name, places);
}

std::size_t first_own(const SlangEntry& entry) {
  std::size_t first = 0;
  while (first < entry.parameters.size() && entry.parameters[first].place != SlangPlace::entry) ++first;
  return first;
}

/// One kernel in a namespace of its own, and the function that the cpu calls.
std::string wrapped(const SlangEntry& entry, const std::string& body, const std::string& fill) {
  const std::string& name = entry.entry.name;
  const bool waits = body.find("__syncthreads") != std::string::npos;
  return fmt::format(R"(
#undef globalParams_0
#undef SLANG_globalParams
#define SLANG_globalParams pintle_globals_{0}
#define {0} pintle_kernel_{0}
namespace pintle_in_{0} {{
{1}
{5}
}}
#undef {0}
extern "C" __attribute__((visibility("default"))) void {0}(const pintle_group* group, void* const* arguments) {{
  using namespace pintle_in_{0};
{2}  pintle_launch<{3}, &pintle_kernel_{0}>(group, arguments, {4}, &pintle_kernel_{0});
}}
)",
                     name, body, fill, waits, first_own(entry),
                     has_globals(entry) ? "extern \"C\" { thread_local GlobalParams_0 SLANG_globalParams; }" : "");
}

Result<void> check_cpu(const SlangEntry& entry) {
  for (const auto& [parameter, place, offset] : entry.parameters) {
    if (parameter.kind == Parameter::Kind::buffer || parameter.kind == Parameter::Kind::scalar) continue;
    return Error(
        Errc::unsupported,
        fmt::format("Parameter {} is {}, which Slang's code for the cpu does not read; OpenCL C reads it there.",
                    base::quote(parameter.name), parameter.kind == Parameter::Kind::image ? "an image" : "a sampler"));
  }
  return {};
}

Result<std::string> kernel_of(const io::PackSource& source, const SlangEntry& entry, const Preludes& preludes) {
  PINTLE_TRY(check_cpu(entry));
  PINTLE_ASSIGN(output, run_slang(source, "cuda", entry.entry.name));
  const std::string text = text_of(output.code);
  const auto at = text.find(preludes.tail);
  if (at == std::string::npos) return Error(Errc::build_failed, "Slang's CUDA C begins in a way that is not known.");
  const std::string body = text.substr(at + preludes.tail.size());
  if (body.find("GetDimensions") != std::string::npos)
    return Error(Errc::unsupported,
                 fmt::format("Source {} asks for the size of a buffer (GetDimensions), which a kernel "
                             "for the cpu is not told.",
                             base::quote(source.file)));
  PINTLE_ASSIGN(fill, filling(entry, output.reflection));
  return wrapped(entry, body, fill);
}

Result<std::string> find_cpp_compiler() {
  for (const char* const name : {"c++", "g++", "clang++"}) {
    if (auto path = base::find_program(name)) return *std::move(path);
  }
  return Error(Errc::unavailable, "No C++ compiler is found (tried c++, g++, clang++).");
}

/// As for kernels in C: for any machine of the kind, and with the arithmetic of the source.
std::vector<std::string> command_for(const std::string& compiler) {
  return {compiler,
          "-x",
          "c++",
          "-std=c++17",
          "-O3",
          "-ffp-contract=off",
          "-fno-math-errno",
          "-fno-trapping-math",
          "-fno-strict-aliasing",
          "-fno-exceptions",
          "-fPIC",
          "-shared",
          "-fvisibility=hidden",
          "-w",
          "-Wl,--no-undefined"};
}

constexpr std::string_view put = R"(
template <class T>
inline void pintle_put(unsigned char* bytes, size_t offset, T value) {
  memcpy(bytes + offset, &value, sizeof value);
}
)";

}  // namespace

Result<Code> compile_slang_so(const io::PackSource& source, std::string_view) {
  PINTLE_ASSIGN(compiler, find_cpp_compiler());
  PINTLE_ASSIGN(entries, slang_entries(source));
  PINTLE_ASSIGN(preludes, find_preludes());
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", cpu_kernel_header, preludes.types, slang_prelude, put);
  for (const SlangEntry& entry : entries) {
    if (!is_listed(source, entry.entry.name)) continue;
    auto kernel = kernel_of(source, entry, preludes);
    if (!kernel) return kernel.error().during(fmt::format("compiling the entry {}", base::quote(entry.entry.name)));
    text += *kernel;
  }
  return base::run_compiler({source.file, text, command_for(compiler)});
}

}  // namespace pintle::cli
