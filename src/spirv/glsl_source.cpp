#include "spirv/glsl_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/quote.h"

namespace pintle::spirv {
namespace {

using std::filesystem::path;

std::string_view without_spaces(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// The name that a line of the form `#include "name"` or `<name>` includes.
std::optional<std::string_view> name_in(std::string_view line) {
  line = without_spaces(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_spaces(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = without_spaces(line.substr(7));
  if (!line.starts_with('"') && !line.starts_with('<')) return std::nullopt;
  const auto end = line.find(line[0] == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(1, end - 1));
}

class Reading {
 public:
  explicit Reading(const GlslSource& source) : source_(source) {}

  std::string read() {
    add_names(source_.text, {});
    while (!rest_.empty()) {
      const path file = rest_.back();
      rest_.pop_back();
      const auto bytes = base::read_file(file.string());
      if (!bytes) continue;
      texts_ += fmt::format("include {} {}\n", file.string(), bytes->size());
      texts_ += base::text_in(*bytes);
      add_names(base::text_in(*bytes), file.parent_path());
    }
    return std::move(texts_);
  }

 private:
  void add_names(std::string_view text, const path& beside) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      if (const auto name = name_in(text.substr(0, end))) add(*name, beside);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }

  /// The first that is there: beside the file that includes it, then in the folders.
  void add(std::string_view name, const path& beside) {
    std::vector<path> folders(source_.include_folders.begin(), source_.include_folders.end());
    if (!beside.empty()) folders.insert(folders.begin(), beside);
    for (const path& folder : folders) {
      const path file = (folder / name).lexically_normal();
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(file, ignored)) continue;
      if (seen_.insert(file).second) rest_.push_back(file);
      return;
    }
  }

  const GlslSource& source_;
  std::set<path> seen_;
  std::vector<path> rest_;
  std::string texts_;
};

}  // namespace

GlslSource source_of(const backend::ProgramImage& image, const Entry& entry) {
  GlslSource unit{fmt::format("{}.comp", base::is_identifier(image.name) ? image.name : "kernel"),
                  base::text_in(image.code),
                  {{"PINTLE_ENTRY_" + entry.name, "1"},
                   {"PINTLE_GROUP_X", std::to_string(entry.group_size.x)},
                   {"PINTLE_GROUP_Y", std::to_string(entry.group_size.y)},
                   {"PINTLE_GROUP_Z", std::to_string(entry.group_size.z)}}};
  for (const auto& [name, text] : image.source.macros) unit.macros.emplace_back(name, text);
  unit.include_folders.assign(image.source.include_folders.begin(), image.source.include_folders.end());
  unit.language = image.source.language;
  return unit;
}

bool lacks_main(const Error& refusal) noexcept {
  // glslang's words, which glslc, shaderc and glslangValidator pass on.
  return refusal.code() == Errc::build_failed &&
         refusal.message().find("Missing entry point") != std::string_view::npos;
}

std::string dependencies_of(const GlslSource& source) {
  std::string all = source.language + "\n";
  for (const auto& [macro, value] : source.macros) all += fmt::format("{}={}\n", macro, value);
  for (const std::string& folder : source.include_folders) all += fmt::format("-I{}\n", folder);
  all += Reading(source).read();
  all += source.text;
  return all;
}

}  // namespace pintle::spirv
