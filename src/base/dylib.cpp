#include "base/dylib.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

#include "base/contain.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

std::string loader_words() {
  const char* words = dlerror();
  return words == nullptr ? "the loader gives no reason" : words;
}

constexpr const char* descriptors = "/proc/self/fd/";

/// A number as a path that stays in its folder.
std::string in_dots(std::uint64_t number) {
  std::string steps;
  for (; number != 0; number /= 2) steps += number % 2 == 0 ? "./" : ".//";
  return steps;
}

/// A name for an open file under which the loader knows no other file. The loader takes a known name for the library
/// that it loaded under it, and the number of a descriptor may be used again while that library is still loaded. Device
/// and inode number tell all files apart that exist.
std::string name_for_loader(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return {};
  return fmt::format("{}{}../fd/{}{}", descriptors, in_dots(status.st_dev), in_dots(status.st_ino), file);
}

/// The path of the program's file; its first argument may be anything.
std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::filesystem::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&own_file);
  if (dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
  if (map->l_name != nullptr && map->l_name[0] != '\0') return map->l_name;
  return program_file();
}

}  // namespace

std::filesystem::path own_folder() noexcept {
  return contain_or(std::filesystem::path(), [] { return own_file().parent_path(); });
}

std::filesystem::path program_folder() noexcept {
  return contain_or(std::filesystem::path(), [] { return program_file().parent_path(); });
}

Result<Dylib> Dylib::open(const std::filesystem::path& path) {
  return contain("opening a library", [&]() -> Result<Dylib> {
    // An empty path would open the program itself.
    if (path.empty()) return Error(Errc::invalid_argument, "Path of a library is empty.");
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
      return Dylib(handle, path.string());
    }
    return Error(Errc::unavailable,
                 fmt::format("Library {} cannot be opened: {}.", quote(path.string(), 4096), loader_words()));
  });
}

Result<Dylib> Dylib::open(int file, const std::filesystem::path& path) {
  return contain("opening a library", [&]() -> Result<Dylib> {
    const std::string name = ::access(descriptors, X_OK) == 0 ? name_for_loader(file) : path.string();
    if (name.empty()) return Error(Errc::invalid_argument, "Descriptor of a library is not open.");
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr)
      return Dylib(handle, path.string());
    return Error(Errc::unavailable,
                 fmt::format("Library {} cannot be opened: {}.", quote(path.string(), 4096), loader_words()));
  });
}

Result<Dylib> Dylib::open_any(std::span<const char* const> names) {
  return contain("opening a library", [&]() -> Result<Dylib> {
    std::string tried;
    for (const char* const name : names) {
      if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle != nullptr) return Dylib(handle, name);
      tried += fmt::format("{}{} ({})", tried.empty() ? "" : "; ", quote(name), loader_words());
    }
    return Error(Errc::unavailable, fmt::format("None of these libraries can be opened: {}.", tried));
  });
}

Dylib& Dylib::operator=(Dylib&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(name_, other.name_);
  return *this;
}

Dylib::~Dylib() {
  if (handle_ != nullptr) dlclose(handle_);
}

Result<void*> Dylib::symbol(const char* name) const {
  return contain("looking up a symbol", [&]() -> Result<void*> {
    if (handle_ == nullptr) return Error(Errc::stale, "Library is moved from.");
    dlerror();
    if (void* address = dlsym(handle_, name); address != nullptr) return address;
    return Error(Errc::not_found,
                 fmt::format("Symbol {} is not in [Library {}]: {}.", quote(name), quote(name_, 4096), loader_words()));
  });
}

}  // namespace pintle::base
