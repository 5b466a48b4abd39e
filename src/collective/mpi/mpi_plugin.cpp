#include "collective/mpi/mpi_plugin.h"

#include <array>
#include <mutex>
#include <utility>

#include "base/dylib.h"
#include "base/mutex.h"
#include "base/platform.h"
#include "base/plugin_paths.h"
#include "base/quote.h"
#include "base/settings.h"

namespace pintle::collective {
namespace {

/// Opens one and never closes it: MPI's threads and handlers at the process's end are in there.
Result<const MpiFunctions*> open_one(const std::filesystem::path& path) {
  PINTLE_ASSIGN(library, base::Dylib::open(path));
  const auto open = library.function<vendor::mpi::OpenPlugin>(vendor::mpi::plugin_symbol);
  if (!open) return Error(Errc::unavailable, std::string(open.error().message()));
  const MpiFunctions* const functions = (*open)();
  if (functions == nullptr)
    return Error(Errc::unavailable, fmt::format("[Library {}] gives no functions.", base::quote(path.string(), 4096)));
  PINTLE_TRY(check_mpi_plugin(*functions, path.string()));
  static_cast<void>(new base::Dylib(std::move(library)));
  return functions;
}

/// With raised rights only the loader's folders are searched: a link to the program may lie in its caller's folder.
std::vector<std::filesystem::path> paths_here(std::string_view setting) {
  if (base::rights() == base::Rights::raised) return mpi_plugin_paths({}, {});
  return mpi_plugin_paths(setting, base::own_folder(), base::program_folder());
}

Errc code_of(int number, bool is_memory) noexcept {
  if (number == vendor::mpi::mpi_is_over) return Errc::stale;
  if (number == vendor::mpi::memory_is_split || number == vendor::mpi::pair_is_unknown) return Errc::unsupported;
  return is_memory ? Errc::out_of_memory : Errc::internal;
}

}  // namespace

std::vector<std::filesystem::path> mpi_plugin_paths(std::string_view setting, const std::filesystem::path& own_folder,
                                                    const std::filesystem::path& program_folder) {
  if (!setting.empty()) return {setting};
  auto paths = base::plugin_paths(vendor::mpi::plugin_file, own_folder, program_folder);
  paths.emplace_back(vendor::mpi::plugin_file);
  return paths;
}

Result<void> check_mpi_plugin(const MpiFunctions& functions, std::string_view name) {
  return base::contain("checking the MPI plug-in", [&]() -> Result<void> {
    if (functions.version != vendor::mpi::plugin_version)
      return Error(Errc::unavailable,
                   fmt::format("[MPI plug-in {}] has version ({}); this library needs version ({}).",
                               base::quote(name, 4096), functions.version, vendor::mpi::plugin_version));
    if (functions.size != sizeof(MpiFunctions))
      return Error(Errc::unavailable,
                   fmt::format("[MPI plug-in {}] has a table of ({}) bytes; this library needs ({}) bytes.",
                               base::quote(name, 4096), functions.size, sizeof(MpiFunctions)));
    return {};
  });
}

Result<const MpiFunctions*> open_mpi_plugin(std::span<const std::filesystem::path> paths) {
  return base::contain("opening the MPI plug-in", [&]() -> Result<const MpiFunctions*> {
    std::string tried;
    for (const std::filesystem::path& path : paths) {
      auto opened = open_one(path);
      if (opened) return opened;
      tried += fmt::format(" {}", opened.error().message());
    }
    return Error(Errc::unavailable,
                 fmt::format("No plug-in for MPI can be opened; PINTLE_MPI_PLUGIN may have its path.{}", tried));
  });
}

Result<const MpiFunctions*> open_mpi_plugin() {
  return base::contain("opening the MPI plug-in", [&]() -> Result<const MpiFunctions*> {
    static base::Mutex mutex;
    static const MpiFunctions* opened = nullptr;
    const std::scoped_lock lock(mutex);
    if (opened != nullptr) return opened;
    PINTLE_ASSIGN(settings, base::settings());
    PINTLE_ASSIGN(functions, open_mpi_plugin(paths_here(settings->mpi_plugin)));
    opened = functions;
    return opened;
  });
}

Error mpi_error(const MpiFunctions& functions, int number, std::string_view action) {
  std::array<char, 1024> words{};
  int is_memory = 0;
  functions.describe(number, words.data(), static_cast<int>(words.size()), &is_memory);
  words.back() = '\0';
  const std::string text = words.data();
  return Error(code_of(number, is_memory != 0), fmt::format("MPI cannot {}: {}.", action, text))
      .with_vendor({.library = "libmpi", .number = number, .symbol = text});
}

}  // namespace pintle::collective
