#include "pintle/program.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/program/program_state.h"

namespace pintle {
namespace {

const Entry& no_entry() {
  static const Entry& none = *new Entry;
  return none;
}

}  // namespace

const Entry& Kernel::entry() const noexcept { return program_ ? program_->entries()[index_] : no_entry(); }

std::string Kernel::text() const { return program_ ? core::kernel_text(entry()) : "[Kernel]"; }

std::string_view Program::format() const noexcept {
  return state_ ? std::string_view(state_->format()) : std::string_view();
}

std::span<const Entry> Program::entries() const noexcept {
  return state_ ? std::span<const Entry>(state_->entries()) : std::span<const Entry>();
}

Result<Kernel> Program::kernel(std::string_view name) const {
  if (!state_) return core::empty_object("Program");
  std::string names;
  for (std::uint32_t index = 0; index < state_->entries().size(); ++index) {
    const Entry& entry = state_->entries()[index];
    if (entry.name == name) return Kernel(state_, index);
    names += (names.empty() ? "" : ", ") + base::quote(entry.name);
  }
  return Error(Errc::not_found, fmt::format("The program has no entry {}; it has {}.", base::quote(name), names));
}

}  // namespace pintle
