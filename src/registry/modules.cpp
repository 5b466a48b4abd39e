#include "registry/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/contain.h"
#include "base/dylib.h"
#include "base/log.h"
#include "base/quote.h"
#include "pintle/backend/module.h"

namespace pintle::registry {
namespace {

using backend::Driver;
using backend::Module;

constexpr std::string_view file_begin = "libpintle_backend_";
constexpr std::string_view file_end = ".so";
constexpr std::string_view rebuild =
    "Build the module with the headers, the compiler and the standard library of this library.";
constexpr std::string_view take_out = "Mend the module, or take it out of the folder that PINTLE_BACKEND_PATH names.";

/// Why a module is not used, and what to do about it.
struct Refusal {
  std::string reason;
  std::string_view next_step;
};

/// Stands for the driver of a module that cannot be used.
class AbsentDriver final : public Driver {
 public:
  AbsentDriver(std::string name, Refusal refusal) : name_(std::move(name)), refusal_(std::move(refusal)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  backend::Enumeration enumerate() override {
    return {.devices = {}, .absences = {{name_, refusal_.reason, std::string(refusal_.next_step)}}};
  }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t, std::span<const backend::Option>) override {
    return Error(Errc::unavailable, refusal_.reason);
  }

 private:
  const std::string name_;
  const Refusal refusal_;
};

/// Libraries and drivers that are never destroyed, kept where a leak checker can reach them.
struct Kept {
  std::mutex mutex;
  std::vector<std::unique_ptr<base::Dylib>> libraries;
  std::vector<std::unique_ptr<Driver>> drivers;
};

Kept& kept() {
  static Kept& kept = *new Kept;
  return kept;
}

const base::Dylib& keep(base::Dylib library) {
  const std::scoped_lock lock(kept().mutex);
  return *kept().libraries.emplace_back(std::make_unique<base::Dylib>(std::move(library)));
}

Driver* keep(std::unique_ptr<Driver> driver) {
  const std::scoped_lock lock(kept().mutex);
  return kept().drivers.emplace_back(std::move(driver)).get();
}

/// Whether this can be a name in a device id; ids are read in lower case.
bool is_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void write_log(LogLevel level, std::string_view category, std::string_view message) {
  base::log_message(level, category, message);
}

/// Empty where the module fits. In a module for another seam only the size and the version mean anything.
std::string misfit(const Module& module, const ModuleFile& file) {
  if (module.version != backend::seam_version)
    return fmt::format("is built for version ({}) of the seam; this library has version ({})", module.version,
                       backend::seam_version);
  if (module.size != sizeof(Module))
    return fmt::format("describes itself in ({}) bytes; this library needs ({}) bytes", module.size, sizeof(Module));
  if (module.layout != backend::seam_layout())
    return "is built with another compiler, standard library or version of the headers";
  if (module.name == nullptr || module.name != file.name)
    return fmt::format("has the backend {}, which its file does not name",
                       base::quote(module.name == nullptr ? "" : module.name));
  return module.create == nullptr ? "has no function that makes its driver" : "";
}

Result<Driver*> open_module(const ModuleFile& file, std::string_view& next_step) {
  PINTLE_ASSIGN(opened, base::Dylib::open(file.path));
  const base::Dylib& library = keep(std::move(opened));
  PINTLE_ASSIGN(open, library.function<backend::OpenModule>(backend::module_symbol));
  const Module* const module = open();
  const std::string text = fmt::format("[Module {}]", base::quote(file.path.string(), 4096));
  if (module == nullptr) return Error(Errc::unavailable, fmt::format("{} says nothing of itself.", text));
  if (const std::string words = misfit(*module, file); !words.empty()) {
    next_step = rebuild;
    return Error(Errc::unavailable, fmt::format("{} {}.", text, words));
  }
  // A module that is linked to this very library has no log of its own.
  if (module->set_log != nullptr && module->set_log != &set_log_callback) module->set_log(&write_log, LogLevel::debug);
  std::unique_ptr<Driver> made(module->create());
  if (made == nullptr) return Error(Errc::unavailable, fmt::format("{} makes no driver.", text));
  Driver* const driver = keep(std::move(made));
  if (driver->name() == file.name) return driver;
  return Error(Errc::unavailable,
               fmt::format("{} makes a driver that is called {}.", text, base::quote(driver->name())));
}

Driver* absent(std::string name, Refusal refusal) {
  base::log(LogLevel::warn, "core", "{}", refusal.reason);
  return keep(std::make_unique<AbsentDriver>(std::move(name), std::move(refusal)));
}

}  // namespace

std::vector<ModuleFile> module_files(const std::filesystem::path& folder) {
  std::vector<ModuleFile> files;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= file_begin.size() + file_end.size()) continue;
    if (!name.starts_with(file_begin) || !name.ends_with(file_end)) continue;
    files.push_back({entry->path(), name.substr(file_begin.size(), name.size() - file_begin.size() - file_end.size())});
  }
  std::ranges::sort(files, {}, &ModuleFile::name);
  return files;
}

Driver* load_module(const ModuleFile& file) {
  if (!is_name(file.name)) {
    return absent(file.path.filename().string(),
                  {fmt::format("[Module {}] has the name {}, which no device id can have.",
                               base::quote(file.path.string(), 4096), base::quote(file.name)),
                   "Give the file a name of small letters, digits and _."});
  }
  std::string_view next_step = take_out;
  auto driver = base::contain("opening a module", [&] { return open_module(file, next_step); });
  return driver ? *driver : absent(file.name, {std::string(driver.error().message()), next_step});
}

std::vector<Driver*> load_modules(const std::filesystem::path& folder,
                                  const std::function<bool(std::string_view name)>& wanted) {
  std::vector<Driver*> drivers;
  if (folder.empty()) return drivers;
  std::error_code error;
  const std::filesystem::directory_iterator readable(folder, error);
  if (error) {
    drivers.push_back(
        absent("PINTLE_BACKEND_PATH", {fmt::format("Folder {} of the variable PINTLE_BACKEND_PATH cannot be read: {}.",
                                                   base::quote(folder.string(), 4096), error.message()),
                                       "Name a folder with modules, or leave the variable empty."}));
  }
  for (const ModuleFile& file : module_files(folder)) {
    if (wanted(file.name)) drivers.push_back(load_module(file));
  }
  return drivers;
}

}  // namespace pintle::registry
