// A failing program with as few steps as still fail.
#pragma once

#include "run.h"

namespace pintle::differential {

/// Drops steps, and commands of lists, as long as the program fails alike in one of a few runs; for at most `seconds`.
Case shrink(World& world, const Case& failing, const Failure& failure, double seconds);

}  // namespace pintle::differential
