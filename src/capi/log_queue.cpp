#include "capi/log_queue.h"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "base/fork.h"
#include "base/immortal.h"
#include "pintle/deadline.h"
#include "pintle/default_timeout.h"

namespace pintle::capi {
namespace {

// True on the thread that calls the callback.
thread_local bool is_inside = false;

/// Needs no memory, since that may be why they were lost.
void tell_lost(const LogListener& listener, LogLevel level, std::uint64_t lost) {
  std::array<char, 160> text{};
  fmt::format_to_n(text.data(), text.size() - 1,
                   "Messages ({}) are lost here, since memory has run out or the callback is slower than the library.",
                   lost);
  listener.callback(listener.data, static_cast<std::uint32_t>(level), "log", text.data());
}

}  // namespace

LogQueue& LogQueue::instance() noexcept {
  static base::Immortal<LogQueue> queue;
  return queue.value;
}

Result<void> LogQueue::listen(const LogListener& next) {
  if (base::in_forked_child()) return base::forked_error();
  std::uint64_t last = 0;
  {
    const std::lock_guard turn(turn_);
    if (next.callback == nullptr) {
      set_log_callback({});
    } else {
      PINTLE_TRY(start());
      set_log_callback([this, next](LogLevel level, std::string_view category,
                                    std::string_view text) { push(next, level, category, text); },
                       next.most_verbose);
    }
    const std::lock_guard lock(mutex_);
    if (is_inside) redirect(next);
    last = pushed_;
  }
  return is_inside ? Result<void>() : drain(last);
}

// With `turn_` held, before anything is pushed. Where the system refuses the thread, the next call tries again.
Result<void> LogQueue::start() {
  if (ring_ != nullptr) return {};
  base::watch_forks();
  ring_ = std::make_unique<Ring>();
  try {
    std::thread([this] { run(); }).detach();
  } catch (const std::exception& refusal) {
    ring_ = nullptr;
    return Error(Errc::unavailable,
                 fmt::format("The thread for the log's callback cannot be started: {}.", refusal.what()));
  }
  return {};
}

// What the callback's own calls have to say would make more calls without end.
void LogQueue::push(const LogListener& listener, LogLevel level, std::string_view category,
                    std::string_view text) noexcept {
  if (is_inside || base::in_forked_child()) return;  // in a child the lock may be held for ever
  Message message{.listener = listener, .level = level, .category = {}, .text = {}};
  bool is_whole = false;
  try {
    message.category = category;
    message.text = text;
    is_whole = true;
  } catch (const std::exception&) {  // without memory it is lost
  }
  const std::lock_guard lock(mutex_);
  if (is_whole && count_ < limit) append(std::move(message));
  else lose(listener, level);
  is_pushed_.notify_one();
}

void LogQueue::append(Message&& message) noexcept {
  waiting(count_++) = std::move(message);
  ++pushed_;
}

void LogQueue::lose(const LogListener& listener, LogLevel level) noexcept {
  const bool follows_lost = count_ > 0 && waiting(count_ - 1).lost > 0;
  if (!follows_lost) append({.listener = listener, .level = level, .category = {}, .text = {}});
  Message& note = waiting(count_ - 1);
  note.listener = listener;
  note.level = std::min(note.level, level);
  ++note.lost;
}

// What `next` does not hear goes to nobody.
void LogQueue::redirect(const LogListener& next) noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    waiting(i).listener = waiting(i).level <= next.most_verbose ? next : LogListener();
}

// Without the lock the settings are read, which may have something to say.
Result<void> LogQueue::drain(std::uint64_t last) {
  std::unique_lock lock(mutex_);
  if (told_ >= last) return {};
  lock.unlock();
  const Duration patience = default_timeout();
  const Deadline deadline = Timeout(patience).deadline();
  lock.lock();
  if (is_told_.wait_until(lock, deadline, [&] { return told_ >= last; })) return {};
  return Error(Errc::timeout,
               fmt::format("The log's callback before has not heard the last messages ({}) within the timeout ({} ms).",
                           last - told_, std::chrono::ceil<std::chrono::milliseconds>(patience).count()));
}

// An exception that leaves the callback does no harm.
void LogQueue::tell(const Message& message) noexcept {
  const LogListener& listener = message.listener;
  if (listener.callback == nullptr) return;
  try {
    if (message.lost > 0) return tell_lost(listener, message.level, message.lost);
    listener.callback(listener.data, static_cast<std::uint32_t>(message.level), message.category.c_str(),
                      message.text.c_str());
  } catch (...) {
    return;
  }
}

void LogQueue::run() noexcept {
  is_inside = true;
  std::unique_lock lock(mutex_);
  for (;;) {
    is_pushed_.wait(lock, [this] { return count_ > 0; });
    const Message next = std::exchange(waiting(0), Message());
    first_ = (first_ + 1) % ring_->size();
    --count_;
    lock.unlock();
    tell(next);
    lock.lock();
    ++told_;
    is_told_.notify_all();
  }
}

}  // namespace pintle::capi
