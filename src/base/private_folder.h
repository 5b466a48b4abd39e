// Folders and files that no other user could have put there or can change.
#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "pintle/error.h"

namespace pintle::base {

/// Opens a folder, and makes it first where it is missing, with all above it, for this user alone (0700 whatever the
/// umask is). `io` has the path and the system's words. `unavailable` says whose the folder is, where it is another
/// user's, or which mode lets others write into it; what is in such a folder is not to be trusted.
[[nodiscard]] Result<Descriptor> open_private_folder(const std::filesystem::path& path);

/// Opens a regular file of an open folder for reading, without following a link. `not_found` where there is none,
/// `unavailable` where it is no regular file, another user's or one that others can write. `path` is for messages.
[[nodiscard]] Result<Descriptor> open_private_file(int folder, const char* name, const std::filesystem::path& path);

}  // namespace pintle::base
