// Slang to WGSL: one text for all entries, each with the bindings of its signature.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_signatures.h"
#include "spirv/matching.h"
#include "wgsl/declarations.h"
#include "wgsl/unit.h"

namespace pintle::cli {
namespace {

constexpr std::string_view own_prefix = "entryPointParams_";  // before the names of an entry's own parameters
constexpr std::array<std::string_view, 7> missing_types{"i8", "u8", "i16", "u16", "i64", "u64", "f64"};
constexpr std::array<std::string_view, 3> directive_words{"enable", "requires", "diagnostic"};

/// What stands instead of `size` bytes of a text.
struct Edit {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::string text;
};

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, &Edit::offset);
  std::string made;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    made += text.substr(done, edit.offset - done);
    made += edit.text;
    done = edit.offset + edit.size;
  }
  return made.append(text.substr(done));
}

/// Slang puts a number behind each name.
std::string_view without_number(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const bool has_number = end != std::string_view::npos && end + 1 < name.size() && name[end] == '_';
  return has_number ? name.substr(0, end) : name;
}

/// Names that the text declares outside of functions.
std::set<std::string_view> names_of(const wgsl::Declarations& all) {
  std::set<std::string_view> names;
  for (const auto& [name, members] : all.structs) names.insert(name);
  for (const auto& [name, type] : all.aliases) names.insert(name);
  for (const wgsl::Variable& variable : all.variables) names.insert(variable.name);
  for (const wgsl::Named& constant : all.constants) names.insert(constant.name);
  for (const wgsl::Named& constant : all.overrides) names.insert(constant.name);
  for (const wgsl::Function& function : all.functions) names.insert(function.name);
  return names;
}

Result<void> check_type(const Entry& entry, std::string_view type) {
  if (std::ranges::find(missing_types, type) == missing_types.end()) return {};
  return Error(Errc::unsupported,
               fmt::format("Entry {} needs {}, a type that WGSL does not have.", base::quote(entry.name), type));
}

/// Slang's own refusal of a signature's types is an exception in it.
Result<void> check_signature(const Entry& entry) {
  for (const Parameter& parameter : entry.parameters) PINTLE_TRY(check_type(entry, name(parameter.dtype)));
  return {};
}

/// The text of one entry as a part of the program's.
class Part {
 public:
  Part(const SlangEntry& entry, std::string_view text, const wgsl::Declarations& all)
      : entry_(entry), text_(text), all_(all) {}

  Result<std::string> make() {
    PINTLE_TRY(check_types());
    for (const wgsl::Variable& variable : all_.variables) {
      if (variable.space != "workgroup" && variable.space != "private") PINTLE_TRY(bind(variable));
    }
    rename();
    return edited(text_, std::move(edits_));
  }

 private:
  [[nodiscard]] std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  /// Slang writes them all the same.
  [[nodiscard]] Result<void> check_types() const {
    for (const wgsl::Token& token : all_.tokens) PINTLE_TRY(check_type(entry_.entry, token.text));
    return {};
  }

  /// By the order of the signature: what is bound, and behind it the block of what comes by value.
  [[nodiscard]] std::optional<std::size_t> number_of(const wgsl::Variable& variable) const {
    std::size_t next = 0;
    for (const SlangParameter& each : entry_.parameters) {
      if (each.parameter.kind == Parameter::Kind::scalar) continue;
      const bool is_own = each.place == SlangPlace::entry;
      const std::string name = fmt::format("{}{}", is_own ? own_prefix : std::string_view(), each.parameter.name);
      if (variable.space != "uniform" && without_number(variable.name) == name) return next;
      ++next;
    }
    return variable.space == "uniform" ? std::optional(next) : std::nullopt;
  }

  /// Slang numbers the bindings by rules of its own, and gives a block of push constants none.
  Result<void> bind(const wgsl::Variable& variable) {
    const auto number = number_of(variable);
    if (!number) {
      return Error(Errc::build_failed, fmt::format("WGSL of the entry {} has a variable {} that is no parameter.",
                                                   base::quote(entry_.entry.name), base::quote(variable.name)));
    }
    const wgsl::Attribute* const binding = find(variable.attributes, "binding");
    if (binding != nullptr) {
      edits_.push_back({offset_of(binding->arguments[0]), binding->arguments[0].size(), fmt::to_string(*number)});
      return {};
    }
    auto token = std::ranges::find(all_.tokens, offset_of(variable.name), &wgsl::Token::offset);
    while (!token->is("var")) --token;
    edits_.push_back({token->offset, 0, fmt::format("@binding({}) @group(0) ", *number)});
    return {};
  }

  /// The texts of several entries declare the same names.
  void rename() {
    const std::set<std::string_view> names = names_of(all_);
    for (const wgsl::Token& token : all_.tokens) {
      if (!token.is_word() || !names.contains(token.text) || token.is(entry_.entry.name)) continue;
      edits_.push_back({token.offset, token.text.size(), fmt::format("{}_{}", token.text, entry_.entry.name)});
    }
  }

  const SlangEntry& entry_;
  const std::string_view text_;
  const wgsl::Declarations& all_;
  std::vector<Edit> edits_;
};

/// The text of a program in the making. Directives stand in front, each once.
struct Whole {
  std::vector<std::string> directives;
  std::string text;

  void add(std::string_view part) {
    while (!part.empty()) {
      const std::string_view line = part.substr(0, part.find('\n'));
      part.remove_prefix(std::min(line.size() + 1, part.size()));
      const std::string_view word = line.substr(0, line.find(' '));
      const bool is_directive = std::ranges::find(directive_words, word) != directive_words.end();
      if (!is_directive) text.append(line).append("\n");
      else if (std::ranges::find(directives, line) == directives.end()) directives.emplace_back(line);
    }
  }
};

Result<std::string> part_of(const io::PackSource& source, const SlangEntry& entry) {
  PINTLE_ASSIGN(output, run_slang(source, "wgsl", entry.entry.name));
  std::string text(base::text_in(output.code));
  text.resize(std::min(text.size(), text.find('\0')));
  const auto all = wgsl::declarations_of(text);
  if (!all) return all.error().during("reading the WGSL that Slang writes");
  return Part(entry, text, *all).make();
}

/// WGSL lays blocks out by rules of its own. An entry whose blocks differ lacks this format and no other.
Result<void> check(const std::string& text, const std::vector<Entry>& entries) {
  PINTLE_ASSIGN(unit, wgsl::read_unit(text));
  for (const Entry& entry : entries) {
    const auto found = spirv::find_entry(std::span(&unit.module, 1), entry, entries.size());
    spirv::KernelCode kernel;
    const auto matched = found ? spirv::match_entry(spirv::no_limits, *found->module, *found->entry, entry, kernel)
                               : Result<void>(Error(Errc::unsupported, "is not there"));
    if (matched) continue;
    return Error(Errc::unsupported, fmt::format("Entry {} of the WGSL that Slang writes {}.", base::quote(entry.name),
                                                matched.error().message()));
  }
  return {};
}

}  // namespace

Result<Code> compile_slang_wgsl(const io::PackSource& source, std::string_view) {
  PINTLE_ASSIGN(entries, slang_entries(source));
  Whole whole;
  std::vector<Entry> made;
  for (const SlangEntry& entry : entries) {
    if (!is_listed(source, entry.entry.name)) continue;
    PINTLE_TRY(check_signature(entry.entry));
    auto part = part_of(source, entry);
    if (!part) return part.error().during(fmt::format("compiling the entry {}", base::quote(entry.entry.name)));
    whole.add(*part);
    made.push_back(entry.entry);
  }
  std::string text;
  for (const std::string& line : whole.directives) text += line + "\n";
  text += whole.text;
  PINTLE_TRY(check(text, made));
  const auto bytes = base::bytes_in(text);
  return Code(bytes.begin(), bytes.end());
}

}  // namespace pintle::cli
