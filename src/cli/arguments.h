// What the values of options mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/commands.h"
#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::cli {

/// `--arg NAME=TEXT`: a file or numbers, as the parameter is declared. `--arg NAME.MEMBER=TEXT`: numbers of a struct.
struct InputArgument {
  std::string name;
  std::string text;
  std::string member{};
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

/// `--constant NAME=VALUE`: `16` is an i32 (or the next integer that holds it), `0x10` too, `16.0` an f64, `true` a
/// bool; `u8:3` names the dtype.
struct ConstantArgument {
  std::string name;
  ScalarValue value;
};
[[nodiscard]] Result<ConstantArgument> parse_constant(std::string_view text);

/// `--define NAME[=TEXT]`.
struct MacroArgument {
  std::string name;
  std::string text;
};
[[nodiscard]] Result<MacroArgument> parse_define(std::string_view text);

/// Numbers of a vector, "1,2,3". `invalid_argument` where there are not as many as `lanes`.
[[nodiscard]] Result<std::vector<std::byte>> parse_vector(std::string_view text, DType dtype, std::uint32_t lanes);
/// A number of elements, for scratch memory.
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);

/// The value of a scalar parameter. Whole numbers are decimal, reals as C writes them, booleans true or false.
/// `invalid_argument` where the text is no number of this dtype or beyond its range, `unsupported` for a dtype whose
/// values cannot be written as text.
[[nodiscard]] Result<ScalarValue> parse_scalar(std::string_view text, DType dtype);

}  // namespace pintle::cli
