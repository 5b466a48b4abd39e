#include "spirv/instrument_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "spirv/descriptors.h"
#include "spirv/glsl_program.h"
#include "spirv/glsl_source.h"
#include "spirv/matching.h"
#include "spirv/module.h"

namespace pintle::spirv {
namespace {

Result<std::vector<std::byte>> compile(const backend::ProgramImage& image, const Entry& entry) {
  auto code = compile_glsl(source_of(image, entry));
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed,
               fmt::format("Entry {} of [Program {}] does not compile:\n{}", base::quote(entry.name),
                           base::quote(image.name), code.error().message()));
}

std::uint32_t buffers_of(const Entry& entry) {
  return static_cast<std::uint32_t>(std::ranges::count(entry.parameters, Parameter::Kind::buffer, &Parameter::kind));
}

/// Empty where the code lacks the entry.
Result<std::optional<Instrumented>> instrument_one(std::span<const std::byte> code, const Entry& entry,
                                                   std::size_t entries) {
  PINTLE_ASSIGN(modules, read_modules(code));
  const auto found = find_entry(modules, entry, entries);
  if (!found) return std::optional<Instrumented>();
  const std::uint32_t buffers = buffers_of(entry);
  const auto bound = static_cast<std::uint32_t>(std::ranges::count_if(entry.parameters, is_bound));
  PINTLE_ASSIGN(made, instrument({found->module->code, found->entry->name, entry.name, buffers, bound - buffers}));
  return std::optional(std::move(made));
}

Error missing(const backend::ProgramImage& image, const Entry& entry) {
  return {Errc::invalid_argument,
          fmt::format("[Program {}] has no entry point {}.", base::quote(image.name), base::quote(entry.name))};
}

/// An entry that is missing costs itself where core takes the others: then the device says why it is missing.
Result<std::optional<Instrumented>> instrument_entry(const backend::ProgramImage& image, const Entry& entry) {
  const bool may_lack = image.left_out != nullptr;
  if (image.format != "glsl") {
    PINTLE_ASSIGN(one, instrument_one(image.code, entry, image.entries.size()));
    if (!one && !may_lack) return missing(image, entry);
    return std::move(one);
  }
  const auto code = compile(image, entry);
  if (code) return instrument_one(*code, entry, 1);
  if (!may_lack || !lacks_main(code.error())) return code.error();
  return std::optional<Instrumented>();
}

}  // namespace

Result<InstrumentedImage> instrument_image(const backend::ProgramImage& image) {
  InstrumentedImage made;
  for (const Entry& entry : image.entries) {
    PINTLE_ASSIGN(one, instrument_entry(image, entry));
    made.accesses.emplace_back();
    if (one) {
      made.code.insert(made.code.end(), one->code.begin(), one->code.end());
      made.accesses.back() = std::move(one->accesses);
    }
    Entry& noted = made.entries.emplace_back(entry);
    Parameter& note = noted.parameters.emplace_back();
    note.name = "pintle_note";
    note.dtype = DType::u32;
    note.access = Access::read_write;
  }
  if (made.code.empty()) return missing(image, image.entries.front());
  return made;
}

}  // namespace pintle::spirv
