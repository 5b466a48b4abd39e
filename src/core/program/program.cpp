#include "pintle/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/immortal.h"
#include "base/inside.h"
#include "base/quote.h"
#include "core/door/door.h"
#include "core/door/object_names.h"
#include "core/program/program_state.h"

namespace pintle {
namespace {

const Entry& no_entry() noexcept {
  static const base::Immortal<Entry> none;
  return none.value;
}

}  // namespace

const Entry& Kernel::entry() const noexcept { return program_ ? program_->entries()[index_] : no_entry(); }

std::string Kernel::text() const noexcept {
  return core::enter_or(program_, std::string("[Kernel]"), [&] { return core::kernel_text(entry()); });
}

std::string Program::text() const noexcept {
  return core::enter_or(state_, std::string("[Program]"), [&] { return state_->text(); });
}

std::string_view Program::format() const noexcept {
  return state_ ? std::string_view(state_->format()) : std::string_view();
}

std::span<const Entry> Program::entries() const noexcept {
  return state_ ? std::span<const Entry>(state_->entries()) : std::span<const Entry>();
}

Result<Kernel> Program::kernel(std::string_view name) const {
  return core::enter(state_, "Program", "finding a kernel", [&]() -> Result<Kernel> {
    const std::vector<Entry>& entries = state_->entries();
    const auto out = std::ranges::find(state_->left_out(), name, &backend::LeftOut::entry);
    if (out != state_->left_out().end()) {
      return Error(Errc::build_failed,
                   fmt::format("Kernel {} of {} {}.", base::quote(name), state_->text(), out->reason));
    }
    const auto found = std::ranges::find(entries, name, &Entry::name);
    if (found != entries.end())
      return Inside::make<Kernel>(state_, static_cast<std::uint32_t>(found - entries.begin()));
    std::string names;
    for (const Entry& entry : entries) names += (names.empty() ? "" : ", ") + base::quote(entry.name);
    return Error(Errc::not_found,
                 fmt::format("{} has no entry {}; it has {}.", state_->text(), base::quote(name), names));
  });
}

}  // namespace pintle
