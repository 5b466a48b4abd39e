// Finds and opens the MPI plug-in, and says what its numbers mean.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/contain.h"
#include "pintle/error.h"
#include "vendor/mpi/plugin.h"

namespace pintle::collective {

using MpiFunctions = vendor::mpi::Plugin;

/// The plug-in that PINTLE_MPI_PLUGIN names, or else one found beside this library, beside the program or by the
/// loader. It stays open. `unavailable` has every path that was tried with the loader's words, or both versions.
/// Thread-safe.
[[nodiscard]] Result<const MpiFunctions*> open_mpi_plugin();
/// The first of these that opens and fits.
[[nodiscard]] Result<const MpiFunctions*> open_mpi_plugin(std::span<const std::filesystem::path> paths);
/// Where the plug-in is looked for: `setting` alone, if there is one. Otherwise as base::plugin_paths says, and then in
/// the loader's folders.
[[nodiscard]] std::vector<std::filesystem::path> mpi_plugin_paths(std::string_view setting,
                                                                  const std::filesystem::path& own_folder,
                                                                  const std::filesystem::path& program_folder = {});
/// `unavailable` with both numbers where version or size are not those that this library was built with.
[[nodiscard]] Result<void> check_mpi_plugin(const MpiFunctions& functions, std::string_view name);

/// What a number means, with MPI's words; `action` is what could not be done: "put (8) bytes".
[[nodiscard]] Error mpi_error(const MpiFunctions& functions, int number, std::string_view action);

/// Success for 0. The text is made for an error only.
template <class... Values>
[[nodiscard]] Result<void> mpi_done(const MpiFunctions& functions, int number, fmt::format_string<Values...> action,
                                    Values... values) noexcept {
  if (number == 0) return {};
  return base::contain("naming an error of MPI", [&]() -> Result<void> {
    return mpi_error(functions, number, fmt::vformat(action, fmt::make_format_args(values...)));
  });
}

}  // namespace pintle::collective
