// Listing and opening devices where a driver may crash: in processes of their own.
#pragma once

#include <string>

#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

struct Listing {
  Json document;                 ///< {"devices", "absences"}; {"error"} where `exit` is not ok.
  ExitCode exit = ExitCode::ok;  ///< Why the listing was refused; its words have been said.
};

/// The devices as another process lists them, whose words are said. Where that process does not come to its end, each
/// backend is asked alone: one that crashes, or that does not answer, is an absence that says so.
[[nodiscard]] Result<Listing> list_apart(const Output& output);
/// Whether another process opens the device; where it does not, words are said.
[[nodiscard]] bool opens_apart(const std::string& id, const Output& output);

/// What those processes do.
[[nodiscard]] Result<Json> list_here();
[[nodiscard]] Result<void> open_here(const std::string& id);

}  // namespace pintle::cli
