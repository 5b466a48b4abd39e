#include "core/program/program_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "core/life/life.h"

namespace pintle::core {
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

}  // namespace pintle::core
