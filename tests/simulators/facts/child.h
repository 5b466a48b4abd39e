// This program again, in a process of its own that is watched.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace facts {

/// Gives each line of its output to `on_line`, and tells how it ended: "exit 0", "signal 11". One that says nothing for
/// longer than `deadline`, or that does not end so long behind its last word, is killed: "does not return".
std::string run_again(const std::vector<std::string>& arguments, std::chrono::seconds deadline,
                      const std::function<void(std::string_view)>& on_line);

}  // namespace facts
