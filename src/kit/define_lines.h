// What a program fixes at load, as the first lines of its source.
#pragma once

#include <functional>
#include <string>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// A constant as the language reads it back exactly.
using Literal = std::function<Result<std::string>(const backend::Constant&)>;

/// Lines that define the image's constants and macros, and have the source behind them begin with line 1; empty where
/// there are none. Text needs no quotes there, as on a command line. `invalid_argument` names a macro whose text would
/// reach into the next line.
[[nodiscard]] Result<std::string> define_lines(const backend::ProgramImage& image, const Literal& literal);

}  // namespace pintle::kit
