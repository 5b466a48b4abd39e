// Checks what the loaders of Vulkan and OpenCL will find.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ranges>
#include <sstream>

#include "base/dylib.h"
#include "base/platform.h"
#include "cli/child.h"
#include "cli/findings.h"
#include "cli/output.h"

namespace pintle::cli {
namespace {

namespace fs = std::filesystem;

/// How one API says where its drivers are.
struct Kind {
  std::string subject;               ///< "vulkan driver"
  std::vector<std::string> given;    ///< Variables with files, or with a folder, that replace the folders.
  std::vector<std::string> folders;  ///< Where a loader looks by itself.
  std::string suffix;
  std::string package;
};

std::string words_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void add_folder(std::vector<fs::path>& files, const fs::path& folder, const std::string& suffix) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == suffix) files.push_back(entry.path());
  }
}

/// The manifests, and where they come from.
std::pair<std::vector<fs::path>, std::string> manifests(const Kind& kind) {
  std::vector<fs::path> files;
  for (const std::string& variable : kind.given) {
    const char* const value = base::variable(variable.c_str());
    if (value == nullptr || *value == 0) continue;
    for (const auto part : std::string_view(value) | std::views::split(':')) {
      const fs::path path(std::string_view(part.begin(), part.end()));
      if (fs::is_directory(path)) add_folder(files, path, kind.suffix);
      else files.push_back(path);
    }
    return {files, variable};
  }
  for (const std::string& folder : kind.folders) add_folder(files, folder, kind.suffix);
  std::ranges::sort(files);
  return {files, fmt::format("{}", fmt::join(kind.folders, ", "))};
}

Finding bad(const Kind& kind, std::string text, const std::string& next_step) {
  return {kind.subject, Verdict::fail, std::move(text), next_step};
}

/// Loads the library in a process of its own, since a driver may crash as soon as it is loaded.
Finding look_at_library(const Kind& kind, const fs::path& manifest, const std::string& library) {
  const auto child = run_child({}, {"doctor", "--load", library});
  const std::string where = fmt::format("Library {} of {}", library, manifest.string());
  if (!child) return bad(kind, fmt::format("{} cannot be tried: {}", where, child.error().text()), "Try again.");
  if (child->status == 0)
    return {kind.subject, Verdict::ok, fmt::format("{} names {}, which loads", manifest.string(), library), ""};
  if (has_crashed(*child)) {
    return bad(kind, fmt::format("{} crashes when it is loaded: the process {}.", where, end_of(*child)),
               fmt::format("Update the driver, or take {} away.", manifest.string()));
  }
  return bad(kind, fmt::format("{} cannot be loaded: {}", where, child->words),
             fmt::format("Install the driver again (Debian: {}), or take {} away.", kind.package, manifest.string()));
}

/// The library that a manifest names; an error is what is wrong with it.
Result<std::string> library_of(const Kind& kind, const fs::path& manifest) {
  if (::access(manifest.c_str(), R_OK) != 0)
    return Error(Errc::io, fmt::format("Manifest {} cannot be read.", manifest.string()));
  std::string text = words_of(manifest);
  if (kind.suffix == ".icd") {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
    if (text.empty()) return Error(Errc::io, fmt::format("Manifest {} is empty.", manifest.string()));
    return text;
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error(Errc::io, fmt::format("Manifest {} is not JSON.", manifest.string()));
  const auto library =
      json.find("ICD") != json.end() && json["ICD"].is_object() ? json["ICD"].value("library_path", "") : "";
  if (library.empty())
    return Error(Errc::io, fmt::format("Manifest {} names no library (ICD.library_path).", manifest.string()));
  if (library.find('/') == std::string::npos || fs::path(library).is_absolute()) return library;
  return (manifest.parent_path() / library).lexically_normal().string();
}

Findings look_at_kind(const Kind& kind) {
  const auto [files, source] = manifests(kind);
  if (files.empty()) {
    return {{kind.subject, Verdict::warn, fmt::format("No driver is installed: there is no manifest in {}.", source),
             fmt::format("Install a driver (Debian, in software: apt install {}).", kind.package)}};
  }
  Findings findings;
  for (const fs::path& file : files) {
    const auto library = library_of(kind, file);
    findings.push_back(
        library ? look_at_library(kind, file, *library)
                : bad(kind, std::string(library.error().message()), "Correct the manifest, or take it away."));
  }
  return findings;
}

}  // namespace

Findings check_drivers() {
  const std::vector<Kind> kinds{
      {"vulkan driver",
       {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"},
       {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"},
       ".json",
       "mesa-vulkan-drivers"},
      {"opencl driver", {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"}, {"/etc/OpenCL/vendors"}, ".icd", "pocl-opencl-icd"}};
  Findings all;
  for (const Kind& kind : kinds) std::ranges::move(look_at_kind(kind), std::back_inserter(all));
  return all;
}

Result<void> load_library(const std::string& path) {
  PINTLE_ASSIGN(library, base::Dylib::open(path));
  static_cast<void>(library.name());
  return {};
}

}  // namespace pintle::cli
