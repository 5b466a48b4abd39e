// How often the hot paths run.
#pragma once

namespace budgets {

/// Submissions of one measurement, all in flight together, and how many such rounds before it fill every cache and
/// ring.
inline constexpr int measured = 200, warm_up_rounds = 4;

}  // namespace budgets
