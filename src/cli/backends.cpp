#include "cli/backends.h"

#include <fmt/format.h>

#include <ranges>
#include <string_view>

#include "base/platform.h"
#include "cli/child.h"
#include "cli/version.h"

namespace pintle::cli {
namespace {

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const auto part : list | std::views::split(',')) {
    std::string_view name(part.begin(), part.end());
    while (name.starts_with(' ')) name.remove_prefix(1);
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> chosen_backends() {
  const char* const chosen = base::variable("PINTLE_BACKENDS");
  return names_in(chosen != nullptr && *chosen != 0 ? std::string_view(chosen) : backend_list());
}

Result<Json> ask_alone(const std::string& backend, const std::vector<std::string>& arguments, const char* key) {
  const auto child = run_child({"PINTLE_BACKENDS=" + backend}, arguments);
  if (!child) {
    return Error(child.error().code(),
                 "Looking for devices in a process of its own fails: " + std::string(child.error().message()));
  }
  Json document = document_of(*child, key);
  if (!document.is_discarded()) return document;
  return Error(Errc::internal, fmt::format("A process that looks for devices {}.", end_of(*child)));
}

std::string next_step_without(const std::string& backend) {
  return fmt::format(
      "Find out which driver it is in the rows of drivers of `pintle doctor`, remove or update it; until "
      "then name the other backends in PINTLE_BACKENDS, without {}.",
      backend);
}

}  // namespace pintle::cli
