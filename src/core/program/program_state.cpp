#include "core/program/program_state.h"

#include <fmt/format.h>

#include <utility>

#include "base/quote.h"
#include "core/life/life.h"

namespace pintle::core {

ProgramState::ProgramState(const std::shared_ptr<Life>& life, backend::ProgramId id, std::string name,
                           std::string format, std::vector<Entry> entries)
    : life_(life),
      incarnation_number_(life->number()),
      limits_(life->info().limits),
      id_(id),
      name_(std::move(name)),
      format_(std::move(format)),
      entries_(std::move(entries)) {}

std::string ProgramState::text() const { return fmt::format("[Program {}]", base::quote(name_)); }

ProgramState::~ProgramState() {
  if (const auto life = life_.lock(); life && !life->is_lost()) life->device().unload(id_);
}

}  // namespace pintle::core
