// The errors of a command line that cannot be read.
#pragma once

#include <CLI/App.hpp>
#include <span>

#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

/// Whether the words ask for JSON, read by this function alone, for a command line that cannot be read as a whole.
[[nodiscard]] Style style_asked_by(std::span<const char* const> words);

/// What is wrong, what a misspelt command or option may stand for, and where the right ones are listed.
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace pintle::cli
