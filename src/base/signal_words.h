// Signals in words.
#pragma once

#include <string>

namespace pintle::base {

/// "invalid memory access" for SIGSEGV; empty for a signal that has no words here. A signal handler may ask.
[[nodiscard]] const char* signal_words(int signal) noexcept;

/// "signal 11 (invalid memory access)".
[[nodiscard]] std::string signal_text(int signal);

}  // namespace pintle::base
