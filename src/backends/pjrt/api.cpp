#include "backends/pjrt/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/platform.h"
#include "base/settings.h"
#include "kit/one_line.h"

namespace pintle::pjrt {
namespace {

namespace files = std::filesystem;

constexpr const char* install =
    "Install a PJRT plug-in (xla-cpu-pjrt of PyPI, or a device's own), and name the path of its library in "
    "PINTLE_PJRT_PLUGINS.";

std::vector<files::path> children_of(const files::path& folder) {
  std::error_code failed;
  std::vector<files::path> found;
  for (files::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed))
    found.push_back(each->path());
  std::ranges::sort(found);
  return found;
}

/// Wheels put a plug-in into a folder of their own below one of these names, as JAX looks for them.
void add_wheels(const files::path& packages, std::vector<std::string>& all) {
  for (const char* const parent : {"jax_plugins", "xla_plugins"}) {
    for (const files::path& folder : children_of(packages / parent)) {
      for (const files::path& file : children_of(folder)) {
        if (file.extension() == ".so") all.push_back(file.string());
      }
    }
  }
  std::error_code failed;
  const files::path tpu = packages / "libtpu" / "libtpu.so";
  if (files::exists(tpu, failed)) all.push_back(tpu.string());
}

std::vector<std::string> paths() {
  const auto settings = base::settings();
  std::vector<std::string> all;
  std::string_view text = settings ? std::string_view((*settings)->pjrt_plugins) : std::string_view();
  while (!text.empty()) {
    all.emplace_back(text.substr(0, text.find(':')));
    text.remove_prefix(std::min(all.back().size() + 1, text.size()));
  }
  const char* const environment = base::variable("VIRTUAL_ENV");
  if (!all.empty() || environment == nullptr) return all;
  for (const files::path& python : children_of(files::path(environment) / "lib")) {
    if (python.filename().string().starts_with("python3")) add_wheels(python / "site-packages", all);
  }
  return all;
}

Result<std::unique_ptr<const Plugin>> open(const std::string& path) {
  PINTLE_ASSIGN(table, pj::Table::open(path));
  auto plugin = std::make_unique<const Plugin>(std::move(table), path, files::path(path).stem().string());
  pj::PluginInitialize wanted;
  if (plugin->api.Plugin_Initialize != nullptr)
    PINTLE_TRY(call(plugin->api, plugin->api.Plugin_Initialize, wanted, "initializing the plug-in"));
  return plugin;
}

/// Keeps what is open, not what failed: the next listing tries that again.
Result<const Plugin*> opened(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<const Plugin>>;
  const std::lock_guard lock(mutex);
  const auto place = all.try_emplace(path).first;
  if (place->second == nullptr) {
    PINTLE_ASSIGN(plugin, open(path));
    place->second = std::move(plugin);
  }
  return place->second.get();
}

/// Memory that runs out while a program runs has more than one code.
Errc code_of(pj::ErrorCode code, std::string_view words) noexcept {
  if (words.find("Out of memory") != std::string_view::npos) return Errc::out_of_memory;
  switch (code) {
    case pj::ErrorCode::invalid_argument:
    case pj::ErrorCode::out_of_range: return Errc::invalid_argument;
    case pj::ErrorCode::resource_exhausted: return Errc::out_of_memory;
    case pj::ErrorCode::unimplemented: return Errc::unsupported;
    case pj::ErrorCode::unavailable: return Errc::unavailable;
    case pj::ErrorCode::cancelled: return Errc::cancelled;
    default: return Errc::internal;
  }
}

/// The plug-in's words may be pages: a stack of calls, a whole module.
constexpr std::size_t most_words = 600;

}  // namespace

Plugins plugins() {
  Plugins found;
  const std::vector<std::string> wanted = paths();
  for (const std::string& path : wanted) {
    const auto plugin = opened(path);
    if (plugin) found.all.push_back(*plugin);
    else found.absences.push_back(absence_of(plugin.error(), {}, install));
  }
  if (wanted.empty()) {
    found.absences.push_back(
        {"pjrt", "No plug-in is named, and no virtual environment of Python with one is active.", install});
  }
  return found;
}

Absence absence_of(const Error& error, std::string_view what, std::string_view hint) {
  if (error.code() == Errc::out_of_memory) throw std::bad_alloc();
  return {"pjrt", std::string(what).append(error.message()), std::string(hint)};
}

void drop(const pj::Table& api, pj::Error error) noexcept {
  if (error == nullptr) return;
  pj::ErrorDestroy gone;
  gone.error = error;
  api.Error_Destroy(&gone);
}

Error error_of(const pj::Table& api, pj::Error error, std::string_view what) {
  pj::ErrorMessage message;
  message.error = error;
  api.Error_Message(&message);
  pj::ErrorGetCode code;
  code.error = error;
  drop(api, api.Error_GetCode(&code));
  std::string words = kit::one_line(message.message.view().substr(0, most_words));
  drop(api, error);
  return Error(code_of(code.code, words), fmt::format("The plug-in refuses {}: {}", what, words))
      .with_vendor({"PJRT", static_cast<std::int32_t>(code.code), {}});
}

void destroy(const pj::Table& api, pj::Event event) noexcept {
  pj::EventDestroy gone;
  gone.event = event;
  drop(api, api.Event_Destroy(&gone));
}

void destroy(const pj::Table& api, pj::Buffer buffer) noexcept {
  pj::BufferDestroy gone;
  gone.buffer = buffer;
  drop(api, api.Buffer_Destroy(&gone));
}

void destroy(const pj::Table& api, pj::Executable executable) noexcept {
  pj::ExecutableDestroy gone;
  gone.executable = executable;
  drop(api, api.Executable_Destroy(&gone));
}

void destroy(const pj::Table& api, pj::LoadedExecutable executable) noexcept {
  pj::LoadedExecutableDestroy gone;
  gone.executable = executable;
  drop(api, api.LoadedExecutable_Destroy(&gone));
}

Result<void> await(const pj::Table& api, Owned<pj::Event> event, std::string_view what) {
  struct Told {
    const pj::Table& api;
    std::promise<pj::Error> error;
  };
  auto told = std::make_unique<Told>(api, std::promise<pj::Error>());
  std::future<pj::Error> error = told->error.get_future();
  pj::EventOnReady wanted;
  wanted.event = event.get();
  wanted.callback = [](pj::Error failed, void* state) {
    const std::unique_ptr<Told> owned(static_cast<Told*>(state));
    owned->error.set_value(failed);
  };
  wanted.context = told.get();
  PINTLE_TRY(call(api, api.Event_OnReady, wanted, what));
  static_cast<void>(told.release());
  if (const pj::Error failed = error.get(); failed != nullptr) return error_of(api, failed, what);
  return {};
}

}  // namespace pintle::pjrt
