// A pack as `pintle pack --list` and `pintle info` show it.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "pintle/program.h"

namespace pintle::cli {

/// A pack, and the versions of its sources' languages, by variant.
struct Listed {
  ProgramPack pack;
  std::vector<std::string> languages;
};

[[nodiscard]] Result<Listed> open_pack(const std::string& file);
/// Each variant with its target, its size and the whole signatures of its entries.
[[nodiscard]] std::string as_text(const Listed& listed);
[[nodiscard]] Json as_json(const std::string& file, const Listed& listed);

}  // namespace pintle::cli
