// Where libraries of Pintle's own lie that it opens at run time.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace pintle::base {

/// Where `file` is looked for: beside the library, then beside the program, and in the folder "pintle" there; where
/// either lies in a folder called "bin", next in the "lib" beside that, and in Debian's "lib" of the machine.
[[nodiscard]] std::vector<std::filesystem::path> plugin_paths(std::string_view file,
                                                              const std::filesystem::path& own_folder,
                                                              const std::filesystem::path& program_folder);

}  // namespace pintle::base
