#include "conformance/recorder.h"

#include <fmt/format.h>

#include <utility>

namespace pintle::conformance {

Recorder& Recorder::current() noexcept {
  static Recorder& recorder = *new Recorder;
  return recorder;
}

void Recorder::add(std::string message, std::source_location where) noexcept {
  std::lock_guard lock(mutex_);
  if (++count_ <= most) lines_.push_back(fmt::format("{}:{}: {}", where.file_name(), where.line(), message));
}

std::string Recorder::take() {
  std::lock_guard lock(mutex_);
  std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
  if (count_ > most) text += fmt::format("\nand {} more", count_ - most);
  lines_.clear();
  count_ = 0;
  return text;
}

}  // namespace pintle::conformance
