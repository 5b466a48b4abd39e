// Work of a library that may end the process, in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::base {

/// What `work()` answers, run in a copy of this process that ends behind it. `build_failed` where the copy is ended by
/// a signal, or says nothing for so long; it names the library, has what that printed, and ends with the sentence
/// `advice`. `work` may call only `library`, which no thread of this
/// process calls otherwise: another thread's locks stay locked in a copy.
[[nodiscard]] Result<std::string> in_child(std::string_view library, std::string_view advice,
                                           const std::function<Result<std::string>()>& work,
                                           Duration patience = std::chrono::minutes(2));

}  // namespace pintle::base
