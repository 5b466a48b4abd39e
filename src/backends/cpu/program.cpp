#include "backends/cpu/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "base/c_compiler.h"
#include "base/contain.h"
#include "base/elf.h"
#include "base/quote.h"
#include "kit/code_cache.h"
#include "pintle/native/cpu.h"

namespace pintle::cpu {
namespace {

using backend::ProgramImage;

struct Registry {
  std::mutex mutex;
  std::map<std::string, pintle_kernel, std::less<>> kernels;
};

Registry& registry() {
  static Registry& registry = *new Registry;  // user code may still load programs while the process ends
  return registry;
}

std::string object_name(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

/// The functions of the entries, by `find`, which returns a Result<pintle_kernel>. One error names all functions that
/// are missing.
template <class Find>
Result<std::unique_ptr<Program>> resolve(const ProgramImage& image, Find find) {
  auto program = std::make_unique<Program>();
  std::string missing;
  for (const Entry& entry : image.entries) {
    const Result<pintle_kernel> code = find(entry.name);
    if (!code) missing += fmt::format("{}{}", missing.empty() ? "" : " ", code.error().message());
    program->kernels.push_back({code ? *code : nullptr, entry.group_size, entry.local_bytes, {}});
  }
  if (missing.empty()) return program;
  return Error(Errc::build_failed, fmt::format("{} lacks entry points: {}", object_name(image), missing));
}

Result<void> refuse_constants(const ProgramImage& image) {
  if (image.constants.empty()) return {};
  return Error(
      Errc::unsupported,
      fmt::format("Constants ({}, the first is {}) of {} cannot be set in the format {}; only c takes them.",
                  image.constants.size(), base::quote(image.constants[0].name), object_name(image), image.format));
}

Result<std::unique_ptr<Program>> load_native(const ProgramImage& image) {
  PINTLE_TRY(refuse_constants(image));
  return resolve(image, [](const std::string& name) -> Result<pintle_kernel> {
    if (pintle_kernel code = registered_kernel(name); code != nullptr) return code;
    return Error(Errc::not_found, fmt::format("Kernel {} is not registered in this process.", base::quote(name)));
  });
}

Result<std::unique_ptr<Program>> with_library(const ProgramImage& image, base::Dylib library) {
  auto program = resolve(image, [&](const std::string& name) -> Result<pintle_kernel> {
    PINTLE_ASSIGN(code, library.function<std::remove_pointer_t<pintle_kernel>>(name.c_str()));
    return code;
  });
  if (program) (*program)->library.emplace(std::move(library));
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
                                           const kit::CodeCache::Make& make) {
  auto library = open_library(key, key_of, make);
  if (library) return with_library(image, *std::move(library));
  if (library.error().code() != Errc::unavailable) return library.error();
  return not_opened(image, library.error());
}

Result<std::unique_ptr<Program>> load_so(const ProgramImage& image) {
  PINTLE_TRY(refuse_constants(image));
  if (const auto whole = base::check_elf(image.code); !whole) return not_opened(image, whole.error());
  return load_code(image, base::sha256(image.code), kit::KeyOf::code, [&]() -> Result<std::vector<std::byte>> {
    return std::vector(image.code.begin(), image.code.end());
  });
}

Result<std::unique_ptr<Program>> load_c(const ProgramImage& image) {
  PINTLE_ASSIGN(compilation, Compilation::of(image));
  return load_code(image, compilation.key, kit::KeyOf::recipe,
                   [&] { return base::compile_c(image.name, compilation.command, compilation.source); });
}

}  // namespace

Result<void> register_kernel(std::string_view symbol, pintle_kernel kernel) {
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

pintle_kernel registered_kernel(std::string_view symbol) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.kernels.find(symbol);
  return found == all.kernels.end() ? nullptr : found->second;
}

Result<std::unique_ptr<Program>> load_program(const ProgramImage& image) {
  if (image.format == "native") return load_native(image);
  if (image.format == "so") return load_so(image);
  if (image.format == "c") return load_c(image);
  return Error(Errc::unsupported, fmt::format("Format {} of {} is none of the cpu backend's (native, so, c).",
                                              base::quote(image.format), object_name(image)));
}

}  // namespace pintle::cpu
