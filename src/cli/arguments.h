// What the values of options mean.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pintle/commands.h"
#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::cli {

/// `--arg NAME=TEXT`: a file or a number, as the parameter is declared.
struct InputArgument {
  std::string name;
  std::string text;
};
[[nodiscard]] Result<InputArgument> parse_input(std::string_view text);

/// `--out NAME=f32[1024,1024]:file.npy`.
struct OutputArgument {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::filesystem::path file;
};
[[nodiscard]] Result<OutputArgument> parse_output(std::string_view text);

/// `--grid X[,Y[,Z]]`: work-groups.
[[nodiscard]] Result<Grid> parse_grid(std::string_view text);
/// `--items X[,Y[,Z]]`: work-items, rounded up to whole work-groups.
[[nodiscard]] Result<Cover> parse_items(std::string_view text);

/// The value of a scalar parameter. Whole numbers are decimal, reals as C writes them, booleans true or false.
/// `invalid_argument` where the text is no number of this dtype or beyond its range, `unsupported` for a dtype whose
/// values cannot be written as text.
[[nodiscard]] Result<ScalarValue> parse_scalar(std::string_view text, DType dtype);

}  // namespace pintle::cli
