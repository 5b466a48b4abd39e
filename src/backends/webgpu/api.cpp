#include "backends/webgpu/api.h"

#include <fmt/format.h>

#include <string_view>

#include "base/quote.h"
#include "base/settings.h"

namespace pintle::webgpu {
namespace {

constexpr const char* install =
    "Install a library that speaks webgpu.h (wgpu-native, in the wheel wgpu of PyPI, or Dawn), and name its path in "
    "PINTLE_WEBGPU.";

std::vector<std::string> paths() {
  const auto settings = base::settings();
  std::vector<std::string> all;
  std::string_view text = settings ? std::string_view((*settings)->webgpu) : std::string_view();
  while (!text.empty()) {
    all.emplace_back(text.substr(0, text.find(':')));
    text.remove_prefix(std::min(all.back().size() + 1, text.size()));
  }
  if (all.empty()) all.assign(std::begin(wg::library_names), std::end(wg::library_names));
  return all;
}

/// Where a library has the option, only backends over the hardware's own interfaces are looked at, and nothing is
/// written to the terminal.
Result<const Implementation*> open(const std::string& path) {
  PINTLE_ASSIGN(table, wg::Table::open(path));
  auto& opened = *new Implementation{std::move(table)};
  wg::InstanceExtras extras;
  extras.backends = wg::InstanceExtras::primary;
  const wg::InstanceFeature features[]{wg::InstanceFeature::spirv_source};
  wg::InstanceDescriptor wanted;
  if (opened.api.SetLogLevel != nullptr) opened.api.SetLogLevel(0);
  if (opened.polls_devices()) {
    wanted.next = &extras.chain;
  } else {
    wanted.feature_count = 1;
    wanted.features = features;
  }
  opened.instance = opened.api.CreateInstance(&wanted);
  if (opened.instance != nullptr) return &opened;
  return Error(Errc::unavailable, fmt::format("Library {} makes no instance of WebGPU.", base::quote(path, 4096)));
}

Implementations open_all() {
  Implementations found;
  std::string reasons;
  for (const std::string& path : paths()) {
    const auto opened = open(path);
    if (opened) found.all.push_back(*opened);
    else reasons += fmt::format("{}{}", reasons.empty() ? "" : " ", opened.error().message());
  }
  const bool names_each = paths().front().find('/') != std::string::npos;
  if (!reasons.empty() && (found.all.empty() || names_each)) found.absences.push_back({"webgpu", reasons, install});
  return found;
}

}  // namespace

const Implementations& implementations() {
  static const auto& opened = *new Implementations(open_all());
  return opened;
}

}  // namespace pintle::webgpu
