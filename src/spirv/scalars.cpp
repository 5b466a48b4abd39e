#include "spirv/scalars.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"

namespace pintle::spirv {

DeclaredScalars::DeclaredScalars(const Entry& declared) {
  for (const Parameter& parameter : declared.parameters) {
    using enum Parameter::Kind;
    if (parameter.kind == scalar || parameter.kind == value) add(parameter);
  }
}

void DeclaredScalars::add(const Parameter& parameter) {
  const bool is_value = parameter.kind == Parameter::Kind::value;
  const auto own = static_cast<std::uint32_t>(bytes_of(parameter.dtype));
  const std::uint32_t size = is_value ? parameter.bytes : own;
  const std::uint32_t offset = round_up(bytes_, is_value ? parameter.alignment : own);
  places_.push_back({offset, size});
  bytes_ = offset + size;
  for (const Member& member : parameter.members)
    runs_.push_back({&parameter, member.name, member.dtype, member.lanes, offset + member.offset});
  if (!parameter.members.empty()) return;
  const bool is_bytes = is_value && parameter.lanes == 1;
  runs_.push_back({&parameter, {}, parameter.dtype, is_bytes ? size : parameter.lanes, offset, is_bytes});
}

Result<void> DeclaredScalars::check(const Block& block) const {
  for (const Field& field : block.fields) PINTLE_TRY(check(field));
  return {};
}

/// A number of the block is one declared number; small ones may share a word.
bool DeclaredScalars::agrees(const Field& field, const Run& run) {
  if (run.is_bytes || are_bits_of(run.dtype, field.number)) return true;
  const std::uint64_t step = run.dtype == DType::complex64 ? 4 : bytes_of(run.dtype);
  const bool is_there = field.offset >= run.offset && (field.offset - run.offset) % step == 0;
  return is_there && base::may_declare(run.dtype, field.number);
}

Result<void> DeclaredScalars::check(const Field& field) const {
  const Run* met = nullptr;
  for (const Run& run : runs_) {
    if (run.offset >= field.offset + field.number.bytes || field.offset >= run.offset + run.size()) continue;
    met = &run;
    if (agrees(field, run)) continue;
    return Error(Errc::invalid_argument,
                 fmt::format("has {} at offset ({}) of its scalars, where parameter {} is declared ({} at offset ({}))",
                             text_of(field), field.offset, base::quote(run.name()), run.type(), run.offset));
  }
  if (met == nullptr) {
    return Error(Errc::invalid_argument,
                 fmt::format("reads {} at offset ({}) of its scalars, where no parameter is declared ({} bytes are)",
                             text_of(field), field.offset, bytes_));
  }
  if (met->is_bytes || !is_name_of_another(field.name, *met)) return {};
  return Error(Errc::invalid_argument,
               fmt::format("has {} at offset ({}) of its scalars, where parameter {} is declared", text_of(field),
                           field.offset, base::quote(met->name())));
}

/// Names may differ, but a name of another parameter says that the order differs. A struct may be a parameter of its
/// own or the block itself, so that the members of one struct are compared without the struct's name, too.
bool DeclaredScalars::is_name_of_another(std::string_view found, const Run& own) const {
  if (found.empty() || found == own.name()) return false;
  const std::string_view last = found.substr(found.rfind('.') + 1);
  return std::ranges::any_of(runs_, [&](const Run& other) {
    if (&other == &own || other.is_bytes) return false;
    const bool is_beside = !own.member.empty() && other.parameter == own.parameter;
    return found == other.name() || (is_beside && last != own.last_name() && last == other.last_name());
  });
}

std::string DeclaredScalars::Run::name() const {
  return member.empty() ? parameter->name : fmt::format("{}.{}", parameter->name, member);
}

std::string DeclaredScalars::Run::type() const {
  return lanes == 1 ? std::string(pintle::name(dtype)) : fmt::format("{}x{}", pintle::name(dtype), lanes);
}

bool are_bits_of(DType dtype, base::Number number) noexcept {
  const bool is_everywhere = dtype == DType::i32 || dtype == DType::u32 || dtype == DType::f32;
  return number == base::Number{base::Number::Kind::unsigned_integer, 4} && !is_everywhere;
}

std::string text_of(const Field& field) {
  return fmt::format("{} ({})", field.name.empty() ? "a number" : base::quote(field.name), base::text_of(field.number));
}

}  // namespace pintle::spirv
