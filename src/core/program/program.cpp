#include "pintle/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/immortal.h"
#include "base/inside.h"
#include "base/quote.h"
#include "core/door/door.h"
#include "core/life/life.h"
#include "core/program/program_state.h"

namespace pintle {
namespace core {
namespace {

/// Shapes and local memory are checked when all arguments are bound.
bool has_rules(const Entry& entry) noexcept {
  return std::ranges::any_of(entry.parameters, [](const Parameter& parameter) {
    return parameter.kind == Parameter::Kind::local || !parameter.shape.empty();
  });
}

}  // namespace

ProgramState::ProgramState(const std::shared_ptr<Life>& life, backend::ProgramId id, std::string name,
                           std::string format, std::vector<Entry> entries, std::vector<backend::LeftOut> left_out)
    : life_(life),
      incarnation_number_(life->number()),
      limits_(life->info().limits),
      buffer_texels_(life->info().buffer_texels),
      id_(id),
      name_(std::move(name)),
      format_(std::move(format)),
      entries_(std::move(entries)),
      left_out_(std::move(left_out)) {
  for (const Entry& entry : entries_) has_launch_rules_.push_back(has_rules(entry));
}

std::string ProgramState::text() const { return fmt::format("[Program {}]", base::quote(name_)); }

ProgramState::~ProgramState() {
  if (const auto life = life_.lock(); life && !life->is_lost()) life->device().unload(id_);
}

}  // namespace core

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
