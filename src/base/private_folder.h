// Folders and files that no other user could have made or can change.
#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "pintle/error.h"

namespace pintle::base {

/// Opens a folder. A missing folder is made first, with all above it, for this user alone (0700 whatever the umask is).
/// `io` has the path and the system's words. `unavailable` names the owner where that is another user, or the mode that
/// lets others write into the folder; the contents of such a folder are not to be trusted.
[[nodiscard]] Result<Descriptor> open_private_folder(const std::filesystem::path& path);

/// Opens a regular file of an open folder for reading, without following a link. `not_found` where there is none;
/// `unavailable` where it is no regular file, belongs to another user, or can be written by others. `path` is for
/// messages.
[[nodiscard]] Result<Descriptor> open_private_file(int folder, const char* name, const std::filesystem::path& path);

}  // namespace pintle::base
