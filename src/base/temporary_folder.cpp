#include "base/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {

namespace files = std::filesystem;

files::path temporary_parent() {
  std::error_code none;
  files::path parent = files::temp_directory_path(none);
  return none ? files::path("/tmp") : parent;
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::string name = (temporary_parent() / "pintle-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) return TemporaryFolder(name);
  return Error(Errc::io,
               fmt::format("Temporary folder {} cannot be created: {}.", quote(name, 4096), system_words(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  if (!path_.empty()) files::remove_all(path_, none);
}

}  // namespace pintle::base
