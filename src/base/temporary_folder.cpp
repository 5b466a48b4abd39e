#include "base/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/contain.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {

namespace files = std::filesystem;

files::path temporary_parent() {
  if (rights() == Rights::raised) return "/tmp";  // the caller chooses TMPDIR
  std::error_code none;
  files::path parent = files::temp_directory_path(none);
  return none ? files::path("/tmp") : parent;
}

Result<TemporaryFolder> TemporaryFolder::create() {
  return contain("creating a temporary folder", []() -> Result<TemporaryFolder> {
    TemporaryFolder folder;
    folder.path_ = join_path(temporary_parent(), "pintle-XXXXXX").string();
    if (::mkdtemp(folder.path_.data()) != nullptr) return folder;
    const std::string name = std::exchange(folder.path_, {});
    return Error(Errc::io,
                 fmt::format("Temporary folder {} cannot be created: {}.", quote(name, 4096), system_words(errno)));
  });
}

// The folder stays where there is no memory to look into it.
TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  (void)contain("removing a temporary folder", [&]() -> Result<void> {
    std::error_code none;
    files::remove_all(path_, none);
    return {};
  });
}

}  // namespace pintle::base
