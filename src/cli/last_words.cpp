#include "cli/last_words.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/signal_words.h"

namespace pintle::cli {
namespace {

constexpr std::array heard{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
constexpr int first_signal = 128;  // as shells tell signals from exit codes

/// Text of a fixed size: a signal handler may not allocate.
class Text {
 public:
  Text& operator<<(std::string_view part) noexcept {
    const std::size_t count = part.size() < text_.size() - size_ ? part.size() : text_.size() - size_;
    if (count != 0) std::memcpy(text_.data() + size_, part.data(), count);
    size_ += count;
    return *this;
  }
  Text& operator<<(int number) noexcept {  // from 0 to 999
    std::array<char, 3> digits{};
    std::size_t first = digits.size();
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0 && first != 0);
    return *this << std::string_view(digits.data() + first, digits.size() - first);
  }
  void write_to(int descriptor) const noexcept {
    for (std::size_t at = 0; at < size_;) {
      const auto count = ::write(descriptor, text_.data() + at, size_ - at);
      if (count <= 0) return;
      at += static_cast<std::size_t>(count);
    }
  }

 private:
  std::array<char, 2048> text_{};
  std::size_t size_ = 0;
};

constinit std::atomic<const char*> doing{nullptr};
constinit std::atomic<const char*> doing_escaped{nullptr};
constinit std::atomic<bool> as_json{false};
constinit std::atomic<bool> was_said{false};
std::array<struct sigaction, heard.size()> before;

void add_sentence(Text& text, int signal, const char* what) noexcept {
  text << "Signal " << signal;
  if (const char* const words = base::signal_words(signal); *words != 0) text << " (" << words << ")";
  text << " ends this process";
  if (what != nullptr) text << " while it is " << what;
  text << ".";
}

void say(int signal) noexcept {
  Text words;
  words << "pintle: ";
  add_sentence(words, signal, doing.load());
  (words << "\n").write_to(STDERR_FILENO);
  if (!as_json) return;
  Text json;
  json << R"({"error": {"code": "internal", "message": ")";
  add_sentence(json, signal, doing_escaped.load());
  (json << R"(", "context": [], "exit": )" << first_signal + signal << "}}\n").write_to(STDOUT_FILENO);
}

/// The handler that was there before ends the process, with the system's own end or a tool's report. A fault happens
/// again on return; a signal that was sent is sent again.
void hear(int signal, siginfo_t* info, void*) noexcept {
  if (!was_said.exchange(true)) say(signal);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (heard[i] == signal) ::sigaction(signal, &before[i], nullptr);
  }
  if (info == nullptr || info->si_code <= 0) ::raise(signal);
}

/// Gives signal handlers a stack of their own, for faults of a stack that is used up.
void give_stack() {
  constexpr std::size_t size = 1 << 16;
  static std::array<std::byte, size>& memory = *new std::array<std::byte, size>;
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = size;
  ::sigaltstack(&stack, nullptr);
}

}  // namespace

void say_last_words(Style style) {
  as_json = style == Style::json;
  give_stack();
  struct sigaction action{};
  action.sa_sigaction = hear;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    ::sigaction(heard[i], nullptr, &before[i]);
    const bool is_ignored = (before[i].sa_flags & SA_SIGINFO) == 0 && before[i].sa_handler == SIG_IGN;
    if (!is_ignored) ::sigaction(heard[i], &action, nullptr);  // nohup stays nohup
  }
}

Doing::Doing(std::string text) : text_(std::move(text)) {
  escaped_ = Json(text_).dump(-1, ' ', true, Json::error_handler_t::replace);
  escaped_ = escaped_.substr(1, escaped_.size() - 2);  // without the quotes around it
  doing_escaped = escaped_.c_str();
  doing = text_.c_str();
}

Doing::~Doing() {
  doing = nullptr;
  doing_escaped = nullptr;
}

}  // namespace pintle::cli
