#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/findings.h"

namespace pintle::cli {
namespace {

namespace fs = std::filesystem;

bool is_node(const std::string& name) {
  return name.starts_with("renderD") || name == "kfd" ||
         (name.starts_with("nvidia") && name.size() > 6 &&
          name.find_first_not_of("0123456789", 6) == std::string::npos);
}

std::vector<fs::path> nodes(const fs::path& root) {
  std::vector<fs::path> found;
  for (const fs::path& folder : {root / "dev", root / "dev/dri"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (is_node(entry.path().filename().string())) found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Findings check_nodes(const std::string& root) {
  Findings findings;
  for (const fs::path& node : nodes(root)) {
    const int file = ::open(node.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) {
      ::close(file);
      findings.push_back({"node", Verdict::ok, fmt::format("{} can be opened", node.string()), ""});
    } else {
      findings.push_back({"node", Verdict::warn,
                          fmt::format("{} cannot be opened: {}.", node.string(), std::strerror(errno)),
                          "Join the group that owns it (usermod -aG render,video USER), then log in again."});
    }
  }
  return findings;
}

}  // namespace pintle::cli
