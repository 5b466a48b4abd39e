#include "base/plugin_paths.h"

#include "base/platform.h"

namespace pintle::base {
namespace {

using Paths = std::vector<std::filesystem::path>;

void add(Paths& paths, const std::filesystem::path& folder, std::string_view file) {
  paths.push_back(folder / file);
  paths.push_back(folder / "pintle" / file);
}

void add_from(Paths& paths, const std::filesystem::path& folder, std::string_view file) {
  add(paths, folder, file);
  if (folder.filename() != "bin") return;
  const std::filesystem::path lib = folder.parent_path() / "lib";
  add(paths, lib, file);
  paths.push_back(lib / (machine() + "-gnu") / "pintle" / file);
}

}  // namespace

std::vector<std::filesystem::path> plugin_paths(std::string_view file, const std::filesystem::path& own_folder,
                                                const std::filesystem::path& program_folder) {
  Paths paths;
  if (!own_folder.empty()) add_from(paths, own_folder, file);
  if (!program_folder.empty() && program_folder != own_folder) add_from(paths, program_folder, file);
  return paths;
}

}  // namespace pintle::base
