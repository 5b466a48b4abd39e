#include "core/program/program_state.h"

#include <utility>

#include "core/device/incarnation.h"

namespace pintle::core {

ProgramState::ProgramState(const std::shared_ptr<Incarnation>& incarnation, backend::ProgramId id, std::string format,
                           std::vector<Entry> entries)
    : incarnation_(incarnation),
      incarnation_number_(incarnation->number()),
      limits_(incarnation->info().limits),
      id_(id),
      format_(std::move(format)),
      entries_(std::move(entries)) {}

ProgramState::~ProgramState() {
  if (const auto incarnation = incarnation_.lock(); incarnation && !incarnation->is_lost())
    incarnation->device().unload(id_);
}

}  // namespace pintle::core
