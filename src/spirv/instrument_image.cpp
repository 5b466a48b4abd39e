#include "spirv/instrument_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "spirv/descriptors.h"
#include "spirv/glsl_program.h"
#include "spirv/matching.h"
#include "spirv/module.h"

namespace pintle::spirv {
namespace {

/// The macros are those that a backend sets.
Result<std::vector<std::byte>> compile(const backend::ProgramImage& image, const Entry& entry) {
  GlslSource source{fmt::format("{}.comp", base::is_identifier(image.name) ? image.name : "kernel"),
                    base::text_in(image.code),
                    {{"PINTLE_ENTRY_" + entry.name, "1"},
                     {"PINTLE_GROUP_X", std::to_string(entry.group_size.x)},
                     {"PINTLE_GROUP_Y", std::to_string(entry.group_size.y)},
                     {"PINTLE_GROUP_Z", std::to_string(entry.group_size.z)}}};
  for (const backend::Macro& macro : image.source.macros) source.macros.emplace_back(macro.name, macro.text);
  source.include_folders.assign(image.source.include_folders.begin(), image.source.include_folders.end());
  source.language = image.source.language;
  auto code = compile_glsl(source);
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed,
               fmt::format("Entry {} of [Program {}] does not compile:\n{}", base::quote(entry.name),
                           base::quote(image.name), code.error().message()));
}

std::uint32_t buffers_of(const Entry& entry) {
  return static_cast<std::uint32_t>(std::ranges::count(entry.parameters, Parameter::Kind::buffer, &Parameter::kind));
}

Result<Instrumented> instrument_one(const backend::ProgramImage& image, std::span<const std::byte> code,
                                    const Entry& entry, std::size_t entries) {
  PINTLE_ASSIGN(modules, read_modules(code));
  const auto found = find_entry(modules, entry, entries);
  const std::uint32_t buffers = buffers_of(entry);
  const auto bound = static_cast<std::uint32_t>(std::ranges::count_if(entry.parameters, is_bound));
  if (found) return instrument({found->module->code, found->entry->name, entry.name, buffers, bound - buffers});
  return Error(Errc::invalid_argument,
               fmt::format("[Program {}] has no entry point {}.", base::quote(image.name), base::quote(entry.name)));
}

}  // namespace

Result<InstrumentedImage> instrument_image(const backend::ProgramImage& image) {
  const bool is_source = image.format == "glsl";
  InstrumentedImage made;
  for (const Entry& entry : image.entries) {
    std::vector<std::byte> compiled;
    if (is_source) {
      PINTLE_ASSIGN(code, compile(image, entry));
      compiled = std::move(code);
    }
    PINTLE_ASSIGN(
        one, instrument_one(image, is_source ? compiled : image.code, entry, is_source ? 1 : image.entries.size()));
    made.code.insert(made.code.end(), one.code.begin(), one.code.end());
    made.accesses.push_back(std::move(one.accesses));
    Entry& noted = made.entries.emplace_back(entry);
    Parameter& note = noted.parameters.emplace_back();
    note.name = "pintle_note";
    note.dtype = DType::u32;
    note.access = Access::read_write;
  }
  return made;
}

}  // namespace pintle::spirv
