#include "cli/listing.h"

#include <fmt/format.h>

#include <chrono>

#include "base/quote.h"
#include "cli/backends.h"
#include "cli/child.h"
#include "cli/describe.h"
#include "pintle/device.h"

namespace pintle::cli {
namespace {

constexpr auto patience = std::chrono::seconds(60);

void add(Json& document, const Json& more) {
  for (const char* const part : {"devices", "absences"}) {
    for (const Json& row : more[part]) document[part].push_back(row);
  }
}

/// `why` is how the process that asked all of them has ended.
Json each_alone(const std::string& why) {
  Json document = to_json(DeviceList{});
  bool any_fails = false;
  const auto add_absence = [&](const std::string& backend, const std::string& reason, const std::string& next_step) {
    document["absences"].push_back(to_json(Absence{backend, reason, next_step}));
  };
  for (const std::string& backend : chosen_backends()) {
    const auto listed = ask_alone(backend, {"doctor", "--list"}, "devices");
    if (listed) add(document, *listed);
    else add_absence(backend, std::string(listed.error().message()), next_step_without(backend));
    any_fails |= !listed;
  }
  if (!any_fails)
    add_absence("other", why, "Look at what PINTLE_BACKEND_PATH has, and name some backends in PINTLE_BACKENDS.");
  return document;
}

/// Where no process can be started, as without /proc.
bool is_left_to_us(const Result<base::ProcessOutput>& child) { return !child && child.error().code() != Errc::timeout; }

}  // namespace

Result<Json> list_here() {
  PINTLE_ASSIGN(list, devices());
  return to_json(list);
}

Result<void> open_here(const std::string& id) {
  const auto device = open(id);
  if (device) return {};
  return device.error().during(fmt::format("looking for required device {}", base::quote(id)));
}

Result<Listing> list_apart(const Output& output) {
  const auto child = run_child({}, {"doctor", "--list", "--json"}, patience);
  if (is_left_to_us(child)) {
    PINTLE_ASSIGN(listed, list_here());
    return Listing{std::move(listed)};
  }
  if (!child) return Listing{each_alone(std::string(child.error().message()))};
  Json listed = document_of(*child, "devices"), refused = document_of(*child, "error");
  const bool is_refused = !has_crashed(*child) && !refused.is_discarded();
  if (listed.is_discarded() && !is_refused)
    return Listing{each_alone(fmt::format("A process that looks for devices {}.", end_of(*child)))};
  if (!child->words.empty()) output.words(child->words);
  if (!listed.is_discarded()) return Listing{std::move(listed)};
  return Listing{std::move(refused), static_cast<ExitCode>(child->status)};
}

bool opens_apart(const std::string& id, const Output& output) {
  const auto child = run_child({}, {"doctor", "--open", id}, patience);
  if (is_left_to_us(child)) {
    const auto opened = open_here(id);
    if (!opened) output.words(opened.error().text());
    return opened.has_value();
  }
  if (child && child->status == 0) return true;
  const bool has_said = child && !has_crashed(*child) && !child->words.empty();
  output.words(has_said ? child->words
                        : fmt::format("Required device {} does not open: {}", base::quote(id),
                                      child ? fmt::format("A process that opens it {}.", end_of(*child))
                                            : std::string(child.error().message())));
  return false;
}

}  // namespace pintle::cli
