#include "base/device_nodes.h"

#if defined(__linux__)
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#endif

namespace pintle::base {

#if defined(__linux__)
namespace {

namespace fs = std::filesystem;

/// Numbers that Linux assigns for good: memory, terminals and consoles, text screens, input, pseudo-terminals.
constexpr std::array<unsigned, 13> ordinary_majors{1, 4, 5, 7, 13, 136, 137, 138, 139, 140, 141, 142, 143};
/// Number 10 is shared by many drivers. Here are those with assigned numbers; later drivers get other numbers.
constexpr unsigned miscellany = 10, first_given = 64, last_given = 254;
constexpr std::array<std::string_view, 8> ordinary_names{"cpu_dma_latency", "rfkill",      "userfaultfd", "udmabuf",
                                                         "vboxguest",       "vga_arbiter", "vmci",        "vsock"};
/// The kernel's names for kinds of nodes whose numbers are given at boot.
constexpr std::array<std::string_view, 17> ordinary_kinds{
    "bsg", "cpuid", "gpio", "hidraw",       "input", "mem", "msr",   "nvme-generic", "nvme",
    "pps", "ptp",   "rtc",  "scsi_generic", "sound", "tpm", "tpmrm", "watchdog"};

/// Folders of other file systems: memory that processes share, pseudo-terminals, message queues, large pages.
constexpr std::array<std::string_view, 4> never_devices{"shm", "pts", "mqueue", "hugepages"};

bool has(std::string_view text, std::span<const std::string_view> texts) {
  return std::ranges::find(texts, text) != texts.end();
}

bool is_ordinary(const fs::path& root, const fs::path& node, unsigned major, unsigned minor) {
  const std::string name = node.filename().string();
  if (std::ranges::find(ordinary_majors, major) != ordinary_majors.end()) return true;
  if (major == miscellany) return (minor >= first_given && minor <= last_given) || has(name, ordinary_names);
  // The node of a screen alone can compute nothing.
  if (node.parent_path().filename() == "dri") return !name.starts_with("renderD");
  std::error_code unknown;
  const auto kind = fs::read_symlink(root / "sys/dev/char" / fmt::format("{}:{}", major, minor) / "subsystem", unknown);
  return !unknown && has(kind.filename().string(), ordinary_kinds);
}

}  // namespace

bool may_have_accelerators(const fs::path& root) {
  std::error_code failed;
  fs::recursive_directory_iterator at(root / "dev", fs::directory_options::skip_permission_denied, failed), end;
  for (; !failed && at != end; at.increment(failed)) {
    if (at.depth() == 0 && has(at->path().filename().string(), never_devices)) at.disable_recursion_pending();
    struct stat found{};
    if (::lstat(at->path().c_str(), &found) != 0 || !S_ISCHR(found.st_mode)) continue;
    if (!is_ordinary(root, at->path(), major(found.st_rdev), minor(found.st_rdev))) return true;
  }
  return static_cast<bool>(failed);
}
#else
bool may_have_accelerators(const std::filesystem::path&) { return true; }
#endif

}  // namespace pintle::base
