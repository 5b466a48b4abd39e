// The entries that the code of a program says by itself, where none are declared.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::inference {

/// Code whose entries are not declared.
struct Undeclared {
  std::string_view format;  ///< "wgsl", "stablehlo", "spirv" ...
  std::span<const std::byte> code;
  std::string file;                ///< Its name in the words of a compiler: "blur.cl".
  std::string text;                ///< Its name in messages: `Source "blur.cl"`.
  std::string main = "main";       ///< What the only entry is called, where the code calls it main.
  std::string_view language{};     ///< The version of a source's language: "CL2.0"; empty: the usual one.
  std::string_view declaration{};  ///< What to do instead, in messages.
};

/// What the entries of code go by.
struct Told {
  std::vector<Entry> entries;
  std::vector<Error> left_out;  ///< Why others are no entries: no signature has what they take.
};

/// Adds the entry `name` of the code, or why it is left out.
void add(Told& told, const Undeclared& code, std::string_view name, Result<Entry> entry);

/// Reads WGSL, SPIR-V and StableHLO itself; OpenCL C is read by clang, GLSL by a compiler of GLSL, and both block
/// meanwhile. `unavailable` where such a program is not here; `build_failed` has its words; `invalid_argument` for code
/// that cannot be read, and for a format that says nothing of its entries.
[[nodiscard]] Result<Told> read_entries(const Undeclared& code);

/// The entries of a program: those that the signatures declare, else those that its code says. An entry that no
/// signature can have is left out, which the log says. `invalid_argument` names `signatures` where the code cannot be
/// read here, and what would help. Otherwise as above.
[[nodiscard]] Result<std::vector<Entry>> entries_of(std::string_view format, std::span<const std::byte> code,
                                                    std::span<const std::string_view> signatures,
                                                    std::string_view program);

}  // namespace pintle::inference
