#include "base/signal_words.h"

#include <fmt/format.h>

#include <csignal>

namespace pintle::base {

const char* signal_words(int signal) noexcept {
  switch (signal) {
    case SIGSEGV: return "invalid memory access";
    case SIGBUS: return "memory that is not there, as behind the end of a mapped file";
    case SIGFPE: return "arithmetic error, as a division by zero";
    case SIGILL: return "an instruction that the processor does not have";
    case SIGABRT: return "abort";
    case SIGTRAP: return "breakpoint";
    case SIGSYS: return "a system call that is not allowed";
    case SIGKILL: return "kill, which for want of memory the system sends too";
    case SIGTERM: return "request to end";
    case SIGINT: return "interrupt from the terminal";
    case SIGQUIT: return "quit from the terminal";
    case SIGHUP: return "the terminal has gone";
    case SIGPIPE: return "nobody reads the pipe";
    case SIGXCPU: return "limit of processor time";
    case SIGXFSZ: return "limit of a file's size";
    default: return "";
  }
}

std::string signal_text(int signal) {
  const char* const words = signal_words(signal);
  return *words == 0 ? fmt::format("signal {}", signal) : fmt::format("signal {} ({})", signal, words);
}

}  // namespace pintle::base
