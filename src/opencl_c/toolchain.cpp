#include "opencl_c/toolchain.h"

#include <fmt/format.h>

#include <array>

#include "base/contain.h"
#include "base/dylib.h"
#include "base/platform.h"
#include "base/plugin_paths.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/subprocess.h"

namespace pintle::opencl_c {
namespace {

namespace files = std::filesystem;

/// The plug-in is made for this version of LLVM and no other.
constexpr std::string_view clang_name = "clang-19";

std::string stamp_of(const files::path& path) {
  std::error_code none;
  const auto written = files::last_write_time(path, none).time_since_epoch().count();
  return fmt::format("{} {} {}\n", path.string(), written, files::file_size(path, none));
}

/// With raised rights only the library's own folder is searched: a link to the program may lie in its caller's folder.
std::vector<files::path> paths_here(std::string_view setting) {
  if (base::rights() == base::Rights::raised) return base::plugin_paths(plugin_file, base::own_folder(), {});
  if (!setting.empty()) return {setting};
  return base::plugin_paths(plugin_file, base::own_folder(), base::program_folder());
}

}  // namespace

Result<std::string> Toolchain::builtins(std::string_view level) const {
  const files::path path = files::path(plugin).parent_path() / fmt::format("pintle_opencl_c-{}.bc", level);
  std::error_code none;
  if (files::exists(path, none)) return path.string();
  return Error(Errc::unavailable, fmt::format("The built-in functions of OpenCL C for {} are not there ({}).", level,
                                              base::quote(path.string(), 4096)));
}

std::string Toolchain::stamp() const {
  std::error_code none;
  std::string text = stamp_of(files::canonical(clang, none)) + stamp_of(plugin);
  for (const auto& file : files::directory_iterator(files::path(plugin).parent_path(), none))
    if (file.path().filename().string().starts_with("pintle_opencl_c-")) text += stamp_of(file.path());
  return text;
}

Result<Toolchain> find_toolchain() {
  return base::contain("looking for clang", []() -> Result<Toolchain> {
    PINTLE_ASSIGN(settings, base::settings());
    std::string tried;
    std::error_code none;
    for (const files::path& path : paths_here(settings->opencl_c_plugin)) {
      if (!files::exists(path, none)) {
        tried += fmt::format("{}{}", tried.empty() ? "" : ", ", base::quote(path.string(), 4096));
        continue;
      }
      auto clang = base::find_program(clang_name);
      if (clang) return Toolchain{*std::move(clang), path.string()};
      return Error(Errc::unavailable, fmt::format("OpenCL C for this processor needs {}, which is not found in PATH. "
                                                  "Install the package {} and its linker lld-19.",
                                                  clang_name, clang_name));
    }
    return Error(Errc::unavailable,
                 fmt::format("The plug-in of clang 19 ({}) is not there (tried {}). It is built where the package "
                             "llvm-19-dev is installed; PINTLE_OPENCL_C_PLUGIN may have its path.",
                             plugin_file, tried));
  });
}

}  // namespace pintle::opencl_c
