#include "backends/cpu/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "backends/cpu/kernel_header.h"
#include "base/c_entries.h"
#include "base/contain.h"
#include "base/elf.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/quote.h"
#include "kit/c_program.h"
#include "kit/code_cache.h"
#include "kit/left_out.h"
#include "kit/no_source.h"
#include "opencl_c/compile.h"
#include "opencl_c/notes.h"
#include "opencl_c/print.h"
#include "pintle/native/cpu.h"

namespace pintle::cpu {
namespace {

using backend::ProgramImage;

struct Registry {
  std::mutex mutex;
  std::map<std::string, pintle_cpu_kernel, std::less<>> kernels;
};

Registry& registry() {
  static Registry& registry = *new Registry;  // user code may still load programs while the process ends
  return registry;
}

std::string object_name(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

/// The functions of the entries, by `find`, which returns a Result<pintle_cpu_kernel>. One error names all functions
/// that are missing.
template <class Find>
Result<std::unique_ptr<Program>> resolve(const ProgramImage& image, Find find) {
  auto program = std::make_unique<Program>();
  std::string missing;
  bool has_any = true;
  for (const Entry& entry : image.entries) {
    const Result<pintle_cpu_kernel> code = find(entry.name);
    program->kernels.push_back(Kernel::of(entry, code ? *code : nullptr));
    if (code || kit::is_left_out(image, entry.name)) continue;
    missing += fmt::format("{}{}", missing.empty() ? "" : " ", code.error().message());
    has_any &= kit::leave_out(image, entry.name, kit::not_in_code);
  }
  if (has_any) return program;
  return Error(Errc::build_failed, fmt::format("{} lacks entry points: {}", object_name(image), missing));
}

/// Subgroups of more than one item are OpenCL C's, whose code says how many. Null: code without a library.
Result<void> check_subgroups(const ProgramImage& image, const base::Dylib* library) {
  for (const Entry& entry : image.entries) {
    if (entry.subgroup_size <= 1 || kit::is_left_out(image, entry.name)) continue;
    const auto text =
        library == nullptr ? Result<void*>(nullptr) : library->symbol((opencl_c::subgroup_symbol + entry.name).c_str());
    const std::string items = text && *text != nullptr ? static_cast<const char*>(*text) : "1";
    if (items == std::to_string(entry.subgroup_size)) continue;
    std::string reason = fmt::format("has subgroups of ({}) items in its signature, and of ({}) in its code",
                                     entry.subgroup_size, items);
    if (image.left_out == nullptr)
      return Error(Errc::build_failed,
                   fmt::format("Kernel {} of {} {}.", base::quote(entry.name), object_name(image), reason));
    image.left_out->push_back({entry.name, std::move(reason)});
  }
  return {};
}

Result<std::unique_ptr<Program>> load_native(const ProgramImage& image) {
  PINTLE_TRY(kit::refuse_options(image));
  PINTLE_TRY(check_subgroups(image, nullptr));
  return resolve(image, [](const std::string& name) -> Result<pintle_cpu_kernel> {
    if (pintle_cpu_kernel code = registered_kernel(name); code != nullptr) return code;
    return Error(Errc::not_found, fmt::format("Kernel {} is not registered in this process.", base::quote(name)));
  });
}

/// Code of OpenCL C says what it lacks; no other code has this symbol.
Result<void> hear(const ProgramImage& image, const base::Dylib& library) {
  const auto text = library.symbol(opencl_c::refusals_symbol);
  if (!text) return {};
  if (image.format == "so" && !image.constants.empty()) {
    return Error(Errc::unsupported,
                 fmt::format("Constant {} is a side of a group, and {} was compiled from OpenCL C for "
                             "groups of one size: load it from its source.",
                             base::quote(image.constants[0].name), object_name(image)));
  }
  if (image.left_out == nullptr) return {};
  for (auto& [entry, reason] : opencl_c::parse_refusals(static_cast<const char*>(*text)))
    image.left_out->push_back({std::move(entry), std::move(reason)});
  return {};
}

/// What code of OpenCL C needs, and where it prints.
void hear_needs(const ProgramImage& image, const base::Dylib& library) {
  if (const auto pointer = library.symbol(opencl_c::print_symbol))
    *static_cast<opencl_c::Print*>(*pointer) = opencl_c::print;
  const auto text = library.symbol(opencl_c::alignments_symbol);
  if (!text || image.alignments == nullptr) return;
  for (const auto& [name, parameter, bytes] : opencl_c::parse_needs(static_cast<const char*>(*text))) {
    const auto entry = std::ranges::find(image.entries, name, &Entry::name);
    if (entry == image.entries.end() || parameter >= entry->parameters.size()) continue;
    image.alignments->push_back({static_cast<std::uint32_t>(entry - image.entries.begin()), parameter, bytes});
  }
}

using Find = Result<pintle_cpu_kernel> (*)(const base::Dylib& library, const std::string& name);

Result<pintle_cpu_kernel> function_of(const base::Dylib& library, const std::string& name) {
  return library.function<std::remove_pointer_t<pintle_cpu_kernel>>(name.c_str());
}

/// Compiled C has a pointer for each entry.
Result<pintle_cpu_kernel> pointed_at(const base::Dylib& library, const std::string& name) {
  PINTLE_ASSIGN(pointer, library.symbol(base::entry_symbol(name).c_str()));
  return *static_cast<const pintle_cpu_kernel*>(pointer);
}

Result<std::unique_ptr<Program>> with_library(const ProgramImage& image, base::Dylib library, Find find) {
  PINTLE_TRY(hear(image, library));
  hear_needs(image, library);
  PINTLE_TRY(check_subgroups(image, &library));
  auto program = resolve(image, [&](const std::string& name) { return find(library, name); });
  if (!program) return program;
  for (std::size_t i = 0; i < image.entries.size(); ++i)
    (*program)->kernels[i].has_rows =
        library.symbol((opencl_c::rows_symbol + image.entries[i].name).c_str()).has_value();
  (*program)->library.emplace(std::move(library));
  return program;
}

/// Opens the library from the cache; where the cached file cannot be opened (a folder without the right to execute),
/// from a temporary file.
Result<base::Dylib> open_library(const base::Digest& key, kit::KeyOf key_of, const kit::CodeCache::Make& make) {
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(file, cache.obtain(key, ".so", make, key_of));
  auto library = base::Dylib::open(file.descriptor(), file.path());
  if (library || file.kind() == kit::CodeFile::Kind::temporary) return library;
  PINTLE_ASSIGN(code, file.code());
  PINTLE_ASSIGN(copy, kit::CodeCache::temporary(".so", code));
  return base::Dylib::open(copy.descriptor(), copy.path());
}

Error not_opened(const ProgramImage& image, const Error& cause) {
  return {Errc::build_failed, fmt::format("{} cannot be opened: {}", object_name(image), cause.message())};
}

Result<std::unique_ptr<Program>> load_code(const ProgramImage& image, const base::Digest& key, kit::KeyOf key_of,
                                           Find find, const kit::CodeCache::Make& make) {
  auto library = open_library(key, key_of, make);
  if (library) return with_library(image, *std::move(library), find);
  if (library.error().code() != Errc::unavailable) return library.error();
  return not_opened(image, library.error());
}

Result<std::unique_ptr<Program>> load_so(const ProgramImage& image) {
  PINTLE_TRY(kit::refuse_options(image));
  if (const auto whole = base::check_elf(image.code); !whole) return not_opened(image, whole.error());
  return load_code(
      image, base::sha256(image.code), kit::KeyOf::code, function_of,
      [&]() -> Result<std::vector<std::byte>> { return std::vector(image.code.begin(), image.code.end()); });
}

Result<std::unique_ptr<Program>> load_c(const ProgramImage& image) {
  PINTLE_ASSIGN(program, kit::CProgram::of(image, kernel_header));
  return load_code(image, program.key, kit::KeyOf::recipe, pointed_at, [&] { return program.compile(image); });
}

Result<std::unique_ptr<Program>> load_opencl_c(const ProgramImage& image) {
  PINTLE_ASSIGN(toolchain, opencl_c::find_toolchain());
  const opencl_c::Level* const level = opencl_c::level_here();
  if (level == nullptr)
    return Error(Errc::unavailable, fmt::format("OpenCL C becomes no code for {}.", base::machine()));
  PINTLE_ASSIGN(defines, kit::c_defines(image));
  const opencl_c::Source source{image.name, base::text_in(image.code),    image.entries,
                                defines,    image.source.include_folders, image.source.language};
  PINTLE_ASSIGN(key, key_of(toolchain, source, *level));
  return load_code(image, key, kit::KeyOf::recipe, function_of, [&]() -> Result<std::vector<std::byte>> {
    PINTLE_ASSIGN(compiled, compile(toolchain, source, *level));
    return std::move(compiled.code);
  });
}

}  // namespace

Result<void> register_kernel(std::string_view symbol, pintle_cpu_kernel kernel) {
  return base::contain("registering a kernel", [&]() -> Result<void> {
    if (kernel == nullptr)
      return Error(Errc::invalid_argument, fmt::format("Kernel {} has no function.", base::quote(symbol)));
    if (!base::is_identifier(symbol)) {
      return Error(Errc::invalid_argument,
                   fmt::format("Name {} of a kernel is not an identifier.", base::quote(symbol)));
    }
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto [place, added] = all.kernels.try_emplace(std::string(symbol), kernel);
    if (added || place->second == kernel) return {};
    return Error(Errc::invalid_argument,
                 fmt::format("Kernel {} is already registered with another function.", base::quote(symbol)));
  });
}

pintle_cpu_kernel registered_kernel(std::string_view symbol) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(symbol);
  return found == all.kernels.end() ? nullptr : found->second;
}

Result<std::unique_ptr<Program>> load_program(const ProgramImage& image) {
  if (image.format == "native") return load_native(image);
  if (image.format == "so") return load_so(image);
  if (image.format == "c") return load_c(image);
  if (image.format == "opencl_c") return load_opencl_c(image);
  return Error(Errc::unsupported, fmt::format("Format {} of {} is none of the cpu backend's (native, so, c, opencl_c).",
                                              base::quote(image.format), object_name(image)));
}

}  // namespace pintle::cpu
