// A plug-in of PJRT as a table of functions, opened at run time.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/dylib.h"
#include "base/quote.h"
#include "pintle/error.h"
#include "vendor/pjrt/types.h"

namespace pintle::vendor::pjrt {

/// Within one major version the interface only grows at its end.
inline constexpr int spoken_major = 0;

/// The functions by their place in the interface.
enum class Place : std::size_t {
#define REQUIRED(name, result, arguments) name,
#define OPTIONAL(name, result, arguments) name,
#define UNUSED(name) name,
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
};

/// Where the interface has the pointer to a function.
[[nodiscard]] constexpr std::size_t offset_of(Place place) noexcept {
  return sizeof(InterfaceHead) + static_cast<std::size_t>(place) * sizeof(void*);
}

/// The functions are valid until the process ends, since plug-ins are never unloaded; an optional one is null where the
/// plug-in lacks it.
struct Table {
  base::Dylib library;
  int major = 0;
  int minor = 0;
#define REQUIRED(name, result, arguments) result (*name)(arguments*) = nullptr;
#define OPTIONAL(name, result, arguments) result (*name)(arguments*) = nullptr;
#define UNUSED(name)
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED

  /// `unavailable` has the loader's words, or what a plug-in speaks instead. `not_found` is a library that is no
  /// plug-in, or names the required function that a plug-in lacks.
  [[nodiscard]] static Result<Table> open(const std::filesystem::path& path);
  /// The same of a plug-in's interface (PJRT_Api). `plugin` is its name for messages; the table has no library.
  [[nodiscard]] static Result<Table> read(const void* interface, std::string_view plugin);
};

/// A plug-in's interface, of which only the bytes exist that its own size counts.
class InterfaceReader {
 public:
  /// Reads size and version, and no function.
  [[nodiscard]] static Result<InterfaceReader> over(const void* interface, std::string_view plugin) {
    const std::string name = base::quote(plugin, 4096);
    if (interface == nullptr)
      return pintle::Error(Errc::unavailable, fmt::format("[Plug-in {}] has no PJRT interface to give.", name));
    InterfaceHead head;
    std::memcpy(&head.head.size, interface, sizeof head.head.size);
    if (head.head.size < sizeof head) {
      return pintle::Error(Errc::unavailable,
                           fmt::format("Size ({}) of the PJRT interface of [Plug-in {}] is less than ({}).",
                                       head.head.size, name, sizeof head));
    }
    std::memcpy(&head, interface, sizeof head);
    if (head.version.major != spoken_major) {
      return pintle::Error(Errc::unavailable,
                           fmt::format("[Plug-in {}] speaks version ({}.{}) of PJRT; Pintle speaks ({}).", name,
                                       head.version.major, head.version.minor, spoken_major));
    }
    return InterfaceReader(interface, head, name);
  }

  [[nodiscard]] const Version& version() const noexcept { return head_.version; }

  /// Leaves `function` alone where the interface ends before it.
  template <class Function>
  void find(Place place, Function*& function) const noexcept {
    const std::size_t offset = offset_of(place);
    if (offset + sizeof function > head_.head.size) return;
    std::memcpy(&function, static_cast<const std::byte*>(interface_) + offset, sizeof function);
  }

  [[nodiscard]] pintle::Error lacks(std::string_view function) const {
    return {Errc::not_found, fmt::format("Function {} is not in [Plug-in {}], which speaks version ({}.{}) of PJRT.",
                                         base::quote(function), name_, head_.version.major, head_.version.minor)};
  }

 private:
  InterfaceReader(const void* interface, const InterfaceHead& head, std::string name)
      : interface_(interface), head_(head), name_(std::move(name)) {}

  const void* interface_;
  InterfaceHead head_;
  std::string name_;
};

inline Result<Table> Table::read(const void* interface, std::string_view plugin) {
  PINTLE_ASSIGN(reader, InterfaceReader::over(interface, plugin));
  Table table;
  table.major = reader.version().major;
  table.minor = reader.version().minor;
#define REQUIRED(name, result, arguments) \
  reader.find(Place::name, table.name);   \
  if (table.name == nullptr) return reader.lacks(#name);
#define OPTIONAL(name, result, arguments) reader.find(Place::name, table.name);
#define UNUSED(name)
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
  return table;
}

/// Makes an open library stay when it is closed: the process crashes where one of XLA's is unloaded.
inline void keep_loaded(const std::filesystem::path& path) noexcept {
  void* const again = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  if (again != nullptr) ::dlclose(again);
}

inline Result<Table> Table::open(const std::filesystem::path& path) {
  PINTLE_ASSIGN(library, base::Dylib::open(path));
  PINTLE_ASSIGN(interface, library.function<const void*()>("GetPjrtApi"));
  keep_loaded(path);
  PINTLE_ASSIGN(table, read(interface(), library.name()));
  table.library = std::move(library);
  return std::move(table);
}

}  // namespace pintle::vendor::pjrt
