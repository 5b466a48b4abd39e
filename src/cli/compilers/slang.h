// Slang: its compiler library, run in a child process, and what its reflection says of a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// Where a parameter of an entry comes from in the source.
enum class SlangPlace : std::uint8_t {
  entry,   ///< A parameter of the function.
  global,  ///< A buffer, an image or a sampler of the module.
  block,   ///< A member of the module's block of push constants.
};

/// A parameter as Slang's reflection has it.
struct SlangParameter {
  Parameter parameter;
  SlangPlace place = SlangPlace::entry;
  std::uint64_t offset = 0;  ///< A member's: bytes from the beginning of the block.
};

/// An entry as Slang's reflection has it: what belongs to the module comes first.
struct SlangEntry {
  Entry entry;
  std::vector<SlangParameter> parameters;
  Code module;  ///< SPIR-V, as Slang writes it.
};

/// What the library makes of a source, and the JSON that describes it.
struct SlangOutput {
  Code code;
  std::string reflection;
};

/// Compiles in a child process, so that a crash of the library is `build_failed`. `unavailable` says how to get the
/// library. Without an entry the output has no code.
[[nodiscard]] Result<SlangOutput> run_slang(const io::PackSource& source, const std::string& target,
                                            const std::string& entry = {});

/// What the child does, where `words` are the command line that `run_slang` starts; empty for any other. A program that
/// compiles asks this before anything else.
[[nodiscard]] std::optional<int> slang_child(int count, char** words);

/// Whether a module that Slang made has a buffer or a block of this name: it has only what the entry uses.
[[nodiscard]] bool has_variable(const Code& module, std::string_view name);

/// The compute entries of a source. `unsupported` names the parameter that Pintle cannot pass.
[[nodiscard]] Result<std::vector<SlangEntry>> slang_entries(const io::PackSource& source);

}  // namespace pintle::cli
