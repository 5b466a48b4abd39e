#include "cli/listed_pack.h"

#include <fmt/format.h>

#include <utility>

#include "cli/compilers/compiler.h"
#include "cli/describe.h"
#include "cli/table.h"
#include "io/pack.h"

namespace pintle::cli {

Result<Listed> open_pack(const std::string& file) {
  PINTLE_ASSIGN(pack, ProgramPack::open(file));
  PINTLE_ASSIGN(read, io::read_pack(file));
  Listed listed{std::move(pack), {}};
  for (const io::PackVariant& variant : read.variants) listed.languages.push_back(variant.language);
  return listed;
}

std::string as_text(const Listed& listed) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t index = 0; index < listed.languages.size(); ++index) {
    const VariantInfo& variant = listed.pack.variants()[index];
    const auto target = variant.target.empty() ? "any target" : variant.target;
    rows.push_back({variant.format, target, fmt::format("{} bytes", variant.code_bytes)});
    if (!listed.languages[index].empty()) rows.back().push_back(listed.languages[index]);
    if (const auto note = note_on(variant.format); !note.empty()) rows.back().emplace_back(note);
    for (const Entry& entry : variant.entries) rows.push_back({"  " + entry.signature()});
  }
  return fmt::format("{}\n{}", listed.pack.name(), table(rows));
}

Json as_json(const std::string& file, const Listed& listed) {
  Json json{{"file", file}};
  json.update(to_json(listed.pack));
  for (std::size_t index = 0; index < listed.languages.size(); ++index) {
    Json& variant = json["variants"][index];
    variant["note"] = note_on(variant["format"].get<std::string>());
    variant["language"] = listed.languages[index];
  }
  return json;
}

}  // namespace pintle::cli
