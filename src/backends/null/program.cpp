#include "backends/null/program.h"

namespace pintle::null {

backend::ProgramId ProgramTable::load(const backend::ProgramImage&) noexcept { return backend::ProgramId{++last_id_}; }

void ProgramTable::unload(backend::ProgramId) noexcept {}

}  // namespace pintle::null
