// Children of this process, and how they end.
#pragma once

#include <functional>
#include <string>

namespace pintle::differential {

/// Runs `work` in a forked child, whose exit status is what it returns. Empty when that is 0 within the seconds;
/// otherwise what happened. A child that does not end is killed.
std::string run_in_child(const std::function<int()>& work, double seconds);

}  // namespace pintle::differential
